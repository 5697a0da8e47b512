"""What Flink CEP is asked: steps, as flink/Step.java reads them, and behind them the microseconds of `within`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.shapes import Shape

WORKLOADS: Mapping[str, str] = {
    "W1": "0; 1; 2; 60000000",
    "W2": "0; 1 any over=1.5@0; 2 any under=1@1; 60000000",
    "W3": "0; 1 not; 2; 60000000",
    "W4": "3 times=3; 30000000",
}


def of(shape: Shape, names: Sequence[str]) -> str:
    """`followedBy`, `times`, and `notFollowedBy` at the end for what does not come."""
    steps = []
    for step in shape.steps:
        codes = ",".join(str(names.index(name)) for name in step.types)
        steps.append(codes + f" times={step.times}" * (step.times > 1) + f" by={step.by}" * (step.by != "key"))
    if shape.never:
        steps.append(f"{names.index(shape.never)} not")
    return "; ".join([*steps, str(shape.seconds * 1_000_000)])
