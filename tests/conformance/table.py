"""Print, for every operation and tier, how many cases pass and what is left out for which reason.

Run it from the top folder: ``python -m tests.conformance.table``.
"""

import json
from collections import Counter

from tests.conformance.harness import NotSupported, cases_folder, collect, key_of, load_manifest, run_case

HEAD = f"{'cases':>5} {'passed':>6} {'failed':>6} {'left out':>8}"


def outcome_of(folder, case, register):
    """Say in one word (and a reason) how a case ends."""
    key = key_of(case)
    if key in register.not_covered:
        return "left out", register.not_covered[key]
    if key not in register.adapters:
        return "failed", "neither adapted nor listed with a reason"
    try:
        run_case(folder, case, register.adapters[key])
    except NotSupported as reason:
        return "left out", str(reason)
    except Exception as error:  # one broken adapter must not hide the rest of the table
        return "failed", f"{case['name']}: {type(error).__name__}"
    return "passed", ""


def main():
    folder, register = cases_folder(), collect()
    counts, reasons = {}, {}
    for case in load_manifest(folder):
        row = (*key_of(case), case["tier"])
        outcome, reason = outcome_of(folder, case, register)
        counts.setdefault(row, Counter())[outcome] += 1
        if reason:
            reasons.setdefault(row, {})[reason] = None
    print(f"{'convention':10} {'operation':30} {'tier':5} {HEAD}  reason")
    for row, count in sorted(counts.items()):
        print(f"{row[0]:10} {row[1]:30} {row[2]:5} {numbers(count)}  {'; '.join(reasons.get(row, ()))}")
    tiers = {tier: total_of(counts, tier) for tier in sorted({tier for *_, tier in counts})}
    for tier, total in tiers.items():
        print(f"{'total':10} {'':30} {tier:5} {numbers(total)}")
    total = sum(counts.values(), Counter())
    print(json.dumps(figures(total) | {"tiers": {tier: figures(count) for tier, count in tiers.items()}}))
    return 1 if total["failed"] else 0


def numbers(count):
    return f"{count.total():5} {count['passed']:6} {count['failed']:6} {count['left out']:8}"


def total_of(counts, tier):
    return sum((count for row, count in counts.items() if row[-1] == tier), Counter())


def figures(count):
    return {"cases": count.total(), **{name: count[name] for name in ("passed", "failed", "left out")}}


if __name__ == "__main__":
    raise SystemExit(main())
