"""One module a page, same name: the facts that the page shows, as pure functions."""
