"""Rules of one shape are one plan, and each still finds what it would find alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st
from tests.engine.cases import SECOND, Case, batch, histories, literals, patterns

from ensue.algebra import Context, Pattern, expressions as ex, families as fm, patterns as pt
from ensue.algebra.rewriting import map_atoms, map_parts
from ensue.engine.engine import Engine
from ensue.engine.partials import partials
from ensue.language import parse_pattern
from ensue.model import Event, Occurrence
from ensue.reference import evaluate


@pytest.fixture(autouse=True)
def _small_families(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fm, "LEAST", 2)


@st.composite
def rules(draw: st.DrawFn) -> tuple[list[Pattern], Case]:
    """Patterns that differ in the constants of their atoms, mostly each with a condition."""
    one = map_atoms(draw(patterns(draw(st.integers(1, 3)))), lambda atom: _with_condition(draw, atom))

    def another(part: ex.Expression) -> ex.Expression:
        return draw(literals()) if isinstance(part, ex.Literal) else part

    def other(atom: pt.Atom) -> pt.Atom:
        if atom.condition is None:
            return atom
        return replace(
            atom, condition=map_parts(atom.condition, lambda p: draw(literals()) if isinstance(p, ex.Literal) else p)
        )

    found = [one, *(map_atoms(one, other) for _ in range(draw(st.integers(1, 4))))]
    cuts = draw(st.lists(st.integers(-1, 10), max_size=2, unique=True).map(sorted))
    return found, Case(one, draw(histories()), tuple(cut * SECOND for cut in cuts))


def _with_condition(draw: st.DrawFn, atom: pt.Atom) -> pt.Atom:
    if draw(st.integers(0, 3)) == 0:
        return replace(atom, condition=None)
    sides: list[ex.Expression] = [ex.Attribute(draw(st.sampled_from("vw"))), draw(literals())]
    condition: ex.Expression = ex.Compare(draw(st.sampled_from(["=", "=", "=", "!=", "<", ">=", ">", "<="])), *sides)
    if draw(st.integers(0, 5)) == 0:
        condition = ex.Both(condition, ex.Compare(">=", draw(literals()), ex.Attribute("v")))
    return replace(atom, condition=condition)


def run(listed: list[Pattern], case: Case, context: Context) -> list[list[Occurrence]]:
    named = {str(i): (pattern, context) for i, pattern in enumerate(listed)}
    engine = Engine(named)
    found: dict[str, list[Occurrence]] = {name: [] for name in named}

    def take(events: tuple[Event, ...], clock: int) -> None:
        for name, one in engine.advance(batch(events), clock).items():
            found[name] += one.occurrences()

    last = -(2**60)
    for cut in case.cuts:
        take(tuple(event for event in case.events if last < event.time <= cut), cut)
        last = cut
        saved = engine.save()
        engine = Engine(named)
        engine.restore(saved)
    rest = tuple(event for event in case.events if event.time > last)
    if rest:
        take(rest, max(event.time for event in rest))
    for name, one in engine.finish().items():
        found[name] += one.occurrences()
    return list(found.values())


@pytest.mark.parametrize("context", list(Context), ids=lambda c: c.value)
@given(drawn=rules())
def test_each_rule_finds_what_it_finds_alone(context: Context, drawn: tuple[list[Pattern], Case]) -> None:
    listed, case = drawn
    for pattern, found in zip(listed, run(listed, case, context), strict=True):
        expected = evaluate(pattern, case.events, context, until=max(case.cuts, default=None))
        assert sorted(found, key=lambda o: o.order) == expected


def family_of(*texts: str, context: Context = Context.RECENT) -> fm.Family | None:
    found = fm.families({text: (parse_pattern(text), context) for text in texts})
    assert len(found) <= 1
    return found[0] if found else None


def test_what_differs_is_a_parameter_and_what_does_not_stays():
    family = family_of(
        "A(v = 1, w > 5) then B(v = 1, w = 'x') within 1 s", "A(v = 2, w > 5) then B(v = 2, w = 'x') within 1 s"
    )
    assert family is not None
    assert list(family.parameters.values()) == [(1, 2)]
    assert str(family.covering).count("v in (1, 2)") == 2
    assert str(family.rule_of(family.template, 1)) == "A(v = 2, w > 5) then B(v = 2, w = 'x') within 1 second"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("A(v = {}) within 1 s", None),
        ("A(v > {}, w = 1) then B within 1 s", None),
        ("A then B(v = {}) without C(v = {}) within 1 s", None),
        ("A then B without C(v = {}) within 1 s", "what only excludes does not say for which rule"),
        ("A(v = {}) or B", "B is of no rule"),
        ("A(v = {}) + 1 s", "the id of a temporal event tells the variables"),
        ("atmost 1 times {{A(v = {})}} during [2026-01-01 .. 2026-01-02]", "none is enough"),
        ("A then B within {} s", "a length is no constant of an atom"),
    ],
)
def test_which_patterns_are_one_plan(text: str, why: str | None):
    found = family_of(*(text.format(n, n) for n in (1, 2, 3)), context=Context.CHRONICLE)
    assert (found is None) == (why is not None), why


def test_equal_rules_are_worked_out_once():
    same = {"a": "A(v = 1)", "b": "A(v = 2)", "c": "A(v = 1)"}
    (family,) = fm.families({name: (parse_pattern(text), Context.ALL) for name, text in same.items()})
    assert family.size == 2
    assert family.numbers == {"a": 0, "b": 1, "c": 0}


def test_few_rules_stay_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(fm, "LEAST", 4)
    assert family_of("A(v = 1)", "A(v = 2)", "A(v = 3)") is None


def test_open_parts_belong_to_their_rules():
    texts = {f"rule {n}": f"A(v = {n}, w = ?x) then B(v = {n}) within 10 s" for n in (1, 2)}
    engine = Engine({name: (parse_pattern(text), Context.CHRONICLE) for name, text in texts.items()})
    events = (Event("e0", "A", 0, {"v": 1, "w": 7}), Event("e1", "A", SECOND, {"v": 2, "w": 8}))
    engine.advance(batch(events), SECOND)
    listed = [(found.patterns, found.part, found.ids, found.bindings) for found in partials(engine)]
    assert listed == [
        (("rule 1",), "A(w = ?x, v = 1)", ("e0",), (("x", ("number", 7)),)),
        (("rule 2",), "A(w = ?x, v = 2)", ("e1",), (("x", ("number", 8)),)),
    ]
