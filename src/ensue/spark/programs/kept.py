"""What a data folder belongs to: the program whose tables and checkpoint it holds, and one run at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ensue.errors import Diagnostic, InputError, StateError
from ensue.language import parse_program
from ensue.language.program import (
    CalendarDefinition,
    ComplexClass,
    Program,
    RestrictedType,
    SelectedClass,
    SubscribedClass,
)

if TYPE_CHECKING:
    from ensue.language.program import Statement

VERSION = 2
_TEXT, _ABOUT, _LOCK = "program.ensue", "run.json", "run.lock"
_FREE = frozenset(
    "maxfilespertrigger maxbytespertrigger maxfileage cleansource sourcearchivedir maxoffsetspertrigger"
    " minoffsetspertrigger maxtriggerdelay minpartitions failondataloss groupidprefix kafkaconsumer.polltimeoutms"
    " fetchoffset.numretries fetchoffset.retryintervalms startingoffsets startingtimestamp"
    " startingoffsetsbytimestamp".split()
)
"""Options that only say how a source is read on; a checkpoint does not mind when they change."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The program of a data folder, where its sources are, and over how many shards its keys are spread."""

    program: Program
    paths: Mapping[str, str]
    shards: int


def load(data: Path) -> Kept | None:
    """What a data folder is for; None if it is new."""
    text, about = data / _TEXT, data / _ABOUT
    if not about.exists():
        return None
    try:
        said = json.loads(about.read_text("utf-8"))
        if said["version"] != VERSION:
            message = f"{data} is of version {said['version']}; this program goes on from version {VERSION}"
            raise StateError(Diagnostic("E503", message, hint="give another folder with --data"))
        return Kept(parse_program(text.read_text("utf-8")), said["paths"], said["shards"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StateError(
            Diagnostic("E502", f"{about} is damaged: {error}", hint="restore it from a copy, or give another --data")
        ) from None


def save(data: Path, kept: Kept) -> None:
    """Remember the program. The newest text is kept, for what may change: sinks, and how fast sources are read."""
    _write(data / _TEXT, f"{kept.program}\n")
    _write(data / _ABOUT, json.dumps({"version": VERSION, "paths": dict(kept.paths), "shards": kept.shards}))


def check_same(old: Kept, new: Program, paths: Mapping[str, str], data: Path) -> None:
    """Refuse to go on with another program than the one that the checkpoint and the tables are of."""
    before, after = _essence(old.program), _essence(new)
    added = [name for name in after if name not in before]
    removed = [name for name in before if name not in after]
    changed = [
        name
        for name in before
        if name in after and (before[name] != after[name] or old.paths.get(name) != paths.get(name))
    ]
    if not added and not removed and not changed:
        return
    listed = (("added", added), ("removed", removed), ("changed", changed))
    said = "; ".join(f"{what}: {', '.join(names)}" for what, names in listed if names)
    kept = _untouched(old.program, before, {*added, *removed, *changed})
    hint = (
        f"go on with the old program (it is in {data / _TEXT}), or give the changed one a folder of its own with"
        " --data: it then reads its sources from their beginning"
    )
    if kept:
        hint += f"; unchanged, so that their tables stay valid: {', '.join(kept)}"
    raise StateError(Diagnostic("E507", f"{data} belongs to another program; {said}", hint=hint))


def _untouched(program: Program, names: Iterable[str], touched: set[str]) -> list[str]:
    """The names that nothing reaches: a class is touched if one that it looks at, or one under that, is."""
    for item in program.derived_classes:  # each after those that it uses
        below = frozenset[str]().union(*(program.taxonomy.below(name) for name in item.uses))
        if below & touched:
            touched = {*touched, item.declaration.name}
    return [name for name in names if name not in touched]


def _essence(program: Program) -> dict[str, Statement]:
    """Of each statement what the state depends on: not the sinks, nor how fast a source is read."""
    found: dict[str, Statement] = {}
    for statement in program.statements:
        match statement:
            case SubscribedClass(declaration=declaration, source=source):
                if source is not None:
                    said = tuple(sorted((k.lower(), v) for k, v in source.options if k.lower() not in {"path", *_FREE}))
                    source = replace(source, options=said)
                found[declaration.name] = replace(statement, source=source)
            case ComplexClass(declaration=declaration) | SelectedClass(declaration=declaration):
                found[declaration.name] = replace(statement, sink=None)
            case CalendarDefinition(calendar=calendar):
                found[f"calendar {calendar.name}"] = statement
            case RestrictedType():
                pass  # the patterns that use it hold what it says
    return found


@contextmanager
def locked(data: Path) -> Iterator[None]:
    """One run at a time. The lock is the system's, so that it ends with the process, however that ends."""
    try:
        import fcntl
    except ImportError:  # Windows has none
        yield
        return
    with (data / _LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            message = f"another run is using {data}"
            raise InputError(Diagnostic("E433", message, hint="end it, or give another folder with --data")) from None
        yield


def _write(path: Path, text: str) -> None:
    new = path.with_name(f".{path.name}.new")
    new.write_text(text, "utf-8")
    new.replace(path)
