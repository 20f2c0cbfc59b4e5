"""Differentiable parts, each a forward and its hand-written backward standing side by side."""
