"""Page 3.

Where q, k and v come from, what every word then sees, and what order has to do with it. The sentence serves
all sections.
"""

from functools import partial

from core.experiments import pronoun_link, self_attention
from core.learning import tasks
from pages.sections.self_attention.everyone import everyone
from pages.sections.self_attention.flip import flip
from pages.sections.self_attention.link import link
from pages.sections.self_attention.one_layer import one_layer
from pages.sections.self_attention.order import order
from pages.sections.self_attention.order_trained import order_trained
from pages.sections.self_attention.roles import roles
from pages.sections.self_attention.swap import swap
from pages.shared.frame import open_page

page = open_page(
    "self_attention",
    looks_for=self_attention.LOOKS_FOR,
    nouns=tasks.N_NOUNS,
    verbs=tasks.N_VERBS,
    held_out=tasks.N_HELD_OUT,
    one_layer_steps=pronoun_link.ONE_LAYER_STEPS,
)
chosen = page.sentence(["tired", "hungry", "escaped"])
page.show(
    partial(roles, chosen=chosen),
    partial(everyone, chosen=chosen),
    link,
    flip,
    swap,
    one_layer,
    partial(order, tokens=chosen.tokens),
    order_trained,
)
