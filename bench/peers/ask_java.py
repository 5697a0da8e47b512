"""Flink CEP, Flink SQL, Esper and Siddhi as they are asked in the sweeps; each has its own text for a shape.

They have two threads where keys can be divided, and one where not. Rules of one shape are one question, over the events
of their keys: nobody who wants it fast would ask one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

from bench.peers import epl, flink_steps, in_java, match_recognize, siddhi_ql
from bench.peers.asked import Asked, CannotError, Query
from bench.peers.contender import CORES, Contender
from bench.peers.files import Files
from bench.peers.sides import Ready
from bench.questions import Question
from bench.shapes import Shape, by_shape


def flink() -> Contender:
    return _on_flink("Flink CEP", "FlinkCep", lambda shape, names, _: flink_steps.of(shape, names))


def flink_sql() -> Contender:
    return _on_flink("Flink SQL", "FlinkSql", match_recognize.of)


def _on_flink(name: str, program: in_java.Program, text: Callable[[Shape, Sequence[str], str], str]) -> Contender:
    """Its state is on the heap."""
    process = in_java.Process(program, "heap")

    def start(question: Question, files: Files, patience: float) -> AbstractContextManager[Ready]:
        asked = _asked(question, files, lambda shape, mark: text(shape, files.names, mark))
        return process.ready(asked, files.parquet, files.count, _parallelism(question), patience)

    return Contender(name, start, end=process.end)


def esper() -> Contender:
    process = in_java.Process("Esper")

    def start(question: Question, files: Files, patience: float) -> AbstractContextManager[Ready]:
        return process.ready(
            asked_of_esper(question, files), files.parquet, files.count, _parallelism(question), patience
        )

    return Contender("Esper", start, end=process.end)


def siddhi() -> Contender:
    process = in_java.Process("Siddhi")

    def start(question: Question, files: Files, patience: float) -> AbstractContextManager[Ready]:
        return process.ready(
            asked_of_siddhi(question, files), files.parquet, files.count, _parallelism(question), patience
        )

    return Contender("Siddhi", start, end=process.end)


def asked_of_esper(question: Question, files: Files) -> Asked:
    _in_order(question)
    return _asked(question, files, lambda shape, mark: epl.of(shape.marked(mark)))


def asked_of_siddhi(question: Question, files: Files) -> Asked:
    _in_order(question)
    return _asked(
        question,
        files,
        lambda shape, mark: siddhi_ql.of(shape.marked(mark), mark),
        siddhi_ql.preface(name for shape, mark, _ in _marked(question) for name in shape.marked(mark).types),
    )


def _in_order(question: Question) -> None:
    if question.delay:
        raise CannotError("its patterns take events in the order in which they come")


def _asked(question: Question, files: Files, text: Callable[[Shape, str], str], preface: str = "") -> Asked:
    rest = max(shape.seconds for shape in question.shapes) * 1_000_000 + 2
    waits = any(shape.never for shape in question.shapes)
    queries = [
        Query(shape.width, text(shape, mark), rules, frozenset(shape.types), mark)
        for shape, mark, rules in _marked(question)
    ]
    wanted = frozenset(question.types)
    return Asked(
        files.names,
        wanted,
        queries,
        delay=question.delay,
        rest=rest if waits else 0,
        valued=any(step.by != "key" for shape in question.shapes for step in shape.steps),
        preface=preface,
    )


def _parallelism(question: Question) -> int:
    return CORES if all(shape.by_key for shape in question.shapes) else 1


def _marked(question: Question) -> list[tuple[Shape, str, Mapping[int, int]]]:
    """The shapes that are asked for; those of rules each with a mark of its own, and the numbers of rules by keys."""
    if not question.ruled:
        return [(question.shapes[0], "", {})]
    return [(shape, f"_{number}", rules) for number, (shape, rules) in enumerate(by_shape(question.shapes).items())]
