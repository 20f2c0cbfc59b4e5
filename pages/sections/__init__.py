"""The sections of the pages, a folder a page; `pages.shared.frame` imports all early."""
