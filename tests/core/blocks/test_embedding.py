"""Embedding: rows picked, gradients of repeated tokens added."""

import numpy as np
import pytest

from core.blocks.embedding import embedding, embedding_backward
from tests.core.gradient_check import check_gradients


def test_hand_worked_lookup_and_gradient():
    table = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    out, cache = embedding([2, 0, 2], table)
    np.testing.assert_array_equal(out, [[5, 6], [1, 2], [5, 6]])
    # token 2 occurs twice: (1, 10) + (4, 40); token 1 never
    dtable = embedding_backward(np.array([[1.0, 10], [2, 20], [4, 40]]), cache)
    np.testing.assert_array_equal(dtable, [[2, 20], [0, 0], [5, 50]])


def test_equals_one_hot_times_table():
    rng = np.random.default_rng(89)
    ids, table, dout = (
        rng.integers(0, 7, (3, 5)),
        rng.standard_normal((7, 11)),
        rng.standard_normal((3, 5, 11)),
    )
    one_hot = np.eye(7)[ids]
    out, cache = embedding(ids, table)
    np.testing.assert_array_equal(out, one_hot @ table)
    by_hand = one_hot.reshape(15, 7).T @ dout.reshape(15, 11)
    np.testing.assert_allclose(embedding_backward(dout, cache), by_hand, atol=1e-14)


@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (0,)])
def test_gradients(shape):
    rng = np.random.default_rng(97)
    ids = rng.integers(0, 3, shape)
    check_gradients(
        lambda table: embedding(ids, table), embedding_backward, [rng.standard_normal((3, 7))], rng
    )


def test_padding_does_not_learn():
    _, cache = embedding([0, 1, 0], np.ones((3, 2)), padding=0)
    np.testing.assert_array_equal(embedding_backward(np.ones((3, 2)), cache), [[0, 0], [1, 1], [0, 0]])


def test_kinds_and_errors():
    out, cache = embedding([1], np.ones((3, 2), np.float32))
    assert out.dtype == embedding_backward(out, cache).dtype == np.float32
    assert embedding([1], np.ones((3, 2), np.float16))[0].dtype == np.float64
    with pytest.raises(ValueError, match="from 0 to 2; got -1 to 1"):
        embedding([-1, 1], np.ones((3, 2)))
    with pytest.raises(ValueError, match="from 0 to 2; got 0 to 3"):
        embedding([0, 3], np.ones((3, 2)))
    with pytest.raises(ValueError, match="float64"):
        embedding([0.0], np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"table \(3,\)"):
        embedding([0], np.ones(3))


@pytest.mark.parametrize("n_vocab", [7, 300])
def test_few_and_many_tokens_add_up_alike(n_vocab):
    """A small table takes a product, a large one brings equal tokens together: both are a sum over tokens."""
    rng = np.random.default_rng(43)
    ids, dout = rng.integers(n_vocab, size=(5, 11)), rng.standard_normal((5, 11, 3))
    _, cache = embedding(ids, rng.standard_normal((n_vocab, 3)))
    wanted = np.zeros((n_vocab, 3))
    np.add.at(wanted, ids, dout)
    np.testing.assert_allclose(embedding_backward(dout, cache), wanted, rtol=0, atol=1e-13)
