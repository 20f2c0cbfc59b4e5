"""Page 3, computed a second time."""

import math
from itertools import zip_longest

import numpy as np

from core.blocks.encoder_block import init_block
from core.blocks.multi_head import self_attention
from core.experiments.word_order import answers, learn_order, order_model
from core.learning.models import init_model
from core.learning.tasks import order_task
from core.sentences import word_vectors
from tests.pages.claims import pronoun_link
from tests.pages.claims.block_anatomy import waves
from tests.pages.claims.listening import listed, shown

KINDS = ("animal", "pronoun", "other")
FACTS = {"looks_for": 6, "nouns": 10, "verbs": 6, "held_out": 9, "one_layer_steps": 800}
ROUNDING = 1e-12


def kinds_of(given):
    lexicon = {kind: given.words(f"lexicon.{kind}") for kind in KINDS[:2]}
    kinds = [
        next((kind for kind, words in lexicon.items() if token.casefold() in words.split()), "other")
        for token in given.tokens
    ]
    return kinds, lexicon


def roles(given):
    tokens = given.tokens
    n, asks = len(tokens), given.get("word", 1) - 1
    kinds, lexicon = kinds_of(given)
    x = np.array([[float(kind == one) for one in KINDS] for kind in kinds])
    q, k, v = (x @ given.grid(name)[list(KINDS)].to_numpy(float) for name in ("w_q", "w_k", "w_v"))
    scores = [q[asks] @ key / math.sqrt(3) for key in k]
    powers = [math.exp(score - max(scores)) for score in scores]
    weights = [power / sum(powers) for power in powers]
    out = sum(w * value for w, value in zip(weights, v, strict=True))
    named = {"x": x[asks], "q": q[asks], "k": k[asks], "v": v[asks], "out": out}
    row = "; ".join(
        f"{given.words(f'roles.{name}')}: {', '.join(f'{a:.2f}' for a in array)}"
        for name, array in named.items()
    )
    word = shown(tokens[asks])
    due = {
        "text": FACTS,
        "arcs": {"word": word},
        "picture": {"word": word},
        "picture_alt": {"word": tokens[asks], "listed": row},
    }
    if given.at.session_state["sentence"] == "own":
        due["unknown"] = {"unknown": kinds.count("other"), **lexicon}
    best = [i for i, w in enumerate(weights) if w >= max(weights) - 1e-9]
    facts = {"word": word, "weight": max(weights), "n": n}
    if n == 1:
        return due | {"says_one": {}}
    if len(best) == n:
        np.testing.assert_allclose(out, v.mean(axis=0), atol=1e-8)  # a plain mean
        return due | {"says_none_found" if any(q[asks]) else "says_even": facts}
    if len(best) == 1:
        told = {"best": shown(tokens[best[0]]), "rest": sum(weights) - max(weights), "others": n - 1}
        return due | {"says": facts | told}
    places = [{"word": shown(tokens[i]), "place": i + 1} for i in best]
    names = listed(given, [given.words("roles.place", **place) for place in places])
    alike = len({kinds[i] for i in best}) == 1
    return due | {"place": places, "says_tie" if alike else "says_level": facts | {"names": names}}


def heads_of(x, seed, mask=None):
    """Scores and weights of the four heads, pair by pair."""
    params = init_block(np.random.default_rng(seed), 16, 4, 16).attention
    q, k = x @ params.w_q + params.b_q, x @ params.w_k + params.b_k
    scores = np.array([q[:, 4 * h : 4 * h + 4] @ k[:, 4 * h : 4 * h + 4].T / 2 for h in range(4)])
    allowed = np.ones(scores.shape[1:], bool) if mask is None else mask
    powers = np.where(allowed, np.exp(scores - scores.max(axis=2, keepdims=True)), 0)
    return scores, powers / powers.sum(axis=2, keepdims=True)


def everyone(given):
    tokens, seed, causal, state = given.tokens, given["seed"], given["causal"], given["state"]
    n, asks = len(tokens), given.get("asks", 1) - 1
    mask = np.array([[j <= i for j in range(n)] for i in range(n)]) if causal else None
    _, weights = heads_of(word_vectors(tokens, 16, seed), seed, mask)
    head = given["head"]
    row = (weights.mean(axis=0) if head == "mean" else weights[int(head) - 1])[asks]
    word = shown(tokens[asks])
    message = {"message": given.words(f"everyone.{state}_picture"), "n": n}
    due = {"arcs": {"word": word}, "picture": message, "picture_alt": message, "stamp.random": {"seed": seed}}
    due[f"{state}_picture"] = {}
    if state == "masked":
        cells = {"blocked": n * n if mask is None else int((~mask).sum()), "all": n * n}
        due["blocked" if causal else "nothing_blocked"] = cells
    if head == "mean":
        due["mean_of_heads"] = {"heads": 4}
    visible = asks + 1 if causal else n
    if visible == 1:
        return due | {"says_alone": {"word": word}}
    best = [i for i, w in enumerate(row) if w > max(row) - 1e-9]
    places = [{"word": shown(tokens[i]), "place": i + 1} for i in best]
    names = listed(given, [given.words("everyone.place", **place) for place in places])
    effective = math.exp(-sum(w * math.log(w) for w in row if w > 0))
    assert 1 <= effective <= visible + 1e-9
    assert len({tokens[i] for i in best}) == 1, "the most; or the same word"
    told = {"word": word, "best": names, "weight": max(row), "effective": effective, "visible": visible}
    return due | {"place": places, "says" if len(best) == 1 else "says_tie": told}


def order(given):
    tokens, causal, positions = given.tokens, given["shuffle_causal"], given["shuffle_positions"]
    n = len(tokens)
    new = np.random.default_rng(given["shuffle"]).permutation(n)
    x, places = word_vectors(tokens, 16, 0), waves(n, 16) if positions else 0
    mask = np.tri(n, dtype=bool) if causal else None
    params = init_block(np.random.default_rng(0), 16, 4, 16).attention
    before, after = (self_attention(some + places, params, 4, mask)[0] for some in (x, x[new]))
    moved = np.abs(after - before[new])
    changed, largest, size = (moved.max(axis=1) > ROUNDING).sum(), moved.max(), np.abs(before).max()
    due = {"moves": {}, "moves_alt": {"n": n}, "stamp.random": {"seed": 0}}
    told = {"largest": largest if changed else lambda told: told < ROUNDING, "size": size}
    kind = "changes_some" if changed else "changes_none"
    due |= {kind: {}, f"{kind}_alt": told}
    if n == 1:
        return due | {"says_one": {}}
    if not changed:
        return due | {"says_no_leak" if causal or positions else "says": told}
    assert causal or positions, "with no mask and no positions, attention does not know the order"
    causes = given.words(
        f"order.{'both' if causal and positions else 'by_mask' if causal else 'by_positions'}"
    )
    return due | {"says_leak": told | {"n": n, "changed": changed, "causes": causes}}


def seen_of(seed, positions):
    """The snapshots of a run: as it was recorded, or of the model untrained."""
    every = list(learn_order(seed, positions))
    return every if seed == 0 else every[:1]


def order_trained(given):
    seed = given["order_seed"]
    told, blind = seen_of(seed, True), seen_of(seed, False)
    step = told[-1].step
    accuracy = {"told": near(told[-1].accuracy), "blind": near(blind[-1].accuracy)}
    loss = {"told": near(told[-1].loss), "blind": near(blind[-1].loss), "guess": math.log(2)}
    probes = {
        f"{name}_{which}": near(run[-1].probe[i])
        for name, run in (("told", told), ("blind", blind))
        for i, which in enumerate(("first", "second"))
    }
    assert min(now.loss for now in blind) > math.log(2) - 1e-6, "cannot get below ln 2"
    assert all(now.accuracy <= 0.5 for now in blind), "at most one of the two is right"
    np.testing.assert_allclose(blind[-1].probe[0], blind[-1].probe[1], rtol=1e-4)  # both get the same scores
    # 17 words of 16, four projections, an MLP of 32, ten answers.
    parameters = 17 * 16 + 4 * (16 * 16 + 16) + (16 * 32 + 32 + 32 * 16 + 16) + 16 * 10 + 10
    due = {
        "text": FACTS,
        "loss_picture": {},
        "loss_picture_alt": loss,
        "accuracy_picture": {},
        "accuracy_picture_alt": accuracy,
    }
    kind = "stamp.recorded" if step else "stamp.untrained"
    due[kind] = {"seed": seed, "step": step, "parameters": parameters}
    if not step:
        assert abs(blind[-1].accuracy - untrained_accuracy(seed)) < 1e-12
    # 9 pairs of nouns, both ways round, with 6 verbs.
    facts = {"seed": seed, "count": 9 * 2 * 6, "step": step, **accuracy, **probes}
    return due | {"says" if step else "says_start": facts}


def near(value):
    """What another kernel of the same library may make of it in 200 steps."""
    return lambda told: abs(told - value) < 0.02


def untrained_accuracy(seed):
    """How many unseen sentences a fresh model without positions answers with its largest score."""
    rng = np.random.default_rng(seed)
    unseen = order_task(rng).unseen
    model = order_model(positions=False)
    logits = answers(unseen.ids, init_model(rng, model), model)
    return np.mean([row.argmax() == target for row, target in zip(logits, unseen.targets, strict=True)])


SECTIONS = {"roles": roles, "everyone": everyone, "order": order, "order_trained": order_trained}
SECTIONS |= pronoun_link.SECTIONS

ALSO_PRONOUNS = "a,0,0,0;b,6,6,0;c,0,0,0"  # W_q: pronouns look for animals and for pronouns
WAYS = [
    {"sentence": "hungry", "state": "masked", "shuffle_causal": True, "w_q": ALSO_PRONOUNS},
    {"sentence": "own", "words": "cat", "state": "scores", "causal": True},
    {"sentence": "own", "words": "它 他 她", "word": 1, "asks": 1, "causal": True, "head": "mean"},
    {"sentence": "escaped", "shuffle_causal": True, "shuffle_positions": True},
    {"sentence": "own", "words": "red red green", "shuffle": 1, "shuffle_causal": True},
    {"sentence": "own", "words": "red red green", "asks": 3, "seed": 2},
    {"word": 1, "state": "masked", "causal": True, "shuffle_positions": True},
]
# The sections do not share their inputs: one visit takes several of them to a branch each.
WAYS = [one | other for one, other in zip_longest(WAYS, pronoun_link.WAYS, fillvalue={})]
