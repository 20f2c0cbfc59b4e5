"""The maths of the lecture in plain NumPy: nothing in here knows about the screen."""
