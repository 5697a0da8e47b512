"""SELECTs rewritten for many steps at once: which can be, what parts their events, and the SQL that is made of them."""

import pytest

from ensue.language import parse_program
from ensue.language.queries.formulas import Among, CheckPoint, Held, Later, Occurring, Part
from ensue.language.queries.lifting import lifted
from ensue.language.queries.overlapping import overlapping
from ensue.language.queries.partitions import partitions
from ensue.language.queries.places import NotPossibleError
from ensue.language.queries.stems import stem_of

CLASSES = """
CREATE MUTABLE SUBSCRIBED EVENT CLASS A(k INT, g TEXT, x INT, due TIMESTAMP) ID (k);
CREATE MUTABLE SUBSCRIBED EVENT CLASS B(k INT, g TEXT, x DOUBLE) ID (k);
"""


def selected(columns, rest):
    program = parse_program(f"{CLASSES} CREATE COMPLEX EVENT CLASS S({columns}) AS {rest};")
    item = program.selected_classes[0]
    return item, program, stem_of(item, program)


def test_a_join_holds_where_its_parts_do():
    item, _, stem = selected("k INT", "SELECT a.k FROM A a, B b WHERE a.k = b.k OCCURRING AT b")
    assert overlapping(item, stem).text == (
        "SELECT b.occ AS __time_0, a.k AS k, GREATEST(__from_0, __from_1) AS __from, LEAST(__to_0, __to_1) AS __to,"
        " ARRAY(__event_0, __event_1) AS __events, __touched_0 OR __touched_1 AS __touched"
        " FROM {place_0} AS a CROSS JOIN {place_1} AS b"
        " WHERE a.k = b.k AND (__from_0 < __to_1 AND __from_1 < __to_0)"
    )


def test_braces_are_no_places():
    item, _, stem = selected("k INT", "SELECT k FROM A WHERE g = '{x}' OCCURRING AT A")
    assert "'{{x}}'" in overlapping(item, stem).text


def test_a_table_that_may_be_missing_is_told_apart_where_it_is_joined():
    _, _, stem = selected("k INT, n INT", "SELECT a.k, b.k AS n FROM A a LEFT JOIN B b ON a.k = b.k OCCURRING AT a")
    assert "ON a.k = b.k AND __moment_0 = __moment_1" in lifted(stem).text


def test_groups_and_subqueries_are_told_apart():
    _, _, stem = selected(
        "g TEXT, n INT",
        "SELECT g, COUNT(*) AS n FROM A WHERE EXISTS (SELECT 1 FROM B WHERE B.k = A.k) GROUP BY g OCCURRING AT MAX(A)",
    )
    text = lifted(stem).text
    assert "GROUP BY g, __moment_" in text
    assert "B.k = A.k AND __moment_" in text


@pytest.mark.parametrize(
    ("rest", "reason"),
    [
        ("SELECT k FROM A ORDER BY x LIMIT 3 OCCURRING AT A", "LIMIT"),
        ("SELECT COUNT(*) AS k FROM A OCCURRING AT MAX(A)", "without GROUP BY"),
        ("SELECT b.k FROM A a RIGHT JOIN B b ON a.k = b.k OCCURRING AT b", "right join"),
        ("SELECT k FROM (SELECT k, occ FROM A UNION SELECT k, occ FROM B) u OCCURRING AT u", "set operation"),
        ("SELECT k FROM A WHERE x > ALL (SELECT x FROM B) OCCURRING AT A", "ANY or ALL"),
        ("SELECT k FROM A WHERE EXISTS (SELECT MAX(x) FROM B) OCCURRING AT A", "without GROUP BY"),
        ("SELECT k FROM A GROUP BY ROLLUP (k) OCCURRING AT MAX(A)", "more than columns"),
    ],
)
def test_what_goes_step_by_step(rest, reason):
    item, _, stem = selected("k INT", rest)
    with pytest.raises(NotPossibleError):
        overlapping(item, stem)
    with pytest.raises(NotPossibleError, match=reason):
        lifted(stem)


@pytest.mark.parametrize(
    ("rest", "parts"),
    [
        ("SELECT g AS k FROM A GROUP BY g OCCURRING AT MAX(A)", [("g",)]),
        ("SELECT a.g AS k FROM A a LEFT JOIN B b ON a.k = b.k OCCURRING AT a", [("k", "k")]),
        ("SELECT a.g AS k FROM A a LEFT JOIN B b ON a.k = a.x OCCURRING AT a", []),
        (
            "SELECT g AS k FROM A WHERE NOT EXISTS (SELECT 1 FROM B b WHERE b.k = A.k) OCCURRING AT A",
            [("k", "k")],
        ),
        ("SELECT g AS k FROM A a WHERE NOT EXISTS (SELECT 1 FROM B b WHERE b.x = a.x) OCCURRING AT a", []),
        ("SELECT g AS k FROM A a WHERE k NOT IN (SELECT k FROM B) OCCURRING AT a", []),
        ("SELECT g AS k FROM A a WHERE k IN (SELECT k FROM B) OCCURRING AT a", [("k", "k")]),
        ("SELECT a.g AS k FROM A a JOIN B b ON a.k = b.k GROUP BY a.g OCCURRING AT MAX(a)", []),
        (
            "SELECT a.g AS k FROM A a JOIN (SELECT g, COUNT(*) AS n FROM B GROUP BY g) c ON c.g = a.g OCCURRING AT a",
            [("g", "g")],
        ),
        (
            "SELECT A.g k FROM A JOIN (SELECT k, RANK() OVER (PARTITION BY g) n FROM B) c ON A.k = c.k OCCURRING AT A",
            [],
        ),
        (
            "SELECT a.g AS k FROM A a ANTI JOIN B b ON a.k = b.k AND a.g = b.g OCCURRING AT a",
            [("g", "g"), ("k", "k")],
        ),
    ],
)
def test_what_parts_the_events(rest, parts):
    _, program, stem = selected("k TEXT", rest)
    places = lifted(stem).places
    found = [
        {places[number].name: column for number, column in one.items()} for one in partitions(stem, program.attributes)
    ]
    assert found == [dict(zip("AB", one, strict=False)) for one in parts]


def test_times_without_now():
    _, _, stem = selected("k INT", "SELECT k FROM A a OCCURRING AT MAX(NOW + 1h, a, a.due)")
    hour = 3_600_000_000
    assert stem.occurring == Occurring(Among(True, (Later(Held(), hour), Part(0), Part(1))))
    assert stem.occurring.at(5, (None, 7)) == (5 + hour, True)


def test_checks():
    _, _, stem = selected("k INT", "SELECT k FROM A a OCCURRING AT NOW CHECKING AT (a, a.due, 2s)")
    point = CheckPoint(Part(0), 2_000_000)
    assert stem.occurring == Occurring(point, point, Part(1))
    assert stem.occurring.at(1, (0, 3_000_000)) == (2_000_000, True)
    assert stem.occurring.at(2_000_001, (0, 3_000_000)) == (4_000_000, False)
    assert stem.occurring.at(0, (0, None)) == (0, False)
    assert stem.occurring.at(0, (None, 0)) == (None, False)
