import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.console import Console
from rich.text import Text

from ensue.asking.why_not.answers import WhyNot
from ensue.asking.why_not.asking import Question, answer
from ensue.asking.why_not.gathering import Batch, Noting
from ensue.cli._files import check_files
from ensue.cli._progress import reading
from ensue.cli._sources import read_source
from ensue.embedded.incoming import Names
from ensue.errors import Diagnostic, InputError
from ensue.files.opening import FileKind, size_of
from ensue.files.running import rows_of
from ensue.language import parse_program
from ensue.model import Value
from ensue.time import format_instant, to_instant


def why_not(
    pattern: str,
    /,
    *files: Annotated[str, Parameter(allow_leading_hyphen=True)],
    key: Annotated[list[str] | None, Parameter(negative=())] = None,
    around: str | None = None,
    context: str = "recent",
    program: str | None = None,
    type: str = "type",
    time: str = "time",
    id: str = "id",
    event_type: str | None = None,
    file_format: Annotated[Literal["jsonl", "csv", "parquet"] | None, Parameter(name="--format")] = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> int:
    """Say why a pattern has no occurrence.

    Parameters
    ----------
    pattern
        What does not come, or the name of a class that the program defines by a pattern.
    files
        Where to look: JSON lines, CSV or Parquet; - is JSON lines from standard input.
    key
        Of which key, as name=value; the name is that of a variable of the pattern or of an attribute. May stand
        several times.
    around
        Around which time.
    context
        Which combinations count: all, recent, latest, chronicle, continuous or cumulative.
    program
        A program whose event classes and calendars the pattern may use.
    type
        The column that says what happened.
    time
        The column that says when.
    id
        The column that says which event it was. Without such a column events are called by their position.
    event_type
        The type of all events, if there is no column for it.
    file_format
        What kind the files are, if their names do not tell: jsonl, csv or parquet.
    as_json
        The answer as one JSON object.
    """
    check_files(files, why_not)
    names = Names(type, time, id, event_type)
    known = None if program is None else parse_program(read_source(program), file=program)
    question = Question(pattern, context, _keys(key or ()), _instant(around), known)
    policy = Noting()
    kind = None if file_format is None else FileKind(file_format)
    batches = []
    with reading(sum(map(size_of, files))) as progress:
        for chunk, here in rows_of(files, kind, progress):
            policy.unreadable([line.problem for line in chunk.unreadable])
            batches.append(Batch(chunk.events, policy, here))
    found = answer(question, names, batches)
    found = replace(found, notes=(*policy.notes(), *found.notes))
    if as_json:
        sys.stdout.write(json.dumps(_as_object(found), ensure_ascii=False, default=_plain) + "\n")
    else:
        _show(found)
    return 0


def _show(found: WhyNot) -> None:
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 200)
    for line in found.lines():
        style = "bold yellow" if line.lstrip().startswith("→") else "dim" if "would be found:" in line else ""
        console.print(Text(line, style=style), soft_wrap=True)


def _keys(given: Sequence[str]) -> dict[str, object]:
    """`name=value`; a value may be meant as what it looks like and as a text, so both are looked for."""
    found: dict[str, object] = {}
    for one in given:
        name, equals, text = one.partition("=")
        if not equals or not name or not text:
            raise InputError(Diagnostic("E607", f"--key {one} is not a name and a value", hint="--key user=ann"))
        found[name] = _meant(text)
    return found


def _meant(text: str) -> object:
    try:
        value: Value | None = json.loads(text)
    except ValueError:
        return text
    return [value, text] if isinstance(value, (bool, int, float)) else value if isinstance(value, str) else text


def _instant(around: str | None) -> int | None:
    try:
        return None if around is None else to_instant(around)
    except ValueError as error:
        raise InputError(Diagnostic("E607", f"--around: {error}", hint="--around 2026-07-10T09:20:00Z")) from None


def _as_object(found: WhyNot) -> dict[str, object]:
    return {
        "pattern": str(found.pattern),
        "context": found.context.value,
        "matches": [
            {
                "id": one.id,
                "begin": one.begin,
                "end": one.end,
                "constituents": one.constituents,
                "bindings": one.bindings,
            }
            for one in found.matches
        ],
        "misses": [
            {
                "kinds": one.kinds,
                "reasons": one.reasons,
                "events": [
                    {"id": e.id, "type": e.type, "time": format_instant(e.time), "attributes": dict(e.attributes)}
                    for e in one.events
                ],
                "would_match": str(one.pattern),
            }
            for one in found.misses
        ],
        "counts": [
            {"atom": one.atom, "of_class": one.events, "that_fit": one.passing, "of_key": one.of_key}
            for one in found.counts
        ],
        "notes": found.notes,
        "types": dict(found.types),
        "events": found.events,
        "looked_at": found.looked_at,
    }


def _plain(value: object) -> str:
    return format_instant(to_instant(value))
