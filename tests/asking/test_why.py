"""`ensue why`: from the tables of a run, and from files, to what an occurrence is made of and what became of it."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ensue.asking.why.asking import why
from ensue.asking.why.folders import Folder
from ensue.asking.why.records import Node
from ensue.errors import InputError
from ensue.language import parse_program
from ensue.spark.programs import kept

START = datetime(2026, 7, 10, 9, tzinfo=UTC)
PLAIN = """
CREATE SUBSCRIBED EVENT CLASS Login(who TEXT, id TEXT) ID (id) FROM json OPTIONS (path 'in');
CREATE COMPLEX EVENT CLASS Guess(who TEXT) AS DETECT 2 times Login(who = ?who) within 1 minute;
CREATE COMPLEX EVENT CLASS Attack(who TEXT) AS DETECT 2 times Guess(who = ?who) within 1 hour;
"""
CORRECTED = """
CREATE MUTABLE SUBSCRIBED EVENT CLASS Quake(name TEXT, mag DOUBLE, ID (name)) LIFESPAN 30 days;
CREATE COMPLEX EVENT CLASS Pair(a TEXT, ID (a)) AS DETECT
  Quake(name = ?a, mag > 4) then Quake within 1 day PUBLISH Pair;
CREATE COMPLEX EVENT CLASS Many(a TEXT, n INT, ID (a)) AS
  SELECT p.a, COUNT(*) AS n FROM Pair p GROUP BY p.a OCCURRING AT MAX(p) PUBLISH Many;
"""


def parts(node: Node) -> tuple[Node, ...]:
    assert node.parts is not None
    return node.parts


def attributes(node: Node) -> Mapping[str, object]:
    assert node.version is not None
    return node.version.attributes


def at(minutes):
    return START + timedelta(minutes=minutes)


def folder(tmp_path, program, tables):
    """A data folder as a run leaves it behind: a folder for each table, with one for each batch."""
    kept.save(tmp_path, kept.Kept(parse_program(program), {}, 2))
    for name, (schema, rows) in tables.items():
        for batch in {row["batch"] for row in rows}:
            place = tmp_path / "tables" / name / f"batch={batch}"
            place.mkdir(parents=True)
            mine = [{k: v for k, v in row.items() if k != "batch"} for row in rows if row["batch"] == batch]
            pq.write_table(pa.Table.from_pylist(mine, schema), place / "part-0.parquet")
    return Folder(tmp_path)


TIME = pa.timestamp("us", "UTC")
MADE_OF_IDS = pa.list_(pa.struct([("leaf", pa.string()), ("id", pa.string()), ("time", TIME)]))
MADE_OF_KEYS = pa.list_(pa.struct([("class", pa.string()), ("key", pa.string())]))


def envelope(*attributes, corrected=False):
    own = [("key", pa.string()), ("withdrawn", pa.bool_())] if corrected else [("version", pa.int32())]
    made_of = MADE_OF_KEYS if corrected else MADE_OF_IDS
    times = [("begin", TIME), ("end", TIME), ("detected", TIME)]
    return pa.schema([("id", pa.string()), *times, *own, *attributes, ("constituents", made_of)])


@pytest.fixture
def plain(tmp_path):
    def row(id, minute, who, parts=(), begin=None, **more):
        listed = [{"leaf": "x", "id": name, "time": at(when)} for name, when in parts]
        times = {"begin": at(minute if begin is None else begin), "end": at(minute), "detected": at(minute)}
        return {"id": id, **times, "version": 1, "who": who, "constituents": listed, "batch": 0, **more}

    logins = [row(f"l{i}", i, "ann", **{"?id": f"l{i}"}) for i in range(4)]
    guesses = [row("aa11", 1, "ann", [("l0", 0), ("l1", 1)], 0), row("aa22", 3, "ann", [("l2", 2), ("l3", 3)], 2)]
    attacks = [row("bb33", 3, "ann", [("aa11", 1), ("aa22", 3), ("+timer", 4)], 1)]
    text = ("who", pa.string())
    return folder(
        tmp_path,
        PLAIN,
        {
            "Login": (envelope(text, ("?id", pa.string())), logins),
            "Guess": (envelope(text), guesses),
            "Attack": (envelope(text), attacks),
        },
    )


def test_down_to_the_events_from_outside(plain):
    found = why("bb", plain)
    assert (found.root.type, found.root.key) == ("Attack", "bb33")
    assert [(part.type, part.key) for part in parts(found.root)] == [
        ("Guess", "aa11"),
        ("Guess", "aa22"),
        ("timer", "+timer"),
    ]
    assert [part.key for part in parts(parts(found.root)[1])] == ["l2", "l3"]
    assert attributes(parts(parts(found.root)[0])[0]) == {"who": "ann", "id": "l0"}
    assert found.definition is not None
    assert found.definition.text == "2 times Guess(who = ?who) within 1 hour in context recent"
    assert not found.standing
    assert not found.told


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("aa", "2 ids in .* begin with aa: aa11 .Guess., aa22 .Guess.", "give more of the id"),
        ("aa12", "there is no id aa12", "did you mean aa22, aa11"),
        ("zz", "there is no id zz", "ids there are aa11, aa22, bb33"),
        (
            "Guess",
            "Guess is a class, and no id in ",
            "of its occurrences: aa11 at 2026-07-10T09:01:00Z, who = ann; aa22 at 2026-07-10T09:03:00Z, who = ann",
        ),
    ],
)
def test_ids_that_are_none(plain, name, message, hint):
    with pytest.raises(InputError, match=f"(?s)E610: {message}.*hint: {hint}"):
        why(name, plain)


def test_a_folder_that_is_none(tmp_path):
    with pytest.raises(InputError, match="is not the folder of a run"):
        Folder(tmp_path)


@pytest.fixture
def corrected(tmp_path):
    def row(id, key, minute, detected, parts, withdrawn=False, **attributes):
        listed = None if parts is None else [{"class": "Quake", "key": one} for one in parts]
        times = {"begin": at(minute), "end": at(minute), "detected": at(detected)}
        made = {"id": id, "key": key, **times, "withdrawn": withdrawn, **attributes, "constituents": listed}
        return {**made, "batch": detected // 10}

    quakes = [
        row("q1", "q1", 0, 5, [], name="q1", mag=4.5),
        row("q2", "q2", 1, 5, [], name="q2", mag=2.0),
        row("q1", "q1", 0, 15, [], name="q1", mag=3.9),
    ]
    pairs = [
        row("cc11", "k1", 1, 5, ["q1", "q2"], a="q1"),
        row("cc11", "k1", 1, 15, ["q1", "q2"], withdrawn=True, a="q1"),
    ]
    many = [
        row("dd11", '["q1"]', 1, 5, None, a="q1", n=1),
        row("dd11", '["q1"]', 1, 15, None, withdrawn=True, a="q1", n=1),
    ]
    told = [publication(5, "on time", 0, []), publication(15, "revoke", 1, [{"class": "Quake", "key": "q1"}])]
    return folder(
        tmp_path,
        CORRECTED,
        {
            "Quake": (envelope(("name", pa.string()), ("mag", pa.float64()), corrected=True), quakes),
            "Pair": (envelope(("a", pa.string()), corrected=True), pairs),
            "Many": (envelope(("a", pa.string()), ("n", pa.int64()), corrected=True), many),
            "publications": (PUBLICATIONS, told),
        },
    )


PUBLICATIONS = pa.schema(
    [
        *((name, pa.string()) for name in ("publication", "class", "case")),
        *((name, TIME) for name in ("detected", "occurred")),
        *((name, pa.string()) for name in ("attributes", "key", "id")),
        ("revision", pa.int64()),
        ("constituents", MADE_OF_KEYS),
        ("why", MADE_OF_KEYS),
        ("replaces", pa.struct([("id", pa.string()), ("occurred", TIME), ("attributes", pa.string())])),
        ("number", pa.int64()),
    ]
)


def publication(detected, case, revision, why):
    return {
        "publication": "Pair",
        "class": "Pair",
        "case": case,
        "detected": at(detected),
        "occurred": at(1),
        "attributes": json.dumps({"a": "q1"}),
        "key": "k1",
        "id": "cc11",
        "revision": revision,
        "constituents": None,
        "why": why,
        "replaces": None,
        "number": 0,
        "batch": detected // 10,
    }


def test_what_was_believed_then_and_what_became_of_it(corrected):
    found = why("cc11", corrected)
    first, _ = parts(found.root)
    assert attributes(first) == {"name": "q1", "mag": 4.5}
    assert first.later == "changed 2026-07-10T09:15:00Z"
    assert found.standing == "withdrawn at 2026-07-10T09:15:00Z"
    assert [version.withdrawn for version in found.versions] == [False, True]
    assert [(told.case, causes and [cause.change for cause in causes]) for told, causes in found.told] == [
        ("on time", ()),
        ("revoke", ["mag 4.5 → 3.9"]),
    ]


def test_what_a_grouped_row_may_come_from(corrected):
    found = why("dd", corrected)
    assert found.root.parts is None
    assert [(node.type, node.key) for node in found.similar] == [("Pair", "k1")]
    assert [part.key for part in parts(found.similar[0])] == ["q1", "q2"]
