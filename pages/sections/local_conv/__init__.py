"""The sections of page 1, one a module, and what several of them share."""
