"""A replay on Spark publishes what the reference does, however it is cut into windows, and whatever it is of."""

from __future__ import annotations

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from tests.corrections.oracle import as_published, publications
from tests.corrections.programs import (
    CREATE,
    END,
    PUBLISH,
    SECOND,
    SELECTS,
    START,
    about,
    announcements,
    programs,
    read,
    text_of,
)
from tests.corrections.replaying import replay as purged
from tests.spark.corrections.worlds import HERE, IN_TURN, SPARK, comparable, published, replayed

from ensue.errors import InputError
from ensue.language import parse_program
from ensue.model.announcements import Announcement, Clock, Operation
from ensue.spark.corrections.recording import parse_names
from ensue.spark.corrections.replaying import Bad, record, replay
from ensue.spark.corrections.running import Course
from ensue.time import to_datetime

SAID = [
    about(0, 5, 5, g=1, v=2),
    about(1, 7, 7, g=1, v=1, p=to_datetime(START + 9 * SECOND)),
    about(2, 8, 8, g=1, v=3),
    about(3, 8, 8, g=1, v=3),
    about(4, 9, 9, g=1, v=2, p=to_datetime(START + 9 * SECOND)),
    about(0, 6, 12, Operation.CHANGE, g=1, v=3),
    about(1, 8, 13, Operation.CHANGE, g=2, v=1),
    about(4, 9, 14, Operation.RETRACT),
    about(3, 8, 15, Operation.RETRACT),
    about(1, 8, 16, Operation.CHANGE, g=1, v=2),
]
KINDS = {
    "select": text_of(("join", "not exists"), ("counted",)),
    "pattern": text_of(("sequence", "chronicle"), ("joined",)),
    "timed": text_of(("nothing follows", "check")),
    "purged": text_of(("join",), (), "4 seconds"),
}


@pytest.mark.parametrize(
    ("kind", "small"),
    [("select", (HERE, SPARK)), ("pattern", (SPARK, HERE)), ("timed", (HERE, HERE))],
)
def test_the_same_as_the_reference(spark, tmp_path, kind, small):
    program = read(KINDS[kind])
    found = replayed(spark, tmp_path, program, SAID, END, 3, small)
    expected = publications(program, SAID, END)
    assert len(expected) > 5
    assert comparable(found) == comparable(expected)


def test_absence_falls_due_beside_what_is_found_in_the_same_window(spark, tmp_path):
    """Also by a class that comes after the pattern."""
    absent = f"{CREATE} () AS DETECT without {{{{B}}}} during [2026-01-01T00:00:03Z .. 2026-01-01T00:00:06Z] {PUBLISH}"
    text = text_of(()) + absent.format(name="Quiet") + " ".join([CREATE, SELECTS["filter"], PUBLISH]).format(name="X")
    said = [about(0, 5, 5, g=1, v=2), about(3, 20, 20, g=1, v=2)]
    found = replayed(spark, tmp_path, read(text), said, END, 100)
    assert comparable(found) == comparable(publications(read(text), said, END))
    assert [one["detected"] for one in found if one["class"] == "Quiet"] == ["2026-01-01T00:00:06Z"]


@pytest.mark.parametrize("small", [(HERE, HERE), (SPARK, SPARK)])
def test_what_falls_due_in_a_window_is_a_step_for_the_patterns_before_it(spark, tmp_path, small):
    """That the second hour may end without a B is known ten seconds into it, because something else falls due there.

    What is said of it ten minutes before its end is on time only then. What the window itself says makes the step.
    """
    hours = "() AS DETECT without {B} during hour"
    before = "(n INT, ID (n)) AS SELECT COUNT(*) AS n FROM Quiet q OCCURRING AT MAX(q) - 10 minutes"
    text = text_of(()) + f"{CREATE} {hours} {PUBLISH} {CREATE} {before} {PUBLISH}".replace("{name}", "Quiet", 5)
    text = text.replace("{name}", "Soon") + " ".join([CREATE, SELECTS["filter"], PUBLISH]).format(name="X")
    said = [about(0, 5, 5, g=1, v=0), about(3, 3608, 3000, g=2, v=2)]
    until = START + 7000 * SECOND
    found = replayed(spark, tmp_path, read(text), said, until, 100, small)
    assert comparable(found) == comparable(publications(read(text), said, until))
    soon = [(one["case"], one["detected"]) for one in found if one["class"] == "Soon"]
    assert ("on time", "2026-01-01T01:49:59.999999Z") in soon


@pytest.mark.parametrize("small", [(HERE, HERE), (SPARK, SPARK)])
def test_ticks_are_told_at_their_own_time(spark, tmp_path, small):
    """Also where nothing else happens, in the window of an announcement and in those that follow."""
    program = read(text_of(("ticks", "third tick")))
    said = [about(0, 5, 5, g=1, v=0), about(3, 7, 7, g=2, v=2), about(1, 18, 18, g=1)]
    found = replayed(spark, tmp_path, program, said, END, 1, small)
    assert comparable(found) == comparable(publications(program, said, END))
    assert {one["case"] for one in found} == {"on time"}
    assert {one["detected"][-3:] for one in found if one["class"] == "X0"} >= {"08Z", "11Z", "37Z", "40Z"}


@pytest.mark.parametrize("small", [(HERE, HERE), pytest.param((SPARK, SPARK), marks=pytest.mark.slow)])
def test_a_pattern_upon_ticks_sees_them_where_nothing_is_announced(spark, tmp_path, small):
    twice = "(g INT) AS DETECT 2 times X0(g = ?g) within 9 seconds IN CONTEXT all"
    text = text_of(("ticks", "filter")) + f"{CREATE} {twice} {PUBLISH}".format(name="Twice")
    said = [about(0, 5, 5, g=1, v=2), about(3, 12, 6, g=2, v=2), about(6, 16, 6, g=3, v=2)]
    found = replayed(spark, tmp_path, read(text), said, END, 1, small)
    assert comparable(found) == comparable(publications(read(text), said, END))
    assert {one["class"] for one in found} == {"X0", "X1", "Twice"}


@pytest.mark.parametrize("small", [(HERE, HERE), (SPARK, SPARK)])
def test_open_partial_matches_are_counted(spark, tmp_path, small):
    """Two that wait for a B, and a third whose B has come."""
    program = read(text_of(("chronicle", "filter")))
    said = [about(number, time, time, g=g, v=0) for number, time, g in ((0, 4, 3), (1, 5, 3), (3, 6, 1), (6, 7, 2))]
    replayed(spark, tmp_path, program, said, START + 7 * SECOND, 100, small)
    reached = Course(spark, program, tmp_path / "data").about
    assert reached is not None
    assert reached.open == {"X0": 2}


@pytest.mark.slow
@settings(
    max_examples=30,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink what fails would take Spark hours
    suppress_health_check=list(HealthCheck),
)
@given(
    program=programs(),
    said=announcements(),
    size=st.sampled_from([1, 4, 100]),
    small=st.sampled_from([(HERE, HERE), (SPARK, SPARK), *IN_TURN]),
)
def test_random_worlds(spark, tmp_path_factory, program, said: list[Announcement], size: int, small: tuple[int, int]):
    ordered = sorted(said, key=lambda one: one.detected)
    found = replayed(spark, tmp_path_factory.mktemp("world"), program, said, END, size, small)
    assert comparable(found) == comparable(publications(program, ordered, END))


@pytest.mark.parametrize("small", [IN_TURN[0], pytest.param(IN_TURN[1], marks=pytest.mark.slow)])
def test_what_has_expired_is_forgotten_at_the_grid(spark, tmp_path, small):
    """Two lifespans later an event is gone, and a key that comes again is another event; as by the definition."""
    program = read(KINDS["purged"])
    said = [about(number, time, time, g=1, v=number) for number, time in ((0, 1), (1, 3), (3, 6), (4, 7), (6, 20))]
    said += [about(7, 21, 22, g=1, v=1), about(7, 21, 24, Operation.CHANGE, g=1, v=2), about(0, 23, 25, g=1, v=5)]
    found = replayed(spark, tmp_path, program, said, END, 100, small)
    inputs: list[Announcement | Clock] = [*said, Clock(END)]
    expected = [as_published(program, one) for one in purged(program, inputs, purging=True).notices]
    assert comparable(found) == comparable(expected)
    assert {row.key for row in held(spark, tmp_path)} == {"e0", "e6", "e7"}


@pytest.mark.parametrize("small", [IN_TURN[0], pytest.param(IN_TURN[1], marks=pytest.mark.slow)])
def test_what_has_no_lifespan_is_never_forgotten(spark, tmp_path, small):
    """Whatever the lifespans of other classes are."""
    text = text_of(("join",), (), "4 seconds").replace("LIFESPAN 4 seconds", "", 1)
    said = [about(0, 1, 1, g=1, v=0), about(1, 2, 2, g=2, v=0), about(1, 40, 40, g=1, v=1)]
    replayed(spark, tmp_path, read(text), said, END, 1, small)
    assert {row.key for row in held(spark, tmp_path)} == {"e0", "e1"}


def test_the_tables_are_the_same_whoever_makes_the_windows(spark, tmp_path):
    """All of them, with what each publication is made of and why."""
    program = read(text_of(("join", "sequence", "not exists"), ("joined",)))
    found = []
    for name, where in (("here", HERE), ("on Spark", SPARK)):
        (tmp_path / name).mkdir()
        replayed(spark, tmp_path / name, program, SAID, END, 100, (where, where))
        tables = tmp_path / name / "data/tables"
        parts = sorted(tables.glob("*/batch=*"))
        found.append({str(one.relative_to(tables)): sorted(map(str, pq.read_table(one).to_pylist())) for one in parts})
    assert {"publications", "A", "B", "C", "X0", "X1", "X2", "Y0"} == {name.split("/")[0] for name in found[0]}
    assert found[0] == found[1]


def held(spark, base):
    """The events that are known in the end."""
    last = max((base / "data/corrections/state").iterdir(), key=lambda one: int(one.name))
    return spark.read.parquet(str(last / "known")).where("kind = 'version' AND __to IS NULL").collect()


SHOWN = parse_program(
    """
    CREATE MUTABLE SUBSCRIBED EVENT CLASS Train(nr INT, platform INT, departs TIMESTAMP, ID (nr))
      TIME departs SNAPSHOT SOURCE;
    CREATE COMPLEX EVENT CLASS Leaves(nr INT, platform INT, ID (nr)) AS
      SELECT t.nr, t.platform FROM Train t OCCURRING AT t - 1 minute
      PUBLISH Leaves CASE LATE Left CASE CHANGE Moved CASE REVOKE Cancelled;
    """
)
BOARD = """seen,number,track,departs
1783670400,1,4,1783670700
1783670400,2,5,1783670760
1783670460,1,4,1783670700
1783670520,1,7,1783670700
1783670650,1,8,1783670700
"""


def test_snapshots_in_a_csv_file_with_names_of_its_own(spark, tmp_path):
    file = tmp_path / "board.csv"
    file.write_text(BOARD)
    names = parse_names(["detected=seen:s,nr=number,platform=track", "departs=departs:s,type=Train"], SHOWN)
    course = Course(spark, SHOWN, tmp_path / "data")
    replay(course, record(spark, course, [str(file)], names))
    found = [(one["publication"], one["attributes"], one["detected"]) for one in published(spark, tmp_path / "data")]
    assert found == [
        ("Leaves", {"nr": 1, "platform": 7}, "2026-07-10T08:04:00Z"),
        ("Moved", {"nr": 1, "platform": 8}, "2026-07-10T08:04:10Z"),
    ]
    assert course.about is not None
    assert course.about.outcomes == {"announced": 2, "changed": 2, "repeated": 1, "retracted": 1}
    rows = spark.read.parquet(str(tmp_path / "data/tables/publications")).orderBy("number").collect()
    assert [[(one["class"], one.key) for one in row.why] for row in rows] == [[], [("Train", "1")]]


def test_a_row_that_cannot_be_read_ends_a_replay_with_its_place(spark, tmp_path):
    file = tmp_path / "board.csv"
    file.write_text(BOARD.replace("1783670520,1,7", "1783670520,1,seven"))
    names = parse_names(["detected=seen:s,nr=number,platform=track", "departs=departs:s,type=Train"], SHOWN)
    course = Course(spark, SHOWN, tmp_path / "data")
    with pytest.raises(InputError, match=r"board.csv:5: E409: platform is seven"):
        record(spark, course, [str(file)], names)
    assert not list((tmp_path / "data/tables").iterdir())
    aside: list[Bad] = []
    recording = record(spark, course, [str(file)], names, reject=aside.extend)
    assert (recording.total, [(one.line, one.code) for one in aside]) == (4, [(5, "E409")])


def test_parquet_says_the_same_with_types_of_its_own(spark, tmp_path):
    """Times as timestamps need no unit."""
    rows = [[int(cell) for cell in line.split(",")] for line in BOARD.splitlines()[1:]]
    seen, number, track, departs = (list(column) for column in zip(*rows, strict=True))
    instants = pa.array(seen, pa.timestamp("s", "UTC"))
    board = pa.table({"seen": instants, "number": number, "track": pa.array(track, pa.int8()), "departs": departs})
    pq.write_table(board, tmp_path / "board.parquet")
    (tmp_path / "board.csv").write_text(BOARD)

    def read_from(name: str, said: str) -> list[tuple[object, ...]]:
        course = Course(spark, SHOWN, tmp_path / f"data of {name}")
        names = parse_names([said, "nr=number,platform=track,departs=departs:s,type=Train"], SHOWN)
        return sorted(record(spark, course, [str(tmp_path / name)], names).frame.collect())

    assert len(read_from("board.parquet", "detected=seen")) == len(rows)
    assert read_from("board.parquet", "detected=seen") == read_from("board.csv", "detected=seen:s")
    pq.write_table(board.set_column(0, "seen", pa.array([None] * len(rows), instants.type)), tmp_path / "no.parquet")
    with pytest.raises(InputError, match=r"no.parquet: E\d+: .*detected"):
        read_from("no.parquet", "detected=seen")


@pytest.mark.parametrize("name", ["none.parquet", "cut.jsonl.gz"])
def test_a_file_that_is_damaged_is_named(spark, tmp_path, name):
    whole = gzip.compress(b'{"type": "Train", "nr": 1}\n' * 9999)
    (tmp_path / name).write_bytes(whole[:-9] if name.endswith("gz") else b"PAR1 and no more")
    course = Course(spark, SHOWN, tmp_path / "data")
    with pytest.raises(InputError, match=rf"E60\d: .*{name}"):
        record(spark, course, [str(tmp_path / name)], parse_names([], SHOWN))
    assert not (tmp_path / "data/corrections/announcements").exists()
