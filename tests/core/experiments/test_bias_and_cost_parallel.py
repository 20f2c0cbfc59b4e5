"""The chain and the one product, and the model of many processors."""

import numpy as np

from core.costs import attention_cost, rnn_cost
from core.experiments.bias_and_cost_parallel import enough_processors, ideal_steps, orders, overtaking


def test_records_of_both_orders():
    record = {"kind": "chain", "d": 16, "n": 1024, "chain": 3.0, "product": 0.5}
    assert [list(column) for column in orders([{"machine": {}}, record])] == [[16], [3], [0.5]]
    assert orders([]).d.shape == (0,)


def test_steps_of_the_model_by_hand():
    # n = 7, d = 5: the RNN has 2 * 7 * 25 = 350 products on a path of 7, attention 2 * 49 * 5 = 490 on 1.
    np.testing.assert_allclose(ideal_steps(rnn_cost(7, 5), [1, 10, 50, 1000]), [350, 35, 7, 7])
    np.testing.assert_allclose(ideal_steps(attention_cost(7, 5), [1, 10, 70, 1000]), [490, 49, 7, 1])


def test_where_the_rnn_stops_and_attention_draws_level():
    chain, attention = rnn_cost(7, 5), attention_cost(7, 5)
    assert enough_processors(chain) == 50  # 350 / 7, that is 2 d^2
    assert overtaking(attention, chain) == 70  # 490 / 7, that is 2 n d
    assert ideal_steps(attention, 70) == ideal_steps(chain, 70)
