"""How kernels are compiled: once for each machine, without the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

Kernel = Callable[..., Any]


def kernel(function: Kernel) -> Kernel:
    """Compile on first use and keep the machine code on disk. Kernels have no annotations: Numba infers their types."""
    compiled: Kernel = numba.njit(cache=True, nogil=True)(function)
    return compiled
