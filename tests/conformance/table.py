"""Print, for every operation, how many cases pass and what is left out for which reason.

Run it from the top folder: ``python -m tests.conformance.table``.
"""

import json
from collections import Counter

from tests.conformance.harness import NotSupported, cases_folder, collect, key_of, load_manifest, run_case


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
        key = key_of(case)
        outcome, reason = outcome_of(folder, case, register)
        counts.setdefault(key, Counter())[outcome] += 1
        if reason:
            reasons.setdefault(key, {})[reason] = None
    print(
        f"{'convention':10} {'operation':30} {'cases':>5} {'passed':>6} {'failed':>6} {'left out':>8}  reason"
    )
    for key, count in sorted(counts.items()):
        numbers = f"{count.total():5} {count['passed']:6} {count['failed']:6} {count['left out']:8}"
        print(f"{key[0]:10} {key[1]:30} {numbers}  {'; '.join(reasons.get(key, ()))}")
    total = sum(counts.values(), Counter())
    figures = {"cases": total.total(), **{name: total[name] for name in ("passed", "failed", "left out")}}
    print(json.dumps(figures))
    return 1 if total["failed"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
