"""The sweeps ask everyone for the same: what is expected is what Ensue's reference finds, and DuckDB finds it too."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, strategies as st

import ensue
from bench import by_hand, histories, measuring, on_spark, questions, real, sweeps
from bench.data import Columns
from bench.peers import ask_java, ask_ourselves, ask_sql, epl, files, flink_steps, match_recognize, matching, siddhi_ql
from bench.peers.asked import Asked, CannotError, Query
from bench.peers.contender import Contender
from bench.peers.orders import EndedError
from bench.peers.sides import Ready, TooSlowError, Work, in_time
from bench.questions import Question
from bench.shapes import Shape, Step, by_shape, sequence
from ensue.model import Event
from ensue.reference import evaluate

PATIENCE = 120
EVENTS = 20_000


def asked() -> list[Question]:
    """A question of every sweep, and all with a shape of their own; rules over few keys, so that they find some."""
    made = [one for make in questions.SWEEPS.values() for one in make(EVENTS)]
    wanted = {("keys", "10"), ("length", "6"), ("disorder", "20%")}
    some = [one for one in made if (one.sweep, one.value) in wanted or one.sweep in ("shapes", "variables", "absence")]
    rules = [one for one in questions.rules(EVENTS) if one.value == "10"]
    return some + [replace(one, history=partial(histories.with_keys, EVENTS, 10, skewed=False)) for one in rules]


def expects(question: Question, folder: Path) -> tuple[files.Files, matching.Matches]:
    given, columns = files.write(folder, question.history())
    expected = by_hand.matches(question.shapes, given.names, columns)
    assert expected.count >= 5
    return given, expected


@pytest.mark.parametrize("question", asked(), ids=lambda one: f"{one.sweep} {one.value}")
@pytest.mark.parametrize("work", [ask_ourselves.detecting, ask_sql.querying])
def test_what_is_expected_is_found(work: Callable[[Question, files.Files], Work], question: Question, tmp_path: Path):
    given, expected = expects(question, tmp_path)
    found = work(question, given)
    assert found.check() == expected
    assert found.run() == expected.count


@pytest.mark.slow
@pytest.mark.parametrize("question", asked(), ids=lambda one: f"{one.sweep} {one.value}")
@pytest.mark.parametrize(
    "side",
    [ask_java.flink(), ask_java.flink_sql(), ask_java.esper(), ask_java.siddhi()],
    ids=lambda side: side.name,
)
def test_in_java(side: Contender, question: Question, tmp_path: Path):
    given, expected = expects(question, tmp_path)
    try:
        with side.start(question, given, PATIENCE) as ready:
            assert ready.check() == expected
    except (CannotError, TooSlowError) as error:
        pytest.skip(str(error))


SECOND = 1_000_000
Given: TypeAlias = tuple[str, int, int, float]
"""An event: its class, seconds, key and value."""


def by_reference(shape: Shape, history: Sequence[Given]) -> list[tuple[int, ...]]:
    """What the reference finds, the clock going on after the last event."""
    events = [
        Event(str(place), name, seconds * SECOND, {"key": key, "value": value})
        for place, (name, seconds, key, value) in enumerate(history)
    ]
    until = (history[-1][1] + shape.seconds) * SECOND
    found = evaluate(ensue.parse(shape.text), events, "continuous", until=until)
    return sorted(tuple(int(one.id) for one in each.constituents if not one.id.startswith("+")) for each in found)


def rows(shape: Shape, history: Sequence[Given]) -> list[tuple[int, ...]]:
    types, seconds, keys, values = map(np.array, zip(*history, strict=True))
    names = sorted({*shape.types, *types.tolist()})
    columns = Columns(np.searchsorted(names, types).astype(np.int8), seconds * SECOND, keys, values)
    return sorted(tuple(row) for row in by_hand.rows(shape, names, columns).tolist())


MEANT = [
    (sequence("ABC", 60), [(0, 3, 5), (1, 3, 5)]),
    (Shape((Step(("A",)), Step(("B", "C"))), 60), [(0, 3), (1, 3)]),
    (Shape((Step(("A",)), Step(("B",), times=2)), 60), [(0, 3, 4), (1, 3, 4)]),
    (Shape((Step(("A",)), Step(("B",)), Step(("C",), by="value")), 60), [(1, 3, 6)]),
    (Shape((Step(("A",)),), 2, never="B"), [(0,)]),
    (sequence("AB", 2), [(1, 3)]),
]


@pytest.mark.parametrize(("shape", "expected"), MEANT)
def test_what_is_worked_out_by_hand_is_what_a_pattern_means(shape: Shape, expected: list[tuple[int, ...]]):
    history = [
        ("A", 0, 1, 7.0),
        ("A", 1, 1, 8.0),
        ("B", 2, 2, 8.0),
        ("B", 3, 1, 9.0),
        ("B", 4, 1, 9.0),
        ("C", 5, 1, 6.0),
        ("C", 6, 3, 8.0),
    ]
    assert rows(shape, history) == expected
    assert by_reference(shape, history) == expected


def by_time() -> st.SearchStrategy[list[Given]]:
    """Histories in which no two events are simultaneous."""
    some = st.tuples(st.sampled_from("ABC"), st.integers(0, 20), st.integers(0, 1), st.sampled_from([0.0, 1.0]))
    return st.lists(some, min_size=1, max_size=12, unique_by=itemgetter(1)).map(partial(sorted, key=itemgetter(1)))


@pytest.mark.parametrize("shape", [shape for shape, _ in MEANT], ids=lambda shape: shape.text)
@given(history=by_time(), seconds=st.integers(1, 12))
def test_what_is_worked_out_by_hand_is_what_the_reference_finds(shape: Shape, history: list[Given], seconds: int):
    if shape.never:  # then an A is known by its value
        history = [(name, time, key, float(time)) for name, time, key, _ in history]
    shape = replace(shape, seconds=seconds)
    assert rows(shape, history) == by_reference(shape, history)


def test_rules_get_what_their_keys_have():
    rules = [sequence("AB", 60, key=2), sequence("AB", 60, key=1)]
    assert by_shape(rules) == {sequence("AB", 60): {2: 0, 1: 1}}
    types, times = np.array([0, 0, 1, 1], np.int8), np.arange(4)
    columns = Columns(types, times, np.array([1, 2, 1, 2]), np.zeros(4))
    expected = matching.of_rows(np.array([[1, 0, 2], [0, 1, 3]]))
    assert by_hand.matches(rules, ["A", "B"], columns) == expected


def test_each_language_has_its_own_text():
    shape = Shape((Step(("A",)), Step(("B", "C")), Step(("B",), times=2)), 10)
    names = ["A", "B", "C"]
    assert epl.of(shape) == (
        "select s0.place as p0, coalesce(s1_0.place, s1_1.place) as p1, s2[0].place as p2, s2[1].place as p3 "
        "from pattern [every s0=A -> (((s1_0=B(key = s0.key) or s1_1=C(key = s0.key)) -> [2] s2=B(key = s0.key)) "
        "where timer:within(10 seconds 1 microsecond))]"
    )
    assert "from every s0=A -> s1_0=B or s1_1=C -> s2=B<2:2> within 10000000 milliseconds" in siddhi_ql.of(shape)
    assert "PATTERN (s0 x1*? s1 x2*? s2 x3*? s3)" in match_recognize.of(shape, names)
    assert flink_steps.of(shape, names) == "0; 1,2; 1 times=2; 10000000"


def test_rules_of_a_shape_have_streams_of_their_own():
    shape = Shape((Step(("A",)), Step(("B", "C"))), 10)
    assert "[every s0=A_3 -> (((s1_0=B_3(key = s0.key) or s1_1=C_3(key = s0.key))) where" in epl.of(shape.marked("_3"))
    said = siddhi_ql.of(shape.marked("_3"), "_3")
    assert said.startswith("partition with (key of A_3, key of B_3, key of C_3) begin from every s0=A_3 -> ")
    assert said.endswith("insert into Found_3; end;")
    assert " FROM events_3 MATCH_RECOGNIZE " in match_recognize.of(shape, ["A", "B", "C"], "_3")
    assert Shape((Step(("A",)),), 30, never="B").marked("_3").never == "B_3"


def test_flink_sql_does_not_tell_what_does_not_come():
    names = ["A", "B", "C"]
    with pytest.raises(CannotError, match="has to end with an event"):
        match_recognize.of(Shape((Step(("A",)),), 30, never="B"), names)


def test_classes_that_nobody_asks_for_have_no_name(tmp_path: Path):
    rules = Query(1, "for rules", {4: 3, 7: 5}, frozenset("B"), "_0")
    asked = Asked(["A", "Z", "B"], frozenset("AB"), [Query(2, "text"), rules], delay=5)
    assert asked.write(tmp_path / "asked").read_text().splitlines() == [
        "A\t\tB",
        "-Infinity",
        "5",
        "0",
        "true",
        "",
        "2\tA,,B\t\ttext",
        "1\t,,B_0\t4,3,7,5\tfor rules",
    ]


def test_real_data_that_is_not_there_is_missed(tmp_path: Path):
    with pytest.raises(SystemExit, match=r"no retail\.parquet in"):
        real.questions(tmp_path)
    with pytest.raises(SystemExit, match="--real FOLDER"):
        sweeps.main(sweep=["real"])


def test_times_are_set_apart_by_as_little_as_possible():
    assert real._apart(np.array([5, 5, 5, 7, 20])).tolist() == [5, 6, 7, 8, 20]


class Without:
    """A session that nobody needs."""

    def stop(self) -> None:
        pass


@pytest.fixture
def without_spark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(measuring, "RESULTS", tmp_path)
    monkeypatch.setattr(on_spark, "session", Without)
    sides = [ask_ourselves.in_one_process(), ask_sql.in_duckdb()]
    monkeypatch.setattr(sweeps, "_sides", lambda *_: sides)
    return tmp_path


def test_a_sweep_is_measured_and_drawn(without_spark: Path):
    assert sweeps.main(events=EVENTS, runs=1, sweep=["absence"]) == 0
    (point,) = json.loads((without_spark / "sweeps.json").read_text())["results"]
    assert [(one["side"], one["agrees"]) for one in point["sides"]] == [
        ("Ensue in one process", True),
        ("DuckDB SQL", True),
    ]
    assert "How each side grows" in (without_spark / "index.html").read_text()


def test_who_is_too_slow_is_not_asked_for_more(without_spark: Path):
    assert sweeps.main(events=EVENTS, runs=1, sweep=["absence"], patience=0.0) == 0
    (point,) = json.loads((without_spark / "sweeps.json").read_text())["results"]
    assert point["cannot"]["DuckDB SQL"] == "takes longer than 0 s from no B within 30 s on"


def test_who_is_too_slow_only_later_ends_nothing(without_spark: Path, monkeypatch: pytest.MonkeyPatch):
    def tires(*_: object) -> AbstractContextManager[Ready]:
        left = iter(range(1))

        def run() -> int:
            if next(left, None) is None:
                raise TooSlowError
            return 0

        return nullcontext(Ready(run, lambda: matching.NOTHING, list))

    sides = [Contender("Tires", tires), ask_sql.in_duckdb()]
    monkeypatch.setattr(sweeps, "_sides", lambda *_: sides)
    assert sweeps.main(events=EVENTS, runs=3, sweep=["shapes"]) == 0
    points = json.loads((without_spark / "sweeps.json").read_text())["results"]
    assert [[one["side"] for one in point["sides"]] for point in points] == [["DuckDB SQL"]] * 2
    for point in points:
        assert point["cannot"] == {"Tires": "takes longer than 100 s from A then (B or C) then D on"}


def test_a_peer_that_ends_with_an_error_ends_nothing(without_spark: Path, monkeypatch: pytest.MonkeyPatch):
    ended = []

    def fails(*_: object) -> AbstractContextManager[Ready]:
        raise EndedError("the peer has ended:\nno memory")

    sides = [Contender("Fails", fails, end=lambda: ended.append("Fails")), ask_sql.in_duckdb()]
    monkeypatch.setattr(sweeps, "_sides", lambda *_: sides)
    value = "A then 2 times B then C"
    assert sweeps.main(events=EVENTS, runs=1, sweep=["shapes", "absence"], value=[value, "no B within 30 s"]) == 0
    points = json.loads((without_spark / "sweeps.json").read_text())["results"]
    assert [point["cannot"] for point in points] == [
        {"Fails": f"ends with an error from {value} on"},
        {"Fails": "ends with an error from no B within 30 s on"},
    ]
    assert len(ended) == 3  # after each of the two sweeps, and at the end


def test_a_point_that_no_sweep_has_is_missed():
    with pytest.raises(SystemExit, match="No sweep has a point 7"):
        sweeps.main(sweep=["rules"], value=["7"])


def test_what_takes_too_long_is_stopped():
    stopped = threading.Event()

    def ends() -> None:
        stopped.wait(10)
        raise EOFError

    with pytest.raises(TooSlowError), in_time(0.01, stopped.set):
        ends()
    with pytest.raises(TooSlowError), in_time(0.0, lambda: None):
        time.sleep(0.1)
    with pytest.raises(EOFError), in_time(60, stopped.set):
        ends()
