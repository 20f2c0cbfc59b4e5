"""Page 4."""

from pages.shared.frame import open_page

page = open_page("block_anatomy")
page.show()
