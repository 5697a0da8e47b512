"""How Esper and Siddhi name the events of a match: a tag for each step, or for each class of a step with several."""

from __future__ import annotations

from bench.shapes import Shape


def places(shape: Shape) -> str:
    """What is selected: the places of the events, in their order."""
    found = []
    for at, step in enumerate(shape.steps):
        if step.times > 1:
            found += [f"s{at}[{number}].place" for number in range(step.times)]
        elif len(step.types) > 1:
            found.append(f"coalesce({', '.join(f's{at}_{number}.place' for number in range(len(step.types)))})")
        else:
            found.append(f"s{at}.place")
    return ", ".join(f"{place} as p{number}" for number, place in enumerate(found))
