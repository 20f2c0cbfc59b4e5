"""Page 1.

Why local convolution fails: what a stack of fixed windows can hear at all, why no fixed place is the right
one, and what is left of a word that is passed on step by step.
"""

from functools import partial

from pages.sections.local_conv.it_moves import it_moves
from pages.sections.local_conv.passing_on import passing_on
from pages.sections.local_conv.race import race
from pages.sections.local_conv.reach import reach
from pages.shared.frame import open_page

page = open_page("local_conv")
sentence = page.sentence(["tired", "hungry", "escaped"])
page.show(partial(reach, sentence=sentence), it_moves, passing_on, race)
