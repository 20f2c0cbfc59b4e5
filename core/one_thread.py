"""What suits a process that computes by itself: one thread, and memory that it keeps.

NumPy reads the first when it is imported, so this module imports nothing.
"""

ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


def keep_memory():
    """Bring the memory of this process into the state that it has after running a while.

    The C library of Linux hands freed memory back to the system, page by page to be asked for again, until a
    program has once freed a large array; from then on it keeps twice that much. In a fresh process that costs
    a quarter of a training step. The array is never touched: it takes no memory.
    """
    import numpy as np

    np.empty(2**25 - 2**13, np.uint8)  # just below 32 MiB, the largest size that the library learns from
