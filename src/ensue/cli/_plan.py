"""The engine's plan as a tree for people."""

from collections import Counter
from collections.abc import Mapping

from rich.text import Text
from rich.tree import Tree

from ensue.algebra import Context, Pattern, atoms
from ensue.algebra.patterns import Atom
from ensue.engine.arrays import FOREVER
from ensue.engine.candidates import Tests
from ensue.engine.nodes.base import Node
from ensue.engine.plan import Plan, make_plan
from ensue.model import Taxonomy
from ensue.time import format_duration, format_instant

_WORDS = {
    "Leaf": "events",
    "RuleLeaf": "events, with the rules that want them",
    "AnyEvent": "every event",
    "Filter": "test",
    "Union": "or",
    "Pairs": "pairs",
    "Repeats": "runs",
    "SomeOf": "some of",
    "Delays": "timers",
    "Periods": "timers",
    "CollectedPeriods": "timers, collected",
    "During": "count in intervals",
    "Absences": "absence in intervals",
    "Latest": "event by event over what is held",
}


def plan_trees(patterns: Mapping[str, tuple[Pattern, Context]], taxonomy: Taxonomy) -> list[Tree]:
    """A tree for each pattern. A node that several others use is worked out once: it is numbered, and shown once."""
    plan = make_plan(patterns, taxonomy)
    uses = Counter([*(used for node in plan.nodes for used in node.inputs), *plan.roots.values()])
    numbers = {node: number for number, node in enumerate((n for n, count in uses.items() if count > 1), 1)}
    shown: set[int] = set()
    trees = []
    first_of = {next(iter(family.numbers)): family for family in plan.families}
    told = {name for family in plan.families for name in family.numbers} - first_of.keys()
    for name, root in plan.roots.items():
        if name in told:
            continue
        more = f", and {len(first_of[name].numbers) - 1} more of its shape" if name in first_of else ""
        tree = Tree(Text(f"{name or 'occurrences'}{more}"), guide_style="dim")
        _grow(tree, root, plan, numbers, shown)
        trees.append(tree)
    return trees


def _grow(tree: Tree, place: int, plan: Plan, numbers: Mapping[int, int], shown: set[int]) -> None:
    mark = f"  ⟨{numbers[place]}⟩" if place in numbers else ""
    label = _label(plan.nodes[place], _as_written(plan, plan.patterns[place]))
    if place in shown:
        tree.add(Text.assemble(label, (f"{mark} shared, see above", "dim")))
        return
    shown.add(place)
    branch = tree.add(Text.assemble(label, (f"{mark} shared" if mark else "", "dim")))
    for used in plan.nodes[place].inputs:
        _grow(branch, used, plan, numbers, shown)


def _as_written(plan: Plan, pattern: Pattern | None) -> Pattern | None:
    """A part of patterns that are one plan, as it is in the first of them."""
    rules = {name for atom in atoms(pattern) for name, _ in atom.bindings} if pattern is not None else set()
    family = next((family for family in plan.families if family.rule in rules), None)
    return pattern if family is None or pattern is None else family.rule_of(pattern, 0)


def _label(node: Node, pattern: Pattern | None) -> Text:
    kind = _WORDS.get(type(node).__name__, type(node).__name__.lower())
    words = Text(kind, style="bold")
    if pattern is not None:
        words.append(f" {pattern}", style="not bold")
    tests = getattr(node, "tests", None)
    if isinstance(tests, Tests) and not isinstance(pattern, Atom):
        words.append("".join(f" · {part}" for part in _tests(tests)), style="not bold cyan")
    elif isinstance(tests, Tests):
        words.append("".join(f" · {part}" for part in _conditions(tests)), style="not bold cyan")
    return words


def _tests(tests: Tests) -> list[str]:
    parts = [f"within {format_duration(tests.longest)}"] if tests.longest < FOREVER else []
    parts += [f"from {format_instant(tests.low)}"] if tests.low > -FOREVER else []
    parts += [f"to {format_instant(tests.high)}"] if tests.high < FOREVER else []
    parts += [f"end from {format_instant(low)} to before {format_instant(high)}" for low, high in tests.at]
    return parts + _conditions(tests)


def _conditions(tests: Tests) -> list[str]:
    conditions = [f"where {condition}" for condition in tests.conditions]
    count = len(tests.excluded)
    return [*conditions, f"without the last {count}" if count > 1 else "without the last"] if count else conditions
