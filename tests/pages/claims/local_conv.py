"""Page 1, computed a second time."""

import numpy as np

from core.blocks.convolution import convolution
from core.blocks.gru import gru, gru_backward
from core.learning import pronoun
from pages.shared.charts import two_digits
from tests.pages.claims import local_conv_race
from tests.pages.claims.listening import shown

N, D = 64, 32


def stretched(given):
    """The sentence with its fillers, and the places of the two words."""
    tokens, fillers = given.tokens, given.words("reach.fillers").split()
    asks, answer = given.get("asks", 1) - 1, given.get("answer", 1) - 1
    n_fillers, later = given.get("n_fillers", 0), max(asks, answer)
    added = [fillers[i % len(fillers)] for i in range(n_fillers)]
    asks, answer = (place + n_fillers * (place == later) for place in (asks, answer))
    return tokens[:later] + added + tokens[later:], asks, answer


def layers_needed(distance, half, doubling):
    """The fewest layers whose windows, side by side or with gaps 1, 2, 4, ..., reach that far."""
    n_layers = 0
    while half * ((2**n_layers - 1) if doubling else n_layers) < distance:
        n_layers += 1
    return n_layers


def reach(given):
    tokens, asks, answer = stretched(given)
    k, n_layers, doubling = given["k"], given["n_layers"], given["doubling"]
    seen, half, t = {asks}, k // 2, abs(asks - answer)
    for layer in reversed(range(n_layers)):  # from the top down, as wide as each window is
        gap = 2**layer if doubling else 1
        seen = {i + gap * step for i in seen for step in range(-half, half + 1)} & set(range(len(tokens)))
    contiguous, dilated = (layers_needed(t, half, growth) for growth in (False, True))
    needed = dilated if doubling else contiguous
    heard = answer in seen
    assert heard == (needed <= n_layers)
    stairs = [layers_needed(far, half, False) for far in range(1, N)]
    assert stairs == [-(-far // half) for far in range(1, N)], "in step with distance"
    logs = [layers_needed(far, half, True) for far in range(1, N)]
    assert logs == [int(np.ceil(np.log2(1 + far / half))) for far in range(1, N)], "with its logarithm"
    drawn = {"asks": tokens[asks], "answer": tokens[answer], "n_layers": n_layers, "n_heard": len(seen)}
    drawn["missing"] = min(abs(i - answer) for i in seen)
    picture = "itself_picture" if t == 0 else "heard_picture" if heard else "unheard_picture"
    says = "says_itself" if t == 0 else "says_heard" if heard else "says_unheard"
    kind = given.words("reach.dilated" if doubling else "reach.contiguous")
    told = {"asks": shown(tokens[asks]), "answer": shown(tokens[answer]), "t": t, "k": k, "kind": kind}
    return {
        picture: drawn,
        f"{picture}_alt": drawn,
        "needed_picture": {},
        "needed_picture_alt": {
            "k": k,
            "t": t,
            "contiguous": contiguous,
            "dilated": dilated,
            "attention": min(t, 1),
        },
        "at": {"t": t},
        "contiguous_stairs": {"needed": contiguous},
        "dilated_stairs": {"needed": dilated},
        "attention_stairs": {"needed": min(t, 1)},
        says: told | {"needed": needed, "n_layers": n_layers},
    }


def it_moves(given):
    n_fillers, seed, back = given["n_strewn"], given["sample_seed"], given["back"]
    n, pairs = int(given["n_sentences"]), given["pairs"]
    drawn = pronoun.two_noun_sentences(np.random.default_rng(seed), n // 2 if pairs else n, 7 + n_fillers)
    rows = list(zip(drawn.asks, drawn.nouns, drawn.answer, strict=True))
    if pairs:  # each once more with the other noun as its answer
        rows += [(asks, nouns, sum(nouns) - answer) for asks, nouns, answer in rows]
    furthest = 5 + n_fillers
    right = [sum(asks - answer == b for asks, _, answer in rows) for b in range(1, furthest + 1)]
    nearest = sum(max(nouns) == answer for _, nouns, answer in rows)
    both = sum(asks - min(nouns) <= furthest for asks, nouns, _ in rows)
    assert both == n, "holds both nouns"
    most = max(right)
    if pairs:
        assert 2 * most <= n and 2 * nearest == n, "no place can pass one half"
    says = "says_pairs" if pairs else "says_lucky" if 2 * most > n else "says"
    told = {"n": n, "best": right.index(most) + 1, "most": most, "back": back, "right": right[back - 1]}
    told |= {"furthest": furthest, "both": both, "nearest": nearest}
    due = {"offsets_picture": told, "offsets_picture_alt": told, says: told, "stamp.drawn": {"seed": seed}}
    return due | the_pair(given, seed, n_fillers, back)


def the_pair(given, seed, n_fillers, back):
    """The dog chases the cat, in two readings."""
    words = [word for kind in pronoun.KINDS for word in given.words(f"pronoun.{kind}").split(" / ")]
    dog, cat, chased, first_reason = 1, 0, 0, 0
    rng = np.random.default_rng(seed)
    one = pronoun.write_two_nouns(
        rng, np.array([[dog, cat]]), np.array([chased]), np.array([first_reason]), 7 + n_fillers
    )
    texts, answers, asks = [], [], int(one.asks[0])
    for reading in (one, pronoun.with_other_reasons(one)):
        texts.append([words[i] for i in reading.ids[0]])
        answers.append(int(reading.answer[0]))
    changed = [i for i, (a, b) in enumerate(zip(*texts, strict=True)) if a != b]
    assert changed == [asks + 1], "one word is new"
    assert len(set(answers)) == 2, "right in one of the two at most"
    due = {"look_right": [], "look_wrong": []}
    reasons = [{"reason": text[asks + 1], "word": text[i]} for text, i in zip(texts, answers, strict=True)]
    for text, answer in zip(texts, answers, strict=True):
        assert back <= asks, "the look ends in the sentence"
        name = "look_right" if asks - back == answer else "look_wrong"
        due[name].append({"back": back, "word": text[asks - back]})
    names = {"asks": texts[0][asks], "first": texts[0][answers[0]], "second": texts[1][answers[1]]}
    spelled = {f"reason_{i}": given.words("it_moves.reason", **one) for i, one in enumerate(reasons, start=1)}
    told = names | spelled | {"back": back}
    return due | {"reason": reasons, "pair_picture": told, "pair_picture_alt": told}


# --- what arrives ------------------------------------------------------------------------------


def random_words(rng, n):
    x = rng.standard_normal((n, D))
    return x * np.sqrt(D / (x * x).sum(axis=1, keepdims=True))


def orthogonal(rng):
    q, r = np.linalg.qr(rng.standard_normal((D, D)))
    return q * np.sign(np.diag(r))


def projection(rng):
    return rng.standard_normal((D, D)) / np.sqrt(D)


def size(jacobian):
    return np.linalg.norm(jacobian) / np.sqrt(D)


def of_conv(k, n_layers, seed, far):
    """Every number of the far word nudged, and the nudges sent up through the same layers."""
    rng = np.random.default_rng(seed)
    x = random_words(rng, N + n_layers * (k // 2))
    nudges = np.zeros((D, *x.shape))
    nudges[:, N - 1 - far] = np.eye(D)
    for w in rng.standard_normal((n_layers, k, D, D)) * np.sqrt(2 / (k * D)):
        x = convolution(x, w)[0]
        nudges = convolution(nudges, w)[0] * (x > 0)
        x = np.maximum(x, 0)
    return size(nudges[:, N - 1])


def of_rnn(rho, seed, bent, far):
    """The chain rule, step by step: a nudge enters by w_x and is turned by w_h at every step."""
    rng = np.random.default_rng(seed)
    x, w_x, w_h = random_words(rng, N), projection(rng), rho * orthogonal(rng)
    h, slope = np.zeros(D), None
    for t in range(N):
        h = x[t] @ w_x + h @ w_h
        slope = slope @ w_h if slope is not None else w_x if t == N - 1 - far else None
        if bent:
            h = np.tanh(h)
            slope = None if slope is None else slope * (1 - h * h)
    return size(slope)


def of_gru(seed):
    rng = np.random.default_rng(seed)
    x, w_x = random_words(rng, N), np.hstack([projection(rng) for _ in range(3)])
    w_h = np.hstack([orthogonal(rng) for _ in range(3)])
    _, cache = gru(np.repeat(x[None], D, axis=0), w_x, w_h)
    dout = np.zeros((D, N, D))
    dout[:, -1] = np.eye(D)
    slopes = gru_backward(dout, cache)[0]
    return [size(slopes[:, N - 1 - t]) for t in range(N)]


def of_attention(seed, far):
    """With a matching key by differences; with equal scores every value has the weight 1 / n."""
    rng = np.random.default_rng(seed)
    x, w_v = random_words(rng, N), projection(rng)
    place, h = N - 1 - far, 1e-5
    query = x[place].copy()

    def out(nudge):
        moved = x.copy()
        moved[place] += nudge
        powers = np.exp(moved @ query / np.sqrt(D))
        return powers @ moved @ w_v / powers.sum()

    slopes = [(out(h * one) - out(-h * one)) / (2 * h) for one in np.eye(D)]
    return size(np.array(slopes)), size(w_v) / N


def passing_on(given):
    far, rho, bent, seed = given["far"], given["rho"], given["tanh"], given["path_seed"]
    k, n_layers = given["path_k"], given["path_layers"]
    reach, conv, grus = n_layers * (k // 2), of_conv(k, n_layers, seed, far), of_gru(seed)
    match, equal = of_attention(seed, far)
    theory = of_rnn(rho, seed, False, 0) * rho**far
    assert np.isclose(of_rnn(rho, seed, False, far), theory), "multiplies by rho at every step"
    assert (conv == 0) == (far > reach), "exactly 0 beyond its field"
    sizes = {"conv": conv, "rnn": of_rnn(rho, seed, bent, far), "theory": theory, "gru": grus[far]}
    sizes |= {"match": match, "equal": equal, "share": grus[far] / grus[1]}
    told = {name: two_digits(one) for name, one in sizes.items()} | {"t": far, "reach": reach}
    return {
        "sizes_picture": told,
        "sizes_picture_alt": told,
        "says_deaf" if far > reach else "says_heard": told,
        "stamp.random": {"seed": seed},
    }


SECTIONS = {"reach": reach, "it_moves": it_moves, "passing_on": passing_on, "race": local_conv_race.race}

WAYS = [
    {"sentence": "own", "words": "cat", "pairs": True, "far": 3},
    {"doubling": True, "n_fillers": 24, "n_sentences": 20, "n_strewn": 0, "tanh": True, "back": 2},
    {"n_layers": 12, "sample_seed": 3, "back": 9, "rho": 1.2, "far": 63},
]
WAYS += local_conv_race.WAYS
train = local_conv_race.train
