"""Home: the lecture in one view, and the entry point of `streamlit run`."""

from pages.shared.frame import open_page

page = open_page("home")
