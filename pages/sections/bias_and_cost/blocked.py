"""Attention in tiles: the memory it saves, and what it does to the time."""

import streamlit as st

from core import costs_saved
from core.blocks.blocked_attention import absorb, blocked_attention
from core.experiments import bias_and_cost
from core.experiments import bias_and_cost_savings as savings
from pages.sections.bias_and_cost.layers import MIB, USUAL_FIT, compared
from pages.sections.bias_and_cost.measuring import measuring, so_far, stamp, wait_for
from pages.shared import charts

RECORDS = len(costs_saved.BLOCKED_SIZES) * len(costs_saved.BLOCKS) + 1  # and the longest input
LENGTHS = (*costs_saved.BLOCKED_SIZES, costs_saved.LONG)
LEAST = (1e-1, 1e4)  # ms and MiB


def blocked(s):
    run = measuring("blocked", RECORDS)
    with s.inputs:
        block = s.ask.pick("block", costs_saved.BLOCKS, 256)
        wait_for(s, run)
    plain = savings.from_length(run.found["attention"], costs_saved.BLOCKED_SIZES[0])
    pieces, long = savings.blocked_by_length(run.records, block), savings.longest(run.records)
    difference = savings.largest_difference(run.records)
    with s.picture:
        blocked_memory(s, plain, pieces, block, run.is_complete)
        blocked_time(s, plain, pieces, block, run.is_complete)
        if difference is not None:
            st.caption(s.words("note", n=costs_saved.COMPARED, difference=difference))
        stamp(s, run)
    if long and run.is_complete:
        what_blocks_save(s, long, plain, pieces, block)
    s.details(
        code=[costs_saved.in_blocks, blocked_attention, absorb],
        numbers=lambda: blocked_table(plain, pieces),
    )


def what_blocks_save(s, long, plain, pieces, block):
    longest, share = savings.time_share(pieces, plain)
    s.says(
        f"says_{compared(share, 1, '.0%')}",
        n=long.n,
        long_block=costs_saved.LONG_BLOCK,
        extra=long.extra / MIB,
        plain=savings.stored_bytes(long.n) / MIB,
        seconds=long.seconds,
        longest=longest,
        block=block,
        share=share,
    )


def blocked_memory(s, plain, pieces, block, whole):
    beyond = LENGTHS[-2:]  # from the longest input of which all was held at once
    lines = [
        charts.CostLine(s.words("plain"), "attention", plain.n, plain.bytes / MIB),
        charts.CostLine(s.words("pieces", block=block), "attention", pieces.n, pieces.bytes / MIB),
        charts.CostLine(s.words("stored"), "neutral", beyond, savings.stored_bytes(beyond) / MIB),
    ]
    picture = charts.cost_curves(lines, (s.words("n_axis"), s.words("mib")), LENGTHS, least=LEAST)
    if whole:
        last = {
            "n": int(plain.n[-1]),
            "plain": plain.bytes[-1] / MIB,
            "pieces": savings.at(pieces, plain.n[-1]).bytes / MIB,
            "start": int(plain.n[0]),
            "plain_first": plain.bytes[0] / MIB,
            "pieces_first": savings.at(pieces, plain.n[0]).bytes / MIB,
        }
        s.chart(picture, "memory_picture", block=block, **last)
    else:
        s.chart(picture, "memory_so_far", block=block)


def blocked_time(s, plain, pieces, block, whole):
    laws = [bias_and_cost.fit_exponent(one.n, one.seconds, USUAL_FIT) for one in (plain, pieces)]
    names = (s.words("plain"), s.words("pieces", block=block))
    lines = [
        charts.CostLine(name, "attention", one.n, one.seconds * 1e3)
        for name, one in zip(names, (plain, pieces), strict=True)
    ]
    picture = charts.cost_curves(lines, (s.words("n_axis"), s.words("ms")), LENGTHS, least=LEAST)
    if whole and all(laws):
        exponents = {"plain": laws[0].exponent, "pieces": laws[1].exponent}
        s.chart(picture, "time_picture", block=block, start=max(USUAL_FIT, LENGTHS[0]), **exponents)
    elif plain.n.size or pieces.n.size:
        s.chart(picture, "time_so_far", block=block)


def blocked_table(plain, pieces):
    plain, pieces = (so_far("n", LENGTHS, one) for one in (plain, pieces))
    return plain.merge(pieces, on="n", suffixes=(", at once", ", in tiles"))
