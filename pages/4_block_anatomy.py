"""Page 4.

What a Transformer block is made of: everything drawn here is read from a forward pass that just ran.
"""

from functools import partial

from pages.sections.block_anatomy.deep import deep
from pages.sections.block_anatomy.parameters import parameters
from pages.sections.block_anatomy.positions import positions
from pages.sections.block_anatomy.pre_or_post import pre_or_post
from pages.sections.block_anatomy.stack_it import stack_it
from pages.sections.block_anatomy.take_one_away import take_one_away
from pages.sections.block_anatomy.through import through
from pages.sections.block_anatomy.tiny_gpt import tiny_gpt
from pages.shared.frame import open_page

page = open_page("block_anatomy")
tokens = page.sentence(["tired", "hungry", "escaped"]).tokens
page.show(
    partial(through, tokens=tokens),
    partial(pre_or_post, tokens=tokens),
    parameters,
    positions,
    deep,
    take_one_away,
    stack_it,
    tiny_gpt,
)
