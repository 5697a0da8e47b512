"""Names for the arrays that the engine works with."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
Truths: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]

FOREVER = 1 << 62
"""Later than every instant, longer than every duration."""


def no_ints() -> Ints:
    return np.empty(0, np.int64)


_counted = np.arange(1024, dtype=np.int64)


def counting(count: int) -> Ints:
    """0, 1, 2 … as an array that must not be written to: it is needed everywhere, so it is made once and shared."""
    global _counted  # noqa: PLW0603 - a cache that only grows
    if count > len(_counted):
        _counted = np.arange(2 * count, dtype=np.int64)
    shared = _counted[:count]
    shared.flags.writeable = False
    return shared
