"""How kernels are compiled: once for each machine, without the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

Kernel = Callable[..., Any]


def kernel(function: Kernel) -> Kernel:
    """Compile on first use and keep the machine code on disk. Kernels have no annotations: Numba infers their types.

    Where nothing may be written, neither beside this file nor at home, as in some containers, Numba refuses to keep it:
    then each process compiles for itself. NUMBA_CACHE_DIR names a place to write to.
    """
    try:
        compiled: Kernel = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        compiled = numba.njit(nogil=True)(function)
    return compiled
