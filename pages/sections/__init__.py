"""Sections too long for the file of their page, a folder a page; `pages.shared.frame` imports all early."""
