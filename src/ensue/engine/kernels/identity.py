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
from ensue.model import identity

Words: TypeAlias = npt.NDArray[np.uint64]

_PRIME_1, _PRIME_2, _PRIME_3 = (np.uint64(p) for p in (identity.PRIME_1, identity.PRIME_2, identity.PRIME_3))
_HIGH, _LOW = np.uint64(identity.SEED_HIGH), np.uint64(identity.SEED_LOW)
_8, _29, _31, _33, _56 = (np.uint64(bits) for bits in (8, 29, 31, 33, 56))
_NINE = np.uint64(9)
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
def digest_slice(data: Bytes, start: int, stop: int, seed: np.uint64) -> np.uint64:
    """The digest of the bytes from `start` to `stop`."""
    state = mix(seed, np.uint64(stop - start))
    for first in range(start, stop, 8):
        word = np.uint64(0)
        for place in range(first, min(first + 8, stop)):
            word |= np.uint64(data[place]) << np.uint64(8 * (place - first))
        state = mix(state, word)
    return state


@kernel
def digest_position(position: int, seed: np.uint64) -> np.uint64:
    """The digest of a position's decimal digits; there are at most 19."""
    length = 1
    rest = position
    while rest >= 10:
        rest //= 10
        length += 1
    one = two = three = np.uint64(0)
    for place in range(length - 1, -1, -1):
        digit = np.uint64(48 + position % 10) << np.uint64(8 * (place % 8))
        position //= 10
        if place < 8:
            one |= digit
        elif place < 16:
            two |= digit
        else:
            three |= digit
    state = mix(mix(seed, np.uint64(length)), one)
    if length > 8:
        state = mix(state, two)
    if length > 16:
        state = mix(state, three)
    return state


@kernel
def digest_id(code: int, offsets: Ints, data: Bytes, seed: np.uint64) -> np.uint64:
    """The digest of an id (see `kernels.order` for what its code means)."""
    if code < 0:
        return digest_slice(data, offsets[-code - 1], offsets[-code], seed)
    return digest_position(code, seed)


@kernel
def digest_ids(codes: Ints, offsets: Ints, data: Bytes) -> Words:
    """Both lanes for each id."""
    lanes = np.empty((codes.size, 2), np.uint64)
    for row in range(codes.size):
        lanes[row, 0] = digest_id(codes[row], offsets, data, _HIGH)
        lanes[row, 1] = digest_id(codes[row], offsets, data, _LOW)
    return lanes


@kernel
def digest_texts(offsets: Ints, data: Bytes) -> Words:
    """Both lanes for each text of a table."""
    lanes = np.empty((offsets.size - 1, 2), np.uint64)
    for row in range(offsets.size - 1):
        lanes[row, 0] = digest_slice(data, offsets[row], offsets[row + 1], _HIGH)
        lanes[row, 1] = digest_slice(data, offsets[row], offsets[row + 1], _LOW)
    return lanes


@kernel
def digest_number(number: float, bits: int, seed: np.uint64) -> np.uint64:
    """The digest of a number that is a double: a whole one is the integer that it equals."""
    whole = np.floor(number) == number and abs(number) <= _EXACT
    word = np.uint64(np.int64(number)) if whole else np.uint64(bits)
    tag = _WHOLE if whole else _DOUBLE
    return mix(mix(mix(seed, _NINE), tag | (word << _8)), word >> _56)


@kernel
def occurrence_ids(
    begin: Ints,
    end: Ints,
    starts: Ints,
    members: Ints,
    values: Ints,
    numbers: npt.NDArray[np.float64],
    unbound: int,
    codes: Ints,
    offsets: Ints,
    data: Bytes,
    class_lanes: Words,
    name_lanes: Words,
    boxed_lanes: Words,
    timed: bool,
) -> Bytes:
    """The ids of all rows as hexadecimal text, 32 bytes each; `numbers` are the codes of `values`, seen as doubles."""
    texts = np.empty(begin.size * 32, np.uint8)
    for row in range(begin.size):
        for lane in range(2):
            seed = _HIGH if lane == 0 else _LOW
            state = mix(class_lanes[lane], np.uint64(starts[row + 1] - starts[row]))
            for place in range(starts[row], starts[row + 1]):
                state = mix(state, digest_id(codes[members[place]], offsets, data, seed))
            for variable in range(values.shape[1]):
                code = values[row, variable]
                if code == unbound:
                    continue
                state = mix(state, name_lanes[variable, lane])
                if code >> 48 == _BOXED:
                    state = mix(state, boxed_lanes[code & _PLACE, lane])
                else:
                    state = mix(state, digest_number(numbers[row, variable], code, seed))
            if timed:
                state = mix(mix(state, np.uint64(begin[row])), np.uint64(end[row]))
            for place in range(16):
                digit = (state >> np.uint64(60 - 4 * place)) & np.uint64(15)
                texts[row * 32 + lane * 16 + place] = np.uint8(48 + digit if digit < 10 else 87 + digit)
    return texts
