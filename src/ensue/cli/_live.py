"""`ensue run` of a program with corrections: what is shown while it goes, and in the end."""

from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from rich.console import Console

from ensue.cli._replay import print_summary
from ensue.cli._stopping import follow
from ensue.language import Program
from ensue.model.announcements import Outcome
from ensue.time import format_instant

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ensue.spark.corrections.keeping import About

_USUAL = {one.value for one in (Outcome.ANNOUNCED, Outcome.CHANGED, Outcome.RETRACTED, Outcome.REPEATED)}
_BESIDES = {one.value for one in (Outcome.BACKWARDS, Outcome.FUTURE)}
"""Counted besides what became of the announcement."""


def follow_live(
    spark: "SparkSession",
    program: Program,
    folder: Path,
    base: Path,
    trigger: str | None,
    stop: Event,
    console: Console,
) -> None:
    """Run until the query ends, with a line for each window and a summary."""
    shown = -1

    def show(about: "About | None") -> None:
        nonlocal shown
        if about is not None and about.number > shown:
            shown = about.number
            console.print(f"window {shown}: {so_far(about)}", soft_wrap=True)

    print_summary(run_live(spark, program, folder, base, trigger, stop, show), program, console)


def so_far(about: "About") -> str:
    """What became of announcements is told where it is unusual: who sees nothing published wants to know."""
    told = sum(sum(cases.values()) for cases in about.told.values())
    said = sum(count for what, count in about.outcomes.items() if what not in _BESIDES)
    unusual = ", ".join(f"{count:,} {what}" for what, count in about.outcomes.items() if what not in _USUAL)
    partial = sum(about.open.values())
    return (
        f"up to {format_instant(about.last)}, {said:,} announcements{f' ({unusual})' if unusual else ''} and"
        f" {told:,} publications so far, {partial:,} open partial matches, {about.coming:,} events to come"
    )


def run_live(
    spark: "SparkSession",
    program: Program,
    folder: Path,
    base: Path,
    trigger: str | None,
    stop: Event,
    show: "Callable[[About | None], None]",
) -> "About | None":
    """Run until the query ends, by itself, by an error, or because it was asked to; how far it has come then."""
    from ensue.spark.corrections.live import start
    from ensue.spark.programs.failures import failure

    running = start(spark, program, folder, base=base, trigger=trigger, stopping=stop.is_set)
    follow(running.query, stop, lambda: show(running.course.about))
    running.end()
    error = running.failed[0] if running.failed else running.query.exception()
    if error is not None and not stop.is_set():
        raise failure(error, folder)
    return running.course.about
