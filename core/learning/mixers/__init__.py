"""How words of one sentence are brought together: one way a file, each with the same interface.

A mixer is a NamedTuple of settings and three functions: ``init_x(rng, settings, dtype) -> params``,
``x(words, params, settings, rows) -> (out, cache)`` and ``x_backward(dout, cache) -> (dwords, dparams)``.
Words are (batch, n, d_model), rows (batch, m) are the places that are read, out is (batch, m, width).
"""
