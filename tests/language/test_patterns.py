"""Texts and the Python builder make the same objects; what a text may refer to is given to the parser."""

import pytest

from ensue.algebra.building import attr, event, star, var
from ensue.algebra.expressions import Attribute, Compare, Literal, Variable
from ensue.algebra.patterns import Aperiodic, Atom, CalendarInterval, EveryNth, Then, Where, Without
from ensue.errors import PatternError
from ensue.language import parse_expression, parse_pattern, parse_program
from ensue.model import AttributeType, EventClass
from ensue.time import Calendar
from ensue.time.durations import DURATION_UNITS

A, B, C = Atom("A"), Atom("B"), Atom("C")


@pytest.mark.parametrize(
    ("text", "built"),
    [
        ("3 times Login(user = ?u, ok = false)_120", event("Login", user=var.u, ok=False).within("2 minutes").times(3)),
        ("(A;B) - C", (A >> B) - C),
        ("A & B | C", (A & B) | C),
        ("A > B* > C", star(A, B, C)),
        ("A(x > 1, y = 2)", event("A", attr.x > 1, attr.y == 2)),
        ("A(x = ?x) then B(x = ?y) where ?y > ?x", (event("A", x=var.x) >> event("B", x=var.y)).where(var.y > var.x)),
        ("AT [2026-07-10] A", A.at("2026-07-10")),
        ("A + 5 minutes", A + "5 minutes"),
        ("A in [2026-07-10 .. 2026-07-11]", A.between("2026-07-10", "2026-07-11")),
        ("A and !B", Without(A, B, since_firing=True)),
        ("A then !B then C", Aperiodic(A, C, B)),
    ],
)
def test_text_and_python_agree(text, built):
    assert parse_pattern(text) == built


def test_a_label_binds_what_a_filter_asks_of_it():
    first = Atom("Login", label="a", bindings=(("a.user", "user"),))
    second = Atom("Login", label="b", bindings=(("b.user", "user"),))
    same = Compare("=", Variable("a.user"), Variable("b.user"))
    assert parse_pattern("(?a : Login; ?b : Login)[?a.user = ?b.user]") == Where(Then(first, second), same)


def test_a_label_in_its_own_brackets_is_the_event_itself():
    assert parse_pattern("?a : T[?a.x = 1]") == Atom("T", Compare("=", Attribute("x"), Literal(1)), label="a")


def test_only_labels_below_the_filter_are_bound():
    pattern = parse_pattern("(?a : A; B)[?a.x = 1] then ?a : C")
    assert isinstance(pattern, Then)
    assert pattern.right == Atom("C", label="a")


@pytest.mark.parametrize("unit", DURATION_UNITS)
def test_every_unit_of_duration(unit):
    assert parse_pattern(f"A within 3 {unit}") == A.within(f"3 {unit}")
    assert parse_pattern(f"A within 3{unit}") == A.within(f"3 {unit}")


def test_calendars_are_known_in_addition_to_the_built_in_ones():
    tide = Calendar("tide", period=100, length=50)
    assert parse_pattern("every 2 {A} during tide", calendars={"tide": tide}) == EveryNth(2, A, CalendarInterval(tide))
    assert str(parse_pattern("every 2 {A} during day", calendars={"tide": tide})) == "every 2 {A} during day"


def test_declared_classes_are_checked():
    classes = {
        "Animal": EventClass("Animal", {"name": AttributeType.TEXT}),
        "Cat": EventClass("Cat", {"lives": AttributeType.INTEGER}, parent="Animal"),
    }
    assert str(parse_pattern("Cat(lives < 9) then Animal", classes=classes)) == "Cat(lives < 9) then Animal"
    with pytest.raises(PatternError) as caught:
        parse_pattern("Cat(nme = 'Tom', lives = 'nine') then (Dog or Anmal)", classes=classes)
    assert [problem.code for problem in caught.value.diagnostics] == ["E301", "E312", "E300", "E300"]
    assert "did you mean Animal?" in str(caught.value)


def test_conditions_over_undeclared_classes_are_taken_as_they_are():
    assert str(parse_pattern("A(x = 1, x = 'one')")) == "A(x = 1, x = 'one')"


def test_an_expression_may_use_attributes_and_variables():
    assert parse_expression("price > ?a") == Compare(">", Attribute("price"), Variable("a"))


def test_complex_classes_come_after_what_they_use():
    program = parse_program(
        """CREATE COMPLEX EVENT CLASS Third() AS DETECT Second then First;
        CREATE COMPLEX EVENT CLASS Second() AS DETECT First;
        CREATE SUBSCRIBED EVENT CLASS Zero();
        CREATE COMPLEX EVENT CLASS First() AS DETECT Zero;"""
    )
    assert [complex_class.declaration.name for complex_class in program.complex_classes] == ["First", "Second", "Third"]
    assert list(program.classes) == ["Third", "Second", "Zero", "First"]


def test_the_taxonomy_comes_from_the_declarations():
    program = parse_program(
        "CREATE SUBSCRIBED EVENT CLASS Dog() UNDER Animal; CREATE SUBSCRIBED EVENT CLASS Animal(name TEXT);"
    )
    assert program.taxonomy.above("Dog") == {"Dog", "Animal"}
