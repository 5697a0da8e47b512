"""Names for the arrays that the engine works with."""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]
Numbers: TypeAlias = npt.NDArray[np.int32]
"""Numbers of groups, and places of rows where memory is what costs."""
Floats: TypeAlias = npt.NDArray[np.float64]
Truths: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]

Array = TypeVar("Array", bound=npt.NDArray[Any])

FOREVER = 1 << 62
"""Later than every instant, longer than every duration."""


def no_ints() -> Ints:
    return np.empty(0, np.int64)


_LONGEST_COUNT = 1 << 24
_counted: Ints = np.arange(1 << 12, dtype=np.int64)


def counting(count: int) -> Ints:
    """0, 1, 2 … as an array that nobody writes to: all but very long ones are the same one."""
    global _counted  # noqa: PLW0603 - replaced by a longer one, never changed
    if count > _LONGEST_COUNT:
        return np.arange(count, dtype=np.int64)
    if count > len(_counted):
        _counted = np.arange(min(_LONGEST_COUNT, 2 * count), dtype=np.int64)
    return _counted[:count]


def everywhere(count: int) -> Truths:
    """True for every row, without memory for each."""
    return np.broadcast_to(np.True_, count)


def is_everywhere(truths: Truths) -> bool:
    """Whether truths were made by `everywhere`; what is not may still be true for every row."""
    return truths.strides == (0,) and bool(truths[:1].all())


def both(one: Truths, two: Truths) -> Truths:
    """Where both are true. What is true everywhere is not looked at, and the other is given back as it is."""
    if is_everywhere(one):
        return two
    return one if is_everywhere(two) else one & two


def taken(truths: Truths, rows: Ints) -> Truths:
    """The truths of some rows."""
    return everywhere(len(rows)) if is_everywhere(truths) else truths[rows]


def frozen(array: Array) -> Array:
    """The array as one that cannot be written to.

    To Numba, arrays that can and cannot be written to are two types: what comes now from Arrow's memory and now from
    NumPy's goes to the kernels frozen, so that they are compiled once.
    """
    view = array.view()
    view.flags.writeable = False
    return view
