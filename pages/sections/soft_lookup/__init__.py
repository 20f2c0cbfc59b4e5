"""The sections of page 2, one a module, and what several of them share."""
