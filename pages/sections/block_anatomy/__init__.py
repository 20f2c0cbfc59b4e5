"""The sections of page 4, one a module, and what several of them share."""
