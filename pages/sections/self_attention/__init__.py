"""The sections of page 3, one a module, and what several of them share."""
