"""What a demo shows, on a terminal and elsewhere."""

import io
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files

import pytest
from rich.console import Console

from ensue.cli._cases import LOOKS
from ensue.cli._demo_view import State, frame, line, row, view
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


def test_a_change_of_what_is_not_shown_is_said_too():
    assert text("change", {**QUAKE, "quake": "q0"}).endswith("mag 6.2  Crete, Greece  quake q0 → q1")
    assert "q0" not in text("change", {**QUAKE, "quake": "q0", "mag": 6.1})


def test_times_have_a_name_and_are_short():
    values: Mapping[str, Scalar] = {"nr": 7, "restored": "2019-10-05T15:30:00Z"}
    one = Told("Postponed", ("Postponed", "7"), "on time", 30 * HOUR, 30 * HOUR, values, None, None, None)
    assert line(one, ("nr", "restored")).plain.endswith("nr 7  restored 05 Oct 15:30")


def test_the_shapes_are_those_of_the_report():
    words = (files("ensue.report") / "assets" / "words.js").read_text("utf-8")
    in_report = next(line for line in words.splitlines() if line.startswith("const SIGNS"))
    for place, look in enumerate(LOOKS.values()):
        assert look.mark.replace("✖", "✕") == in_report.split("'")[1::2][place]


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


def test_on_a_narrow_terminal_a_publication_goes_on_below_what_it_is_about():
    out = io.StringIO()
    long = row(told("change", {**QUAKE, "place": "a long way from anywhere"}), SHOWN)
    Console(file=out, force_terminal=True, width=70, color_system=None).print(long)
    first, *others = out.getvalue().splitlines()
    begins = first.index("mag")
    assert others
    assert all(line[:begins].isspace() and not line[begins].isspace() for line in others)


def test_nothing_of_the_panel_is_cut_off_in_80_columns():
    out = io.StringIO()
    large = replace(AFTER, done=15_454, total=15_454, open="outages that still wait for a crew", kept=13_494)
    Console(file=out, force_terminal=True, width=80, color_system=None).print(frame(large))
    assert "time there" in out.getvalue()
    assert "15,454 of 15,454 announcements" in out.getvalue()
    assert "remembered" in out.getvalue()
    assert "…" not in out.getvalue()


def test_one_of_a_kind_is_one():
    console, out = screen(terminal=False)
    console.print(frame(replace(AFTER, partial=1)))
    assert "1 partial match, 3 strong quakes" in out.getvalue()
    console.print(frame(replace(AFTER, partial=None)))
    assert " 3 strong quakes, 77 events" in out.getvalue(), "where there are no patterns, there are no parts of them"


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
