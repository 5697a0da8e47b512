"""A demo laid out in a folder, as a user would have it: the program, and a folder of files for each of its sources.

    ensue-demo/earthquakes/
      earthquakes.ensue
      feed/Quake/0000.jsonl  0001.jsonl  …

So what the demo does is what `ensue run earthquakes.ensue --once` does there.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from pathlib import Path

from ensue.demo.catalogue import Demo
from ensue.demo.lists.records import Record
from ensue.demo.reading import read_list
from ensue.errors import Diagnostic, InputError
from ensue.language import Program, parse_program
from ensue.spark.programs import kept

MOST = 20_000
"""So many announcements of a longer list are taken: a demo is over in two minutes."""
_FEED = "feed"
_EPOCH = 1_600_000_000
"""Files are taken in the order of their times, so these are set: a second apart, whatever the clock does."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A demo in its folder."""

    demo: Demo
    program: Program
    folder: Path
    total: int
    """How many announcements there are."""
    first: int
    """When the first of them was detected, in microseconds."""

    @property
    def source(self) -> Path:
        """The file of the program."""
        return self.folder / f"{self.demo.name}.ensue"

    @property
    def data(self) -> Path:
        """Where the tables go: where `ensue run` would have them, too."""
        return self.folder / "ensue-data"


def announcements(demo: Demo, given: Path | None) -> Iterator[Record]:
    """What a demo is fed with: a list that is given, or what is in the package."""
    if given is not None:
        if demo.given is None:
            hint = f"leave --data-file out; `ensue run` takes other data: see docs/demos/{demo.name}.md"
            raise InputError(Diagnostic("E607", f"the demo {demo.name} has its own data", hint=hint))
        yield from islice(demo.given.convert(read_list(given, demo.given.columns)), MOST)
        return
    if not demo.bundled:
        raise _not_shipped(demo)
    with (
        (files("ensue.demo") / "data" / f"{demo.name}.jsonl.gz").open("rb") as packed,
        gzip.open(packed, "rt", encoding="utf-8") as lines,
    ):
        for line in lines:
            yield json.loads(line)


def lay(demo: Demo, records: Iterable[Record], folder: Path, cuts: int | None = None) -> Laid:
    """Write program and feed into a folder; what an earlier demo has left there is removed, and nothing else."""
    program = parse_program(demo.program, file=f"{demo.name}.ensue")
    classes = [item.declaration.name for item in program.subscribed_classes]
    ordered = sorted(records, key=lambda one: one["detected"])
    if not ordered:
        raise InputError(Diagnostic("E604", "there is no row in the file", hint="give one with rows: --data-file PATH"))
    laid = Laid(demo, program, folder, len(ordered), ordered[0]["detected"] * 1000)
    try:
        _clear(laid)
        for name in classes:
            (folder / _FEED / name).mkdir(parents=True)
        for number, part in enumerate(cut(ordered, cuts or demo.files)):
            for name in classes:
                path = folder / _FEED / name / f"{number:04}.jsonl"
                path.write_text("".join(_line(one) for one in part if one["type"] == name), "utf-8")
                os.utime(path, (_EPOCH + number, _EPOCH + number))
        laid.source.write_text(demo.program, "utf-8")
    except OSError as error:
        message = f"{folder} cannot be written: {error.strerror}"
        raise InputError(Diagnostic("E605", message, hint="name another folder: --folder FOLDER")) from None
    return laid


def cut(ordered: Sequence[Record], parts: int) -> Iterator[Sequence[Record]]:
    """Pieces of about the same length of time; what was detected at one time stays together."""
    first, last = ordered[0]["detected"], ordered[-1]["detected"]
    length = (last - first) // parts + 1
    begin = 0
    for end in range(1, len(ordered) + 1):
        if (
            end == len(ordered)
            or (ordered[end]["detected"] - first) // length > (ordered[begin]["detected"] - first) // length
        ):
            yield ordered[begin:end]
            begin = end


def _line(record: Record) -> str:
    told = {name: value for name, value in record.items() if name != "type"}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")) + "\n"


def _clear(laid: Laid) -> None:
    if laid.folder.exists() and any(laid.folder.iterdir()) and not laid.source.exists():
        message = f"{laid.folder} is there already, and is no folder of this demo"
        raise InputError(Diagnostic("E607", message, hint="name another one: --folder FOLDER"))
    if laid.data.exists():
        with kept.locked(laid.data):  # nobody's run is taken from under its feet
            shutil.rmtree(laid.data)
    shutil.rmtree(laid.folder / _FEED, ignore_errors=True)
    laid.folder.mkdir(parents=True, exist_ok=True)


def _not_shipped(demo: Demo) -> InputError:
    if demo.given is None:
        raise AssertionError(f"the demo {demo.name} has no data at all")
    message = (
        f"the data of the demo {demo.name} is not part of Ensue: give it with --data-file PATH."
        f"\n  what it is: {demo.given.what}"
        f"\n  where it comes from: {demo.given.where}"
        f"\n  its columns: {', '.join(demo.given.columns)}"
    )
    hint = f"docs/demos/{demo.name}.md says more; `ensue demo` needs no file"
    return InputError(Diagnostic("E607", message, hint=hint))
