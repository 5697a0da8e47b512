"""From the text of a SELECT to sqlglot's tree, and to the canonical text, which reads back to an equal tree.

A duration (`2 hours`, `1d`) is not SQL. It is taken out before sqlglot sees the text, and stands in the tree as a
parameter that holds its microseconds. A quote inside a text is written twice, as everywhere in a program; Spark's
dialect wants a backslash before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import exp

from ensue.language.grammar import tokenize
from ensue.time import format_duration, parse_duration

DIALECT = "spark"
_MARK = "ensue_length_"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A text with its durations replaced, and where each stretch of it was before."""

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]

    def origin(self, position: int) -> int:
        """The place in the text as it was written."""
        stretch = bisect_right(self.starts, position) - 1
        return self.origins[stretch] + position - self.starts[stretch]


def prepare(text: str) -> Prepared:
    """Take the durations out of a SELECT. Raises a ValueError for one that is too long."""
    pieces: list[str] = []
    starts, origins = [0], [0]
    done = length = 0
    before = ""
    for token in tokenize(text):
        if token.type == "DURATION" and before != "interval":
            start, end = token.start_pos or 0, token.end_pos or 0
            mark = f":{_MARK}{parse_duration(str(token))}"
            pieces += [text[done:start], mark]
            length += start - done
            starts += [length, length + len(mark)]
            origins += [start, end]
            length += len(mark)
            done = end
        elif token.type == "STRING" and token[0] * 2 in token[1:-1]:
            start, end = token.start_pos or 0, token.end_pos or 0
            inner = token[1:-1].replace(token[0] * 2, f"\\{token[0]}")  # as long as it was
            pieces += [text[done:start], token[0], inner, token[0]]
            length += end - done
            done = end
        before = token.lower()
    return Prepared("".join([*pieces, text[done:]]), tuple(starts), tuple(origins))


def parse_query(text: str) -> exp.Expr:
    """The tree of a SELECT; raises what sqlglot raises."""
    return parse_prepared(prepare(text).text)


def parse_prepared(text: str) -> exp.Expr:
    """The same of a text without durations."""
    tree = sqlglot.parse_one(text, dialect=DIALECT)
    if not isinstance(tree, exp.Expr):
        raise sqlglot.ParseError("this is no SELECT")
    return tree


def canonical(tree: exp.Expr) -> str:
    """The text that reads back to an equal tree. sqlglot's own needs a round or two until it stays as it is."""
    said = _written(tree)
    for _ in range(4):
        again = _written(parse_query(said))
        if again == said:
            return said
        said = again
    raise sqlglot.ParseError("this SELECT has no text that stays the same when it is read again")


def length_of(node: exp.Expr) -> int | None:
    """The microseconds of a duration in the tree; None if the node is something else."""
    if isinstance(node, exp.Placeholder) and str(node.this or "").startswith(_MARK):
        return int(str(node.this).removeprefix(_MARK))
    return None


def with_lengths(tree: exp.Expr, made: Callable[[int], exp.Expr]) -> exp.Expr:
    """The tree with each duration replaced."""

    def replaced(node: exp.Expr) -> exp.Expr:
        length = length_of(node)
        return node if length is None else made(length)

    return tree.transform(replaced)


def walk(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Every node of a tree."""
    for node in tree.walk():
        if isinstance(node, exp.Expr):
            yield node


def _written(tree: exp.Expr) -> str:
    named = with_lengths(tree, lambda length: exp.Var(this=format_duration(length)))
    return named.transform(_quoted).sql(dialect=DIALECT, comments=False)


def _quoted(node: exp.Expr) -> exp.Expr:
    """A text as programs have it: quotes doubled, and backslashes as in Spark."""
    if not (isinstance(node, exp.Literal) and node.is_string) or isinstance(node.parent, exp.Interval):
        return node
    inner = str(node.this).replace("\\", "\\\\").replace("'", "''")
    return exp.Var(this=f"'{inner}'")
