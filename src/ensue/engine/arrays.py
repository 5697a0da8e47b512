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
