"""What racing models are asked is fair, and the best guess is worked out by hand and by counting."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from core.experiments.local_conv_exam import (
    BY_DISTANCE,
    DISTANCES,
    N_BY_DISTANCE,
    SEEN,
    UNSEEN,
    best_guess,
    make_exam,
)
from core.learning.pronoun import (
    FAR_UNSEEN,
    N_REASONS,
    distances,
    split_pairs,
    two_noun_sentences,
    write_two_nouns,
)


def exam_of(seed, reach=5):
    split = split_pairs(np.random.default_rng(seed))
    return split, make_exam(np.random.default_rng(seed + 1), split, reach)


@pytest.mark.parametrize("seed", [0, 7])
def test_each_part_asks_what_it_says(seed):
    split, exam = exam_of(seed)
    nouns = [np.take_along_axis(one.ids, one.nouns, axis=1) for one in exam.sentences]
    pairs = list(map(tuple, np.sort(np.concatenate(nouns), axis=1).tolist()))
    back = np.concatenate([distances(one) for one in exam.sentences])
    meant = np.concatenate([one.asks - one.answer for one in exam.sentences])
    np.testing.assert_array_equal(exam.distance, meant)
    seen, unseen = set(map(tuple, split.seen.tolist())), set(map(tuple, split.unseen.tolist()))
    for pair, places, distance, about in zip(pairs, back, meant, exam.about, strict=True):
        assert pair in (unseen if about == UNSEEN else seen)
        strange = np.isin(places, FAR_UNSEEN)
        if about == BY_DISTANCE:  # but for the noun that is meant, all is as in training
            assert not (strange & (places != distance)).any()
        else:
            assert not strange.any()


def test_every_distance_is_asked_as_often_and_no_part_is_small():
    _, exam = exam_of(3)
    counts = Counter(exam.distance[exam.about == BY_DISTANCE].tolist())
    assert counts == dict.fromkeys(DISTANCES.tolist(), N_BY_DISTANCE)
    assert min((exam.about == part).sum() for part in (SEEN, UNSEEN)) > 130  # of 228, some are refused
    lengths = [one.ids.shape[1] for one in exam.sentences]
    assert lengths == list(range(8, 27))


def test_an_exam_is_the_same_for_the_same_seed():
    one, same, other = (exam_of(seed)[1] for seed in (4, 4, 5))
    assert all((a.ids == b.ids).all() for a, b in zip(one.sentences, same.sentences, strict=True))
    assert exam_of(4, reach=2)[1].sentences[0].ids.tobytes() == one.sentences[0].ids.tobytes()
    assert one.sentences[-1].ids.tobytes() != other.sentences[-1].ids.tobytes()


# --- the best guess ---

# Of these four pairs, noun 0 meets three others, 1 and 2 meet two each, 3 meets one.
PAIRS = np.array([(0, 1), (0, 2), (1, 2), (0, 3)])


def guess(agent, patient, reason, reach):
    """Of the sentence without fillers, in which the agent stands 5 places back and the patient 3."""
    sentences = write_two_nouns(
        np.random.default_rng(0), np.array([[agent, patient]]), np.array([0]), np.array([reason]), 7
    )
    return best_guess(sentences, PAIRS, reach)[0]


def test_the_best_guess_by_hand():
    hungry, escaped = 0, N_REASONS
    assert guess(0, 1, escaped, reach=3) == 1  # the patient is in sight
    assert guess(0, 1, hungry, reach=5) == 1
    assert guess(0, 1, hungry, reach=4) == 1 / 2  # only noun 1 is, and it meets two others
    assert guess(1, 0, hungry, reach=4) == 1 / 3
    assert guess(0, 3, hungry, reach=3) == 1  # noun 3 meets no one else
    assert guess(0, 1, hungry, reach=2) == guess(0, 1, escaped, reach=2) == 3 / 8  # noun 0: 3 of 8 roles


@pytest.mark.parametrize("reach", [2, 4])
def test_nobody_who_sees_so_far_guesses_better(reach):
    """Of 60,000 sentences without fillers, the commonest answer to everything that can be in sight."""
    pairs = split_pairs(np.random.default_rng(2)).seen
    sentences = two_noun_sentences(np.random.default_rng(3), 60_000, 7, pairs)
    in_sight = sentences.ids[:, max(0, 5 - reach) :]
    in_sight[:, -1] = in_sight[:, -1] >= 22  # nothing but the kind of reason tells
    answers = defaultdict(Counter)
    for words, target in zip(map(bytes, in_sight), sentences.targets.tolist(), strict=True):
        answers[words][target] += 1
    best = sum(counts.most_common(1)[0][1] for counts in answers.values()) / 60_000
    due = best_guess(sentences, pairs, reach).mean()
    assert due - 0.01 < best < due + 0.03  # the commonest of few is a little more than its chance
