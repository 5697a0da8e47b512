"""Live runs of programs with corrections: the same publications as by the definition, after failures too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

import pytest
from tests.corrections.oracle import as_published, publications, told
from tests.corrections.programs import SECOND, START, about
from tests.spark.corrections.worlds import as_line, comparable, published

import ensue
from ensue.errors import InputError
from ensue.language import parse_program
from ensue.model.announcements import Announcement, Clock, Operation
from ensue.spark.corrections.keeping import Keeping
from ensue.spark.corrections.live import fall_due, start

TEXT = """
CREATE MUTABLE SUBSCRIBED EVENT CLASS A(k TEXT, g INT, v INT, ID (k))
  FROM json OPTIONS (path 'a', maxFilesPerTrigger 1);
CREATE MUTABLE SUBSCRIBED EVENT CLASS B(k TEXT, g INT, v INT, ID (k))
  FROM json OPTIONS (path 'b', maxFilesPerTrigger 1);
CREATE COMPLEX EVENT CLASS X(k TEXT, l TEXT, v INT, ID (k, l)) AS
  SELECT a.k, b.k AS l, b.v FROM A a JOIN B b ON b.g = a.g WHERE b >= a
  OCCURRING AT b + 2 seconds
  PUBLISH X CASE LATE X_late CASE CHANGE X_changed CASE REVOKE X_revoked;
"""
PROGRAM = parse_program(TEXT)
FIRST = [about(0, 5, 5, g=1, v=2), about(1, 7, 7, g=1, v=1), about(3, 8, 8, g=1, v=3)]
THEN = [
    about(1, 8, 12, Operation.CHANGE, g=1, v=5),
    about(0, 5, 14, Operation.RETRACT),
    about(3, 8, 15, Operation.CHANGE, g=1, v=9),
]


def put(base: Path, said, number: int) -> None:
    for name in "AB":
        (base / name.lower()).mkdir(exist_ok=True)
        lines = "".join(f"{as_line(one)}\n" for one in said if one.type == name)
        if lines:
            (base / name.lower() / f"{number}.jsonl").write_text(lines)


def run(spark, base: Path, now: int = 30) -> None:
    running = start(spark, PROGRAM, base / "data", base=base, clock=lambda: START + now * SECOND)
    running.query.awaitTermination()
    running.end()


def test_a_run_that_fails_between_goes_on_with_the_same_publications(spark, tmp_path, monkeypatch):
    put(tmp_path, FIRST, 0)
    place, calls = Keeping.place, []

    def fail_at_first(self, *given):
        calls.append(given)
        if len(calls) == 1:
            raise RuntimeError("killed")
        place(self, *given)

    monkeypatch.setattr(Keeping, "place", fail_at_first)
    with pytest.raises(Exception, match="killed"):
        run(spark, tmp_path)
    run(spark, tmp_path)
    put(tmp_path, THEN, 1)
    run(spark, tmp_path)
    found = published(spark, tmp_path / "data")
    assert comparable(found) == comparable(publications(PROGRAM, [*FIRST, *THEN], START + 15 * SECOND))
    assert {one["case"] for one in found} == {"on time", "late", "change", "revoke"}

    believed = {(row.k, row.l, row.v) for row in ensue.history("X", data=tmp_path / "data", spark=spark).collect()}
    then = ensue.history("X", data=tmp_path / "data", as_of="2026-01-01T00:00:12Z", spark=spark)
    assert {(row.k, row.l, row.v) for row in then.collect()} >= {("e0", "e1", 5)}
    assert "e0" not in {k for k, _, _ in believed}
    assert ensue.history_views(tmp_path / "data", spark=spark) == ["A", "B", "X", "publications"]
    assert spark.sql("SELECT COUNT(*) FROM A").first()[0] == 1
    with pytest.raises(InputError, match="has no class Y"):
        ensue.history("Y", data=tmp_path / "data", spark=spark)


def test_what_is_due_falls_due_while_nothing_comes(spark, tmp_path):
    """One that says it was detected in the future is taken as detected now, and counted."""
    now = [START + 7 * SECOND]
    put(tmp_path, [FIRST[0], replace(FIRST[1], detected=START + 100 * SECOND)], 0)
    running = start(spark, PROGRAM, tmp_path / "data", base=tmp_path, trigger="1 second", clock=lambda: now[0])
    try:
        wait(lambda: running.course.about is not None and running.course.about.coming == 1, running)
        reached = running.course.about
        assert reached is not None
        assert reached.outcomes == {"announced": 2, "detected in the future": 1}
        assert published(spark, tmp_path / "data") == []
        now[0] = START + 20 * SECOND
        wait(lambda: running.course.about is not None and running.course.about.told == {"X": {"on time": 1}}, running)
    finally:
        running.query.stop()
        running.end()
    assert not running.failed
    (only,) = published(spark, tmp_path / "data")
    assert (only["case"], only["detected"]) == ("on time", "2026-01-01T00:00:09Z")


def test_a_run_that_fails_while_something_falls_due_repeats_just_that(spark, tmp_path, monkeypatch):
    """What comes after it, though detected before it, must not get into what was told already."""
    put(tmp_path, FIRST[:2], 0)
    run(spark, tmp_path, 7)
    running = start(spark, PROGRAM, tmp_path / "data", base=tmp_path, clock=lambda: START + 7 * SECOND)
    running.query.awaitTermination()
    course = running.course
    with monkeypatch.context() as patched:
        patched.setattr(Keeping, "place", lambda *_: (_ for _ in ()).throw(RuntimeError("killed")))
        with pytest.raises(RuntimeError, match="killed"):
            fall_due(course, START + 11 * SECOND)
    late = about(4, 8, 8, g=1, v=3)
    put(tmp_path, [late], 1)
    run(spark, tmp_path, 30)
    found = published(spark, tmp_path / "data")
    inputs: list[Announcement | Clock] = [*FIRST[:2], Clock(START + 11 * SECOND), late, Clock(START + 12 * SECOND)]
    expected = [as_published(PROGRAM, one) for one in told(PROGRAM, inputs).notices]
    assert comparable(found) == comparable(expected)
    assert [one["case"] for one in found] == ["on time", "late"]


def wait(done, running) -> None:
    """Until something has happened; a busy machine may take its time."""
    began = monotonic()
    while not done() and monotonic() - began < 300 and running.query.isActive and not running.failed:
        sleep(0.2)
    assert done()
