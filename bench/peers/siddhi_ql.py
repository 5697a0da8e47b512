"""What Siddhi is asked, in SiddhiQL. A millisecond stands for a microsecond."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bench.peers.tags import places
from bench.shapes import Shape

_MINUTE = "within 60000000 milliseconds"


def preface(types: Iterable[str]) -> str:
    """The streams, one for each class, and one that only moves the clock."""
    streams = [f"define stream {name} (place long, key long, value double); " for name in types]
    return "@app:playback " + "".join(streams) + "define stream Clock (place long); "


def _by_key(types: Iterable[str], query: str) -> str:
    return f"partition with ({', '.join(f'key of {name}' for name in types)}) begin {query} end;"


WORKLOADS: Mapping[str, str] = {
    "W1": _by_key(
        "ABC",
        f"from every a=A -> b=B -> c=C {_MINUTE} select a.place as p0, b.place as p1, c.place as p2 insert into Found;",
    ),
    "W3": _by_key(
        "ABC", f"from every a=A -> not B and c=C {_MINUTE} select a.place as p0, c.place as p1 insert into Found;"
    ),
    "W4": _by_key(
        "D",
        "from every a=D[value > 0.9] -> b=D[value > 0.9] -> c=D[value > 0.9] within 30000000 milliseconds "
        "select a.place as p0, b.place as p1, c.place as p2 insert into Found;",
    ),
}
"""W2 cannot be said: a condition takes the first event that meets it, and there is no way to ask for all of them."""


def of(shape: Shape, mark: str = "") -> str:
    """In partitions, where all steps have the key in common; what is found goes into a stream with that mark.

    Without partitions, Siddhi 5.1.30 does not keep to `within`: what waits for a step is in the order in which it came
    there, and of that `StreamPreStateProcessor.expireEvents` drops what is over only up to the first that is not. Of
    those with one key the first to begin is the first to come; of others not, and 102 of 3,717 matches took longer than
    a minute (`variables`, 20,000 events). So the span is looked at once more there.
    """
    shape = shape.begun_once
    span = shape.seconds * 1_000_000
    if shape.never:
        steps = f"{_tagged(shape, 0)} -> not {shape.never}{_condition(shape, 0)} for {span} milliseconds"
    else:
        steps = " -> ".join(_tagged(shape, at) for at in range(len(shape.steps))) + f" within {span} milliseconds"
    selected = places(shape)
    if not shape.by_key:
        selected += f", eventTimestamp(s{len(shape.steps) - 1}) - eventTimestamp(s0) as span having span <= {span}L"
    query = f"from every {steps} select {selected} insert into Found{mark};"
    return _by_key(shape.types, query) if shape.by_key else query


def _condition(shape: Shape, at: int) -> str:
    by = shape.steps[at].by
    return f"[{by} == s0.{by}]" if at and not shape.by_key else ""


def _tagged(shape: Shape, at: int) -> str:
    step, condition = shape.steps[at], _condition(shape, at)
    if len(step.types) == 1:
        return f"s{at}={step.types[0]}{condition}{f'<{step.times}:{step.times}>' if step.times > 1 else ''}"
    return " or ".join(f"s{at}_{number}={name}{condition}" for number, name in enumerate(step.types))
