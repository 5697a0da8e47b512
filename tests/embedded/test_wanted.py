"""What some atom wants of a table is found with as few tests as possible, and with the same answer."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, strategies as st

from ensue.algebra import expressions as ex, wants
from ensue.algebra.patterns import Atom
from ensue.embedded.incoming import Names
from ensue.embedded.offered import Offered
from ensue.model import Taxonomy
from ensue.reference.conditions import evaluate

TYPES = ("a", "b")
NAMES = Names("type", "time", "id", None)
VALUES = st.sampled_from([None, 1, 2, 3])
TEXTS = st.sampled_from([None, "1", "two", "three"])


@st.composite
def conditions(draw: st.DrawFn) -> ex.Expression:
    attribute = ex.Attribute(draw(st.sampled_from(["number", "text"])))
    literals = st.one_of(VALUES, TEXTS, st.just(True)).map(ex.Literal)
    if draw(st.booleans()):
        return ex.OneOf(attribute, tuple(draw(st.lists(literals, min_size=1, max_size=8))))
    return ex.Compare(draw(st.sampled_from(["=", "=", "<", "!="])), attribute, draw(literals))


@st.composite
def atoms(draw: st.DrawFn) -> Atom:
    condition = ex.conjunction(draw(st.lists(conditions(), max_size=2)))
    names = st.tuples(st.sampled_from("xy"), st.sampled_from(["number", "text"]))
    return Atom(draw(st.sampled_from(TYPES)), condition, tuple(draw(st.lists(names, max_size=1))))


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    rows = draw(st.lists(st.tuples(st.sampled_from((*TYPES, "c")), VALUES, TEXTS), min_size=1, max_size=12))
    types, numbers, texts = zip(*rows, strict=True)
    places = list(range(len(rows)))
    return pa.table(
        {
            "type": pa.array(types, pa.string()),
            "time": pa.array(places, pa.timestamp("us", "UTC")),
            "id": [str(place) for place in places],
            "number": pa.array(numbers, pa.int64()),
            "text": pa.array(texts, pa.string()),
        }
    )


@given(table=tables(), wanting=st.lists(atoms(), min_size=1, max_size=6))
def test_a_row_is_wanted_if_one_atom_wants_it(table: pa.Table, wanting: list[Atom]) -> None:
    expected = [
        place
        for place, row in enumerate(table.to_pylist())
        if any(
            atom.type == row["type"]
            and (atom.condition is None or evaluate(atom.condition, row.get) is True)
            and all(row[attribute] is not None for _, attribute in atom.bindings)
            for atom in wanting
        )
    ]
    assert Offered(table, NAMES).wanted(wants.tests_of(wanting, Taxonomy())).tolist() == expected


def test_rules_for_different_values_of_an_attribute_are_one_test() -> None:
    small = ex.Compare("<", ex.Attribute("size"), ex.Literal(9))

    def wanting(variable: str, *values: int) -> Atom:
        choices = ex.OneOf(ex.Attribute("key"), tuple(map(ex.Literal, values)))
        return Atom("a", ex.Both(small, choices), ((variable, "key"),))

    ((test,),) = wants.tests_of([wanting("x", 1, 2), wanting("y", 2, 3)], Taxonomy())
    (all_of,) = (part for part in ex.conjuncts(wanting("x", 1, 2, 3).condition or small) if part != small)
    assert set(ex.conjuncts(test.condition or small)) == {small, all_of}
