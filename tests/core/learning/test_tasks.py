"""The tasks hold what they promise: nothing but the point of the task tells the answer."""

from collections import Counter

import numpy as np

from core.learning.tasks import CLS, N_NOUNS, ORDER_VOCAB, order_sentence, order_task


def pairs_of(questions):
    return {frozenset(map(int, row)) for row in questions.ids[:, [1, 3]]}


def test_order_task_holds_out_unordered_pairs():
    """36 of 45 pairs in both orders with 6 verbs are 432 sentences, the other 9 make 108."""
    task = order_task(np.random.default_rng(3))
    assert task.seen.ids.shape == (432, 4)
    assert task.unseen.ids.shape == (108, 4)
    assert len(pairs_of(task.seen)) == 36
    assert len(pairs_of(task.unseen)) == 9
    assert not pairs_of(task.seen) & pairs_of(task.unseen)
    assert frozenset((1, 2)) in pairs_of(task.unseen)  # nouns 0 and 1: the lecture's pair is never seen


def test_order_task_asks_for_the_first_noun_in_both_orders():
    task = order_task(np.random.default_rng(3))
    for questions in task:
        np.testing.assert_array_equal(questions.targets, questions.ids[:, 1] - 1)
        rows = set(map(tuple, questions.ids.tolist()))
        assert all((c, b, verb, a) in rows for c, a, verb, b in rows)
        assert (questions.ids[:, 0] == CLS).all()
        assert questions.ids.max() < ORDER_VOCAB
        # So a bag of words, the same for both orders, is right in exactly half of the sentences at best.
        bags = Counter(
            (frozenset(map(int, ids)), int(answer)) for ids, answer in zip(*questions, strict=True)
        )
        assert set(bags.values()) == {1}


def test_the_lecture_sentence():
    assert order_sentence(0, 0, 1) == (0, 1, 1 + N_NOUNS, 2)  # CLS, first noun, first verb, second noun


def test_another_seed_holds_out_other_pairs():
    first, second = (order_task(np.random.default_rng(seed)).unseen for seed in (3, 5))
    assert pairs_of(first) != pairs_of(second)
