"""What the screen says with numbers in it, computed a second time: one module a page, one function a section.

A section's function is given the inputs and returns what has to be said there, and nothing else: the texts by
their keys, each with its values, `{"says": {"n": 7, ...}}`. They are computed from the definitions and from
`core.blocks`, not from `core.experiments`, which the pages ask. So the function also decides which of several
sentences is due, and an `assert` in it holds a sentence to its verb ("larger", "nearest", "grows").
"""
