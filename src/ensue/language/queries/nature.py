"""What holds for a SELECT class whatever its events are: conditions A1 and A2 of PEACE, as far as its text shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from ensue.language.queries.names import OCCURRENCE, Attributes, class_name, class_tables, meanings, scopes, tables
from ensue.language.queries.outputs import outputs
from ensue.language.queries.rewriting import groups
from ensue.language.queries.text import parse_query, walk
from ensue.language.times import Extreme, parts

if TYPE_CHECKING:
    from ensue.language.program import Program, SelectedClass

_NOT_PLAIN: tuple[tuple[tuple[type[exp.Expr], ...], str], ...] = (
    ((exp.SetOperation,), "a set operation"),
    ((exp.Group,), "GROUP BY"),
    ((exp.Having,), "HAVING"),
    ((exp.Distinct,), "DISTINCT"),
    ((exp.Window, exp.Qualify), "a window function"),
    ((exp.Limit, exp.Offset, exp.Fetch), "LIMIT or OFFSET"),
    ((exp.TableSample,), "TABLESAMPLE"),
    ((exp.Lateral, exp.Unnest, exp.Pivot), "rows made from a row"),
    ((exp.Exists,), "EXISTS"),
)


_MAY_CHANGE = "purging by lifespan may change what is published"


def not_monotone(item: SelectedClass) -> str | None:
    """What makes the SELECT more than selections, projections and joins; None if it is nothing but those (A1).

    More events then give more rows, and take none away. A subquery that is a table is looked into; one that is a value
    or a condition counts as more, even where it would do no harm.
    """
    tree = parse_query(item.query)
    for node in walk(tree):
        for kinds, named in _NOT_PLAIN:
            if isinstance(node, kinds):
                return named
        if isinstance(node, exp.AggFunc) and not node.expressions:
            return f"the aggregate {node.sql_name()}"
        if isinstance(node, exp.Join) and (node.side or node.kind.upper() in {"SEMI", "ANTI", "OUTER"}):
            return f"a {' '.join(filter(None, (node.side, node.kind)))} join".lower()
        if isinstance(node, exp.Subquery) and not isinstance(node.parent, (exp.From, exp.Join)):
            return "a subquery in a condition or a value"
        if isinstance(node, (exp.Any, exp.All)) and node.find(exp.Query):
            return "a comparison with ANY or ALL"
        if isinstance(node, exp.In) and node.args.get("query"):
            return "IN with a subquery"
    single = any(isinstance(one, Extreme) and len(one.times) == 1 for one in parts(item.occurring))
    return "the aggregate of times" if single and isinstance(tree, exp.Select) and groups(tree) else None


def is_monotone(item: SelectedClass) -> bool:
    """Whether the SELECT is nothing but selections, projections and joins (A1)."""
    return not_monotone(item) is None


def is_key_subsuming(item: SelectedClass, program: Program) -> bool:
    """Whether the key of the class is seen to hold the keys of all classes that it uses (A2)."""
    return not missing_keys(item, program)


def missing_keys(item: SelectedClass, program: Program) -> tuple[tuple[str, str], ...]:
    """The used classes whose keys are not part of the class's key, each with what is missing; none if A2 holds.

    A key attribute is part of it if it, or a column that a condition makes equal to it, is an output that belongs to
    the key. Of a class in a subquery that cannot be seen.
    """
    tree = parse_query(item.query)
    if not isinstance(tree, exp.Select):
        raise AssertionError("a checked query is a SELECT")
    found = outputs(tree, item.declaration, program.attributes)
    equal = _Equal()
    for first, second in _equations(tree, program.attributes):
        equal.join(first, second)
    given = {
        equal.of((one.table.lower(), one.attribute.lower()))
        for name in item.key
        if (one := found[name]).table is not None and one.attribute is not None
    }
    top = tables(scopes(tree)[-1])
    outer = {id(source): alias for alias, (_, source) in top.items()}
    missing: list[tuple[str, str]] = []
    for table in class_tables(tree):
        name = class_name(table) or ""
        if id(table) not in outer:
            missing.append((name, "it stands in a subquery"))
        elif not (wanted := _key(name, program)):
            missing.append((name, "it has no key"))
        else:
            alias = outer[id(table)]
            missing += [
                (name, f"{one} is not in the key")
                for one in wanted
                if equal.of((alias, one.lower())) not in given and one != OCCURRENCE
            ]
    return tuple(dict.fromkeys(missing))


def warnings(program: Program) -> list[str]:
    """Why purging by lifespan may change what is published; nothing if nothing is purged."""
    if all(item.lifespan is None for item in program.subscribed_classes):
        return []
    found = []
    for item in program.selected_classes:
        name = item.declaration.name
        if reason := not_monotone(item):
            found.append(f"{name} has {reason}: fewer events may give other rows, so {_MAY_CHANGE}")
        if missing := missing_keys(item, program):
            listed = "; ".join(f"of {used}, {why}" for used, why in missing)
            found.append(f"the key of {name} does not hold the keys of what it uses ({listed}), so {_MAY_CHANGE}")
    return found


def _key(name: str, program: Program) -> tuple[str, ...]:
    """A class defined by a SELECT is told apart by all its attributes, if it declares no key."""
    selected = next((item for item in program.selected_classes if item.declaration.name == name), None)
    return selected.key if selected else program.key(name)


class _Equal:
    """Columns that are made equal, as sets with one column for each."""

    def __init__(self) -> None:
        self._above: dict[tuple[str, str], tuple[str, str]] = {}

    def of(self, column: tuple[str, str]) -> tuple[str, str]:
        while column in self._above:
            column = self._above[column]
        return column

    def join(self, first: tuple[str, str], second: tuple[str, str]) -> None:
        one, other = self.of(first), self.of(second)
        if one != other:
            self._above[one] = other


def _equations(tree: exp.Select, attributes: Attributes) -> list[tuple[tuple[str, str], tuple[str, str]]]:
    """The columns of the outermost SELECT that hold the same in each of its rows."""
    known = {
        id(one.column): (one.table.lower(), one.attribute.lower())
        for one in meanings(tree, attributes)
        if one.table is not None and one.attribute is not None
    }
    where = tree.args.get("where")
    conditions = [where.this] if where else []
    conditions += [join.args["on"] for join in tree.args.get("joins") or () if join.args.get("on") and not join.side]
    found = []
    for join in tree.args.get("joins") or ():
        shared = [one.name.lower() for one in join.args.get("using") or ()]
        holding = list(tables(scopes(tree)[-1]))
        found += [((holding[0], name), (alias, name)) for name in shared for alias in holding[1:] if not join.side]
    for condition in conditions:
        for one in condition.flatten() if isinstance(condition, exp.And) else [condition]:
            plain = one.unnest()
            if isinstance(plain, exp.EQ) and id(plain.left) in known and id(plain.right) in known:
                found.append((known[id(plain.left)], known[id(plain.right)]))
    return found
