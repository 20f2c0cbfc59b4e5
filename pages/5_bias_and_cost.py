"""Page 5.

What each layer assumes about who looks at whom, and what seeing everything costs: the bill by formula and
as measured on this machine, and what tiles, a cache and doing things at once change about it.
"""

from pages.sections.bias_and_cost.as_convolution import as_convolution
from pages.sections.bias_and_cost.assumes import assumes
from pages.sections.bias_and_cost.blocked import blocked
from pages.sections.bias_and_cost.by_formula import by_formula
from pages.sections.bias_and_cost.data import data
from pages.sections.bias_and_cost.measured import measured
from pages.sections.bias_and_cost.one_more_token import one_more_token
from pages.sections.bias_and_cost.one_point import one_point
from pages.sections.bias_and_cost.parallel import parallel
from pages.sections.bias_and_cost.real_models import real_models
from pages.sections.bias_and_cost.share import share
from pages.sections.bias_and_cost.skipping import skipping
from pages.sections.bias_and_cost.texture import texture
from pages.sections.bias_and_cost.turning_local import turning_local
from pages.shared.frame import open_page

page = open_page("bias_and_cost")
page.show(
    assumes,
    data,
    one_point,
    texture,
    as_convolution,
    turning_local,
    by_formula,
    measured,
    blocked,
    skipping,
    one_more_token,
    real_models,
    share,
    parallel,
)
