"""Page 4, the tiny GPT: rivals counted and the model written out a second time, number by number."""

import json
import math
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np

from core.experiments import block_anatomy_gpt as gpt
from pages.shared import live_run
from tests.pages.claims.listening import listed, shown

FOLDER = Path(gpt.__file__).parent
D, FF, SEES, KNOWN, END, EVERY = 48, 96, 32, 599, 500, 25
ROUND = "round and round it goes, " * 40  # a student's text of 1,000 characters


# --- the text and the rivals ---


@lru_cache(maxsize=8)
def text_of(source, own):
    lines = own if source == "own" else (FOLDER / "texts" / f"{source}.txt").read_text(encoding="utf-8")
    return "\n".join(line for line in lines.split("\n") if not line.startswith("#")).strip()


def hidden(i):
    return i % 500 >= 450


@lru_cache(maxsize=8)
def read(source, own):
    """The text with its rare characters replaced, and all known ones, the unknown one first."""
    text = text_of(source, own)
    counts = Counter(sign for i, sign in enumerate(text) if not hidden(i))
    known = ["", *(sign for sign, _ in counts.most_common(KNOWN))]
    return [sign if sign in known else "" for sign in text], known


@lru_cache(maxsize=8)
def rivals(source, own):
    """Losses of counting characters and of counting pairs, the latter with the smoothing that suits it."""
    text, known = read(source, own)
    ones = Counter(sign for i, sign in enumerate(text) if not hidden(i))
    total = sum(ones.values()) + len(known)
    asked = [i for i in range(len(text)) if hidden(i)]
    guess = -sum(math.log((ones[text[i]] + 1) / total) for i in asked) / len(asked)
    places = [i for i in range(1, len(text)) if not hidden(i) and not hidden(i - 1)]
    pairs, firsts = Counter((text[i - 1], text[i]) for i in places), Counter(text[i - 1] for i in places)

    def loss(k):
        chances = [
            (pairs[text[i - 1], text[i]] + k * (ones[text[i]] + 1) / total) / (firsts[text[i - 1]] + k)
            for i in asked
        ]
        return -sum(map(math.log, chances)) / len(asked)

    return guess, min(map(loss, (0.5, 1, 2, 4, 8, 16, 32)))


# --- the model ---


def waves(n):
    angles = np.arange(n)[:, None] / 100.0 ** (np.arange(0, D, 2) / D)
    return np.stack([np.sin(angles), np.cos(angles)], axis=2).reshape(n, D)


def normed(x):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


def shares(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def comes_next(flat, n_signs, ids, temperature):
    """Chances of all characters after these."""
    layer = [*[(D, D), (D,)] * 4, (D, FF), (FF,), (FF, D), (D,)]
    shapes = [(n_signs, D), *layer, *layer, (D, n_signs), (n_signs,)]
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    assert ends[-1] == len(flat)
    flat = np.asarray(flat, np.float64)
    parts = [part.reshape(shape) for part, shape in zip(np.split(flat, ends[:-1]), shapes, strict=True)]
    n, x = len(ids), parts[0][ids] + waves(len(ids))
    later = np.triu(np.ones((n, n), bool), 1)
    for w_q, b_q, w_k, b_k, w_v, b_v, w_o, b_o, w_1, b_1, w_2, b_2 in (parts[1:13], parts[13:25]):
        inner = normed(x)
        q, k, v = (
            (inner @ w + b).reshape(n, 4, D // 4).transpose(1, 0, 2)
            for w, b in ((w_q, b_q), (w_k, b_k), (w_v, b_v))
        )
        looks = shares(np.where(later, -np.inf, q @ k.transpose(0, 2, 1) / math.sqrt(D // 4)))
        x = x + (looks @ v).transpose(1, 0, 2).reshape(n, D) @ w_o + b_o
        x = x + np.maximum(normed(x) @ w_1 + b_1, 0) @ w_2 + b_2
    return shares((normed(x)[-1] @ parts[25] + parts[26]) / temperature)


# --- runs ---


@lru_cache(maxsize=4)
def recorded(source):
    with np.load(FOLDER / "recordings" / f"block_anatomy_gpt_{source}.npz") as found:
        assert json.loads(str(found["meta"]))["settings"] == [source, 0, "", False]
        return {key: found[key] for key in found.files}


@lru_cache(maxsize=8)
def untrained(*settings):
    return {field: np.array([value]) for field, value in next(gpt.run(*settings))._asdict().items()}


def run_of(source, own, seed):
    """(columns of the snapshots, kind of stamp): a live run, the recorded one, or the model untrained."""
    settings = (source, seed, own) if own else (source, seed)
    run = live_run.runs().peek(live_run.job_of(gpt.run, *settings))
    if run is not None and run.seen:
        return {field: [getattr(s, field) for s in run.seen] for field in run.seen[0]._fields}, "trained"
    if seed == 0 and not own:
        return recorded(source), "recorded"
    return untrained(*settings), "untrained"


# --- what is said ---


def chosen(given, due):
    """The text that is learned from: a student's own of a fitting length, else a shipped one."""
    source = given["gpt_source"]
    if source != "own":
        return source, ""
    typed = given.at.session_state["block_anatomy.gpt_text"] or ""
    n = len(typed.strip())
    if 500 <= n <= 20_000 and len(set(typed.strip())) > 1:
        return source, typed.strip()
    if 500 <= n <= 20_000:
        return given.words.language, ""  # one character over and over: a sentence without numbers
    key = "own_blank" if n == 0 else "own_short" if n < 500 else "own_long"
    due[key] = {"n": n, "least": 500, "most": 20_000}
    return given.words.language, ""


def seen_sign(sign):
    return {"": "□", "\n": "⏎", " ": "␣"}.get(sign, sign)


def prompt_of(given, source, own, known, due):
    """What is to be gone on with, and how it is shown."""
    typed = given["gpt_prompt"] or ""
    unknown = list(dict.fromkeys(sign for sign in typed if sign not in known))
    if unknown:
        signs = listed(given, [shown(seen_sign(sign)) for sign in unknown])
        due["prompt_unknown"] = {"signs": signs, "mark": shown("□")}
    if not typed:
        text = text_of(source, own)
        typed = text[434:450]
        due["prompt_held_out"] = {"sign": shown(seen_sign(text[450]))}
    inner = typed.strip(" ").replace("\n", "⏎")
    head, tail = (len(typed) - len(cut) for cut in (typed.lstrip(" "), typed.rstrip(" ")))
    return typed, "␣" * head + inner + "␣" * tail


def same_bars(told, chances, known):
    """Eight bars, the highest first, each as high as it should be."""
    found = re.findall(r"(?:^|, )(.) (\d\.\d{3})(?=,|$)", told)
    heights = [float(height) for _, height in found]
    due = {seen_sign(sign): chance for sign, chance in zip(known, chances, strict=True)}
    return (
        len(found) == min(8, len(known))
        and heights == sorted(heights, reverse=True)
        and abs(heights[-1] - np.sort(chances)[::-1][len(found) - 1]) < 2e-3
        and all(abs(due[name] - height) < 2e-3 for (name, _), height in zip(found, heights, strict=True))
    )


def tiny_gpt(given):
    due, seed = {}, given["gpt_seed"]
    source, own = chosen(given, due)
    text, known = read(source, own)
    seen, kind = run_of(source, own, seed)
    steps = [int(step) for step in seen["step"]]
    now = steps.index(min(given.get("gpt_step", 0), steps[-1]))  # beyond the newest the newest is shown
    loss, held_out = float(seen["loss"][now]), float(seen["held_out_loss"][now])
    guess, pairs = rivals(source, own)
    facts = {"step": steps[now], "loss": loss, "held_out": held_out, "guess": guess, "pairs": pairs}
    due |= {"loss_picture": facts, "loss_picture_alt": facts}
    due["written"] = {"step": steps[now], "warmth": 0.8}

    told = [i for i, flat in enumerate(seen["flat"]) if np.isfinite(flat[0])]
    asked = now if now in told else told[-1]
    prompt, as_shown = prompt_of(given, source, own, known, due)
    ids = [known.index(sign) if sign in known else 0 for sign in prompt][-SEES:]
    chances = comes_next(seen["flat"][asked], len(known), ids, given["gpt_temperature"])
    bars = {"step": steps[asked], "temperature": given["gpt_temperature"]}
    due["bars_picture"] = bars | {"prompt": shown(as_shown)}
    due["bars_picture_alt"] = bars | {
        "prompt": as_shown,
        "listed": lambda told: same_bars(told, chances, known),
    }
    if asked != now:
        due["bars_step"] = {"step": steps[asked]}

    parameters = 2 * len(known) * D + len(known) + 2 * (4 * (D * D + D) + 2 * D * FF + FF + D)
    due[f"stamp.{kind}"] = {"seed": seed, "step": steps[now], "parameters": parameters}
    unknown = text.count("") / len(text)
    due["known_some" if unknown else "known"] = {
        "n": len(text),
        "signs": len(known) - 1,
        "mark": "□",
        "share": unknown,
    }
    best = min(range(now + 1), key=lambda i: seen["held_out_loss"][i])
    least = float(seen["held_out_loss"][best])
    if held_out > least + 0.15:
        due["rises"] = facts | {"least": least, "best": steps[best]}
    elif loss < held_out - 0.3:
        due["by_heart"] = facts
    facts = facts | {"context": SEES, "among": math.exp(held_out)}
    facts |= {"among_guess": math.exp(guess), "among_pairs": math.exp(pairs)}
    if steps[now] == 0:
        assert min(held_out, loss) > pairs, "not trained yet"
        return due | {"says_start": facts}
    order = "below" if held_out < pairs else "between" if held_out < guess else "above"
    return due | {f"says_{order}": facts}


def train(given):
    """A run on a student's own text that begins to learn by heart, with crooked numbers."""
    state = given.at.session_state
    state["block_anatomy.gpt_source"], state["block_anatomy.gpt_seed"] = "own", 3
    state["block_anatomy.gpt_text"] = ROUND
    own = ROUND.strip()
    first = next(gpt.run("own", 3, own))
    seen = [first]
    for i, held_out in enumerate((1.73, 1.234, 1.31, 1.417)):
        loss = 1.9 / (i + 1)
        seen.append(first._replace(step=(i + 1) * EVERY, loss=loss, held_out_loss=held_out))
    job = live_run.job_of(gpt.run, "own", 3, own)
    run = live_run.Run(job)
    run.seen, run.state = seen, live_run.DONE
    live_run.runs()._runs[job] = run


WAYS = [
    {"gpt_source": "zh", "gpt_step": 0, "gpt_prompt": "呦呦鹿鸣\U0001f98c", "gpt_temperature": 0.3},
    {"gpt_source": "en", "gpt_step": 25, "gpt_prompt": " the ", "gpt_temperature": 3.0},
    {"gpt_source": "en", "gpt_step": 50},
    {"gpt_source": "zh", "gpt_step": 25},
    {"gpt_source": "own", "typed": "not long enough"},
    {"gpt_source": "own", "typed": "a" * 600},
    {"gpt_source": "own", "typed": "long " * 4001 + "."},
    {"gpt_source": "own", "typed": ROUND},
]
