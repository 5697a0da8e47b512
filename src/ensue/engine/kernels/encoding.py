"""Numbers as codes: the bits of their doubles."""

from __future__ import annotations

import numpy as np

from ensue.engine.kernels.compiled import kernel


@kernel
def encode_integers(values, valid, unbound):
    """The codes of whole numbers, and how many are too large to be doubles without loss."""
    doubles = np.empty(values.size, np.float64)
    large = 0
    for row in range(values.size):
        value = values[row]
        doubles[row] = value
        if valid[row] and (value > 2**53 or value < -(2**53)):
            large += 1
    codes = doubles.view(np.int64)
    for row in range(values.size):
        if not valid[row]:
            codes[row] = unbound
    return codes, large


@kernel
def encode_chosen_doubles(values, rows, doubles):
    """Some doubles, without negative zeros; says whether one of them is too large for a whole number, or no number."""
    plain = True
    for place in range(rows.size):
        value = values[rows[place]] + 0.0
        doubles[place] = value
        plain = plain and abs(value) <= 2.0**53
    return not plain


@kernel
def encode_chosen_integers(values, rows, doubles):
    """Some whole numbers as doubles; says whether one of them is too large to be one without loss."""
    large = False
    for place in range(rows.size):
        value = values[rows[place]]
        doubles[place] = value
        large = large or value > 2**53 or value < -(2**53)
    return large
