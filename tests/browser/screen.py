"""What the tests do with a page: open it, wait until it stands, read it as a student would."""

import time

TIMEOUT = 30_000  # ms for anything that is waited for
# Streamlit asks for these beside every deep link first, and takes the answer 404 for "not here".
OWN_404 = ("/_stcore/health", "/_stcore/host-config")
STANDS = """() => {
  const app = document.querySelector('[data-testid=stApp]')
  const charts = [...document.querySelectorAll('[data-testid=stVegaLiteChart]')]
  const waits = document.querySelector('[data-stale=true], [data-testid=stSkeleton]')
  return app?.dataset.testScriptState === 'notRunning' && !waits && document.querySelector('h1') &&
    charts.every((chart) => chart.querySelector('svg, canvas'))
}"""


class Screen:
    """One tab. Everything it says and asks for is kept."""

    def __init__(self, context, address):
        self.address, self.page = address, context.new_page()
        self.page.set_default_timeout(TIMEOUT)
        self.errors, self.asked = [], []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.errors.append(f"page error: {error}"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("websocket", lambda socket: self.asked.append(socket.url))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.page.close()

    def _hear(self, message):
        url = (message.location or {}).get("url", "")
        own = url.endswith(OWN_404) and url.startswith(self.address) and "404" in message.text
        vega = message.type == "warning" and message.text.startswith("WARN")  # a scale without ends, say
        if vega or (message.type == "error" and not own):
            self.errors.append(f"{message.text} ({url})")

    # --- getting somewhere ----------------------------------------------------------------------

    def open(self, path):
        self.page.goto(path if path.startswith("http") else self.address + path)
        return self.stands()

    def stands(self):
        """Wait until nothing runs and every chart is drawn, seen twice in a row."""
        for _ in range(2):
            self.page.wait_for_function(STANDS)
            self.page.wait_for_timeout(120)
        self.page.wait_for_function(STANDS)
        return self

    def look(self, colour_scheme=None, width=None):
        """Switch the system's light or dark look, or the width of the window."""
        if colour_scheme:
            self.page.emulate_media(color_scheme=colour_scheme)
        if width:
            self.page.set_viewport_size({"width": width, "height": 800})
        self.page.wait_for_timeout(250)  # the charts follow the window with a delay
        return self.stands()

    def reload(self):
        self.page.reload()
        return self.stands()

    def until(self, holds, what):
        """Poll until `holds()`; a sentence says what was waited for."""
        end = time.monotonic() + TIMEOUT / 1000
        while not holds():
            assert time.monotonic() < end, f"waited in vain for: {what}"
            self.page.wait_for_timeout(50)
        return self

    # --- doing ----------------------------------------------------------------------------------

    def slider(self, key):
        """The slider of an input, by its key."""
        return self.input(key).locator("input[type=range]")

    def input(self, key):
        return self.page.locator(f".st-key-{key.replace('.', '-')}")

    def press(self, key, *keys):
        """Move a slider with the keyboard, as those do who cannot drag."""
        self.slider(key).focus()
        for name in keys:
            self.page.keyboard.press(name)
        self.page.wait_for_timeout(150)
        return self.stands()

    def switch_language(self, name):
        self.input("lang_choice").get_by_text(name, exact=True).click()
        language = {"中文": "zh-CN", "English": "en"}[name]
        self.until(lambda: self.language() == language, f"the page in {name}")
        return self.stands()

    def go_to(self, number):
        """Follow the page's link in the row at the top, counted from 0 (home)."""
        before = self.page.locator("h1").inner_text()
        self.page.get_by_test_id("stPageLink-NavLink").nth(number).click()
        self.until(lambda: self.page.locator("h1").inner_text() != before, "another page")
        return self.stands()

    # --- reading --------------------------------------------------------------------------------

    def value(self, key):
        """A slider's number as it stands beside its thumb."""
        return float(self.input(key).get_by_test_id("stSliderThumbValue").inner_text())

    def query(self):
        return self.page.evaluate("Object.fromEntries(new URLSearchParams(location.search))")

    def language(self):
        return self.page.evaluate("document.documentElement.lang")

    def link(self, holding=""):
        """The text of "link to this state", once it holds the given words."""
        self.page.get_by_test_id("stPopoverButton").nth(1).click()  # the first holds the page's contents
        code = self.page.get_by_test_id("stPopoverBody").get_by_test_id("stCode")
        self.until(lambda: holding in code.inner_text(), f"{holding} in the link")
        address = code.inner_text().strip()
        self.page.keyboard.press("Escape")
        code.wait_for(state="hidden")
        return address

    def notes(self):
        """What the page has to say about its link."""
        warnings = self.page.get_by_test_id("stAlertContentWarning")
        return warnings.all_inner_texts()

    def sentences(self):
        """The sentences computed from the numbers."""
        return self.page.get_by_test_id("stAlertContentInfo").all_inner_texts()
