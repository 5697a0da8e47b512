"""What a run remembers between windows: a folder for each, written aside and renamed into its place.

What is not there under its name has not happened: whoever was killed makes the same window again. The last two are
kept, because Spark may ask for the last micro-batch once more.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from uuid import uuid4

from ensue.errors import Diagnostic, StateError

_ABOUT = "about.json"
_KEPT = 2


@dataclass(frozen=True, slots=True)
class About:
    """How far a run has come: after which window, up to which time, and what it has counted since its beginning."""

    number: int
    last: int
    purged: int | None = None
    """The grid point at which something was last forgotten."""
    due: int | None = None
    """When the next known event falls due."""
    coming: int = 0
    """How many events are known that have not fallen due yet."""
    outcomes: dict[str, int] = field(default_factory=dict)
    told: dict[str, dict[str, int]] = field(default_factory=dict)
    """By class and case, how many publications there were."""
    kept: int = 0
    """How many versions of announced events are remembered."""
    open: dict[str, int] = field(default_factory=dict)
    """For each class of a pattern, how many of its parts have occurred and wait for the rest."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """The states of a data folder."""

    data: Path

    @property
    def folder(self) -> Path:
        return self.data / "corrections" / "state"

    @property
    def aside(self) -> Path:
        return self.data / "corrections" / "aside"

    def prepare(self) -> None:
        """Make the folders, and remove what an interrupted run has left aside."""
        self.folder.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(self.aside, ignore_errors=True)

    def last(self) -> About | None:
        """What the newest state says of itself; None if there is none."""
        numbers = self._numbers()
        return self._about(numbers[-1]) if numbers else None

    def of(self, number: int) -> Path:
        return self.folder / str(number)

    @contextmanager
    def writing(self) -> Iterator[Path]:
        """A folder to write into; `place` makes a state of it."""
        path = self.aside / uuid4().hex
        path.mkdir(parents=True)
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def place(self, written: Path, about: About) -> None:
        """Now it has happened."""
        (written / _ABOUT).write_text(json.dumps(asdict(about)), "utf-8")
        os.rename(written, self.of(about.number))  # noqa: PTH104  # of the two spellings this one says what is meant
        for old in self._numbers()[:-_KEPT]:
            shutil.rmtree(self.of(old), ignore_errors=True)

    def _numbers(self) -> list[int]:
        if not self.folder.exists():
            return []
        return sorted(int(path.name) for path in self.folder.iterdir() if path.name.isdigit())

    def _about(self, number: int) -> About:
        path = self.of(number) / _ABOUT
        try:
            return About(**json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise StateError(
                Diagnostic("E502", f"{path} is damaged: {error}", hint="restore it from a copy, or give another --data")
            ) from None


def added(one: Mapping[str, Mapping[str, int]], two: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Two counts by class and case, together."""
    return {
        name: {
            case: one.get(name, {}).get(case, 0) + two.get(name, {}).get(case, 0)
            for case in {**one.get(name, {}), **two.get(name, {})}
        }
        for name in {**one, **two}
    }
