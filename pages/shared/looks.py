"""The few looks that the theme's options cannot express."""

CHART = "[data-testid=stVegaLiteChart] svg"
STYLE = f"""<style>
/* Chart text follows the theme at once, also on a switch in the menu; Streamlit's own grey is too weak. */
{CHART} :is(.role-axis-label, .role-axis-title, .role-legend-label, .role-legend-title) text,
{CHART} .on_ground_marks text {{ fill: currentColor }}
{CHART} .here_marks line {{ stroke: currentColor }}
/* Numbers on cells: black and white change places where both are equally readable (see config.toml). */
{CHART} .on_pale_marks text {{ fill: light-dark(#000, #fff) }}
{CHART} .on_strong_marks text {{ fill: light-dark(#fff, #000) }}
/* A student's word keeps its own writing direction and stays in its place. */
code {{ unicode-bidi: isolate }}
[data-testid=stMarkdownContainer] :not(pre) > code {{ font-size: 0.95em; font-family: inherit }}
</style>"""

# Drawn here because Streamlit fetches its own icons from the internet when they stand in the browser's tab.
ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E"
    "%3Cpath d='M5 24C5 4 27 4 27 24' fill='none' stroke='%230067A5' stroke-width='4'/%3E"
    "%3Ccircle cx='5' cy='25' r='5' fill='%230067A5'/%3E"
    "%3Ccircle cx='27' cy='25' r='5' fill='%239B3F8F'/%3E%3C/svg%3E"
)
