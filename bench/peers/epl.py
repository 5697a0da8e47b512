"""What Esper is asked, in EPL.

A match may end with the whole of a minute, which Esper excludes: hence the one microsecond more.
"""

from __future__ import annotations

from collections.abc import Mapping

from bench.peers.tags import places
from bench.shapes import Attribute, Shape

_MINUTE = "timer:within(60 seconds 1 microsecond)"

WORKLOADS: Mapping[str, str] = {
    "W1": "select a.place as p0, b.place as p1, c.place as p2 from pattern "
    f"[every a=A -> ((b=B(key = a.key) -> c=C(key = a.key)) where {_MINUTE})]",
    "W2": "select a.place as p0, b.place as p1, c.place as p2 from pattern "
    "[every a=A -> ((every b=B(key = a.key, value > a.value * 1.5) -> "
    f"every c=C(key = a.key, value < b.value)) where {_MINUTE})]",
    "W3": "select a.place as p0, c.place as p1 from pattern "
    f"[every a=A -> ((c=C(key = a.key) and not B(key = a.key)) where {_MINUTE})]",
    "W4": "select a.place as p0, b.place as p1, c.place as p2 from pattern "
    "[every a=D(value > 0.9) -> ((b=D(key = a.key, value > 0.9) -> c=D(key = a.key, value > 0.9)) "
    "where timer:within(30 seconds 1 microsecond))]",
}


def of(shape: Shape) -> str:
    """Esper says all of it: `every`, `->`, `or`, `[2]`, and `timer:interval … and not` for what does not come."""
    shape = shape.begun_once
    begin = f"every {_tagged(shape, 0, '')}"
    if shape.never:
        none = f"not {shape.never}({_common('key')})"
        then = f"(timer:interval({shape.seconds} seconds 1 microsecond) and {none})"
    else:
        rest = " -> ".join(_tagged(shape, at, _common(step.by)) for at, step in enumerate(shape.steps) if at)
        then = f"(({rest}) where timer:within({shape.seconds} seconds 1 microsecond))"
    return f"select {places(shape)} from pattern [{begin} -> {then}]"


def _common(by: Attribute) -> str:
    return f"{by} = s0.{by}"


def _tagged(shape: Shape, at: int, common: str) -> str:
    """A step; of several classes each has a tag of its own, since a tag has one class."""
    step = shape.steps[at]
    wanted = f"({common})" if common else ""
    if len(step.types) == 1:
        return f"{f'[{step.times}] ' if step.times > 1 else ''}s{at}={step.types[0]}{wanted}"
    return f"({' or '.join(f's{at}_{number}={name}{wanted}' for number, name in enumerate(step.types))})"
