"""The trained models that several sections look at, and sentences to ask them about."""

from typing import NamedTuple

import numpy as np
import streamlit as st

from core.experiments import pronoun_link
from core.experiments.pronoun_link import LinkSnapshot, train_link
from core.learning import pronoun
from core.learning.pronoun import AGENT_REASON, BECAUSE, COMMA, FILLER, IT, NOUN, PATIENT_REASON, STATE, VERB
from pages.shared import training

RECORDED = {  # (seed, layers)
    (0, 2): "pronoun_link",
    (0, 1): "pronoun_link_one_layer",
    (2, 1): "pronoun_link_one_layer_2",
}
CAT, DOG = NOUN, NOUN + 1  # the first two nouns


def watch_link(s, seed, n_layers=2):
    """The training run of this seed; before anybody trained, the model as it is drawn."""
    recording = RECORDED.get((seed, n_layers))
    watched = training.watch(s, train_link, seed, n_layers, recording=recording, snapshot=LinkSnapshot)
    return watched if watched.seen else watched._replace(seen=[untrained(seed, n_layers)])


@st.cache_data(max_entries=16, show_spinner=False)
def untrained(seed, n_layers):
    """The first snapshot of a run."""
    return next(train_link(seed, n_layers))


def stamp(s, watched, seed, now, n_layers=2):
    """Where a picture of this snapshot comes from."""
    training.stamp(s, watched, seed=seed, step=now.step, parameters=pronoun_link.N_PARAMS[n_layers])


class Asked(NamedTuple):
    """A sentence to ask about."""

    ids: tuple
    asks: int  # place of the pronoun
    nouns: tuple  # places of the nouns, in order
    answer: int | None  # place of the noun that is meant; None where the grammar does not tell


def two_nouns(reason, far=False):
    """Dog chases cat, because it ...; far: with fillers in all places."""
    some = [FILLER + i for i in range(8)] if far else [None] * 8
    ids = [some[0], DOG, some[1], VERB, some[2], CAT, *some[3:6], COMMA, BECAUSE, IT, reason, *some[6:]]
    return asked_of([i for i in ids if i is not None])


def preset(name):
    """The sentence of this name."""
    agent, patient = AGENT_REASON, PATIENT_REASON
    if name == "one":
        return asked_of([CAT, STATE, COMMA, BECAUSE, IT, agent + 1])
    return two_nouns(agent if "hungry" in name else patient, far=name.startswith("far"))


def asked_of(ids):
    """Find pronoun and nouns; which noun is meant is told by the reason right behind the pronoun."""
    asks = ids.index(IT)
    nouns = tuple(i for i, word in enumerate(ids[:asks]) if NOUN <= word < VERB)
    reason = ids[asks + 1] if asks + 1 < len(ids) else None
    return Asked(tuple(ids), asks, nouns, _meant(ids, nouns, reason))


def _meant(ids, nouns, reason):
    if len(nouns) == 1:
        return nouns[0]
    if len(nouns) != 2 or reason is None or not AGENT_REASON <= reason < STATE:
        return None
    is_agent = reason < PATIENT_REASON
    is_passive = pronoun.BY in ids
    return nouns[0] if is_agent != is_passive else nouns[1]


def met_in_training(asked, seed):
    """Whether the two nouns of a sentence ever met in the training of this seed."""
    pair = sorted(asked.ids[i] - NOUN for i in asked.nouns)
    return pair in pronoun.split_pairs(np.random.default_rng(seed)).seen.tolist()
