"""The sections of page 4 that have a module of their own."""
