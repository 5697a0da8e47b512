"""The conformance cases of publications, replayed on Spark.

A replay takes announcements in the order of their detection, so cases that are about another order are left out. Cases
with one program are replayed together, each hours after the one before and about events of its own, because starting
Spark's jobs takes longer than the cases themselves. Those that ask for certain values are replayed alone, with `--all`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from tests.conformance.publishing import FOLDER, PublicationCase, all_publication_cases, read_program
from tests.spark.corrections.worlds import replayed

from ensue.model import Value
from ensue.model.announcements import Announcement
from ensue.time import format_instant, parse_instant

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

APART = 2 * 3_600_000_000
RENUMBERED = 1000
FREE = ("life", "late", "versions")
"""Files whose cases do not ask for certain values: there, events can be given other ones."""


CASES = [(case, text) for case in all_publication_cases() if case.in_order for text in case.programs.values()]
TOGETHER = {
    text: [case for case, other in CASES if other == text]
    for case, text in CASES
    if case.file in FREE and not any(one.snapshots for one in read_program(text).subscribed_classes)
}
ALONE = [(case, text) for case, text in CASES if text not in TOGETHER]


def named(text: str) -> str:
    case = TOGETHER[text][0]
    return f"{case.file}-{next(name for name, other in case.programs.items() if other == text)}-{case.title}"


@pytest.mark.parametrize("text", [text for text in TOGETHER if TOGETHER[text][0].file == "life"], ids=named)
def test_the_life_of_a_complex_event(spark, tmp_path, text: str):
    compare_together(spark, tmp_path, text)


@pytest.mark.slow
@pytest.mark.parametrize("text", [text for text in TOGETHER if TOGETHER[text][0].file != "life"], ids=named)
def test_cases_together(spark, tmp_path, text: str):
    compare_together(spark, tmp_path, text)


@pytest.mark.slow
@pytest.mark.parametrize(("case", "text"), ALONE, ids=lambda one: getattr(one, "title", ""))
def test_cases_alone(spark, tmp_path, case: PublicationCase, text: str):
    program = read_program(text)
    announced = [one for batch in case.announced(program) for one in batch]
    report([(case, case.difference(replayed(spark, tmp_path, program, announced, case.until, 2)))])


def compare_together(spark: SparkSession, base: Path, text: str) -> None:
    program = read_program(text)
    said: list[Announcement] = []
    for place, case in enumerate(TOGETHER[text]):
        said += [moved(one, place) for batch in case.announced(program) for one in batch]
    last = TOGETHER[text][-1].until + len(TOGETHER[text]) * APART
    found = replayed(spark, base, program, said, last, 9)
    told = [(case, case.difference(told_of(found, case, place))) for place, case in enumerate(TOGETHER[text])]
    report(told)


def report(told: Iterable[tuple[PublicationCase, str]]) -> None:
    wrong = []
    for case, difference in told:
        gap = case.exemption("spark")
        text = difference
        if gap is not None:
            text = "" if difference else f"this works now: take away the mark `notyet: {gap.runner}: {gap.reason}`"
        if text:
            wrong.append(f"{FOLDER / case.file}.txt:{case.line}: {case.title}\n{text}")
    if wrong:
        pytest.fail("\n".join(wrong), False)


def moved(one: Announcement, place: int) -> Announcement:
    """The same about another event, hours later."""
    time = None if one.time is None else one.time + place * APART
    attributes = {name: other(value, place) for name, value in one.attributes.items()}
    return replace(one, time=time, detected=one.detected + place * APART, attributes=attributes)


def other(value: Value | None, place: int) -> Value | None:
    if isinstance(value, bool | float | datetime) or value is None:
        return value
    return value + RENUMBERED * place if isinstance(value, int) else f"{value}~{place}"


def told_of(found: Iterable[Mapping[str, Any]], case: PublicationCase, place: int) -> list[dict[str, Any]]:
    """What was published of one case, as if it had been alone; what falls due after its end is not looked at."""
    first, last = case.until - APART // 2, case.until
    back = [restored(one, place) for one in found]
    return [one for one in back if first < parse_instant(one["detected"]) <= last]


def restored(one: Mapping[str, Any], place: int) -> dict[str, Any]:
    def earlier(time: str) -> str:
        return format_instant(parse_instant(time) - place * APART)

    def as_it_was(attributes: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: value - RENUMBERED * place if isinstance(value, int) else value and value.removesuffix(f"~{place}")
            for name, value in attributes.items()
        }

    old = one["replaces"]
    return {
        **one,
        "detected": earlier(one["detected"]),
        "occurred": earlier(one["occurred"]),
        "attributes": as_it_was(one["attributes"]),
        "replaces": old and {"occurred": earlier(old["occurred"]), "attributes": as_it_was(old["attributes"])},
    }
