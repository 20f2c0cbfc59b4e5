"""Page 3."""

from pages.shared.frame import open_page

page = open_page("self_attention")
page.show()
