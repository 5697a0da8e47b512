"""Names for the arrays that the engine works with."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Truths: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]

Array = TypeVar("Array", bound=npt.NDArray[Any])

FOREVER = 1 << 62
"""Later than every instant, longer than every duration."""


def no_ints() -> Ints:
    return np.empty(0, np.int64)


_COUNTED = np.arange(1 << 20, dtype=np.int64)


def counting(count: int) -> Ints:
    """0, 1, 2 … as an array that nobody writes to: short ones are all the same one."""
    return _COUNTED[:count] if count <= len(_COUNTED) else np.arange(count, dtype=np.int64)


def frozen(array: Array) -> Array:
    """The array as one that cannot be written to.

    To Numba, arrays that can and cannot be written to are two types: what comes now from Arrow's memory and now from
    NumPy's goes to the kernels frozen, so that they are compiled once.
    """
    view = array.view()
    view.flags.writeable = False
    return view
