"""What a demo shows, on a terminal and elsewhere."""

import io
from collections.abc import Mapping

import pytest
from rich.console import Console

from ensue.cli._cases import LOOKS
from ensue.cli._demo_view import State, frame, line, view
from ensue.report.history import Scalar, Told

HOUR = 3_600_000_000
QUAKE: Mapping[str, Scalar] = {"quake": "q1", "mag": 6.2, "place": "Crete, Greece"}
SHOWN = ("mag", "place")
BEFORE = State("earthquakes", 0, 100, None, 0, 0.0, 0, 0, "strong quakes", 0, {})
AFTER = State("earthquakes", 100, 100, 48 * HOUR, 0, 10.0, 5, 3, "strong quakes", 77, {"on time": 4, "revoke": 1})


def told(case: str, before: Mapping[str, Scalar] | None = None, later: int = 0) -> Told:
    replaces = None if before is None else (26 * HOUR, before)
    return Told("Strong", ("Strong", "q1"), case, 30 * HOUR, 26 * HOUR + later, QUAKE, None, None, replaces)


def text(case: str, before: Mapping[str, Scalar] | None = None, later: int = 0) -> str:
    return line(told(case, before, later), SHOWN).plain


def test_a_publication_is_one_line():
    assert text("on time") == "02 Jan 06:00  ● on time  Strong                   mag 6.2  Crete, Greece"
    assert text("late").endswith("Crete, Greece  4 h late")
    assert text("revoke", QUAKE).startswith("02 Jan 06:00  ✖ revoked  Strong")


def test_a_change_says_what_it_was():
    assert "mag 6.1 → 6.2  Crete" in text("change", {**QUAKE, "mag": 6.1})
    assert text("change", QUAKE, -90_000_000).endswith("moved by -1.5 min")
    assert "mag nothing → 6.2" in text("change", {"place": "Crete, Greece"})


@pytest.mark.parametrize("case", LOOKS)
def test_each_case_has_a_colour_and_a_shape(case):
    shown = line(told(case), SHOWN)
    assert LOOKS[case].style in {str(span.style) for span in shown.spans}
    assert LOOKS[case].mark in shown.plain


def screen(*, terminal: bool) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(file=out, force_terminal=terminal, width=100, color_system="standard" if terminal else None), out


def test_elsewhere_than_on_a_terminal_there_are_plain_lines():
    console, out = screen(terminal=False)
    with view(console, SHOWN, BEFORE) as show:
        show.update(BEFORE)
        show.tell((told("on time"), told("revoke", QUAKE)))
        show.update(AFTER)
        show.update(AFTER)
    first, second, last = out.getvalue().splitlines()
    assert "● on time" in first
    assert "✖ revoked" in second
    assert last.startswith(
        "-- 100 of 100 announcements, 03 Jan 00:00, 10 a second,"
        " 5 partial matches, 3 strong quakes, 77 events remembered;"
    )
    assert "\x1b" not in out.getvalue()


def test_on_a_terminal_lines_scroll_above_a_panel():
    console, out = screen(terminal=True)
    with view(console, SHOWN, BEFORE) as show:
        show.tell(tuple(told("on time") for _ in range(20)))
        show.update(AFTER)
        early = out.getvalue().count("● on time")
    assert early < 20
    assert "ensue demo earthquakes" in out.getvalue()
    assert "\x1b[32m● on time" in out.getvalue()


def test_the_panel_says_how_far_it_is():
    console, out = screen(terminal=False)
    console.print(frame(BEFORE))
    console.print(frame(AFTER))
    for words in (
        "0 of 100",
        "not begun",
        "17,280 times as fast",
        "5 partial matches, 3 strong quakes, 77 events remembered",
        "✖ 1 revoked",
    ):
        assert words in out.getvalue()
