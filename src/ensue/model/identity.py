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


def mix(state: int, *words: int) -> int:
    """Take 64-bit words into a 64-bit state."""
    for word in words:
        state ^= (word * PRIME_2) & _MASK
        state = ((state << 31) | (state >> 33)) & _MASK
        state = (state * PRIME_1) & _MASK
        state ^= state >> 29
        state = (state * PRIME_3 + PRIME_2) & _MASK
    return state


def digest_bytes(data: bytes, seed: int) -> int:
    """64 bits of a byte string: its length, then its words, the last one padded with zeros."""
    count = -(-len(data) // 8)
    return mix(seed, len(data), *struct.unpack(f"<{count}Q", data.ljust(8 * count, b"\0")))


def occurrence_id(
    class_name: str, constituents: Iterable[str], bindings: Bindings, interval: tuple[int, int] | None = None
) -> str:
    """The id of an occurrence; the interval is given only where timers are part of the pattern."""
    names = [text_lanes(name) for name in constituents]
    bound = [lanes for name, (kind, content) in bindings for lanes in (text_lanes(name), _value_lanes(kind, content))]
    times = () if interval is None else (interval[0] & _MASK, interval[1] & _MASK)
    high, low = text_lanes(class_name)
    high = mix(high, len(names), *[lanes[0] for lanes in names], *[lanes[0] for lanes in bound], *times)
    low = mix(low, len(names), *[lanes[1] for lanes in names], *[lanes[1] for lanes in bound], *times)
    return f"{high:016x}{low:016x}"


@lru_cache(maxsize=1 << 14)
def text_lanes(text: str) -> tuple[int, int]:
    """Both digests of a text. Names and ids come again and again."""
    data = text.encode()
    return digest_bytes(data, SEED_HIGH), digest_bytes(data, SEED_LOW)


@lru_cache(maxsize=1 << 14, typed=True)
def _value_lanes(kind: str, content: bool | float | str) -> tuple[int, int]:
    """Both digests of a value; `typed`, because to a cache 1 and 1.0 would be the same."""
    data = value_bytes((kind, content))
    return digest_bytes(data, SEED_HIGH), digest_bytes(data, SEED_LOW)


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
