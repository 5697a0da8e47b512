"""What a side takes while it works: processor time, memory at its peak, and its checkpoint on disk."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.peers.sides import forget_peaks, peak_memory, processor_seconds, used_since

if TYPE_CHECKING:
    import psutil  # type: ignore[import-untyped]

EVERY = 0.2
"""Seconds between two looks."""


@dataclass
class Watched:
    """Bytes are the most that was seen; of memory, the peaks of all processes that were there at once."""

    processor: float = 0.0
    memory: int = 0
    state: int = 0


@contextmanager
def watching(processes: Callable[[], list[psutil.Process]], folder: Path) -> Iterator[Watched]:
    """Look again and again while the block runs; all is there when it has ended."""
    seen = Watched()
    over = threading.Event()

    def look() -> None:
        seen.memory = max(seen.memory, peak_memory(processes()))
        seen.state = max(seen.state, size(folder))

    def watch() -> None:
        while not over.wait(EVERY):
            look()

    forget_peaks(processes())
    before = processor_seconds(processes())
    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()
        look()
        seen.processor = used_since(before, processes())


def size(folder: Path) -> int:
    """The bytes of all files below a folder; files and folders that go away meanwhile count nothing."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                total += Path(place, name).lstat().st_size
    return total
