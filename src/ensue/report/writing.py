"""From a data folder to a page in a file."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ensue.errors import Diagnostic, InputError, near
from ensue.report.encoding import encode
from ensue.report.history import History, read_history
from ensue.report.links import link
from ensue.report.page import page
from ensue.report.selection import select
from ensue.report.tables import Progress


@dataclass(frozen=True, slots=True)
class Written:
    """What a report holds."""

    path: Path
    size: int
    occurrences: int
    publications: int
    notes: tuple[str, ...]


def write_report(
    data: Path,
    output: Path,
    *,
    class_name: str | None = None,
    title: str | None = None,
    progress: Progress | None = None,
) -> Written:
    """Write the report of a data folder, as a whole or not at all; `class_name` limits what was found to one class."""
    history = read_history(data, progress)
    if class_name is not None:
        _check_class(history, class_name, data)
    links = link(history)
    chosen = select(history, links, class_name)
    text = page(encode(history, links, chosen), title or _title(chosen.found, data))
    aside = output.with_name(f".{output.name}.new")
    try:
        size = aside.write_bytes(text.encode("utf-8", "replace"))
        aside.replace(output)
    except OSError as error:
        with suppress(OSError):
            aside.unlink(missing_ok=True)
        raise InputError(Diagnostic("E605", f"{output} cannot be written: {error.strerror}")) from None
    told = {one.event for one in chosen.told}
    shown = [event.ref for name in chosen.found for event in chosen.events[name]]
    occurrences = sum(ref in told or not history.cases for ref in shown)
    return Written(output, size, occurrences, len(chosen.told), chosen.notes)


def _check_class(history: History, name: str, data: Path) -> None:
    derived = [one.name for one in history.classes.values() if one.derived]
    if name in derived:
        return
    if name in history.classes:
        message = f"{name} comes from outside: a report is about what is derived"
    else:
        message = f"the program of {data} has no class {name}"
    hint = near(name, derived) or (f"there are {', '.join(sorted(derived))}" if derived else None)
    raise InputError(Diagnostic("E607", message, hint=hint))


def _title(found: tuple[str, ...], data: Path) -> str:
    return f"{', '.join(found[:3])}{' …' if len(found) > 3 else ''}" if found else data.resolve().name
