"""Who is "it"? Sentences in which the reason at the end decides which of two nouns the pronoun means.

Two nouns: [a] N1 [b] verb [c] N2 [d] , because it reason [e], where the brackets hold any number of fillers.
The reason fits either the one who acts (hungry) or the one acted upon (escaped). One noun: [a] N1 [b] state
[d] , because it reason [e]. Passive: [a] N2 [b] by [c] N1 verb [d] , because it reason [e], where the agent
N1 stands second. Nothing but the reason tells the two nouns apart: nouns, verbs and fillers are drawn evenly,
and the same fillers may stand anywhere.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

N_NOUNS, N_VERBS, N_REASONS, N_STATES, N_FILLERS = 10, 6, 6, 4, 12
NOUN, VERB = 0, 10  # the first number of each kind of word
AGENT_REASON, PATIENT_REASON = 16, 22
STATE, FILLER = 28, 32
REASONS = (PATIENT_REASON - AGENT_REASON, STATE - PATIENT_REASON)  # that fit the agent, and the other noun
BLIND_TO_REASON = max(REASONS) / sum(REASONS)  # share right, at best, of who finds both nouns, but not which
COMMA, BECAUSE, IT, BY = 44, 45, 46, 47  # "by", as in "was chased by", is for sentences in the passive
N_VOCAB = 48
KINDS = ("nouns", "verbs", "agent_reasons", "patient_reasons", "states", "fillers", "marks")  # in that order
TWO_NOUNS, ONE_NOUN, PASSIVE = 7, 6, 8  # words without fillers
SHARE_OF_TWO = 0.8
SHORTEST, LONGEST = 8, 26  # words of a sentence to train on
PAIRS = tuple(combinations(range(N_NOUNS), 2))
N_HELD_OUT = 9
AT_ONCE = 10  # as many sentences are drawn at a time as fill so many batches
FAR_UNSEEN = (7, 12, 17)  # distances from the pronoun at which no noun stands in training


class PronounSentences(NamedTuple):
    """Sentences of one length as numbers of words, and where in them stands what matters."""

    ids: np.ndarray  # (n_sentences, length)
    asks: np.ndarray  # (n_sentences,), the place of the pronoun; the reason stands right behind it
    nouns: np.ndarray  # (n_sentences, 2), the places of both nouns; a lone noun stands here twice
    answer: np.ndarray  # (n_sentences,), the place of the noun that is meant

    @property
    def targets(self):  # -> (n_sentences,)
        """Give the right answers as numbers of nouns, 0 to 9."""
        return np.take_along_axis(self.ids, self.answer[:, None], axis=1)[:, 0] - NOUN


def compositions(rng, n, total, parts):  # -> (n, parts)
    """Cut a whole number into so many parts, 0 allowed, every way with the same chance (stars and bars)."""
    n_places = total + parts - 1
    bars = np.sort(rng.random((n, n_places)).argsort(axis=1)[:, : parts - 1], axis=1)
    edges = np.column_stack([np.full(n, -1), bars, np.full(n, n_places)])
    return np.diff(edges, axis=1) - 1


def strew(rng, words, slots, length):  # (n, n_words) -> (n, length), (n, n_words)
    """Put fillers before the words named by `slots` (n_words: at the end), up to the wanted length.

    Returns
    -------
    ids : (n, length) ndarray
    places : (n, n_words) ndarray
        Where the words stand now.

    Raises
    ------
    ValueError
        If the words alone are longer than that.
    """
    n, n_words = words.shape
    if length < n_words:
        raise ValueError(f"a sentence of {n_words} words cannot be {length} long")
    fillers = compositions(rng, n, length - n_words, len(slots))  # (n, n_slots)
    pushes = np.array(slots)[:, None] <= np.arange(n_words)  # (n_slots, n_words)
    places = np.arange(n_words) + fillers @ pushes
    ids = FILLER + rng.integers(N_FILLERS, size=(n, length))
    np.put_along_axis(ids, places, words, axis=1)
    return ids, places


def write_two_nouns(rng, nouns, verbs, reasons, length):
    """Write sentences about two nouns: (n, 2) of 0 to 9, (n,) of 0 to 5, (n,) of 0 to 11, agent's first."""
    n = len(nouns)
    ending = np.tile([COMMA, BECAUSE, IT], (n, 1))
    words = np.column_stack(
        [NOUN + nouns[:, 0], VERB + verbs, NOUN + nouns[:, 1], ending, AGENT_REASON + reasons]
    )
    ids, places = strew(rng, words, (0, 1, 2, 3, TWO_NOUNS), length)
    answer = np.where(reasons < N_REASONS, places[:, 0], places[:, 2])
    return PronounSentences(ids, places[:, 5], places[:, [0, 2]], answer)


def two_noun_sentences(rng, n, length, pairs=None, *, write=write_two_nouns):
    """Draw n sentences about two nouns; `pairs` (n_pairs, 2) are the pairs of nouns that may meet."""
    pairs = np.array(PAIRS if pairs is None else pairs)
    nouns = rng.permuted(pairs[rng.integers(len(pairs), size=n)], axis=1)  # either may come first
    verbs, reasons = rng.integers(N_VERBS, size=n), rng.integers(2 * N_REASONS, size=n)
    return write(rng, nouns, verbs, reasons, length)


def write_passive(rng, nouns, verbs, reasons, length):
    """Write the same in the passive: the agent, still first in `nouns`, stands second in the sentence."""
    n = len(nouns)
    by, ending = np.full(n, BY), np.tile([COMMA, BECAUSE, IT], (n, 1))
    words = np.column_stack(
        [NOUN + nouns[:, 1], by, NOUN + nouns[:, 0], VERB + verbs, ending, AGENT_REASON + reasons]
    )
    ids, places = strew(rng, words, (0, 1, 2, 4, PASSIVE), length)
    answer = np.where(reasons < N_REASONS, places[:, 2], places[:, 0])
    return PronounSentences(ids, places[:, 6], places[:, [0, 2]], answer)


def one_noun_sentences(rng, n, length):
    """Draw n sentences about one noun: whatever the reason, the pronoun means it."""
    drawn = [rng.integers(size, size=n) for size in (N_NOUNS, N_STATES, 2 * N_REASONS)]
    ending = np.tile([COMMA, BECAUSE, IT], (n, 1))
    words = np.column_stack([NOUN + drawn[0], STATE + drawn[1], ending, AGENT_REASON + drawn[2]])
    ids, places = strew(rng, words, (0, 1, 2, ONE_NOUN), length)
    return PronounSentences(ids, places[:, 4], places[:, [0, 0]], places[:, 0])


def pronoun_sentences(rng, n, length, pairs=None, passive=0.0):
    """Draw n sentences of one length in random order, about four in five of them with two nouns.

    Parameters
    ----------
    rng : numpy.random.Generator
    n : int
    length : int
        Words of each sentence, fillers included; 7 at least, 8 with passives.
    pairs : (n_pairs, 2) array_like, optional
        The pairs of nouns that may meet, in both orders; all 45 where left out. Hold pairs out whole: one
        order alone would give the roles of the other away.
    passive : float
        Share of the two-noun sentences that stand in the passive.
    """
    n_two = rng.binomial(n, SHARE_OF_TWO)
    n_passive = rng.binomial(n_two, passive) if passive else 0
    parts = [
        two_noun_sentences(rng, n_two - n_passive, length, pairs),
        one_noun_sentences(rng, n - n_two, length),
    ]
    if n_passive:
        parts.append(two_noun_sentences(rng, n_passive, length, pairs, write=write_passive))
    return joined(parts, rng.permutation(n))


def joined(parts, order=None):
    """Put sentences of one length together, if wanted in another order."""
    whole = [np.concatenate(fields) for fields in zip(*parts, strict=True)]
    return PronounSentences(*(whole if order is None else (field[order] for field in whole)))


# --- what is trained on, and what is kept for later ---


class Split(NamedTuple):
    """The pairs of nouns that meet in training, and those that never do."""

    seen: np.ndarray  # (36, 2)
    unseen: np.ndarray  # (9, 2)


def split_pairs(rng):
    """Draw 9 of the 45 unordered pairs of nouns to hold out, in both roles."""
    order = rng.permutation(len(PAIRS))
    pairs = np.array(PAIRS)[order]
    return Split(pairs[N_HELD_OUT:], pairs[:N_HELD_OUT])


def distances(sentences):  # -> (n_sentences, 2)
    """Tell how many words before the pronoun each of the two nouns stands."""
    return sentences.asks[:, None] - sentences.nouns


def training_batches(rng, pairs, size=64, passive=0.0) -> Iterator[PronounSentences]:
    """Draw batches without end, each of one length, so that nothing has to be filled up or masked.

    No noun ever stands 7, 12 or 17 words before the pronoun.
    """
    waiting = {length: [] for length in range(SHORTEST, LONGEST + 1)}
    while True:
        length = int(rng.integers(SHORTEST, LONGEST + 1))
        if not waiting[length]:  # several batches at once are drawn in half the time
            waiting[length] = _batches(rng, length, pairs, size, passive)
        yield waiting[length].pop()


def _batches(rng, length, pairs, size, passive):
    """Draw some batches of one length, without the sentences whose distances are kept for later."""
    batches = []
    while not batches:  # about one sentence in five is refused
        drawn = pronoun_sentences(rng, AT_ONCE * size, length, pairs, passive)
        kept = np.flatnonzero(~np.isin(distances(drawn), FAR_UNSEEN).any(axis=1))
        for start in range(0, len(kept) - size + 1, size):
            batches.append(PronounSentences(*(field[kept[start : start + size]] for field in drawn)))
    return batches


def questions(rng, n, pairs, lengths=range(SHORTEST, LONGEST + 1), *, write=write_two_nouns):
    """Draw n two-noun sentences of each length to ask a model about; a list, one entry a length."""
    return [two_noun_sentences(rng, n, length, pairs, write=write) for length in lengths]


def with_other_reasons(sentences):
    """Change one word of each two-noun sentence, its reason, for one that fits the other noun."""
    ids, rows = sentences.ids.copy(), np.arange(len(sentences.ids))
    reason = sentences.asks + 1
    fits_agent = ids[rows, reason] < PATIENT_REASON
    ids[rows, reason] += np.where(fits_agent, N_REASONS, -N_REASONS)
    return sentences._replace(ids=ids, answer=sentences.nouns.sum(axis=1) - sentences.answer)
