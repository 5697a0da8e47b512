"""What a demo shows while it runs: publications scroll by, and below them stands how far it has come.

On a terminal the part below changes in place. Elsewhere there are only lines, the same ones without colours.
"""

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ensue.cli._cases import LOOKS
from ensue.report.history import Told
from ensue.time import to_instant

_SMOOTH = 6
"""What a micro-batch publishes is shown over so many looks, so that it scrolls and does not jump."""
_OFTEN = 0.1
"""Where there is no terminal, a line says how far it has come after each such part."""
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
"""A time as it is written in the tables."""


@dataclass(frozen=True, slots=True)
class State:
    """How far a demo has come."""

    name: str
    done: int
    total: int
    time: int | None
    """The time in the feed, in microseconds; nothing has come yet if there is none."""
    first: int
    """The time at which the feed begins."""
    seconds: float
    partial: int | None
    """How many parts of patterns have occurred and wait for the rest, if there are patterns."""
    coming: int
    open: str | None
    """What that is, or those are, that are to come, if there can be any."""
    kept: int
    cases: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class View:
    """Where a demo's progress goes."""

    tell: Callable[[tuple[Told, ...]], None]
    update: Callable[[State], None]


@contextmanager
def view(console: Console, shown: tuple[str, ...], before: State) -> Iterator[View]:
    """Show publications as they come, and the state below them."""
    waiting: deque[Told] = deque()

    def release(count: int) -> None:
        for _ in range(min(count, len(waiting))):
            told = waiting.popleft()
            if console.is_terminal:
                console.print(row(told, shown))
            else:
                console.print(line(told, shown), soft_wrap=True)

    if not console.is_terminal:
        said = [0.0]

        def say(state: State) -> None:
            release(len(waiting))
            if state.done / state.total >= said[0] + _OFTEN or (state.done == state.total and said[0] < 1):
                said[0] = state.done / state.total
                console.print(_plain(state), soft_wrap=True)

        yield View(waiting.extend, say)
        release(len(waiting))
        return
    with Live(frame(before), console=console, transient=True, auto_refresh=False) as live:

        def draw(state: State) -> None:
            release(-(-len(waiting) // _SMOOTH))
            live.update(frame(state), refresh=True)

        live.refresh()
        yield View(waiting.extend, draw)
        release(len(waiting))


def line(told: Told, shown: tuple[str, ...]) -> Text:
    """A publication on one line: when, in which case, its name, and what it is about."""
    return _head(told).append_text(_about(told, shown))


def row(told: Told, shown: tuple[str, ...]) -> Table:
    """The same for a screen: where that is too narrow, what it is about goes on below itself."""
    cells = Table.grid()
    cells.add_column(no_wrap=True)
    cells.add_column(overflow="fold")
    cells.add_row(_head(told), _about(told, shown))
    return cells


def frame(state: State) -> Panel:
    """How far it has come, as a panel."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="dim", no_wrap=True, min_width=len("time there"))
    rows.add_column(ratio=1)
    bar = Table.grid(padding=(0, 2))
    bar.add_row(
        ProgressBar(state.total, state.done, width=30),
        Text(f"{state.done:,} of {state.total:,} announcements"),
    )
    rows.add_row("feed", bar)
    rows.add_row("time there", _clock(state))
    rows.add_row(
        "rate", Text(f"{_rate(state):,.0f} announcements a second" if state.done else "Spark begins to read …")
    )
    rows.add_row("open", Text(f"{_coming(state)}{state.kept:,} events remembered"))
    rows.add_row("told", _counts(state.cases))
    return Panel(rows, title=Text(f"ensue demo {state.name}", "bold"), title_align="left", padding=(0, 1))


def picture(told: tuple[Told, ...], shown: tuple[str, ...], state: State) -> Group:
    """What one sees at a moment: the last publications and the panel."""
    return Group(*(row(one, shown) for one in told), frame(state))


def _head(told: Told) -> Text:
    look = LOOKS[told.case]
    text = Text().append(f"{_date(told.detected)}  ", "dim")
    text.append(f"{look.mark} {look.word:<8} ", look.style)
    return text.append(f"{told.name:<24} ", f"bold {look.style}")


def _about(told: Told, shown: tuple[str, ...]) -> Text:
    """The attributes that tell a person something; of what was changed, what it was and what it is."""
    before = told.replaces[1] if told.replaces is not None and told.case == "change" else told.values
    differ = [name for name, value in told.values.items() if before.get(name) != value]
    text = Text()
    for name in (*(one for one in shown if one in told.values), *(() if {*differ} & {*shown} else differ)):
        old, new = (_value(values.get(name)) for values in (before, told.values))
        if new or old:
            text.append("  " if text else "")
            text.append(f"{name} " if _named(told.values[name]) else "", "dim")
            text.append(f"{old or 'nothing'} → {new or 'nothing'}" if old != new else new, "bold" if old != new else "")
    if told.case == "change" and told.replaces is not None and before == told.values:
        text.append(f"  moved by {_length(told.occurred - told.replaces[0])}", "bold")
    elif told.case == "late":
        text.append(f"  {_length(told.detected - told.occurred)} late", "dim")
    return text


def _value(value: Any) -> str:
    if isinstance(value, str) and _INSTANT.fullmatch(value):
        return _date(to_instant(value))
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _named(value: Any) -> bool:
    """Whether a value needs its name: a place speaks for itself, a number, a time or a code does not."""
    if not isinstance(value, str) or _INSTANT.fullmatch(value):
        return True
    return value.isalnum() and any(sign.isdigit() for sign in value)


def _length(micros: int) -> str:
    seconds = abs(micros) / 1e6
    sign = "-" if micros < 0 else ""
    for unit, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= unit:
            return f"{sign}{seconds / unit:.2g} {name}"
    return f"{sign}{seconds:.2g} s"


def _clock(state: State) -> Text:
    if state.time is None:
        return Text("not begun")
    faster = (state.time - state.first) / 1e6 / max(state.seconds, 0.1)
    return Text(f"{_date(state.time)}, {faster:,.0f} times as fast as it happened")


def _counts(cases: Mapping[str, int]) -> Text:
    return Text("   ").join(
        Text(f"{look.mark} {cases.get(case, 0):,} {look.word}", look.style) for case, look in LOOKS.items()
    )


def _rate(state: State) -> float:
    return state.done / max(state.seconds, 0.1)


def _coming(state: State) -> str:
    known = f"{state.coming:,} {state.open}, " if state.open else ""
    if state.partial is None:
        return known
    return f"{state.partial:,} partial match{'' if state.partial == 1 else 'es'}, {known}"


def _plain(state: State) -> str:
    when = "" if state.time is None else f", {_date(state.time)}"
    return (
        f"-- {state.done:,} of {state.total:,} announcements{when}, {_rate(state):,.0f} a second,"
        f" {_coming(state)}{state.kept:,} events remembered; {_counts(state.cases).plain}"
    )


def _date(micros: int) -> str:
    return f"{datetime.fromtimestamp(micros / 1e6, UTC):%d %b %H:%M}"
