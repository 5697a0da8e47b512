"""docs/operators.md: for each operator what it says, events, a picture of what is found, and the command for it."""

from __future__ import annotations

import contextlib
import csv
import io
import re
import shlex
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tools.pages.timelines import Mark, Span, timeline

import ensue
from ensue.cli import main

_EXAMPLES = Path(__file__).with_name("operators.toml")
_DAY = "2026-07-10"
_INTRODUCTION = """\
# Operators, one by one

**For every operator of [the grammar](grammar.md): some events, a pattern, and what it finds.** `./ensue docs` makes
this page and its pictures from `tools/pages/operators.toml`: the answers are Ensue's own, and tests run every command.

In a picture the events stand at the top, in order of time, and each line below is one occurrence: from its begin to its
end, with dots for the events that it is made of. The context is `recent`, the default; [contexts](contexts.md) shows
the others. What each operator means exactly is in [semantics](semantics.md#2-operators).
"""


@dataclass(frozen=True)
class Operator:
    title: str
    grammar: Sequence[str]
    text: str
    pattern: str
    events: str
    also: Sequence[str] = ()

    @property
    def slug(self) -> str:
        return re.sub(r"\W+", "-", self.title.lower()).strip("-")


def operators() -> list[Operator]:
    return [Operator(**entry) for entry in tomllib.loads(_EXAMPLES.read_text("utf-8"))["operator"]]


def page() -> str:
    return "\n".join([_INTRODUCTION, *(_section(operator) for operator in operators())])


def pictures() -> dict[str, str]:
    return {f"pictures/operators/{operator.slug}.svg": _picture(operator) for operator in operators()}


def _section(operator: Operator) -> str:
    table = _table(_rows(operator))
    command = f"ensue detect {shlex.quote(operator.pattern)} events.csv"
    lines = [
        f"## {operator.title}\n",
        f"{operator.text}\n",
        f"```ensue\n{operator.pattern}\n```\n",
        f"![The events, and what is found](pictures/operators/{operator.slug}.svg)\n",
        f"```console\n$ cat events.csv\n{table}$ {command}\n{_shown(command, table)}```\n",
    ]
    if operator.also:
        others = ", ".join(f"`{_same(other, operator)}`" for other in operator.also)
        lines.append(f"The same in other words: {others}.\n")
    rules = sorted({name.partition(".")[0] for name in operator.grammar})
    lines.append("In the grammar: " + ", ".join(f"[{rule}](grammar.md#{rule})" for rule in rules) + ".\n")
    return "\n".join(lines)


def _same(other: str, operator: Operator) -> str:
    if ensue.parse(other) != ensue.parse(operator.pattern):
        raise ValueError(f"{operator.title}: {other!r} is another pattern, {ensue.parse(other)}")
    return other


def _rows(operator: Operator) -> list[dict[str, str]]:
    rows = []
    for line in operator.events.strip().splitlines():
        time, type_, id_, *attributes = line.split()
        rows.append(
            {"time": f"{_DAY}T{time}", "type": type_, "id": id_, **dict(pair.split("=") for pair in attributes)}
        )
    return rows


def _table(rows: Sequence[Mapping[str, str]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _shown(command: str, table: str) -> str:
    """What the command prints about such a file."""
    out, err = io.StringIO(), io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(out):
        Path("events.csv").write_text(table, "utf-8")
        try:
            with contextlib.redirect_stderr(err):
                main(shlex.split(command)[1:])
        except SystemExit as end:
            if end.code:
                raise ValueError(f"{command}: {err.getvalue()}") from end
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _picture(operator: Operator) -> str:
    rows = _rows(operator)
    marks = [Mark(row["id"], row["type"], datetime.fromisoformat(row["time"]).replace(tzinfo=UTC)) for row in rows]
    found = ensue.detect(operator.pattern, [{name: _value(value) for name, value in row.items()} for row in rows])
    spans = [Span(finding.begin, finding.end, finding.constituents) for finding in found]
    return timeline(marks, {"found": spans}, f"What {operator.pattern} finds")


def _value(text: str) -> str | float:
    """As in a CSV file: what looks like a number is one."""
    return float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else text
