"""The ways to run a case of publications. Spark's is beside its own tests, because it needs a session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from tests.corrections.announcing import retracting
from tests.corrections.oracle import Published, as_published, pattern_class, subscribed, told

from ensue.language.program import Program
from ensue.model.announcements import Announcement, Clock, Outcome
from ensue.revisions import Corrections

if TYPE_CHECKING:
    from tests.conformance.publishing import PublicationCase

Batches: TypeAlias = list[list[Announcement]]
Publisher: TypeAlias = Callable[[Program, Batches, int], tuple[list[Published], Counter[Outcome]]]
"""From a program and batches of announcements to what is published up to a time, and what became of each of them."""


def reference(program: Program, batches: Batches, until: int) -> tuple[list[Published], Counter[Outcome]]:
    """The judge makes every step by itself, so batches are nothing to it."""
    found = told(program, [*(one for batch in batches for one in batch), Clock(until)])
    return [as_published(program, one) for one in found.notices], found.outcomes


def one_process(program: Program, batches: Batches, until: int) -> tuple[list[Published], Counter[Outcome]]:
    """`ensue.revisions`, for programs whose classes are all defined by patterns."""
    corrections = Corrections(
        subscribed(program), [pattern_class(one) for one in program.complex_classes], program.taxonomy
    )
    notices = [notice for batch in batches for notice in corrections.feed(batch)] + corrections.advance_to(until)
    return [as_published(program, one) for one in notices], corrections.outcomes


PUBLISHERS: dict[str, Publisher] = {"reference": reference, "one process": one_process}
EVERYWHERE = (*PUBLISHERS, "spark")


def runs(publisher: str, case: PublicationCase, program: Program) -> bool:
    """Whether a runner is meant for a case at all: one process has no SQL, and Spark replays, in order of detection."""
    if publisher == "spark":
        return case.in_order
    return publisher != "one process" or not program.selected_classes


def difference(case: PublicationCase, program: Program, publish: Publisher) -> str:
    """How what is published, and what became of the announcements, differs from what the case says."""
    listed = case.announced(program)
    cuts = [len(batch) for batch in listed]
    everything = iter(retracting(program, [one for batch in listed for one in batch]))
    snapshots = any(one.snapshots for one in program.subscribed_classes)
    batches = [list(everything)] if snapshots else [[next(everything) for _ in range(count)] for count in cuts]
    published, outcomes = publish(program, batches, case.until)
    lines = [case.difference(published)]
    if case.counted is not None:
        counted = {one.value: count for one, count in outcomes.items() if count}
        if counted != case.counted:
            lines.append(f"counted: {', '.join(f'{count} {name}' for name, count in sorted(counted.items()))}")
    return "\n".join(filter(None, lines))
