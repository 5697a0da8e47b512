"""Sources that stay in step after a kill.

Spark asks each source in turn what is new, and a source of files writes down at once which files these are; only then
does Spark write down what the next micro-batch reads. Killed between the two, it takes those files and the ones after
them together, and that source is ahead of the others for ever: their announcements would come after steps that were
made already. So lists that no micro-batch knows of are taken back before a run goes on; the files are found again.
"""

from __future__ import annotations

import json
from pathlib import Path

_COMPACT = ".compact"


def bring_in_step(checkpoint: Path) -> list[Path]:
    """Take back the lists of files that no micro-batch has read; says which."""
    reached = _reached(checkpoint / "offsets")
    places = sorted((one for one in (checkpoint / "sources").glob("*") if one.name.isdigit()), key=_number)
    if reached is not None and len(reached) != len(places):
        return []  # a source that is read twice: which line is whose is not known
    gone = []
    for place, last in zip(places, reached or [-1] * len(places), strict=True):
        lists = {_number(one): one for one in place.glob("[0-9]*") if _is_list(one)}
        later = [number for number in lists if last is not None and number > last]
        gone += [lists[number] for number in later if _can_do_without(lists, number)]
    for path in gone:
        path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
        path.unlink()
    return gone


def _reached(offsets: Path) -> list[int | None] | None:
    """Up to which list each source was read, by the newest micro-batch; null for one that is not of files."""
    newest = max((one for one in offsets.glob("[0-9]*") if one.name.isdigit()), key=_number, default=None)
    if newest is None:
        return None
    found: list[int | None] = []
    for line in newest.read_text("utf-8").splitlines()[2:]:
        try:
            said = json.loads(line)
        except ValueError:
            said = None  # "-": nothing was read of it yet
        number = said.get("logOffset") if isinstance(said, dict) else -1 if line == "-" else None
        found.append(number if isinstance(number, int) else None)
    return found


def _can_do_without(lists: dict[int, Path], number: int) -> bool:
    """Every tenth list has all before it: it may only go while these are still there themselves."""
    if not lists[number].name.endswith(_COMPACT):
        return True
    for before in range(number - 1, -1, -1):
        if before not in lists:
            return False
        if lists[before].name.endswith(_COMPACT):
            return True
    return True


def _is_list(path: Path) -> bool:
    """Whether it is a list of files: other sources have files with numbers here too."""
    if not path.name.removesuffix(_COMPACT).isdigit():
        return False
    lines = path.read_text("utf-8", "replace").splitlines()[1:2]
    return bool(lines) and lines[0].startswith("{") and '"path"' in lines[0] and '"batchId"' in lines[0]


def _number(path: Path) -> int:
    return int(path.name.removesuffix(_COMPACT))
