"""The sections of page 5, one a module, and what several of them share."""
