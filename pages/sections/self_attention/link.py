"""Watch the link form: a model is trained, and its pronoun learns where to look."""

import numpy as np
import pandas as pd
import streamlit as st

from core.experiments import pronoun_link
from core.learning import pronoun
from core.learning.training import UntilLearned, train
from core.sentences import MAX_TOKENS
from pages.sections.self_attention import runs
from pages.shared import charts, training
from pages.shared.arcs import arcs
from pages.shared.grammar import parse, spelled, vocabulary
from pages.shared.text import verbatim

PRESETS = ("hungry", "escaped", "far_hungry", "far_escaped", "one", "own")
HEADS = ("best", "1", "2", "3", "4", "mean")
N_LAYERS = 2
LEARNED = 0.9  # right on unseen pairs


def link(s):
    with s.inputs:
        seed = s.ask.seed("link_seed")
        watched = runs.watch_link(s, seed)
        index, playing = training.scrub(s, "link_step", watched.seen, watched.running)
        asked, tokens = sentence(s)
        layer = int(s.ask.choice("link_layer", ("1", "2"), "2")) - 1
        head = s.ask.choice("link_head", HEADS)
        asks = s.ask.number("link_asks", 1, len(tokens), asked.asks + 1) - 1
    now = watched.seen[index]
    answer = pronoun_link.ask(asked.ids, asked.asks, now.flat)
    number = head_number(now, layer, head)
    of_layer = answer.weights[layer]  # (n_heads, n, n)
    weights = of_layer.mean(axis=0) if number is None else of_layer[number]
    where = named(s, layer, number)
    looks = [on_nouns(shot, layer, head) for shot in watched.seen]
    with s.picture:
        left, right = st.columns(2)
        with left:
            loss_picture(s, watched.seen, index)
        with right:
            weight_picture(s, watched.seen, index, looks, where)
        shown = {"word": verbatim(tokens[asks]), "step": now.step} | where
        st.markdown(f"**{s.words('arcs', **shown)}**")
        arcs(f"{s.key}.arcs", tokens, asks, weights[asks], s.words("pick"), f"{s.page.name}.link_asks")
        answer_picture(s, tokens, asked, answer)
        runs.stamp(s, watched, seed, now)
    say_where_it_looks(s, tokens, asked, answer, weights[asked.asks], now, seed)
    s.details(
        code=[
            pronoun_link.train_link,
            pronoun_link.begin,
            train,
            UntilLearned,
            pronoun_link.ask,
            pronoun.training_batches,
        ],
        numbers=lambda: table(watched.seen),
    )
    s.tick_while(watched.running or playing)


def sentence(s):
    """The sentence that the model is asked about: one of ours, or the student's in the grammar's words."""
    chosen, words = s.ask.choice("link_sentence", PRESETS), vocabulary(s.page.words)
    if chosen != "own":
        asked = runs.preset(chosen)
        return asked, spelled(asked.ids, words)
    typed = s.ask.text("link_words", placeholder=s.words("own_placeholder"), max_chars=2_000)
    ids, unknown = parse(typed)
    if unknown:
        st.caption(s.words("own_unknown", listed=s.listed([verbatim(word) for word in unknown])))
    with st.popover(s.words("own_words"), icon=":material/menu_book:"):
        for kind in pronoun.KINDS:
            st.markdown(s.words(f"kinds.{kind}", listed=s.page.words(f"pronoun.{kind}")))
    if len(ids) > MAX_TOKENS:
        st.caption(s.words("own_cut", found=len(ids), kept=MAX_TOKENS))
    ids = ids[:MAX_TOKENS]
    if ids.count(pronoun.IT) == 1 and any(i < pronoun.VERB for i in ids[: ids.index(pronoun.IT)]):
        asked = runs.asked_of(ids)
    else:
        st.caption(s.words("own_blank"))
        asked = runs.preset(PRESETS[0])
    return asked, spelled(asked.ids, words)


def head_number(now, layer, head):
    """Which head is meant, from 0: the best one looks most at the referent; None for the mean of all."""
    if head == "mean":
        return None
    return int(now.on_referent[layer].argmax()) if head == "best" else int(head) - 1


def named(s, layer, number):
    """Layer and head as the texts have them."""
    head = s.words("head_mean") if number is None else s.words("head_number", number=number + 1)
    return {"layer": layer + 1, "head": head}


def on_nouns(now, layer, head):
    """What the pronoun gives to its noun and to the other one, in the chosen head."""
    number = head_number(now, layer, head)
    rows = now.on_referent[layer], now.on_other[layer]
    return [float(row.mean() if number is None else row[number]) for row in rows]


def has_learned(seen):
    """Whether the run has come to its end well: only then the titles tell its story."""
    return seen[-1].step == seen[-1].end and seen[-1].accuracy > LEARNED


def loss_picture(s, seen, index):
    """The loss over the steps, between the two lines that guessing cannot cross."""
    blind, undecided = pronoun_link.guess_lines()
    end = seen[-1].end if seen[-1].step == 0 else seen[-1].step
    share = pronoun_link.share_of_two_nouns()
    names = s.words("loss"), s.words("blind"), s.words("undecided_line", share=share)
    rows = [(now.step, now.loss, names[0]) for now in seen]
    rows += [(x, y, name) for y, name in zip((blind, undecided), names[1:], strict=True) for x in (0, end)]
    data = pd.DataFrame(rows, columns=["x", "y", "name"])
    series = [(names[0], "attention"), (names[1], "neutral"), (names[2], "neutral")]
    domains = ((0, end), (0, max(3.0, *(now.loss for now in seen))))
    picture = charts.curves(
        data, series, (s.words("step"), s.words("nats")), domains=domains, at=seen[index].step, height=360
    )
    name = "loss_picture" if has_learned(seen) else "loss_so_far_picture"
    s.chart(picture, name, loss=seen[index].loss, blind=blind, undecided=undecided, step=seen[-1].step)


def weight_picture(s, seen, index, looks, where):
    """Accuracy on unseen pairs, and what the pronoun gives to both nouns in the chosen layer and head."""
    end = seen[-1].end if seen[-1].step == 0 else seen[-1].step
    names = s.words("accuracy"), s.words("on_referent"), s.words("on_other")
    rows = []
    for now, look in zip(seen, looks, strict=True):
        figures = (now.accuracy, *look)
        rows += [(now.step, y, name) for y, name in zip(figures, names, strict=True)]
    data = pd.DataFrame(rows, columns=["x", "y", "name"])
    series = list(zip(names, ("attention", "key", "neutral"), strict=True))
    picture = charts.curves(
        data,
        series,
        (s.words("step"), s.words("share")),
        domains=((0, end), (0, 1)),
        at=seen[index].step,
        height=360,
    )
    name = "first_layer_picture"
    if where["layer"] == N_LAYERS:
        name = "weight_picture" if has_learned(seen) else "weight_so_far_picture"
    facts = {"accuracy": seen[index].accuracy, "step": seen[-1].step}
    referent, other = looks[index]
    s.chart(picture, name, referent=referent, other=other, **facts, **where)


def best_head(now):
    """Where the head of the last layer looks that looks most at the noun that is meant."""
    best = int(now.on_referent[-1].argmax())
    return {
        "head": best + 1,
        "referent": float(now.on_referent[-1][best]),
        "other": float(now.on_other[-1][best]),
    }


def answer_picture(s, tokens, asked, answer):
    """Which nouns of the sentence the model takes the pronoun for."""
    places = sorted({asked.ids[i]: i for i in asked.nouns}.values())
    shares = [answer.shares[asked.ids[i]] for i in places]
    names = [tokens[i] for i in places]
    picture = charts.bars(names, shares, "output", (s.words("noun"), s.words("chance")), domain=(0, 1.15))
    listed = ", ".join(f"{name} {share:.2f}" for name, share in zip(names, shares, strict=True))
    s.chart(picture, "answer_picture", listed=listed)


def say_where_it_looks(s, tokens, asked, answer, weights, now, seed):
    said = int(np.argmax(answer.shares))
    words = vocabulary(s.page.words)
    facts = {
        "step": now.step,
        "said": verbatim(words[said]),
        "chance": answer.shares[said],
        "most": verbatim(tokens[int(weights.argmax())]),
        "weight": weights.max(),
    }
    if asked.answer is None:
        s.says("says_open", **facts)
        return
    meant = asked.ids[asked.answer]
    facts |= {"meant": verbatim(words[meant])}
    s.says("says_right" if said == meant else "says_wrong", **facts)
    if len(asked.nouns) == 2 and asked.ids[asked.nouns[0]] != asked.ids[asked.nouns[1]]:
        st.caption(s.words("pair_met" if runs.met_in_training(asked, seed) else "pair_unseen", seed=seed))
    if pronoun.BY in asked.ids:
        st.caption(s.words("own_passive"))
    if len(tokens) > pronoun.LONGEST:
        st.caption(s.words("own_long", n=len(tokens), longest=pronoun.LONGEST))


def table(seen):
    """One row a snapshot."""
    rows = [
        {"step": now.step, "loss": now.loss, "gradient norm": now.grad_norm}
        | {"accuracy on batches": now.seen, "accuracy on unseen pairs": now.accuracy}
        | {f"best head: {name}": value for name, value in best_head(now).items()}
        | {"seconds": now.seconds}
        for now in seen
    ]
    return pd.DataFrame(rows)
