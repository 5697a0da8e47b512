"""What must hold of publications, whoever made them: they are plain dictionaries, as the command line writes them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tests.corrections.oracle import Deriving

from ensue.language.program import ComplexClass, Program, SelectedClass
from ensue.model import Event
from ensue.model.publications import Case
from ensue.reference.publishing import by_key
from ensue.time import format_instant, parse_instant

Said = tuple[str, str, str]
"""What is said of a complex event: its class, when it occurred, and its attributes as JSON."""

_RANKS = {"revoke": 0, "change": 1, "on time": 2, "late": 2}


def assert_consistent(program: Program, publications: Iterable[Mapping[str, Any]]) -> Counter[Said]:
    """Nothing is told twice, or contradicted without a revoke or a change; gives what stands at the end.

    Every class has to name all four cases, and to cover every delay: what is not told cannot be followed.
    """
    classes = {one.declaration.name: one for one in program.derived_classes}
    standing: Counter[Said] = Counter()
    keys: dict[tuple[str, str], Said] = {}
    place = (0, 0, 0)
    for one in publications:
        item = classes[one["class"]]
        assert one["publication"] in {named.name for named in item.publications if named.case.value == one["case"]}
        detected, occurred = parse_instant(one["detected"]), parse_instant(one["occurred"])
        assert place <= (detected, _RANKS[one["case"]], occurred), f"out of order: {one}"
        place = detected, _RANKS[one["case"]], occurred
        assert occurred <= detected, f"told before it happened: {one}"
        said = _said(one["class"], one["occurred"], one["attributes"])
        old = None
        match one["case"]:
            case "revoke":
                old, said_now = said, None
            case "change":
                assert one["replaces"] is not None, f"a change of nothing: {one}"
                old, said_now = _said(one["class"], one["replaces"]["occurred"], one["replaces"]["attributes"]), said
                assert old != said, f"a change that changes nothing: {one}"
            case _:
                said_now = said
                late = detected - occurred > item.tolerance
                assert late == (one["case"] == "late"), f"a wrong case: {one}"
        if old is not None:
            assert standing[old], f"what was not told is taken back: {one}"
            standing -= Counter([old])
        if key := _key(item, one["attributes"]):
            told = keys.pop((one["class"], key), None)
            assert told == old, f"told twice, or contradicted: {one}, and what was told is {told}"
            if said_now is not None:
                keys[one["class"], key] = said_now
        if said_now is not None:
            standing[said_now] += 1
    return standing


def assert_adds_up(
    program: Program, standing: Counter[Said], history: Sequence[Event], until: int, *, leaving_out: Iterable[str] = ()
) -> None:
    """What stands is what follows from the final history, as far as it has occurred.

    What asks for NOW is left out: it follows from when things were learnt, and not from the final history alone.
    """
    asking = _asking_now(program) | set(leaving_out)
    derived = by_key(Deriving(program)(history, until)).values()
    published = {one.declaration.name for one in program.derived_classes if one.publications} - asking
    expected = Counter(
        _said(one.type, format_instant(one.time), _plain(one.attributes))
        for one in derived
        if one.time <= until and one.type in published
    )
    found = Counter({said: count for said, count in standing.items() if said[0] in published})
    assert found == expected


def covers_everything(program: Program) -> bool:
    """Whether each class that publishes something names all four cases, and every delay has one."""
    return all(_covers(one) for one in program.derived_classes if one.publications)


def _covers(item: ComplexClass | SelectedClass) -> bool:
    late = [one for one in item.publications if one.case is Case.LATE]
    return {one.case for one in item.publications} == set(Case) and any(
        one.least is None and one.most is None for one in late
    )


def _asking_now(program: Program) -> set[str]:
    """The classes that ask when a row came to hold, and those upon them."""
    found: set[str] = set()
    for item in program.derived_classes:
        text = str(item).upper()
        asks = isinstance(item, SelectedClass) and ("OCCURRING AT NOW" in text or "CHECKING AT" in text)
        if asks or item.uses & found:
            found.add(item.declaration.name)
    return found


def _said(of_class: str, occurred: str, attributes: Mapping[str, Any]) -> Said:
    known = {name: _number(value) for name, value in sorted(attributes.items()) if value is not None}
    return of_class, occurred, json.dumps(known, ensure_ascii=False)


def _plain(attributes: Iterable[tuple[str, tuple[str, Any]]]) -> dict[str, Any]:
    return {name: format_instant(int(content)) if kind == "time" else content for name, (kind, content) in attributes}


def _number(value: object) -> object:
    """1.0 and 1 are the same."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _key(item: ComplexClass | SelectedClass, attributes: Mapping[str, Any]) -> str | None:
    """The key as it can be seen; None for a pattern without a declared one."""
    names = item.key if isinstance(item, SelectedClass) else item.declaration.key
    return json.dumps([_number(attributes.get(name)) for name in names]) if names else None
