"""Page 1."""

from pages.shared.frame import open_page

page = open_page("local_conv")
page.show()
