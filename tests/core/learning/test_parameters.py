"""Trees of parameters in one vector: nothing lost, nothing copied twice, structure kept."""

from typing import NamedTuple

import numpy as np
import pytest

from core.learning.parameters import flatten, leaves, pack, unflatten


class Layer(NamedTuple):
    w: np.ndarray
    b: np.ndarray | None


def make_tree():
    return (
        Layer(np.arange(6.0).reshape(2, 3), None),
        (np.array(6.0), Layer(np.array([[7.0]]), np.array([8.0, 9]))),
    )


def test_every_number_once_and_in_order():
    flat, views = flatten(make_tree())
    np.testing.assert_array_equal(flat, np.arange(10.0))
    assert [np.shape(leaf) for leaf in leaves(views)] == [(2, 3), (), (1, 1), (2,)]
    assert isinstance(views[0], Layer)
    assert isinstance(views[1][1], Layer)
    assert views[0].b is None


def test_what_is_written_to_the_vector_stands_in_the_tree():
    tree = make_tree()
    flat, views = flatten(tree)
    flat *= 2
    np.testing.assert_array_equal(views[0].w, [[0, 2, 4], [6, 8, 10]])
    np.testing.assert_array_equal(views[1][0], 12)
    np.testing.assert_array_equal(
        tree[0].w, [[0, 1, 2], [3, 4, 5]]
    )  # the model that was passed in is not touched


def test_pack_writes_gradients_where_the_parameters_stand():
    flat, _ = flatten(make_tree())
    grads = np.full_like(flat, np.nan)
    assert pack(make_tree(), grads) is grads
    np.testing.assert_array_equal(grads, flat)
    with pytest.raises(ValueError):
        pack(make_tree()[0], grads)


def test_unflatten_gives_windows_of_a_second_vector():
    moments = np.zeros(10)
    views = unflatten(moments, make_tree())
    views[1][1].b[1] = 5
    np.testing.assert_array_equal(moments, [0] * 9 + [5])
    with pytest.raises(ValueError, match=r"holds 10 numbers, the vector has shape \(9,\)"):
        unflatten(moments[1:], make_tree())


def test_kinds_of_numbers():
    assert flatten((np.ones(2, np.float32), None))[0].dtype == np.float32
    assert flatten((np.ones(2, np.float32), np.ones(2)))[0].dtype == np.float64
    assert flatten((np.ones(2, np.float16), np.ones(2, int)))[0].dtype == np.float64
    assert flatten((None, ()))[0].shape == (0,)
    assert flatten(np.ones((2, 3)))[1].shape == (2, 3)
