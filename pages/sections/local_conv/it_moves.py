"""The answer moves from sentence to sentence: how often every fixed place back meets it."""

import pandas as pd

from core.experiments import local_conv_moves
from core.learning import pronoun
from pages.shared import charts
from pages.shared.grammar import spelled, vocabulary

MOST_FILLERS = 19  # sentences of 7 to 26 words
SAMPLES = (20, 50, 100, 200, 500, 1000)  # all even, so that they can be made of pairs


def it_moves(s):
    with s.inputs:
        n_fillers = s.ask.number("n_strewn", 0, MOST_FILLERS, 4)
        furthest = local_conv_moves.furthest_noun(n_fillers)
        back = s.ask.number("back", 1, furthest, 5)
        n = s.ask.pick("n_sentences", SAMPLES, 200)
        pairs = s.ask.toggle("pairs")
        seed = s.ask.seed("sample_seed")
    drawn = local_conv_moves.draw(seed, n, n_fillers, pairs)
    counts = local_conv_moves.count_by_offset(drawn, furthest)
    best = int(counts.fixed.argmax()) + 1
    facts = {
        "n": n,
        "best": best,
        "most": counts.fixed.max(),
        "back": back,
        "right": counts.fixed[back - 1],
        "furthest": furthest,
        "both": counts.both[-1],
        "nearest": counts.nearest[-1],
    }
    with s.picture:
        the_pair(s, local_conv_moves.lecture_pair(seed, n_fillers), back)
        every_offset(s, counts, back, facts)
        s.stamp("drawn", seed=seed)
    lucky = 2 * counts.fixed.max() > n
    s.says("says_pairs" if pairs else "says_lucky" if lucky else "says", **facts)
    s.details(
        code=[
            local_conv_moves.count_by_offset,
            local_conv_moves.draw,
            pronoun.two_noun_sentences,
            pronoun.write_two_nouns,
            pronoun.strew,
        ],
        numbers=lambda: the_sample(s, drawn),
    )


def the_pair(s, pair, back):
    """One sentence in its two readings, and the same fixed look in both."""
    texts, asks = spelled(pair.ids, vocabulary(s.page.words)), int(pair.asks[0])
    answers = [int(place) for place in pair.answer]
    labels = [what_is_found(s, text, asks, back, answer) for text, answer in zip(texts, answers, strict=True)]
    reasons = [
        s.words("reason", reason=text[asks + 1], word=text[answer])
        for text, answer in zip(texts, answers, strict=True)
    ]
    names = {"asks": texts[0][asks], "first": texts[0][answers[0]], "second": texts[1][answers[1]]}
    sentences = [(text, asks, answer) for text, answer in zip(texts, answers, strict=True)]
    picture = charts.two_readings(sentences, back, reasons, labels)
    s.chart(picture, "pair_picture", **names, reason_1=reasons[0], reason_2=reasons[1], back=back)


def what_is_found(s, text, asks, back, answer):
    """Name what stands at the fixed place, and whether it is what is meant."""
    name = "look_right" if asks - back == answer else "look_wrong"
    return s.words(name, back=back, word=text[asks - back])


def every_offset(s, counts, back, facts):
    windows = [(s.words(name), getattr(counts, name)) for name in ("nearest", "both")]
    titles = [s.words(name) for name in ("b_axis", "share", "fixed")]
    s.chart(charts.offset_bars(counts.fixed, windows, facts["n"], back, titles), "offsets_picture", **facts)


def the_sample(s, sentences):
    words = vocabulary(s.page.words)
    return pd.DataFrame(
        {
            "sentence": [" ".join(text) for text in spelled(sentences.ids, words)],
            "meant": [words[target] for target in sentences.targets],
            "places back": sentences.asks - sentences.answer,
        }
    )
