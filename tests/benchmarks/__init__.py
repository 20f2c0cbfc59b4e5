"""Measurements, run by hand: `python -m tests.benchmarks.<name>`. Each ends with one JSON object.

What those that train or compare begin with stands here: one thread, memory as it is after a while, and what
the times depend on.
"""

import os
import sys

from core.one_thread import ONE_THREAD, keep_memory


def begin(cold=False):
    """Call this before NumPy is imported. -> the name of its BLAS, which is printed too

    With `cold` the memory of the process is left as it starts.
    """
    os.environ.update(ONE_THREAD)
    return _settle(cold)


def _settle(cold):
    """Leave the memory as it is after a while, and tell which BLAS is at work."""
    if not cold:
        keep_memory()
    forced, kernel = os.environ.get("OPENBLAS_CORETYPE"), blas_kernel()
    if forced:
        print(f"Warning: OPENBLAS_CORETYPE={forced} forces a kernel on NumPy, which slows it; unset it.")
    print(f"NumPy: {kernel}.")
    return kernel


def begin_with_torch(cold=False):
    """Call this before NumPy is imported, to measure against PyTorch; without it the program ends with 2.

    Returns
    -------
    torch : module
    facts : dict
        What the times depend on.
    """
    os.environ.update(ONE_THREAD)
    try:
        import torch
    except ImportError:
        print("This comparison needs PyTorch, which nothing else here does: pip install torch==2.13.0")
        sys.exit(2)
    torch.set_num_threads(1)
    kernel = _settle(cold)
    print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} thread.")
    return torch, {
        "torch": torch.__version__,
        "blas": kernel,
        "forced": os.environ.get("OPENBLAS_CORETYPE"),
    }


def blas_kernel():
    """Name NumPy's BLAS and the kernel that it chose for this processor."""
    import numpy as np

    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
        return f"{blas['name']} {blas['version']}, kernel unknown (pip install threadpoolctl names it)"
    pools = [pool for pool in threadpool_info() if "numpy" in pool["filepath"]]
    return ", ".join(
        f"{pool['internal_api']} {pool['version']}, kernel {pool.get('architecture')}, "
        f"{pool['num_threads']} thread"
        for pool in pools
    )
