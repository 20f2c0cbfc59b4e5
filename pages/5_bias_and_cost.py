"""Page 5."""

from pages.shared.frame import open_page

page = open_page("bias_and_cost")
page.show()
