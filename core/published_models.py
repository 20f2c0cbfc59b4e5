"""The shapes of published models, the parameters that were released, and what their papers print.

Both kinds are the same block, stacked. What differs in shape: BERT has a table for the two segments of its
input, a layer norm after its tables instead of one after its blocks, and a pooler on top. What differs beside
the shape: BERT's words look both ways, its norms stand after the sums, and its task is to fill in words.
"""

from typing import NamedTuple


class Shape(NamedTuple):
    """The numbers of a published model that its attention and its parameters depend on."""

    name: str
    n: int  # tokens it reads at most; it learns as many positions
    n_layers: int
    n_heads: int
    d_model: int
    vocabulary: int  # tokens it knows
    is_causal: bool = True  # a token sees itself and those before it, as in GPT; otherwise all, as in BERT
    n_segments: int = 0  # that it tells apart by a table
    has_pooler: bool = False  # one more linear layer, for what the first token became

    @property
    def d_ff(self):
        """Width of the MLP's hidden layer, in all of them four times as wide as a token."""
        return 4 * self.d_model


class Published(NamedTuple):
    """A model, the parameters of its released checkpoint, if there is one, and the figure of its paper."""

    shape: Shape
    released: int | None
    printed: str  # as it stands there, with its unit: M or B


# GPT-2: Radford et al. (2019), table 2 and section 2.3; heads and hidden width from the released settings
# and code. BERT: Devlin et al. (arXiv:1810.04805v2), section 3 and its footnote on 4H, 512 positions in
# appendix A.2; 30,522 tokens from the released uncased vocabulary (the paper says 30,000). GPT-3: Brown et
# al. (arXiv:2005.14165v4), table 2.1 and section 2.1, tokens and parts as in GPT-2; its layers are dense and
# sparse in turn, here all are counted as dense. (That is a matter of who looks at whom: the parameters are
# the same.)
GPT2 = Shape("gpt2", 1024, 12, 12, 768, 50_257)
GPT2_MEDIUM = GPT2._replace(name="gpt2_medium", n_layers=24, n_heads=16, d_model=1024)
GPT2_LARGE = GPT2._replace(name="gpt2_large", n_layers=36, n_heads=20, d_model=1280)
GPT2_XL = GPT2._replace(name="gpt2_xl", n_layers=48, n_heads=25, d_model=1600)
BERT = Shape("bert", 512, 12, 12, 768, 30_522, is_causal=False, n_segments=2, has_pooler=True)
BERT_LARGE = BERT._replace(name="bert_large", n_layers=24, n_heads=16, d_model=1024)
GPT3 = GPT2._replace(name="gpt3", n=2048, n_layers=96, n_heads=96, d_model=12_288)

# Released: entries of all arrays of a checkpoint, without what BERT guesses hidden words with.
PUBLISHED = (
    Published(GPT2, 124_439_808, "117M"),
    Published(GPT2_MEDIUM, 354_823_168, "345M"),
    Published(GPT2_LARGE, 774_030_080, "762M"),
    Published(GPT2_XL, 1_557_611_200, "1542M"),
    Published(BERT, 109_482_240, "110M"),
    Published(BERT_LARGE, 335_141_888, "340M"),
    Published(GPT3, None, "175.0B"),
)
GPT1_VOCABULARY = 40_478  # Radford et al. (2018): rows of the token table in the released params_shapes.json


def as_number(printed):  # "117M" -> 117000000
    """Read a printed figure."""
    return round(float(printed[:-1]) * {"M": 1e6, "B": 1e9}[printed[-1]])
