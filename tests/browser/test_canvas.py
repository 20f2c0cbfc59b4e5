"""Large heat maps: Streamlit draws them on a canvas, which no style sheet reaches."""

import tomllib
from pathlib import Path

from pages.shared.charts.base import HUES
from tests.browser.visit import path_of

THEMES = tomllib.loads((Path(__file__).parents[2] / ".streamlit/config.toml").read_text(encoding="utf-8"))[
    "theme"
]
STREAMLITS = "#808495"  # 3.7 : 1 on white
COUNT = """(canvas, [red, green, blue]) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
  const wanted = red + 256 * green + 65536 * blue + 255 * 2 ** 24
  return new Uint32Array(data.buffer).filter((pixel) => pixel === wanted).length
}"""


def test_text_on_a_canvas_has_an_ink_of_the_theme_at_once(screen):
    words = " ".join(f"word{i}" for i in range(64))
    screen.open(path_of("self_attention", "en", sentence="own", words=words))
    canvas = screen.page.locator("[data-testid=stVegaLiteChart] canvas")

    def pixels(colour):
        return canvas.evaluate(COUNT, list(bytes.fromhex(colour[1:])))

    for theme in ("light", "dark", "light"):
        ink = THEMES[theme]["chartCategoricalColors"][HUES.index("mlp")]
        screen.look(theme).until(lambda ink=ink: pixels(ink) > 200, f"the ink of the {theme} theme")
        assert pixels(STREAMLITS) < 20
