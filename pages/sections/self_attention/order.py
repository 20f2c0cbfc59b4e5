"""The words are shuffled: what changes for each of them, with and without positions."""

import numpy as np
import pandas as pd

from core.experiments import self_attention, word_order
from pages.shared import charts

SEED = 0  # of the words and heads behind the shuffle


def order(s, tokens):
    n = len(tokens)
    with s.inputs:
        seed = s.ask.seed("shuffle")
        causal = s.ask.toggle("shuffle_causal")
        positions = s.ask.toggle("shuffle_positions")
    did = word_order.shuffle(tokens, seed, causal=causal, positions=positions, seed=SEED)
    shuffled = [tokens[i] for i in did.order]
    largest, size = did.changes.max(), np.abs(did.before).max()
    same = largest < word_order.ROUNDING
    with s.picture:
        s.chart(charts.moves(tokens, did.order, (s.words("before"), s.words("after"))), "moves", n=n)
        picture = charts.changes(
            shuffled, did.changes, (s.words("word_axis"), s.words("change_axis")), word_order.ROUNDING
        )
        s.chart(picture, "changes_none" if same else "changes_some", largest=largest)
        s.stamp("random", seed=SEED)
    if n == 1:
        s.says("says_one")
    elif same:
        s.says("says_no_leak" if causal or positions else "says", largest=largest, size=size)
    else:
        changed = int((did.changes > word_order.ROUNDING).sum())
        causes = s.words("both" if causal and positions else "by_mask" if causal else "by_positions")
        s.says("says_leak", largest=largest, size=size, changed=changed, n=n, causes=causes)
    s.details(
        code=[word_order.shuffle, self_attention.random_heads],
        numbers=lambda: pd.DataFrame(
            {"new place": np.arange(n) + 1, "old place": did.order + 1}
            | {"word": shuffled, "change": did.changes}
        ),
    )
