"""Memory: what was freed stays with the process, and what is made to stay is not searched for garbage."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pyarrow as pa

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # of glibc's mallopt
_PLENTY = 2**31 - 1


@cache
def keep_freed_memory() -> bool:
    """Ask the C library not to give freed memory back to the system; says whether it will do so.

    A step works through arrays as long as its batch, and the next step wants the same again: fresh memory costs a page
    fault every few thousand bytes, up to a third of the time. Arrow then takes its memory there too: its own allocator
    gives it back within milliseconds, and what it asks for comes in large pages, which a virtual machine may have to
    be given first. All threads share one heap: what one has read, another frees, and the heaps that glibc makes for
    threads are small and go back to the system as a whole. It is for processes that belong to Ensue, the command line
    and Spark's Python workers: how much memory another program keeps is its own business.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return False
    kept = all(mallopt(option, _PLENTY) == 1 for option in (_TRIM_THRESHOLD, _MMAP_THRESHOLD))
    mallopt(_ARENA_MAX, 1)
    if kept:
        pa.set_memory_pool(pa.system_memory_pool())
    return kept


@contextmanager
def nothing_to_collect() -> Iterator[None]:
    """Make many objects, all of which stay, without Python's search for cycles among them.

    It looks through all that is there each time that so and so many objects were made: for thousands of patterns that
    takes longer than to make them. It goes on afterwards, if it was on before.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
