import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from ensue.asking.why.asking import differences, why as ask
from ensue.asking.why.findings import FOUND, Rows
from ensue.asking.why.folders import Folder
from ensue.asking.why.records import Cause, Node, Records, Told, Version, Why
from ensue.embedded.incoming import Names
from ensue.errors import Diagnostic, InputError
from ensue.files.running import rows_of
from ensue.files.writers import instant_text, plain_text
from ensue.time import format_instant

_MOST = 30
"""More parts than this nobody reads on a screen."""

_COLOURS = {"on time": "green", "late": "yellow", "change": "cyan", "revoke": "red"}


def why(
    occurrence: str,
    /,
    *files: str,
    data: str | None = None,
    type: str = "type",
    time: str = "time",
    id: str = "id",
    event_type: str | None = None,
    as_json: Annotated[bool, Parameter(name="--json", negative=())] = False,
) -> int:
    """Say where an occurrence comes from.

    Parameters
    ----------
    occurrence
        Its id, or as much of the beginning as is unique; also the id of an event.
    files
        Findings that `ensue detect --output jsonl` wrote, and the files of events that they were found in.
    data
        The folder of a run; by default `ensue-data` in this folder. Spark is not started.
    type
        The column that says what happened.
    time
        The column that says when.
    id
        The column that says which event it was. Without such a column events are called by their position.
    event_type
        The type of all events, if there is no column for it.
    as_json
        The answer as one JSON object.
    """
    records = _records(files, data, Names(type, time, id, event_type))
    found = ask(occurrence, records)
    if isinstance(records, Rows) and records.without_time:
        _note(records.without_time, time)
    if as_json:
        sys.stdout.write(json.dumps(_as_object(found), ensure_ascii=False, default=_plain) + "\n")
    else:
        _show(found, Console(highlight=False, width=None if sys.stdout.isatty() else 200))
    return 0


def _records(files: tuple[str, ...], data: str | None, names: Names) -> Records:
    if files and data is not None:
        raise InputError(Diagnostic("E607", "files and --data are two places to look", hint="leave one of them out"))
    if not files:
        return Folder(Path(data or "ensue-data"))
    rows = [chunk.events.row(n) for chunk, _ in rows_of(files, None, _unseen) for n in range(len(chunk.events))]
    return Rows(list(files), rows, names)


def _note(rows: int, time: str) -> None:
    said = f"{rows:,} row{'s have' if rows > 1 else ' has'} no time in the column {time}, and cannot be used"
    sys.stderr.write(f"{said}; --type, --time and --id say what the columns are called\n")


def _unseen(_bytes: int, _rows: int) -> None:
    """Nobody is shown how far the reading has come."""


def _show(found: Why, console: Console) -> None:
    tree = Tree(_label(found.root), guide_style="dim")
    _grow(tree, found.root)
    console.print(tree)
    if found.definition is not None:
        console.print(Text(f"defined as  {found.definition.text}", style="dim"))
    if found.standing:
        console.print(Text(f"it is {found.standing}" if found.standing.startswith("b") else f"it was {found.standing}"))
    if found.similar:
        console.print(Text("\nWhat it is made of is not kept. Events with its key, as believed then:", style="bold"))
        for node in found.similar[:_MOST]:
            tree = Tree(_label(node), guide_style="dim")
            _grow(tree, node)
            console.print(tree)
    if len(found.versions) > 1:
        console.print(Text("\nbelieved", style="bold"))
        for version in found.versions[-_MOST:]:
            console.print(_believed(version), soft_wrap=True)
    if found.told:
        console.print(Text("\npublished", style="bold"))
        for told, causes in found.told[-_MOST:]:
            console.print(_published(told, causes), soft_wrap=True)


def _grow(tree: Tree, node: Node) -> None:
    parts = node.parts or ()
    for part in parts[:_MOST]:
        _grow(tree.add(_label(part)), part)
    if len(parts) > _MOST:
        tree.add(Text(f"… and {len(parts) - _MOST:,} more: --json has them all", style="dim"))


def _label(node: Node) -> Text:
    version = node.version
    name = node.key if version is None else version.id
    label = Text.assemble(("" if node.type == FOUND else f"{node.type} ", "bold"), name)
    if version is None:
        return label.append("  nothing is known of it here", style="red")
    begin, end = format_instant(version.begin), format_instant(version.end)
    label.append(f"  {begin}" if begin == end else f"  {begin} to {end}")
    if version.attributes:
        label.append(f"  {_values(version.attributes)}", style="cyan")
    return label.append(f"  ({node.later})", style="yellow") if node.later else label


def _believed(version: Version) -> Text:
    since = "" if version.detected is None else format_instant(version.detected)
    if version.withdrawn:
        return Text.assemble(f"  since {since}  ", ("nothing", "red"))
    made = "" if not version.parts else f"  made of {len(version.parts)}"
    return Text(f"  since {since}  {version.id} at {format_instant(version.end)}  {_values(version.attributes)}{made}")


def _published(told: Told, causes: tuple[Cause, ...] | None) -> Text:
    line = Text.assemble(
        f"  {format_instant(told.detected)}  ",
        (f"{told.case:<8}", _COLOURS.get(told.case, "")),
        f"  {told.publication}",
    )
    if told.case == "change" and told.replaced is not None and told.replaced_time is not None:
        old = {"time": format_instant(told.replaced_time), **told.replaced}
        line.append(f"  {differences(old, {'time': format_instant(told.occurred), **told.attributes})}")
    else:
        line.append(f"  at {format_instant(told.occurred)}  {_values(told.attributes)}")
    for cause in causes or ():
        line.append(f"\n      because {cause.type} {cause.key} {cause.change}", style="dim")
    if causes == ():
        line.append("\n      because its time had come", style="dim")
    return line


def _values(attributes: Mapping[str, object]) -> str:
    return " ".join(f"{name}={plain_text(value)}" for name, value in attributes.items() if value is not None)


def _as_object(found: Why) -> dict[str, object]:
    return {
        "occurrence": _node(found.root),
        "defined_as": None if found.definition is None else found.definition.text,
        "standing": found.standing,
        "similar": [_node(node) for node in found.similar],
        "versions": [_version(version) for version in found.versions],
        "published": [
            {
                **{name: value for name, value in asdict(told).items() if name not in ("why", "replaced_time")},
                "detected": format_instant(told.detected),
                "occurred": format_instant(told.occurred),
                "because": None if causes is None else [asdict(cause) for cause in causes],
            }
            for told, causes in found.told
        ],
    }


def _node(node: Node) -> dict[str, object]:
    return {
        "class": node.type,
        "key": node.key,
        **({} if node.version is None else _version(node.version)),
        "constituents": None if node.parts is None else [_node(part) for part in node.parts],
        **({"later": node.later} if node.later else {}),
    }


def _version(version: Version) -> dict[str, object]:
    return {
        "id": version.id,
        "begin": format_instant(version.begin),
        "end": format_instant(version.end),
        "detected": None if version.detected is None else format_instant(version.detected),
        "withdrawn": version.withdrawn,
        "attributes": dict(version.attributes),
    }


def _plain(value: object) -> str:
    return instant_text(value) if isinstance(value, datetime) else str(value)
