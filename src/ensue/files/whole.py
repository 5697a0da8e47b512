"""Files that are there as a whole or not at all: written under another name, and renamed when all went well."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ensue.errors import Diagnostic, InputError


@contextmanager
def whole_file(name: str) -> Iterator[Path]:
    """A path to write to; at the end it becomes `name`, and if anything went wrong, nothing has happened."""
    target = Path(name)
    if target.is_dir():
        raise InputError(Diagnostic("E605", f"{name} is a folder", hint="name a file"))
    try:
        handle, path = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        message = f"{name} cannot be written: {error.strerror}"
        raise InputError(Diagnostic("E605", message, hint="name a file in a folder that you may write to")) from None
    os.close(handle)
    part = Path(path)
    try:
        yield part
        part.chmod(0o666 & ~_umask())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
