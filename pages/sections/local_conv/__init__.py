"""The sections of page 1 that have a module of their own."""
