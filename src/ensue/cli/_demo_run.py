"""A demo on its way through Spark: what has been published, and how far it has come, goes to a view."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING

from ensue.cli._demo_view import State, View
from ensue.cli._live import run_live
from ensue.demo.laying import Laid
from ensue.report.history import read_told

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ensue.spark.corrections.keeping import About


_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""A demo is short: Java need not work long on its own code, which would cost half of the time."""


@contextmanager
def demo_session(name: str) -> "Iterator[SparkSession]":
    """Spark on all cores of this machine, made for a minute or two."""
    from ensue.spark.programs.session import session

    os.environ.setdefault("SPARK_SUBMIT_OPTS", _JAVA)
    with session(f"ensue demo {name}", "local[*]") as spark:
        yield spark


def state_of(laid: Laid, about: "About | None", seconds: float) -> State:
    """What there is to be shown after a window, or before the first one."""
    told = {} if about is None else about.told
    coming = 0 if about is None else about.coming
    return State(
        laid.demo.name,
        0 if about is None else sum(about.outcomes.values()),
        laid.total,
        None if about is None else about.last,
        laid.first,
        seconds,
        (0 if about is None else sum(about.open.values())) if laid.program.complex_classes else None,
        coming,
        None if laid.demo.open is None else laid.demo.open[coming != 1],
        0 if about is None else about.kept,
        {
            case: sum(cases.get(case, 0) for cases in told.values())
            for case in {c for one in told.values() for c in one}
        },
    )


def run_demo(spark: "SparkSession", laid: Laid, view: View, stop: Event) -> "About | None":
    """Run a demo to its end, or until it is asked to stop; how far it has come then."""
    began, shown = monotonic(), -1

    def show(about: "About | None") -> None:
        nonlocal shown
        if about is not None and about.number > shown:
            view.tell(read_told(laid.data, shown))
            shown = about.number
        view.update(state_of(laid, about, monotonic() - began))

    return run_live(spark, laid.program, laid.data, laid.folder, None, stop, show)
