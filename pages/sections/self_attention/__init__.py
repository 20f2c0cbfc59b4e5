"""The sections of page 3 that watch a model learn who "it" is, one module each."""
