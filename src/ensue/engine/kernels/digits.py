"""Positions as decimal digits: eight at a time, as the bytes of one word, the first digit in the lowest."""

from __future__ import annotations

import numpy as np

from ensue.engine.kernels.compiled import kernel

EIGHT = 100_000_000
_ZEROS = np.uint64(0x3030303030303030)
_8, _10, _16, _20, _32, _45 = (np.uint64(number) for number in (8, 10, 16, 20, 32, 45))
_TEN, _HUNDRED, _10_000 = np.uint64(10), np.uint64(100), np.uint64(10_000)
_BY_10_000, _BY_100, _BY_10 = np.uint64(3_518_437_209), np.uint64(10_486), np.uint64(103)
_BYTE = np.uint64(255)
_PAIRS, _SINGLES = np.uint64(0x0000007F0000007F), np.uint64(0x000F000F000F000F)


@kernel
def eight_digits(number):
    """The digits of a number below 10 ** 8, zeros in front: halves, then pairs, then digits, side by side."""
    whole = np.uint64(number)
    high = (whole * _BY_10_000) >> _45  # exact for 32 bits; unlike a division, several are done at once
    word = high | ((whole - high * _10_000) << _32)
    high = ((word * _BY_100) >> _20) & _PAIRS
    word = high | ((word - high * _HUNDRED) << _16)
    high = ((word * _BY_10) >> _10) & _SINGLES
    word = high | ((word - high * _TEN) << _8)
    return word | _ZEROS


@kernel
def count_few_digits(number):
    """How many digits a number has that is not negative and below 10 ** 8."""
    return (
        1
        + (number >= 10)
        + (number >= 100)
        + (number >= 1_000)
        + (number >= 10_000)
        + (number >= 100_000)
        + (number >= 1_000_000)
        + (number >= 10_000_000)
    )


@kernel
def count_digits(number):
    """How many digits a number has that is not negative; there are at most 19."""
    count = 0
    while number >= EIGHT:
        number //= EIGHT
        count += 8
    return count + count_few_digits(number)


@kernel
def position_ends(positions):
    """Where the text of each position ends, if they are written one behind another, with a 0 in front."""
    ends = np.empty(positions.size + 1, np.int64)
    ends[0] = 0
    for row in range(positions.size):
        ends[row + 1] = ends[row] + count_digits(positions[row])
    return ends


@kernel
def position_texts(positions, ends, data):
    """Write the digits of the positions one behind another.

    Up to eight are written as one word: what is too much of it, the next position writes over.
    """
    for row in range(positions.size):
        rest, at, first = positions[row], ends[row + 1], ends[row]
        if rest < EIGHT and first + 8 <= data.size:
            word = eight_digits(rest) >> np.uint64(64 - 8 * (at - first))
            data[first] = np.uint8(word & _BYTE)
            data[first + 1] = np.uint8((word >> np.uint64(8)) & _BYTE)
            data[first + 2] = np.uint8((word >> np.uint64(16)) & _BYTE)
            data[first + 3] = np.uint8((word >> np.uint64(24)) & _BYTE)
            data[first + 4] = np.uint8((word >> np.uint64(32)) & _BYTE)
            data[first + 5] = np.uint8((word >> np.uint64(40)) & _BYTE)
            data[first + 6] = np.uint8((word >> np.uint64(48)) & _BYTE)
            data[first + 7] = np.uint8((word >> np.uint64(56)) & _BYTE)
            continue
        while at > first:
            word = eight_digits(rest % EIGHT)
            rest //= EIGHT
            for place in range(7, max(-1, 7 - (at - first)), -1):
                at -= 1
                data[at] = np.uint8((word >> np.uint64(8 * place)) & _BYTE)
