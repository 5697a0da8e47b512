"""Identity of occurrences and of temporal events: the same input always gives the same ids.

Ids are 128 bits of a keyed mixing of 64-bit words rather than a cryptographic digest, because the engine computes
them for millions of rows in compiled loops; `ensue.engine` has the same arithmetic and a test holds the two together.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from functools import lru_cache

from ensue.model.occurrences import Bindings
from ensue.model.values import ValueKey

_MASK = (1 << 64) - 1
PRIME_1 = 0x9E3779B185EBCA87
PRIME_2 = 0xC2B2AE3D27D4EB4F
PRIME_3 = 0x165667B19E3779F9
SEED_HIGH = 0x27D4EB2F165667C5
SEED_LOW = 0x85EBCA77C2B2AE63


def mix(state: int, word: int) -> int:
    """Take one 64-bit word into a 64-bit state."""
    state ^= (word * PRIME_2) & _MASK
    state = ((state << 31) | (state >> 33)) & _MASK
    state = (state * PRIME_1) & _MASK
    state ^= state >> 29
    return (state * PRIME_3 + PRIME_2) & _MASK


def digest_bytes(data: bytes, seed: int) -> int:
    """64 bits of a byte string: its length, then its words, the last one padded with zeros."""
    state = mix(seed, len(data))
    for start in range(0, len(data), 8):
        state = mix(state, int.from_bytes(data[start : start + 8].ljust(8, b"\0"), "little"))
    return state


@lru_cache(maxsize=1 << 14)
def _digest_text(text: str, seed: int) -> int:
    """The same for a text; names and ids come again and again."""
    return digest_bytes(text.encode(), seed)


def occurrence_id(
    class_name: str, constituents: Iterable[str], bindings: Bindings, interval: tuple[int, int] | None = None
) -> str:
    """The id of an occurrence; the interval is given only where timers are part of the pattern."""
    lanes = []
    names = list(constituents)
    for seed in (SEED_HIGH, SEED_LOW):
        state = mix(_digest_text(class_name, seed), len(names))
        for name in names:
            state = mix(state, _digest_text(name, seed))
        for name, value in bindings:
            state = mix(state, _digest_text(name, seed))
            state = mix(state, digest_bytes(value_bytes(value), seed))
        if interval is not None:
            state = mix(mix(state, interval[0] & _MASK), interval[1] & _MASK)
        lanes.append(state)
    return f"{lanes[0]:016x}{lanes[1]:016x}"


def temporal_id(constituents: Iterable[str], bindings: Bindings, interval: tuple[int, int], delay: int) -> str:
    """The id of a temporal event: from the occurrence that started it, and how long after that it comes."""
    return "+" + occurrence_id(f"temporal {delay}", constituents, bindings, interval)


def value_bytes(value: ValueKey) -> bytes:
    """A value as bytes: equal just for values that are the same, so the first byte says what the others are."""
    kind, content = value
    if kind == "text":
        return b"s" + str(content).encode()
    if kind == "number" and isinstance(content, float):
        return b"d" + struct.pack("<d", content)
    if kind == "number" and not -(2**63) <= content < 2**63:  # type: ignore[operator]  # the content is a number
        return b"I" + str(content).encode()
    return _TAGS[kind] + struct.pack("<q", int(content))


_TAGS = {"number": b"i", "truth": b"b", "time": b"t"}
