"""Page 3.

Where q, k and v come from, what every word then sees, and what order has to do with it. The sentence serves
all sections.
"""

import math

import numpy as np
import pandas as pd
import streamlit as st

from core.blocks.attention import scaled_dot_product_attention
from core.blocks.multi_head import self_attention as self_attention_block
from core.experiments import pronoun_link, self_attention, word_order
from core.experiments.soft_lookup import entropy, favourites
from core.learning import tasks
from core.learning.models import learn, read
from core.learning.training import train
from pages.sections.self_attention.flip import flip
from pages.sections.self_attention.link import link
from pages.sections.self_attention.one_layer import one_layer
from pages.sections.self_attention.swap import swap
from pages.shared import charts, training
from pages.shared.arcs import arcs
from pages.shared.frame import open_page, verbatim

FEATURES = self_attention.FEATURES
SEED = 0  # of the words and heads behind the shuffle
LN_2 = math.log(2)

page = open_page(
    "self_attention",
    looks_for=self_attention.LOOKS_FOR,
    nouns=tasks.N_NOUNS,
    verbs=tasks.N_VERBS,
    held_out=tasks.N_HELD_OUT,
    one_layer_steps=pronoun_link.ONE_LAYER_STEPS,
)
words = page.words
chosen = page.sentence(["tired", "hungry", "escaped"])
tokens, n = chosen.tokens, len(chosen.tokens)


def roles(s):
    with s.inputs:
        asks = s.ask.number("word", 1, n, chosen.asks + 1) - 1
        w_q, w_k, w_v = (
            matrix(s, name, w)
            for name, w in zip(("w_q", "w_k", "w_v"), self_attention.hand_set_parameters(), strict=True)
        )
    lexicon = {feature: words(f"lexicon.{feature}") for feature in ("animal", "pronoun")}
    x = self_attention.feature_vectors(tokens, lexicon)
    out, cache = self_attention.attend(x, w_q, w_k, w_v)
    with s.picture:
        sentence_with_arcs(s, "word", asks, cache.weights[asks])
        the_roles(s, asks, {"x": x, "q": cache.q, "k": cache.k, "v": cache.v, "out": out})
        s.stamp("by_hand")
    say_whom_it_prefers(s, asks, x, cache)
    if chosen.is_own:
        unknown = int(x[:, FEATURES.index("other")].sum())
        st.caption(s.words("unknown", unknown=unknown, **lexicon))
    s.details(
        code=[
            self_attention.attend,
            scaled_dot_product_attention,
            self_attention.hand_set_parameters,
            self_attention.feature_vectors,
        ],
        numbers=lambda: by_word(score=cache.scores[asks], weight=cache.weights[asks]),
    )


def the_roles(s, asks, arrays):
    """The vectors of one word, each under its name."""
    hues = ("neutral", "query", "key", "value", "output")
    named = [
        (s.words(name), hue, array[asks]) for (name, array), hue in zip(arrays.items(), hues, strict=True)
    ]
    listed = "; ".join(f"{name}: {', '.join(f'{a:.2f}' for a in array)}" for name, _, array in named)
    features = [words(f"features.{feature}") for feature in FEATURES]
    s.chart(charts.vectors(named, features), word=verbatim(tokens[asks]), listed=listed)


def by_word(**columns):
    return pd.DataFrame({"place": np.arange(n) + 1, "word": tokens} | columns)


def matrix(s, name, w):
    """A matrix that the student can edit. A row: what a word is; a column: what it asks for, for example."""
    st.markdown(s.words(f"{name}_is"))
    default = pd.DataFrame(w, columns=FEATURES)
    default.insert(0, "row", [words(f"features.{feature}") for feature in FEATURES])
    labels = {column: words(f"columns.{column}") for column in default}
    return s.ask.grid(name, default, labels, decimals=1)[list(FEATURES)].to_numpy(float)


def sentence_with_arcs(s, name, asks, weights):
    """The sentence; a pick moves the slider of that name, which owns the value."""
    st.markdown(f"**{s.words('arcs', word=verbatim(tokens[asks]))}**")
    arcs(f"{s.key}.arcs", tokens, asks, weights, words("pick"), f"{page.name}.{name}")


def say_whom_it_prefers(s, asks, x, cache):
    weights = cache.weights[asks]
    best = favourites(weights)
    facts = {"word": verbatim(tokens[asks]), "weight": weights[best[0]]}
    if n == 1:
        s.says("says_one")
    elif len(best) == n:
        s.says("says_none_found" if cache.q[asks].any() else "says_even", n=n, **facts)
    elif len(best) > 1:
        names = places_of(s, best)
        s.says("says_tie" if self_attention.are_alike(x[best]) else "says_level", names=names, **facts)
    else:
        s.says(best=verbatim(tokens[best[0]]), rest=1 - facts["weight"], others=n - 1, **facts)


def places_of(s, some):
    """Words named with their places, which tell equal ones apart."""
    return s.listed([s.words("place", word=verbatim(tokens[i]), place=i + 1) for i in some])


def everyone(s):
    with s.inputs:
        asks = s.ask.number("asks", 1, n, chosen.asks + 1) - 1
        state = s.ask.choice("state", ["scores", "masked", "weights"], "weights")
        shown_head = s.ask.choice("head", ["1", "2", "3", "4", "mean"])
        causal = s.ask.toggle("causal")
        seed = s.ask.number("seed", 0, 20, 0)
    head = None if shown_head == "mean" else int(shown_head)
    look = self_attention.everyone(tokens, seed, causal)
    weights = self_attention.of_head(look.weights, head)
    grid = self_attention.of_head(getattr(look, state), head)
    with s.picture:
        sentence_with_arcs(s, "asks", asks, weights[asks])
        titles = (words("query_axis"), words("key_axis"), s.words(f"{state}_value"))
        if state == "weights":
            picture = charts.weights_map(grid, tokens, tokens, titles)
        else:
            bound = math.ceil(np.abs(look.scores).max())  # of all heads, so that they can be compared
            picture = charts.scores_map(grid, tokens, tokens, titles, bound)
        s.chart(charts.mark_row(picture, asks + 1), message=s.words(f"{state}_picture"), n=n)
        s.stamp("random", seed=seed)
    say_what_it_means(s, asks, weights[asks], seed, causal)
    say_what_the_state_shows(s, state, head, causal)
    s.details(
        code=[self_attention.everyone, self_attention.random_heads, self_attention_block],
        numbers=lambda: pd.DataFrame(grid, columns=[f"{i + 1} {token}" for i, token in enumerate(tokens)]),
    )


def say_what_it_means(s, asks, weights, seed, causal):
    """How far an untrained model is from a choice."""
    visible = asks + 1 if causal else n
    if visible == 1:
        s.says("says_alone", word=verbatim(tokens[asks]))
        return
    best = favourites(weights)
    s.says(
        "says" if len(best) == 1 else "says_tie",
        word=verbatim(tokens[asks]),
        best=places_of(s, best),
        weight=weights[best[0]],
        effective=np.exp(entropy(weights)),
        visible=visible,
        seed=seed,
    )


def say_what_the_state_shows(s, state, head, causal):
    notes = []
    if state == "masked":
        notes.append(s.words("blocked" if causal else "nothing_blocked", blocked=n * (n - 1) // 2, all=n * n))
    if head is None:
        notes.append(s.words("mean_of_heads", heads=self_attention.N_HEADS))
    if notes:
        st.caption(" ".join(notes))


def order(s):
    with s.inputs:
        seed = s.ask.number("shuffle", 0, 20, 0)
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


def order_trained(s):
    with s.inputs:
        seed = s.ask.number("order_seed", 0, 20, 0)
        calls = [(word_order.learn_order, seed, with_) for with_ in (True, False)]
        recordings = ["order_told", "order_blind"] if seed == SEED else None
        watched = training.watch_all(s, calls, recordings, word_order.OrderSnapshot)
    told, blind = (one.seen or [untrained(*call[1:])] for one, call in zip(watched, calls, strict=True))
    with s.picture:
        left, right = st.columns(2)
        with left:
            loss_picture(s, told, blind)
        with right:
            accuracy_picture(s, told, blind)
        facts = {"seed": seed, "step": told[-1].step, "parameters": word_order.N_PARAMS}
        if told[-1].step:
            training.stamp(s, watched[0], **facts)
        else:
            s.stamp("untrained", **facts)
    say_who_chases(s, told[-1], blind[-1], seed)
    s.details(
        code=[word_order.learn_order, learn, train, read],
        numbers=lambda: snapshots_table(told, blind),
    )
    s.tick_while(*(one.running for one in watched))


@st.cache_data(max_entries=32, show_spinner=False)
def untrained(seed, positions):
    """The first snapshot of a run."""
    return next(word_order.learn_order(seed, positions))


def loss_picture(s, told, blind):
    guess = s.words("ln_2")
    frame = pd.concat(
        [
            by_step(s, told, blind, "loss"),
            pd.DataFrame({"x": [0, word_order.N_STEPS], "y": [LN_2, LN_2], "name": guess}),
        ]
    )
    series = [*both_series(s), (guess, "neutral")]
    titles = (s.words("step"), s.words("loss"))
    picture = charts.curves(frame, series, titles, domains=((0, word_order.N_STEPS), (0, 4.2)), height=400)
    s.chart(picture, "loss_picture", told=told[-1].loss, blind=blind[-1].loss, guess=LN_2)


def accuracy_picture(s, told, blind):
    frame = by_step(s, told, blind, "accuracy")
    titles = (s.words("step"), s.words("accuracy"))
    picture = charts.curves(
        frame, both_series(s), titles, domains=((0, word_order.N_STEPS), (0, 1)), height=376
    )
    s.chart(picture, "accuracy_picture", told=told[-1].accuracy, blind=blind[-1].accuracy)


def both_series(s):
    return [(s.words("told"), "attention"), (s.words("blind"), "output")]


def by_step(s, told, blind, field):
    """One figure of both runs at every step so far."""
    rows = [
        (snapshot.step, getattr(snapshot, field), s.words(name))
        for name, seen in (("told", told), ("blind", blind))
        for snapshot in seen
    ]
    return pd.DataFrame(rows, columns=["x", "y", "name"])


def say_who_chases(s, told, blind, seed):
    facts = {
        "seed": seed,
        "count": word_order.N_UNSEEN,
        "told": told.accuracy,
        "blind": blind.accuracy,
    }
    if told.step == blind.step == 0:
        s.says("says_start", **facts)
    else:
        s.says(
            step=min(told.step, blind.step),
            told_first=told.probe[0],
            told_second=told.probe[1],
            blind_first=blind.probe[0],
            blind_second=blind.probe[1],
            **facts,
        )


def snapshots_table(told, blind):
    """Both runs, one row a snapshot."""
    fields = ("step", "loss", "accuracy", "seen_accuracy")
    rows = [
        (name, *(getattr(snapshot, field) for field in fields))
        for name, seen in (("with positions", told), ("without positions", blind))
        for snapshot in seen
    ]
    return pd.DataFrame(rows, columns=["model", *fields])


page.show(roles, everyone, link, flip, swap, one_layer, order, order_trained)
