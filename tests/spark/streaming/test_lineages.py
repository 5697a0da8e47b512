"""Which patterns run together, and by which key, if some look at classes that others define."""

from __future__ import annotations

from ensue.embedded.patterns import Derived, Watched, Watchlist
from ensue.language import parse_program
from ensue.spark.streaming.lineages import operators

HEAD = """
CREATE SUBSCRIBED EVENT CLASS A(x INT, y INT);
CREATE SUBSCRIBED EVENT CLASS B(x INT, y INT);
CREATE COMPLEX EVENT CLASS Pair(p INT) AS DETECT A(x = ?p) then B(y = ?p) within 1 minute;
"""


def found(text: str) -> list[tuple[list[str], list[str], dict[str, tuple[str, ...]]]]:
    """For each operator what it reports, what feeds it, and its key."""
    program = parse_program(HEAD + text)
    classes = program.complex_classes
    derived = tuple(
        Derived(item.declaration.name, item.pattern, item.context, tuple(item.declaration.attributes))
        for item in classes
    )
    watched = tuple(Watched(item.declaration.name, item.pattern, item.context) for item in classes)
    return [
        (
            [item.name for item in one.watchlist.watched],
            [item.name for item in one.watchlist.derived],
            dict(one.key.routes),
        )
        for one in operators(Watchlist(watched, True, program.taxonomy, derived))
    ]


def test_one_key_goes_through_all_levels():
    above = "CREATE COMPLEX EVENT CLASS Two(q INT) AS DETECT Pair(p = ?q) then A(x = ?q) within 1 hour;"
    assert found(above) == [(["Pair", "Two"], ["Pair"], {"A": ("x",), "B": ("y",), "Pair": ("p",)})]


def test_a_class_below_may_need_another_attribute_of_the_same_events():
    above = "CREATE COMPLEX EVENT CLASS Two(q INT) AS DETECT Pair(p = ?q) then A(y = ?q) within 1 hour;"
    assert found(above) == [
        (["Pair"], [], {"A": ("x",), "B": ("y",)}),
        (["Two"], ["Pair"], {}),
    ]


def test_without_a_common_variable_all_runs_in_one_place():
    above = "CREATE COMPLEX EVENT CLASS Two() AS DETECT Pair then Pair within 1 hour;"
    assert found(above) == [(["Pair"], [], {"A": ("x",), "B": ("y",)}), (["Two"], ["Pair"], {})]


def test_what_looks_at_every_event_has_no_key():
    above = """CREATE COMPLEX EVENT CLASS None_(q INT) AS DETECT
    atmost 1 times {Pair(p = ?q)} during {A(x = ?q) then A(x = ?q) within 1 hour};"""
    assert found(above)[-1] == (["None_"], ["Pair"], {})


def test_three_levels():
    above = """CREATE COMPLEX EVENT CLASS Two(q INT) AS DETECT 2 times Pair(p = ?q) within 1 hour;
    CREATE COMPLEX EVENT CLASS Three(r INT) AS DETECT Two(q = ?r) then Pair(p = ?r) within 2 hours;"""
    key = {"A": ("x",), "B": ("y",), "Pair": ("p",), "Two": ("q",)}
    assert found(above) == [(["Pair", "Two", "Three"], ["Pair", "Two"], key)]
