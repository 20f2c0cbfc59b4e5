"""The sections of page 2 that have a module of their own."""
