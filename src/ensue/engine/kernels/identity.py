"""The ids of occurrences for many rows at once: the arithmetic of `ensue.model.identity`, word for word.

Each id is two lanes of 64 bits that differ only in their seeds. What is the same for all rows (the digests of the
class, of the variables' names and of values that are not plain numbers) is worked out once, outside.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ensue.engine.arrays import Bytes, Ints
from ensue.engine.kernels.compiled import kernel
from ensue.engine.kernels.digits import EIGHT, count_few_digits, eight_digits
from ensue.model import identity

Words: TypeAlias = npt.NDArray[np.uint64]

_PRIME_1, _PRIME_2, _PRIME_3 = (np.uint64(p) for p in (identity.PRIME_1, identity.PRIME_2, identity.PRIME_3))
_HIGH, _LOW = np.uint64(identity.SEED_HIGH), np.uint64(identity.SEED_LOW)
_8, _9, _16, _29, _31, _32, _33, _56, _64 = (np.uint64(number) for number in (8, 9, 16, 29, 31, 32, 33, 56, 64))
_HALF = np.uint64(0xFFFFFFFF)
_WHOLE, _DOUBLE = np.uint64(ord("i")), np.uint64(ord("d"))
_EXACT = 2.0**53
_BOXED = 0x7FF9
_PLACE = (1 << 48) - 1


@kernel
def mix(state: np.uint64, word: np.uint64) -> np.uint64:
    state ^= word * _PRIME_2
    state = (state << _31) | (state >> _33)
    state *= _PRIME_1
    state ^= state >> _29
    return state * _PRIME_3 + _PRIME_2


@kernel
def digest_slice(data: Bytes, start: int, stop: int) -> tuple[np.uint64, np.uint64]:
    """Both lanes of the digest of the bytes from `start` to `stop`."""
    length = np.uint64(stop - start)
    high, low = mix(_HIGH, length), mix(_LOW, length)
    for first in range(start, stop, 8):
        word = np.uint64(0)
        for place in range(first, min(first + 8, stop)):
            word |= np.uint64(data[place]) << np.uint64(8 * (place - first))
        high, low = mix(high, word), mix(low, word)
    return high, low


@kernel
def digest_short(position: int) -> tuple[np.uint64, np.uint64]:
    """`digest_position` for at most eight digits."""
    word, length = _digits(position)
    return mix(mix(_HIGH, length), word), mix(mix(_LOW, length), word)


@kernel
def digest_position(position: int) -> tuple[np.uint64, np.uint64]:
    """Both lanes of the digest of a position's decimal digits; there are at most 19. The first digit is the lowest
    byte.
    """
    if position < EIGHT:
        return digest_short(position)
    lowest, rest = position % EIGHT, position // EIGHT
    if rest < EIGHT:
        first, length = _digits(rest)
        one, two, three = _behind(first, length, lowest)
    else:
        first, length = _digits(rest // EIGHT)
        one, two, three = _behind(first, length, rest % EIGHT)
        length += _8
        two, three, _ = _behind(two, length - _8, lowest)
    length += _8
    high, low = mix(mix(mix(_HIGH, length), one), two), mix(mix(mix(_LOW, length), one), two)
    if length > _16:
        high, low = mix(high, three), mix(low, three)
    return high, low


@kernel
def _digits(number: int) -> tuple[np.uint64, np.uint64]:
    """Up to eight digits as bytes of one word, and how many they are."""
    length = np.uint64(count_few_digits(number))
    return eight_digits(number) >> (_64 - _8 * length), length


@kernel
def _behind(word: np.uint64, length: np.uint64, number: int) -> tuple[np.uint64, np.uint64, np.uint64]:
    """A word that holds `length` bytes, followed by the eight digits of a number: three words."""
    digits = eight_digits(number)
    if length == _8:
        return word, digits, np.uint64(0)
    bits = _8 * length
    return word | (digits << bits), digits >> (_64 - bits), np.uint64(0)


@kernel
def digest_id(code: int, offsets: Ints, data: Bytes) -> tuple[np.uint64, np.uint64]:
    """Both lanes of the digest of an id (see `kernels.order` for what its code means)."""
    if code < 0:
        return digest_slice(data, offsets[-code - 1], offsets[-code])
    return digest_position(code)


@kernel
def digest_ids(codes: Ints, offsets: Ints, data: Bytes) -> Words:
    """Both lanes for each id."""
    lanes = np.empty((codes.size, 2), np.uint64)
    short = True
    for row in range(codes.size):
        short &= 0 <= codes[row] < EIGHT
    if short:  # mostly so; a loop without branches does several at once
        for row in range(codes.size):
            lanes[row, 0], lanes[row, 1] = digest_short(codes[row])
    else:
        for row in range(codes.size):
            lanes[row, 0], lanes[row, 1] = digest_id(codes[row], offsets, data)
    return lanes


@kernel
def digest_texts(offsets: Ints, data: Bytes) -> Words:
    """Both lanes for each text of a table."""
    lanes = np.empty((offsets.size - 1, 2), np.uint64)
    for row in range(offsets.size - 1):
        lanes[row, 0], lanes[row, 1] = digest_slice(data, offsets[row], offsets[row + 1])
    return lanes


@kernel
def digest_number(number: float, bits: int) -> tuple[np.uint64, np.uint64]:
    """Both lanes of the digest of a number that is a double: a whole one is the integer that it equals."""
    whole = np.floor(number) == number and abs(number) <= _EXACT
    word = np.uint64(np.int64(number)) if whole else np.uint64(bits)
    first, second = (_WHOLE if whole else _DOUBLE) | (word << _8), word >> _56
    return mix(mix(mix(_HIGH, _9), first), second), mix(mix(mix(_LOW, _9), first), second)


@kernel
def hexadecimal(half: np.uint64) -> np.uint64:
    """The eight hexadecimal digits of 32 bits, as bytes of one word, the first in the lowest."""
    x = ((half & np.uint64(0xFFFF0000)) >> np.uint64(16)) | ((half & np.uint64(0xFFFF)) << np.uint64(32))
    x = ((x & np.uint64(0xFF000000FF00)) >> _8) | ((x & np.uint64(0x00FF000000FF)) << np.uint64(16))
    x = ((x & np.uint64(0xF000F000F000F0)) >> np.uint64(4)) | ((x & np.uint64(0x0F000F000F000F)) << _8)
    letters = ((x + np.uint64(0x0606060606060606)) >> np.uint64(4)) & np.uint64(0x0101010101010101)
    return x + np.uint64(0x3030303030303030) + letters * np.uint64(39)


@kernel
def occurrence_ids(
    begin: Ints,
    end: Ints,
    starts: Ints,
    member_lanes: Words,
    values: Ints,
    numbers: npt.NDArray[np.float64],
    unbound: int,
    class_lanes: Words,
    classes: Ints,
    name_lanes: Words,
    boxed_lanes: Words,
    timed: bool,
) -> Words:
    """The ids of all rows as hexadecimal text, 32 bytes each; `member_lanes` are the digests of all members' ids,
    `numbers` the codes of `values`, seen as doubles.
    """
    texts = np.empty((begin.size, 4), np.uint64)
    for row in range(begin.size):
        count = np.uint64(starts[row + 1] - starts[row])
        high, low = mix(class_lanes[classes[row], 0], count), mix(class_lanes[classes[row], 1], count)
        for place in range(starts[row], starts[row + 1]):
            high, low = mix(high, member_lanes[place, 0]), mix(low, member_lanes[place, 1])
        for variable in range(values.shape[1]):
            code = values[row, variable]
            if code == unbound:
                continue
            high, low = mix(high, name_lanes[variable, 0]), mix(low, name_lanes[variable, 1])
            if code >> 48 == _BOXED:
                one, two = boxed_lanes[code & _PLACE, 0], boxed_lanes[code & _PLACE, 1]
            else:
                one, two = digest_number(numbers[row, variable], code)
            high, low = mix(high, one), mix(low, two)
        if timed:
            first, last = np.uint64(begin[row]), np.uint64(end[row])
            high, low = mix(mix(high, first), last), mix(mix(low, first), last)
        texts[row, 0], texts[row, 1] = hexadecimal(high >> _32), hexadecimal(high & _HALF)
        texts[row, 2], texts[row, 3] = hexadecimal(low >> _32), hexadecimal(low & _HALF)
    return texts
