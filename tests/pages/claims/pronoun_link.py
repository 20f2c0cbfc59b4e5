"""Page 3, the sections that train: the model written out a second time, number by number."""

import json
import math
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np

from core.experiments import pronoun_link
from core.learning.pronoun import questions, split_pairs, training_batches
from pages.shared import live_run
from tests.pages.claims.block_anatomy import normed, waves
from tests.pages.claims.listening import listed, shown

RECORDED = Path(pronoun_link.__file__).parent / "recordings"
SIZES = [(48, 32), *[(32, 32), (32,)] * 4, (32, 64), (64,), (64, 32), (32,)]  # words, one block
OUT = [(32, 10), (10,)]
IT, COMMA, BECAUSE, FIRST_A, FIRST_B, STATE, FILLER, VERB = 46, 44, 45, 16, 22, 28, 32, 10


def parts_of(flat, n_layers):
    """The parameters in the order in which they lie: words, blocks, read-out."""
    shapes = [SIZES[0], *SIZES[1:] * n_layers, *OUT]
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    assert ends[-1] == len(flat) == {1: 10_282, 2: 18_698}[n_layers]
    flat = np.asarray(flat, np.float64)
    starts = [0, *ends[:-1]]
    return [flat[a:b].reshape(shape) for a, b, shape in zip(starts, ends, shapes, strict=True)]


def shares(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def forward(flat, n_layers, ids, change=None):
    """Scores of the answers at every word, and the weights (n_layers, batch, heads, n, n)."""
    table, *layers, w, b = parts_of(flat, n_layers)
    ids = np.atleast_2d(ids)
    batch, n = ids.shape
    x, weights = table[ids] + waves(n, 32, 100), []
    for layer in range(n_layers):
        w_q, b_q, w_k, b_k, w_v, b_v, w_o, b_o, w_1, b_1, w_2, b_2 = layers[12 * layer : 12 * layer + 12]
        inner = normed(x)
        q, k, v = (
            (inner @ w + b).reshape(batch, n, 4, 8).transpose(0, 2, 1, 3)
            for w, b in ((w_q, b_q), (w_k, b_k), (w_v, b_v))
        )
        looks = shares(q @ k.transpose(0, 1, 3, 2) / math.sqrt(8))
        if change and layer == n_layers - 1:
            looks = change(looks)
        weights.append(looks)
        x = x + (looks @ v).transpose(0, 2, 1, 3).reshape(batch, n, 32) @ w_o + b_o
        x = x + np.maximum(normed(x) @ w_1 + b_1, 0) @ w_2 + b_2
    return x @ w + b, np.array(weights)


# --- what the page shows ---


@lru_cache(maxsize=8)
def recorded(name):
    with np.load(RECORDED / f"{name}.npz") as found:
        return {key: found[key] for key in found.files} | {"meta": json.loads(str(found["meta"]))}


def run_of(seed, n_layers):
    """(columns of the snapshots, kind of stamp): a live run, the recorded one, or the model untrained."""
    job = live_run.job_of(pronoun_link.train_link, seed, n_layers)
    run = live_run.runs().peek(job)
    if run is not None and run.seen:
        seen = {field: np.array([getattr(s, field) for s in run.seen]) for field in run.seen[0]._fields}
        return seen, "stamp.trained"
    names = {(0, 2): "pronoun_link", (0, 1): "pronoun_link_one_layer", (2, 1): "pronoun_link_one_layer_2"}
    if (seed, n_layers) in names:
        return recorded(names[seed, n_layers]), "stamp.recorded"
    first = next(pronoun_link.train_link(seed, n_layers))
    return {field: np.array([value]) for field, value in first._asdict().items()}, "stamp.untrained"


def stamp(kind, seed, step, n_layers):
    return {kind: {"seed": seed, "step": step, "parameters": {1: 10_282, 2: 18_698}[n_layers]}}


def vocabulary(given):
    kinds = ("nouns", "verbs", "agent_reasons", "patient_reasons", "states", "fillers", "marks")
    return [word for kind in kinds for word in given.words(f"pronoun.{kind}").split(" / ")]


FAR = [FILLER, 1, FILLER + 1, VERB, FILLER + 2, 0, FILLER + 3, FILLER + 4, FILLER + 5, COMMA, BECAUSE, IT]
PRESETS = {
    "hungry": [1, VERB, 0, COMMA, BECAUSE, IT, FIRST_A],
    "escaped": [1, VERB, 0, COMMA, BECAUSE, IT, FIRST_B],
    "far_hungry": [*FAR, FIRST_A, FILLER + 6, FILLER + 7],
    "far_escaped": [*FAR, FIRST_B, FILLER + 6, FILLER + 7],
    "one": [0, STATE, COMMA, BECAUSE, IT, FIRST_A + 1],
}


def typed(given):
    """(numbers, words that are none) of a sentence with blanks between its words."""
    words, ids, unknown = vocabulary(given), [], []
    for word in given["link_words"].split():
        if word in words:
            ids.append(words.index(word))
        elif word not in unknown:
            unknown.append(word)
    return ids, unknown


def sentence(given, due):
    chosen = given["link_sentence"]
    if chosen != "own":
        return PRESETS[chosen]
    ids, unknown = typed(given)
    if unknown:
        due["own_unknown"] = {"listed": listed(given, [shown(word) for word in unknown])}
    for kind in ("nouns", "verbs", "agent_reasons", "patient_reasons", "states", "fillers", "marks"):
        due[f"kinds.{kind}"] = {"listed": given.words(f"pronoun.{kind}")}
    if len(ids) > 64:
        due["own_cut"] = {"found": len(ids), "kept": 64}
    ids = ids[:64]
    is_fine = ids.count(IT) == 1 and any(i < 10 for i in ids[: ids.index(IT)])
    return ids if is_fine else PRESETS["hungry"]


def meant_noun(ids):
    """The number of the noun that is meant, or None."""
    at = ids.index(IT)
    nouns = [word for word in ids[:at] if word < 10]
    if len(nouns) == 1:
        return nouns[0]
    reason = ids[at + 1] if at + 1 < len(ids) else None
    if len(nouns) != 2 or reason is None or not FIRST_A <= reason < STATE:
        return None
    return nouns[(reason >= FIRST_B) != (47 in ids)]


def has_met(pair, seed):
    return sorted(pair) in split_pairs(np.random.default_rng(seed)).seen.tolist()


def best_head(seen, i, layer=-1):
    referent, other = seen["on_referent"][i][layer], seen["on_other"][i][layer]
    best = int(np.argmax(referent))
    return best, float(referent[best]), float(other[best])


@lru_cache(maxsize=1)
def share_of_two():
    """Share of the training sentences with two nouns, counted in others than the page counts."""
    rng = np.random.default_rng(5)
    batches = islice(training_batches(rng, split_pairs(rng).seen, 64), 600)
    return np.mean([(batch.nouns[:, 0] != batch.nouns[:, 1]).mean() for batch in batches])


def link(given):
    seed, due = given["link_seed"], {}
    seen, kind = run_of(seed, 2)
    at = min(given.get("link_step", 0) // 50, len(seen["step"]) - 1)
    ids = sentence(given, due)
    words, layer, pronoun = vocabulary(given), int(given["link_layer"]) - 1, ids.index(IT)
    logits, weights = forward(seen["flat"][at], 2, ids)
    chance = shares(logits[0, pronoun])
    on = seen["on_referent"][at][layer], seen["on_other"][at][layer]
    if given["link_head"] == "mean":
        name, looks = given.words("link.head_mean"), weights[layer][0].mean(axis=0)
        referent, other = (float(np.mean(row)) for row in on)
    else:
        chosen = given["link_head"]
        head = best_head(seen, at, layer)[0] if chosen == "best" else int(chosen) - 1
        due["head_number"] = {"number": head + 1}
        name, looks = given.words("link.head_number", number=head + 1), weights[layer][0, head]
        referent, other = (float(row[head]) for row in on)
    step = int(seen["step"][at])
    asks = given.get("link_asks", 1) - 1
    learned = seen["step"][-1] == seen["end"][-1] and seen["accuracy"][-1] > 0.9
    loss = "loss_picture" if learned else "loss_so_far_picture"
    picture = "first_layer_picture" if not layer else "weight_picture" if learned else "weight_so_far_picture"
    share = share_of_two()
    guides = {"blind": math.log(10), "undecided": lambda told: abs(told - share * math.log(2)) < 0.01}
    last = {"step": int(seen["step"][-1])}
    due["undecided_line"] = {"share": lambda told: abs(told - share) < 0.015}
    nouns = list(dict.fromkeys(word for word in ids[:pronoun] if word < 10))
    row = [f"{words[noun]} {chance[noun]:.2f}" for noun in nouns]
    due |= {
        "arcs": {"word": shown(words[ids[asks]]), "layer": layer + 1, "head": name, "step": step},
        loss: last,
        f"{loss}_alt": {"loss": float(seen["loss"][at]), **guides, **last},
        picture: last,
        f"{picture}_alt": {
            **{"layer": layer + 1, "head": name, "referent": referent, "other": other},
            **{"accuracy": float(seen["accuracy"][at]), **last},
        },
        "answer_picture": {},
        "answer_picture_alt": {"listed": lambda told: same_row(told, row)},
    }
    due |= stamp(kind, seed, step, 2)
    pronouns = looks[pronoun]
    most, said, meant = int(pronouns.argmax()), int(chance.argmax()), meant_noun(ids)
    facts = {"step": step, "said": shown(words[said]), "chance": near(chance[said])}
    facts |= {"most": shown(words[ids[most]]), "weight": near(pronouns[most])}
    if meant is None:
        return due | {"says_open": facts}
    due["says_right" if said == meant else "says_wrong"] = facts | {"meant": shown(words[meant])}
    if len(nouns) == 2:
        due["pair_met" if has_met(nouns, seed) else "pair_unseen"] = {"seed": seed}
    if len(ids) > 26:
        due["own_long"] = {"n": len(ids), "longest": 26}
    return due


def near(value):
    """Within what float32 and the second decimal leave open."""
    return lambda told: abs(told - value) < 2e-3


def same_row(told, row):
    """Equal but for the last decimal of the numbers."""
    for a, b in zip(told.split(", "), row, strict=True):
        (name, number), (wanted_name, wanted) = a.rsplit(" ", 1), b.rsplit(" ", 1)
        if name != wanted_name or abs(float(number) - float(wanted)) > 0.011:
            return False
    return True


def flip(given):
    seed = given["flip_seed"]
    seen, kind = run_of(seed, 2)
    words, due = vocabulary(given), {}
    first, second = given["flip_first"] - 1, given["flip_second"] - 1
    if first == second:
        second = (second + 1) % 10
        due["two_alike"] = {"other": shown(words[second])}
    fill = [FILLER + i % 12 for i in range(given["flip_fillers"])]
    start = [first, VERB + given["flip_verb"] - 1, second, *fill, COMMA, BECAUSE, IT]
    reasons = FIRST_A + given["flip_reason"] - 1, FIRST_B + given["flip_reason"] - 1
    head = best_head(seen, -1, 1)[0]
    said, looks = [], []
    for reason in reasons:
        logits, weights = forward(seen["flat"][-1], 2, [*start, reason])
        said.append(int(logits[0, len(start) - 1].argmax()))
        looks.append(weights[1][0, head, len(start) - 1])
    asks = given["flip_asks"] - 1
    due["arcs"] = [
        {"reason": shown(words[reason]), "word": shown(words[[*start, reason][asks]])} for reason in reasons
    ]
    row = [
        f"{words[reason]}: {words[noun]} {look[place]:.2f}"
        for reason, look in zip(reasons, looks, strict=True)
        for noun, place in ((first, 0), (second, 2))
    ]
    due |= {"picture": {}, "picture_alt": {"listed": lambda told: same_row(told, row)}}
    step = int(seen["step"][-1])
    due |= stamp(kind, seed, step, 2)
    facts = {"seed": seed, "step": step}
    for which, reason, noun, look, place in zip("ab", reasons, said, looks, (0, 2), strict=True):
        facts |= {f"{which}_reason": shown(words[reason]), f"{which}_said": shown(words[noun])}
        facts[f"{which}_weight"] = near(look[place])
    right = said == [first, second]
    due["says_flips" if right else "says_same" if said[0] == said[1] else "says_other"] = facts
    if not has_met([first, second], seed):
        due["pair_unseen"] = {"seed": seed}
    return due


def swap(given):
    seed = given["swap_seed"]
    seen, kind = run_of(seed, 2)
    hits, n = np.zeros(3), 0
    rng = np.random.default_rng(seed)
    for asked in questions(rng, 40, split_pairs(rng).unseen, (10, 14, 18, 22, 26)):
        every, (a, b) = np.arange(40), asked.nouns.T
        n += 40

        def exchange(looks, every=every, a=a, b=b):
            looks = looks.copy()
            looks[every, :, :, a], looks[every, :, :, b] = looks[every, :, :, b], looks[every, :, :, a]
            return looks

        other = asked.ids[every, a + b - asked.answer]
        for i, (change, wanted) in enumerate(
            (
                (None, asked.targets),
                (exchange, other),
                (lambda looks: 0 * looks + 1 / looks.shape[-1], asked.targets),
            )
        ):
            logits, _ = forward(seen["flat"][-1], 2, asked.ids, change)
            hits[i] += (logits[every, asked.asks].argmax(axis=-1) == wanted).sum()
    figures = dict(zip(("right", "other_when_swapped", "right_when_even"), hits / n, strict=True))
    step = int(seen["step"][-1])
    loose = {name: (lambda told, value=value: abs(told - value) < 0.011) for name, value in figures.items()}
    carries = figures["other_when_swapped"] > max(0.5, 1 - figures["right"])
    name = "picture" if carries else "not_yet_picture"
    due = {name: {}, f"{name}_alt": loose, **stamp(kind, seed, step, 2)}
    facts = {"seed": seed, "step": step, "n": n, **loose}
    return due | {"says_carries" if carries else "says_not_yet": facts}


def flattened(looks):
    return np.full_like(looks, 1 / looks.shape[-1])


def one_layer(given):
    seed = given["one_layer_seed"]
    seen, kind = run_of(seed, 1)
    accuracy, step = float(seen["accuracy"][-1]), int(seen["step"][-1])
    _, referent, other = best_head(seen, -1, 0)
    facts = {"seed": seed, "step": step, "accuracy": accuracy, "referent": referent, "other": other}
    goes_round = accuracy > 0.65
    if goes_round:
        reasons_that_take_the_weight(seen["flat"][-1])
    name = "way_picture" if goes_round else "so_far_picture" if accuracy < 0.35 else "picture"
    told = {"step": step, "accuracy": accuracy} if accuracy < 0.35 else {}
    due = {"text": {"one_layer_steps": 800}, name: told, f"{name}_alt": {"accuracy": accuracy, "coin": 0.5}}
    due[f"{name}_alt"] |= told
    says = "says_start" if not step else "says_way" if goes_round else "says"
    return due | stamp(kind, seed, step, 1) | {says: facts}


def reasons_that_take_the_weight(flat):
    """Hold what the sentence claims: with some reasons, a head looks at the reason instead of the nouns."""
    taken = []
    for reason in range(FIRST_A, STATE):
        _, weights = forward(flat, 1, [1, VERB, 0, COMMA, BECAUSE, IT, reason])
        taken.append(weights[0][0, :, 5, 6])
    taken = np.array(taken)  # (reasons, heads)
    head = int(np.ptp(taken, axis=0).argmax())
    assert taken[:, head].max() > 0.8 and taken[:, head].min() < 0.2


SECTIONS = {"link": link, "flip": flip, "swap": swap, "one_layer": one_layer}
HUNGRY = ["狗", "追", "猫", "，", "因为", "它", "饿了"]
LONG = " ".join(["狗", *["今天"] * 70, *HUNGRY[1:]])  # the pronoun is cut off
ENDLESS = " ".join([*HUNGRY, *["其实"] * 60])  # what follows it is cut off
FAR_APART = " ".join([*HUNGRY[:3], *["其实"] * 22, *HUNGRY[3:6], "逃了"])
WAYS = [
    {"link_sentence": "far_escaped", "link_head": "mean", "link_layer": "1", "link_asks": 2},
    {"link_seed": 3, "flip_seed": 3, "swap_seed": 3, "one_layer_seed": 3}
    | {"link_sentence": "own", "link_words": "猫 被 狗 追 ， 因为 它 饿了"},
    {"link_seed": 5, "link_sentence": "one", "flip_seed": 5, "flip_first": 4, "flip_second": 4},
    {"link_seed": 7, "link_sentence": "escaped", "flip_seed": 7, "flip_reason": 4, "flip_fillers": 5},
    {"link_sentence": "own", "link_words": "狗 追 猫 ， 因为 它 忘了 很 今天"},
    {"link_sentence": "own", "link_words": "狗 睡了"},
    {"link_sentence": "own", "link_words": LONG},
    {
        "link_sentence": "own",
        "link_words": " ".join(["狗", "追", "猫", *["其实"] * 22, "，", "因为", "它", "逃了"]),
    },
    {
        "link_sentence": "own",
        "link_words": " ".join(["狗", "追", "猫", "，", "因为", "它", "饿了", *["其实"] * 60]),
    },
    {"link_seed": 9, "flip_seed": 9, "flip_reason": 5, "one_layer_seed": 2},
    {"flip_first": 3, "flip_second": 9, "flip_fillers": 12, "link_step": 100, "link_head": "2"},
]
