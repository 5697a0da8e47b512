"""`ensue run` of a program with corrections: what is shown while it goes, and in the end."""

from pathlib import Path
from threading import Event
from time import monotonic, sleep
from typing import TYPE_CHECKING

from rich.console import Console

from ensue.cli._replay import print_summary
from ensue.language import Program
from ensue.time import format_instant

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LONGEST = 120.0
"""So many seconds a window gets to finish after Ctrl-C; the next start would repeat it anyway."""


def follow_live(
    spark: "SparkSession",
    program: Program,
    folder: Path,
    base: Path,
    trigger: str | None,
    stop: Event,
    console: Console,
) -> None:
    """Run until the query ends: by itself, by an error, or because it was asked to."""
    from ensue.spark.corrections.live import start
    from ensue.spark.programs.failures import failure

    running = start(spark, program, folder, base=base, trigger=trigger, stopping=stop.is_set)
    query, shown, asked_at = running.query, -1, None
    while query.isActive:
        about = running.course.about
        if about is not None and about.number > shown:
            shown = about.number
            told = sum(sum(cases.values()) for cases in about.told.values())
            console.print(
                f"window {shown}: up to {format_instant(about.last)}, {told:,} publications so far,"
                f" {about.coming:,} events to come",
                soft_wrap=True,
            )
        if stop.is_set():
            asked_at = asked_at or monotonic()
            if not query.status["isTriggerActive"] or monotonic() - asked_at > _LONGEST:
                query.stop()
                break
        sleep(0.2)
    running.end()
    error = running.failed[0] if running.failed else query.exception()
    if error is not None and not stop.is_set():
        raise failure(error, folder)
    print_summary(running.course.about, program, console)
