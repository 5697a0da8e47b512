"""Patterns are of one shape if they differ at most in the constants of their atoms, however that is found out."""

from __future__ import annotations

from hypothesis import given, strategies as st
from tests.strategies import patterns

from ensue.algebra import Pattern, expressions as ex, patterns as pt
from ensue.algebra.rewriting import map_atoms, map_parts
from ensue.algebra.shapes import Shapes

CONSTANTS = [ex.Literal(value) for value in (0, 1, 1.0, True, "1", None)]


@st.composite
def alike(draw: st.DrawFn) -> tuple[Pattern, Pattern]:
    """A pattern, and the same with other constants in its atoms."""

    def another(part: ex.Expression) -> ex.Expression:
        return draw(st.sampled_from(CONSTANTS)) if isinstance(part, ex.Literal) else part

    def other(atom: pt.Atom) -> pt.Atom:
        condition = None if atom.condition is None else map_parts(atom.condition, another)
        return pt.Atom(atom.type, condition, atom.bindings, atom.label)

    one = draw(patterns(max_depth=3))
    return one, map_atoms(one, other)


def constants(pattern: Pattern) -> list[ex.Literal]:
    """The constants of all atoms, one after another."""
    found: list[ex.Literal] = []

    def note(part: ex.Expression) -> ex.Expression:
        if isinstance(part, ex.Literal):
            found.append(part)
        return part

    def look(atom: pt.Atom) -> pt.Atom:
        if atom.condition is not None:
            map_parts(atom.condition, note)
        return atom

    map_atoms(pattern, look)
    return found


@given(drawn=alike())
def test_other_constants_are_no_other_shape(drawn: tuple[Pattern, Pattern]) -> None:
    one, two = drawn
    shapes = Shapes()
    first, of_one = shapes.of(one)
    second, of_two = shapes.of(two)
    assert second is first
    assert first.first is one
    assert list(of_one) == constants(one)
    assert list(of_two) == constants(two)


@given(one=patterns(max_depth=3), two=patterns(max_depth=3))
def test_a_comparison_says_what_taking_apart_says(one: Pattern, two: Pattern) -> None:
    first, second = Shapes().of(one)[0], Shapes().of(two)[0]
    assert (first.constants(two) is not None) == (first.opened == second.opened)


def test_more_shapes_than_are_compared() -> None:
    shapes = Shapes()
    listed = [pt.Atom(f"A{n}", ex.Compare("=", ex.Attribute("x"), ex.Literal(n))) for n in range(Shapes.RECENT + 3)]
    first = [shapes.of(pattern)[0] for pattern in listed]
    assert [shapes.of(pattern)[0] for pattern in listed] == first
    assert len(set(map(id, first))) == len(listed)
