"""A tiny GPT: blocks with a causal mask learn which character comes next, and write."""

import math
import unicodedata

import numpy as np
import pandas as pd
import streamlit as st

from core.experiments import block_anatomy_gpt as gpt
from core.learning.characters import UNKNOWN, as_characters, pair_loss, unknown_signs
from core.learning.models import learn
from core.learning.training import train
from pages.shared import charts, training
from pages.shared.text import verbatim

SOURCES = (*gpt.SHIPPED, "own")
MOST_TYPED = 100_000  # the browser stops there; a text that is too long is refused with a sentence, not cut
N_BARS, N_TAIL = 8, 16
RISE = 0.15  # nats: what the held-out loss wavers by itself is less
MARK = "□"  # what unknown characters are shown as
VISIBLE = {UNKNOWN: MARK, "\n": "⏎", " ": "␣", "\t": "⇥"}


def tiny_gpt(s):
    with s.inputs:
        text = choose_text(s)
        seed = s.ask.seed("gpt_seed")
        watched = watch(s, text, seed)
        index, playing = training.scrub(s, "gpt_step", watched.seen, watched.running)
        prompt = ask_prompt(s, text)
        temperature = s.ask.number("gpt_temperature", 0.1, 3.0, 1.0, step=0.1, format="%.1f")
    now = watched.seen[index]
    characters = gpt.characters_of(*text)
    with s.picture:
        loss_picture(s, text, watched.seen, index)
        written(s, characters, now)
        bars_picture(s, text, told_at(watched.seen, index), now, prompt, temperature)
        size = gpt.n_parameters(len(characters.signs))
        training.stamp(s, watched, seed=seed, step=now.step, parameters=size)
    say_how_good_it_is(s, text, now)
    st.caption(" ".join(notes(s, characters, watched.seen[: index + 1])))
    s.details(
        code=[gpt.run, gpt.steps_of, gpt.write, gpt.chances, learn, train, as_characters, pair_loss],
        numbers=lambda: table(watched.seen),
    )
    s.tick_while(watched.running or playing)


# --- the text ---


def choose_text(s):
    """What is to be learned: (name of a shipped text,) or ("own", the student's text)."""
    usual = s.page.words.language
    source = s.ask.choice("gpt_source", SOURCES, usual)
    if source != "own":
        st.caption(s.words(f"source_{source}"))
        return source, ""
    typed = st.text_area(
        s.words("inputs.gpt_text"),
        key=f"{s.page.name}.gpt_text",
        height=160,
        max_chars=MOST_TYPED,
        help=s.words("help.gpt_text"),
        persist_state="session",
    )
    own = gpt.own_text(typed or "")
    fits, varies = gpt.LEAST <= len(own) <= gpt.MOST, len(set(own)) > 1
    if fits and varies:
        return "own", own
    limits = {"least": gpt.LEAST, "most": gpt.MOST}
    if fits:
        st.warning(s.words("own_one"))
    elif own:
        st.warning(s.words("own_short" if len(own) < gpt.LEAST else "own_long", n=len(own), **limits))
    else:
        st.caption(s.words("own_blank", **limits))
    return usual, ""


def watch(s, text, seed):
    """The training run on this text; before anybody trained, the model as it is drawn."""
    source, own = text
    settings = (source, seed, own) if own else (source, seed)
    recording = None if own or seed else f"block_anatomy_gpt_{source}"
    watched = training.watch(s, gpt.run, *settings, recording=recording, snapshot=gpt.GptSnapshot)
    return watched if watched.seen else watched._replace(seen=[untrained(*settings)])


@st.cache_data(max_entries=16, show_spinner=False)
def untrained(*settings):
    """The first snapshot of a run."""
    return next(gpt.run(*settings))


# --- what there is to see ---


def loss_picture(s, text, seen, index):
    """The loss on both parts of the text over the steps, and the two lines of who only counts."""
    levels = dict(zip((s.words("guess"), s.words("pairs")), gpt.guess_lines(*text), strict=True))
    names = s.words("held_out"), s.words("trained_on")
    end = seen[-1].end
    rows = [(shot.step, shot.held_out_loss, names[0]) for shot in seen]
    rows += [(shot.step, shot.loss, names[1]) for shot in seen]
    rows += [(x, level, name) for name, level in levels.items() for x in (0, end)]
    series = [(name, "attention") for name in names] + [(name, "neutral") for name in levels]
    top = math.ceil(max(*levels.values(), *(max(shot.loss, shot.held_out_loss) for shot in seen)))
    picture = charts.curves(
        pd.DataFrame(rows, columns=["x", "y", "name"]),
        series,
        (s.words("step"), s.words("nats")),
        domains=((0, end), (0, top)),
        at=seen[index].step,
        height=340,
    )
    guess, pairs = levels.values()
    facts = {"held_out": seen[index].held_out_loss, "loss": seen[index].loss, "step": seen[index].step}
    s.chart(picture, "loss_picture", guess=guess, pairs=pairs, **facts)
    st.caption(s.words("rivals"))


def written(s, characters, now):
    """What the model writes at this step, letter for letter."""
    st.markdown(f"**{s.words('written', step=now.step, warmth=gpt.WARMTH)}**")
    st.code(gpt.spell(now.written, characters.signs).strip("\n"), language=None, wrap_lines=True)


def told_at(seen, index):
    """The snapshot that is asked what comes next: this one, if it tells its parameters; else the last so far.

    A run that was recorded tells them at its start and at its end only.
    """
    there = [shot for shot in seen if np.isfinite(shot.flat[0])]
    return seen[index] if np.isfinite(seen[index].flat[0]) else there[-1]


def ask_prompt(s, text):
    """What the model is to go on with: what the student types, or what stands before a held-out piece."""
    prompt = s.ask.text("gpt_prompt", placeholder=s.words("prompt_placeholder"), max_chars=200)
    unknown = unknown_signs(prompt, gpt.characters_of(*text).signs)
    if unknown:
        signs = s.listed([verbatim(visible(sign)) for sign in unknown])
        st.caption(s.words("prompt_unknown", signs=signs, mark=verbatim(MARK)))
    return prompt


def bars_picture(s, text, shot, now, prompt, temperature):
    """What the model takes for likely to come next."""
    signs = gpt.characters_of(*text).signs
    following = None
    if not prompt:
        prompt, following = before_held_out(text)
    source, own = text
    shares = gpt.next_signs(shot.flat, source, prompt, temperature, own)
    most = np.argsort(-shares, kind="stable")[:N_BARS]
    names = [visible(signs[i]) for i in most]
    titles = (s.words("sign"), s.words("chance"))
    picture = charts.bars(names, shares[most], "output", titles, domain=(0, 1.2), form=".3f")
    listed = ", ".join(f"{name} {share:.3f}" for name, share in zip(names, shares[most], strict=True))
    facts = {"prompt": verbatim(shown(prompt)), "step": shot.step, "temperature": temperature}
    s.chart(picture, "bars_picture", listed=listed, **facts)
    if following is not None:
        st.caption(s.words("prompt_held_out", sign=verbatim(visible(following))))
    if shot.step != now.step:
        st.caption(s.words("bars_step", step=shot.step))


def before_held_out(text):
    """The end of what comes before the first held-out piece, and the character that then stands there."""
    source, own = text
    whole = own or gpt.shipped(source)
    first = int(np.flatnonzero(gpt.characters_of(*text).is_held_out)[0])
    return whole[first - N_TAIL : first], whole[first]


def visible(sign):
    """A character that can be seen: one without a shape of its own by its number."""
    if sign in VISIBLE:
        return VISIBLE[sign]
    has_shape = unicodedata.category(sign)[0] not in "CZ" and "VARIATION" not in unicodedata.name(sign, "")
    return sign if has_shape else f"U+{ord(sign):04X}"


def shown(prompt):
    """A prompt in one line, with blanks that can be seen at its ends."""
    inner = prompt.strip(" ")
    first = prompt.index(inner)
    line = inner.replace("\n", VISIBLE["\n"]).replace("\t", VISIBLE["\t"])
    return VISIBLE[" "] * first + line + VISIBLE[" "] * (len(prompt) - first - len(inner))


def say_how_good_it_is(s, text, now):
    guess, pairs = gpt.guess_lines(*text)
    facts = {"step": now.step, "held_out": now.held_out_loss, "among": math.exp(now.held_out_loss)}
    facts |= {"context": gpt.CONTEXT}
    facts |= {"guess": guess, "among_guess": math.exp(guess), "pairs": pairs, "among_pairs": math.exp(pairs)}
    if now.step == 0:
        key = "says_start"
    elif now.held_out_loss < pairs:
        key = "says_below"
    else:
        key = "says_between" if now.held_out_loss < guess else "says_above"
    s.says(key, **facts)


def notes(s, characters, seen):
    """How much of the text is unknown, and whether the model learns by heart."""
    share = float((characters.ids == 0).mean())
    known = {"n": len(characters.ids), "signs": len(characters.signs) - 1, "share": share}
    yield s.words("known_some" if share else "known", mark=MARK, **known)
    now, best = seen[-1], min(seen, key=lambda shot: shot.held_out_loss)
    gap = {"loss": now.loss, "held_out": now.held_out_loss}
    if now.held_out_loss > best.held_out_loss + RISE:
        yield s.words("rises", least=best.held_out_loss, best=best.step, **gap)
    elif now.loss < now.held_out_loss - 0.3:
        yield s.words("by_heart", **gap)


def table(seen):
    """One row a snapshot."""
    fields = ("step", "loss", "held_out_loss", "seconds")
    return pd.DataFrame([[getattr(shot, field) for field in fields] for shot in seen], columns=fields)
