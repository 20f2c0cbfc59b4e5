"""One word at the end decides: the same trained model on two sentences that differ in their reason."""

import numpy as np
import pandas as pd
import streamlit as st

from core.experiments import pronoun_link
from core.learning.pronoun import (
    AGENT_REASON,
    BECAUSE,
    COMMA,
    FILLER,
    IT,
    N_FILLERS,
    N_NOUNS,
    N_REASONS,
    N_VERBS,
    NOUN,
    PATIENT_REASON,
    VERB,
)
from pages.sections.self_attention import runs
from pages.shared import charts
from pages.shared.arcs import arcs
from pages.shared.grammar import spelled, vocabulary
from pages.shared.text import verbatim

LAYER = 1  # the last one: there the pronoun looks at its noun


def flip(s):
    words = vocabulary(s.page.words)
    with s.inputs:
        seed = s.ask.seed("flip_seed")
        watched = runs.watch_link(s, seed)
        pair = asked_about(s, words)
        asks = s.ask.number("flip_asks", 1, len(pair[0].ids), pair[0].asks + 1) - 1
    now = watched.seen[-1]
    head = int(now.on_referent[LAYER].argmax())
    answers = [pronoun_link.ask(asked.ids, asked.asks, now.flat) for asked in pair]
    weights = [answer.weights[LAYER, head, pair[0].asks] for answer in answers]  # of the pronoun
    with s.picture:
        for which, asked, answer in zip("ab", pair, answers, strict=True):
            tokens = spelled(asked.ids, words)
            reason = verbatim(tokens[asked.asks + 1])
            st.markdown(f"**{s.words('arcs', reason=reason, word=verbatim(tokens[asks]))}**")
            row = answer.weights[LAYER, head, asks]
            arcs(f"{s.key}.arcs_{which}", tokens, asks, row, s.words("pick"), f"{s.page.name}.flip_asks")
        both_picture(s, words, pair, weights)
        runs.stamp(s, watched, seed, now)
    say_whether_it_flips(s, words, pair, answers, weights, seed, now)
    s.details(code=[pronoun_link.ask, pronoun_link.on_nouns], numbers=lambda: table(words, pair, weights))
    s.tick_while(watched.running)


def asked_about(s, words):
    """Two sentences that differ in one word."""
    first = s.ask.number("flip_first", 1, N_NOUNS, 2) - 1
    second = s.ask.number("flip_second", 1, N_NOUNS, 1) - 1
    verb = s.ask.number("flip_verb", 1, N_VERBS, 1) - 1
    reason = s.ask.number("flip_reason", 1, N_REASONS, 1) - 1
    fillers = s.ask.number("flip_fillers", 0, 12, 0)
    if first == second:
        second = (second + 1) % N_NOUNS
        st.caption(s.words("two_alike", other=verbatim(words[NOUN + second])))
    between = [FILLER + i % N_FILLERS for i in range(fillers)]
    start = [NOUN + first, VERB + verb, NOUN + second, *between, COMMA, BECAUSE, IT]
    return [runs.asked_of([*start, kind + reason]) for kind in (AGENT_REASON, PATIENT_REASON)]


def both_picture(s, words, pair, weights):
    """The pronoun's weights on both nouns, by the reason."""
    names = [words[pair[0].ids[i]] for i in pair[0].nouns]
    rows, labels = [], []
    for asked, row in zip(pair, weights, strict=True):
        reason = words[asked.ids[asked.asks + 1]]
        for name, place in zip(names, asked.nouns, strict=True):
            labels.append(f"{reason}: {name}")
            rows.append(row[place])
    titles = (s.words("reason_and_noun"), s.words("weight"))
    picture = charts.bars(labels, rows, "key", titles, domain=(0, 1.15), signs=24)
    listed = ", ".join(f"{label} {row:.2f}" for label, row in zip(labels, rows, strict=True))
    s.chart(picture, listed=listed)


def say_whether_it_flips(s, words, pair, answers, weights, seed, now):
    said = [int(np.argmax(answer.shares)) for answer in answers]
    meant = [asked.ids[asked.answer] for asked in pair]
    facts = {
        "seed": seed,
        "step": now.step,
        "a_reason": verbatim(words[pair[0].ids[pair[0].asks + 1]]),
        "b_reason": verbatim(words[pair[1].ids[pair[1].asks + 1]]),
        "a_said": verbatim(words[said[0]]),
        "b_said": verbatim(words[said[1]]),
        "a_weight": weights[0][pair[0].answer],
        "b_weight": weights[1][pair[1].answer],
    }
    if said == meant:
        s.says("says_flips", **facts)
    elif said[0] == said[1]:
        s.says("says_same", **facts)
    else:
        s.says("says_other", **facts)
    if not runs.met_in_training(pair[0], seed):
        st.caption(s.words("pair_unseen", seed=seed))


def table(words, pair, weights):
    """Both sentences with what the pronoun gives to each word."""
    rows = [
        {"sentence": number, "place": i + 1, "word": words[word], "weight": row[i]}
        for number, (asked, row) in enumerate(zip(pair, weights, strict=True), start=1)
        for i, word in enumerate(asked.ids)
    ]
    return pd.DataFrame(rows)
