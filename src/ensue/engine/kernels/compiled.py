"""How kernels are compiled: once for each machine, without the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile on first use and keep the machine code on disk."""
    compiled: F = numba.njit(cache=True, nogil=True)(function)
    return compiled
