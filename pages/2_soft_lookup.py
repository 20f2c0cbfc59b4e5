"""Page 2.

Attention as a soft dictionary. The query and the table of the first section serve all the others.
"""

from functools import partial

from pages.sections.soft_lookup.hard_and_soft import hard_and_soft
from pages.sections.soft_lookup.it_can_learn import it_can_learn
from pages.sections.soft_lookup.temperature import temperature
from pages.sections.soft_lookup.three_steps import three_steps
from pages.sections.soft_lookup.trained import trained
from pages.sections.soft_lookup.why_scale import why_scale
from pages.shared.frame import open_page

page = open_page("soft_lookup")
given = page.show_shared(hard_and_soft)
page.show(
    partial(three_steps, given=given),
    partial(temperature, given=given),
    why_scale,
    partial(it_can_learn, given=given),
    trained,
)
