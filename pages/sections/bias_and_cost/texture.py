"""A second local task: was the first one a fluke?"""

import streamlit as st

from core.experiments import bias_and_cost_data
from core.experiments.bias_and_cost_data import SEEDS, SIZES, WANTED, ceiling
from core.experiments.bias_and_cost_exam import TEXTURE
from core.learning import texture as task
from pages.sections.bias_and_cost import data_pictures as pictures
from pages.sections.bias_and_cost.data import enough, stamp, terms
from pages.sections.bias_and_cost.data_runs import NAMES, watch_sweep

CODE = [bias_and_cost_data.steps_of, task.texture_questions, task.ceiling]


def texture(s):
    with s.inputs:
        seed = s.ask.seed("texture_seed")
        results, watched = watch_sweep(s, TEXTURE, seed)
        size = s.ask.pick("texture_examples", SIZES, 256)
    with s.picture:
        levels = [
            pictures.level(s, "chance", 1 / task.N_CLASSES),
            pictures.level(s, "best", ceiling(TEXTURE)),
        ]
        picture = pictures.by_size(s, results, TEXTURE, "test", size, levels)
        s.chart(picture, size=size, **pictures.at_size(results, "test", size))
        rows = pictures.table(s, results, TEXTURE, size)
        st.table(rows, border="horizontal", hide_index=True, alt=s.words("table", size=size))
        stamp(s, results, seed, TEXTURE)
    say(s, results, seed)
    terms(s, TEXTURE)
    seeds = SEEDS if results.source == "recorded" else (seed,)
    s.details(code=CODE, numbers=lambda: pictures.numbers(results, seeds))
    s.tick_while(watched.running)


def say(s, results, seed):
    """The sentence: who needs how many, and where the order is not that of the first task."""
    shares = {name: results.mean("test", name) for name in NAMES}
    if results.source == "live":
        s.says("says_live", seed=seed, wanted=WANTED, **enough(s, shares, TEXTURE))
        return
    facts = {"n_ahead": int((shares["mlp"] > shares["absolute"]).sum()), "n_sizes": len(SIZES)}
    s.says(wanted=WANTED, best=ceiling(TEXTURE), **facts, **enough(s, shares, TEXTURE))
