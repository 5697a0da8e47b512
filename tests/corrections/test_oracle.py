"""The judge itself, against answers that were worked out by hand."""

from tests.corrections.announcing import announcement
from tests.corrections.oracle import publications

from ensue.language import parse_program
from ensue.time import parse_instant

DAY = "2026-07-10T"
JOBS = """
CREATE MUTABLE SUBSCRIBED EVENT CLASS Job(nr INT, host TEXT, due TIMESTAMP, ID (nr)) SNAPSHOT SOURCE;
CREATE SUBSCRIBED EVENT CLASS Done(nr INT) ID (nr);
"""


def at(hour):
    return f"{DAY}{int(hour):02}:{round(hour % 1 * 60):02}Z"


def job(nr, time, detected, host="a", due=None, op="announce"):
    return {
        "type": "Job",
        "op": op,
        "time": at(time),
        "detected": at(detected),
        "nr": nr,
        "host": host,
        "due": due and at(due),
    }


def done(nr, time, detected):
    return {"type": "Done", "time": at(time), "detected": at(detected), "nr": nr}


def run(program, *records, until=23):
    read = parse_program(JOBS + program)
    found = publications(read, [announcement(read, one) for one in records], parse_instant(at(until)))
    return [(one["detected"][11:16], one["case"], one["occurred"][11:16], *one["attributes"].values()) for one in found]


def test_a_join_of_two_classes():
    program = """CREATE COMPLEX EVENT CLASS Slow(nr INT, host TEXT, ID (nr)) AS
      SELECT j.nr, j.host FROM Job j, Done d WHERE d.nr = j.nr AND d > j + 90 minutes OCCURRING AT MAX(j.due, d)
      PUBLISH Slow CASE LATE Slow CASE CHANGE Slower CASE REVOKE Not_slow;"""
    found = run(
        program, job(1, 0, 0, due=3), done(1, 2, 2), job(1, 0, 4, due=2), job(1, 0, 5, "b"), job(1, 1, 6), job(2, 7, 7)
    )
    assert found == [
        ("03:00", "on time", "03:00", 1, "a"),
        ("04:00", "change", "02:00", 1, "a"),
        ("05:00", "change", "02:00", 1, "b"),
        ("06:00", "revoke", "02:00", 1, "b"),
    ]


def test_groups_and_what_does_not_exist():
    program = """CREATE COMPLEX EVENT CLASS Open(host TEXT, n INT, ID (host)) AS
      SELECT j.host, COUNT(*) FROM Job j WHERE NOT EXISTS (SELECT 1 FROM Done d WHERE d.nr = j.nr) GROUP BY 1
      OCCURRING AT MAX(j) + 4h PUBLISH Open CASE CHANGE Open CASE REVOKE Closed;"""
    assert run(program, job(1, 1, 1), job(1, 1, 2), job(2, 2, 2), done(1, 3, 7), done(2, 8, 8)) == [
        ("06:00", "on time", "06:00", "a", 2),
        ("07:00", "change", "06:00", "a", 1),
        ("08:00", "revoke", "06:00", "a", 1),
    ]


def test_what_is_missing_from_a_snapshot_is_retracted():
    program = """CREATE COMPLEX EVENT CLASS Known(nr INT, ID (nr)) AS SELECT nr FROM Job j OCCURRING AT j
      PUBLISH Known CASE LATE Known CASE REVOKE Unknown;"""
    assert run(program, job(1, 1, 1), job(2, 1, 1), job(2, 1, 2), job(1, 1, 3), job(2, 1, 3)) == [
        ("01:00", "on time", "01:00", 1),
        ("01:00", "on time", "01:00", 2),
        ("02:00", "revoke", "01:00", 1),
        ("03:00", "late", "01:00", 1),
    ]


def test_now_is_when_a_row_came_to_hold():
    program = """CREATE COMPLEX EVENT CLASS Seen(nr INT, host TEXT, ID (nr)) AS
      SELECT nr, host FROM Job j WHERE host <> 'x' OCCURRING AT NOW + 1h
      PUBLISH Seen CASE CHANGE Moved CASE REVOKE Gone;"""
    found = run(program, job(1, 1, 2), job(1, 0, 4), job(1, 0, 5, "b"), job(1, 0, 7, "x"), job(1, 0, 8))
    assert found == [
        ("03:00", "on time", "03:00", 1, "a"),
        ("05:00", "revoke", "03:00", 1, "a"),  # it has moved to the future
        ("06:00", "on time", "06:00", 1, "b"),
        ("07:00", "revoke", "06:00", 1, "b"),
        ("09:00", "on time", "09:00", 1, "a"),
    ]


def test_rows_are_looked_at_when_a_check_is_due():
    program = """CREATE COMPLEX EVENT CLASS Checked(nr INT, ID (nr)) AS
      SELECT nr FROM Job j WHERE NOT EXISTS (SELECT 1 FROM Done d WHERE d.nr = j.nr)
      OCCURRING AT NOW CHECKING AT (j + 1h, j.due, 2h) PUBLISH Open CASE LATE Open CASE REVOKE Closed;"""
    assert run(program, job(1, 1, 3, due=9), done(1, 9, 9)) == [
        ("04:00", "on time", "04:00", 1),
        ("09:00", "revoke", "04:00", 1),
    ]
    assert run(program, job(1, 1, 3, due=9), done(1, 3, 3.5)) == []  # done before the check
    assert run(program, job(1, 1, 9, due=9)) == []  # the last check was at 8


def test_a_pattern_upon_a_select():
    program = """CREATE COMPLEX EVENT CLASS Known(nr INT, ID (nr)) AS SELECT nr FROM Job j OCCURRING AT j;
    CREATE COMPLEX EVENT CLASS Twice(n INT, ID (n)) AS DETECT Known then Known(nr = ?n) within 2 hours IN CONTEXT all
      PUBLISH Twice CASE LATE Twice CASE CHANGE Twice CASE REVOKE Once;"""
    assert run(program, job(1, 1, 1), job(1, 1, 2), job(2, 2, 2), job(2, 2, 3)) == [
        ("02:00", "on time", "02:00", 2),
        ("03:00", "revoke", "02:00", 2),
    ]
