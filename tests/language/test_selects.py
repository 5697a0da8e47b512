"""SELECT classes: the plain SQL that is made of them, and what is known of them whatever their events are."""

import pytest
from hypothesis import given
from tests.strategies import selecting_programs

from ensue.language import parse_program
from ensue.language.queries.nature import is_key_subsuming, is_monotone, missing_keys, not_monotone, warnings
from ensue.language.queries.rewriting import plain_sql
from ensue.model.publications import Case, Publication

CLASSES = """
CREATE MUTABLE SUBSCRIBED EVENT CLASS Order_(nr INT, shop TEXT, due TIMESTAMP, ID (nr)) LIFESPAN (30d);
CREATE SUBSCRIBED EVENT CLASS Step(nr INT, place TEXT) ID (nr, place) LIFESPAN 30 days;
CREATE SUBSCRIBED EVENT CLASS Shipped(weight DOUBLE) UNDER Step;
CREATE SUBSCRIBED EVENT CLASS Ping(shop TEXT);
"""


def selected(columns, rest):
    """The program with one SELECT class, and that class."""
    program = parse_program(f"{CLASSES} CREATE COMPLEX EVENT CLASS S({columns}) AS {rest};")
    return program.selected_classes[0], program


def sql(columns, rest):
    return " ".join(plain_sql(*selected(columns, rest)).split())


def test_a_table_is_its_time():
    assert sql("nr INT", "SELECT o.nr FROM Order_ o, Step s WHERE s > o + 90 seconds OCCURRING AT o - 1d") == (
        "SELECT o.occ - INTERVAL '1' DAY AS occ, o.nr AS nr FROM Order_ AS o CROSS JOIN Step AS s"
        " WHERE s.occ > o.occ + INTERVAL '90' SECOND"
    )


def test_a_table_without_another_name():
    assert sql("nr INT", "SELECT nr FROM Order_ WHERE Order_ < due OCCURRING AT order_") == (
        "SELECT Order_.occ AS occ, nr AS nr FROM Order_ WHERE Order_.occ < due"
    )


@pytest.mark.parametrize(
    ("duration", "interval"),
    [
        ("2 days", "'2' DAY"),
        ("36h", "'36' HOUR"),
        ("1m 30s", "'90' SECOND"),
        ("250 ms", "'0.25' SECOND"),
        ("1 us", "'0.000001' SECOND"),
        ("90 minutes", "'90' MINUTE"),
    ],
)
def test_durations(duration, interval):
    found = sql("nr INT", f"SELECT nr FROM Order_ o WHERE o > o.due - {duration} OCCURRING AT o + {duration}")
    assert found.count(f"INTERVAL {interval}") == 2


def test_intervals_of_sql_stay():
    assert "INTERVAL '2' HOURS" in sql(
        "nr INT", "SELECT nr FROM Order_ o WHERE o > o.due - INTERVAL 2 hours OCCURRING AT o"
    )


def test_the_latest_of_several_times():
    found = sql("nr INT", "SELECT o.nr FROM Order_ o, Step s WHERE MIN(o, s) < o.due OCCURRING AT MAX(o, s + 1h)")
    assert "GREATEST(o.occ, s.occ + INTERVAL '1' HOUR) AS occ" in found
    assert "LEAST(o.occ, s.occ) < o.due" in found


def test_the_latest_of_one_time_is_that_of_its_group():
    assert sql("shop TEXT, n INT", "SELECT shop, COUNT(*) FROM Order_ o GROUP BY 1 OCCURRING AT MAX(o)") == (
        "SELECT MAX(o.occ) AS occ, shop AS shop, CAST(COUNT(*) AS BIGINT) AS n FROM Order_ AS o GROUP BY shop"
    )
    assert "SELECT o.occ AS occ" in sql("nr INT", "SELECT nr FROM Order_ o OCCURRING AT MAX(o)")


def test_now_is_a_parameter():
    assert sql("nr INT", "SELECT nr FROM Order_ OCCURRING AT NOW + 1h").startswith(
        "SELECT :now + INTERVAL '1' HOUR AS occ"
    )


def test_checks_are_a_condition():
    rest = "SELECT nr FROM Order_ o WHERE nr > 3 OCCURRING AT {} CHECKING AT (o, o.due, 1s)"
    found = sql("nr INT", rest.format("NOW"))
    point = (
        "TIMESTAMP_MICROS( UNIX_MICROS(o.occ) +"
        " ( GREATEST(UNIX_MICROS(:now) - UNIX_MICROS(o.occ), 0) + 999999 ) DIV 1000000 * 1000000 )"
    )
    assert found == f"SELECT {point} AS occ, nr AS nr FROM Order_ AS o WHERE nr > 3 AND {point} <= o.due"
    assert sql("nr INT", rest.format("o")).endswith(f"{point} <= o.due")


def test_columns_go_to_attributes_by_name():
    found = sql("b TEXT, a INT", "SELECT o.nr AS a, o.shop AS b FROM Order_ o OCCURRING AT o")
    assert "o.shop AS b, o.nr AS a" in found


def test_columns_without_a_name_go_by_position():
    found = sql("x DOUBLE, nr INT, y TEXT", "SELECT o.nr, o.nr * 2, UPPER(o.shop) FROM Order_ o OCCURRING AT o")
    assert "CAST(o.nr * 2 AS DOUBLE) AS x, o.nr AS nr, CAST(UPPER(o.shop) AS STRING) AS y" in found


def test_a_star_stands_for_the_attributes():
    assert "o.`nr` AS nr" in sql("nr INT, shop TEXT, due TIMESTAMP", "SELECT o.* FROM Order_ o OCCURRING AT o").replace(
        "`o`", "o"
    )


def test_times_reach_into_subqueries():
    inner = "SELECT 1 FROM Step s WHERE s.nr = o.nr AND s < o + 4h"
    rest = f"SELECT nr FROM Order_ o WHERE NOT EXISTS ({inner}) OCCURRING AT o"
    assert "s.nr = o.nr AND s.occ < o.occ + INTERVAL '4' HOUR" in sql("nr INT", rest)


def test_inherited_attributes_are_known():
    assert "s.place AS place" in sql("place TEXT", "SELECT s.place FROM Shipped s OCCURRING AT s")


def test_which_classes_are_used():
    rest = "WITH q AS (SELECT nr FROM Step) SELECT o.nr FROM Order_ o JOIN q ON q.nr = o.nr OCCURRING AT o"
    assert selected("nr INT", rest)[0].uses == {"Order_", "Step"}


def test_classes_upon_classes_of_both_kinds():
    program = parse_program(
        CLASSES
        + """
        CREATE COMPLEX EVENT CLASS C(nr INT) AS DETECT B(nr = ?nr) then Step(nr = ?nr) within 1 hour;
        CREATE COMPLEX EVENT CLASS D(nr INT) AS SELECT C.nr FROM C, B OCCURRING AT C;
        CREATE COMPLEX EVENT CLASS B(nr INT) AS SELECT nr FROM Order_ OCCURRING AT Order_;
        """
    )
    assert [item.declaration.name for item in program.derived_classes] == ["B", "C", "D"]
    assert [item.declaration.name for item in program.complex_classes] == ["C"]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT o.nr FROM Order_ o JOIN Step s ON s.nr = o.nr WHERE s > o", None),
        ("SELECT o.nr FROM Order_ o JOIN Step s USING (nr) WHERE MAX(o, s) > s", None),
        ("SELECT o.nr FROM (SELECT nr, occ FROM Order_ WHERE nr > 1) o", None),
        ("WITH o AS (SELECT * FROM Order_) SELECT nr FROM o", None),
        ("SELECT DISTINCT nr FROM Order_ o", "DISTINCT"),
        ("SELECT COUNT(*) FROM Order_ o", "the aggregate COUNT"),
        ("SELECT nr FROM Order_ o GROUP BY nr, o", "GROUP BY"),
        ("SELECT o.nr FROM Order_ o LEFT JOIN Step s ON s.nr = o.nr", "a left join"),
        ("SELECT o.nr FROM Order_ o LEFT ANTI JOIN Step s ON s.nr = o.nr", "a left anti join"),
        ("SELECT nr FROM Order_ o WHERE NOT EXISTS (SELECT 1 FROM Step s WHERE s.nr = o.nr)", "EXISTS"),
        ("SELECT nr FROM Order_ o WHERE nr IN (SELECT nr FROM Step)", "IN with a subquery"),
        ("SELECT nr FROM Order_ o WHERE nr > (SELECT 3)", "a subquery in a condition or a value"),
        ("SELECT o.nr FROM (SELECT nr, occ FROM Order_ EXCEPT SELECT nr, occ FROM Step) o", "a set operation"),
        ("SELECT ROW_NUMBER() OVER (ORDER BY o.nr) FROM Order_ o", "a window function"),
        ("SELECT nr FROM Order_ o LIMIT 3", "LIMIT or OFFSET"),
    ],
)
def test_monotone(query, reason):
    item, _ = selected("nr INT", f"{query} OCCURRING AT o")
    assert not_monotone(item) == reason
    assert is_monotone(item) == (reason is None)


@pytest.mark.parametrize(
    ("columns", "query", "missing"),
    [
        ("nr INT, ID (nr)", "SELECT nr FROM Order_ o", ()),
        ("nr INT", "SELECT nr FROM Order_ o", ()),
        ("shop TEXT, ID (shop)", "SELECT shop FROM Order_ o", (("Order_", "nr is not in the key"),)),
        ("a INT, b TEXT, ID (a)", "SELECT s.nr AS a, s.place AS b FROM Step s, Ping o",
         (("Step", "place is not in the key"), ("Ping", "it has no key"))),
        ("a INT, b TEXT, ID (a, b)",
         "SELECT s.nr AS a, s.place AS b FROM Step s, Order_ o WHERE (o.nr = s.nr) AND s > o", ()),
        ("a INT, b TEXT, ID (a, b)", "SELECT s.nr AS a, s.place AS b FROM Shipped s JOIN Order_ o USING (nr)", ()),
        ("a INT, b TEXT, ID (a, b)",
         "SELECT s.nr + 1 AS a, s.place AS b FROM Step s, Order_ o WHERE o.nr = 1 OR s.nr = o.nr",
         (("Step", "nr is not in the key"), ("Order_", "nr is not in the key"))),
        ("nr INT", "SELECT nr FROM Order_ o WHERE EXISTS (SELECT 1 FROM Step)", (("Step", "it stands in a subquery"),)),
    ],
)  # fmt: skip
def test_key_subsuming(columns, query, missing):
    item, program = selected(columns, f"{query} OCCURRING AT o")
    assert set(missing_keys(item, program)) == set(missing)
    assert is_key_subsuming(item, program) == (not missing)


def test_warnings_are_about_purging():
    text = "CREATE COMPLEX EVENT CLASS S(shop TEXT) AS SELECT DISTINCT shop FROM Order_ OCCURRING AT Order_;"
    found = warnings(parse_program(CLASSES + text))
    assert ["DISTINCT" in one for one in found] == [True, False]
    assert all("purging" in one for one in found)
    forever = CLASSES.replace("LIFESPAN (30d)", "").replace("LIFESPAN 30 days", "")
    assert not warnings(parse_program(forever + text))


def test_publications_are_values():
    item, _ = selected(
        "nr INT",
        "SELECT nr FROM Order_ o OCCURRING AT o ON TIME TOLERANCE 5s PUBLISH A CASE LATE (0s, 1m) B CASE REVOKE C",
    )
    assert item.publications == (
        Publication("A", Case.ON_TIME),
        Publication("B", Case.LATE, 0, 60_000_000),
        Publication("C", Case.REVOKE),
    )
    assert item.tolerance == 5_000_000


@given(selecting_programs())
def test_random_programs_read_back(program):
    again = parse_program(str(program))
    assert again == program
    for item in program.selected_classes:
        assert plain_sql(item, program).startswith("SELECT\n")
