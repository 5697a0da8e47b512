"""Finding and opening files: their kind, whether they are compressed, and clear words if they cannot be read."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import cast

from ensue.errors import Diagnostic, InputError, near


class FileKind(Enum):
    """The kinds of files that events can be read from."""

    JSONL = "jsonl"
    CSV = "csv"
    PARQUET = "parquet"


_SUFFIXES = {
    ".jsonl": FileKind.JSONL,
    ".ndjson": FileKind.JSONL,
    ".json": FileKind.JSONL,
    ".csv": FileKind.CSV,
    ".parquet": FileKind.PARQUET,
    ".pq": FileKind.PARQUET,
}
STDIN = "-"
_BLOCK = 1 << 20


def kind_of(name: str) -> FileKind:
    """The kind of a file by its name, `.gz` left aside; what comes from standard input is JSON lines."""
    if name == STDIN:
        return FileKind.JSONL
    suffix = Path(name.removesuffix(".gz")).suffix.lower()
    if suffix not in _SUFFIXES:
        known = ", ".join(_SUFFIXES)
        message = f"what kind of file this is cannot be told from its name: {name}"
        raise InputError(
            Diagnostic("E602", message, hint=f"the endings are {known}, each also with .gz; or use --format")
        )
    return _SUFFIXES[suffix]


def check_readable(name: str) -> None:
    """Complain before any work is done about a file that is not there or cannot be read."""
    if name != STDIN:
        with reading(name), Path(name).open("rb") as file:
            file.read(1)


def size_of(name: str) -> int:
    """How many bytes there are to read, as far as that is known."""
    return Path(name).stat().st_size if name != STDIN and Path(name).is_file() else 0


class Opened:
    """A file that is being read: its plain bytes, and how far into the file on disk that is."""

    def __init__(self, name: str) -> None:
        stdin = cast("io.BufferedReader", sys.stdin.buffer)
        self._raw = stdin if name == STDIN else Path(name).open("rb")  # noqa: SIM115 - closed below
        self.bytes = _decompressed(self._raw)
        self.live = name == STDIN
        self._own = name != STDIN

    def blocks(self) -> Iterator[list[bytes]]:
        """The lines, some at a time: as many as there are now, so that whoever follows a stream need not wait."""
        pieces: list[bytes] = []
        while block := self.bytes.read1(_BLOCK):
            first, *lines = block.split(b"\n")
            pieces.append(first)
            if lines:
                last = lines.pop()
                yield [b"".join(pieces), *lines]
                pieces = [last]
        if rest := b"".join(pieces):
            yield [rest]

    def done(self) -> int:
        """How many bytes of the file have been taken."""
        return self._raw.tell() if self._own else 0

    def close(self) -> None:
        if self._own:
            self._raw.close()


@contextmanager
def opened(name: str) -> Iterator[Opened]:
    with reading(name):
        file = Opened(name)
        try:
            yield file
        finally:
            file.close()


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turn what the operating system has to say about a file into an error that says what to do."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(Diagnostic("E600", f"there is no file {name}", hint=_near_file(name))) from None
    except IsADirectoryError:
        raise InputError(Diagnostic("E601", f"{name} is a folder", hint=f"name the files in it: {name}/*")) from None
    except PermissionError:
        raise InputError(
            Diagnostic("E601", f"{name} may not be read", hint="ask for the permission to read it")
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        message = f"{name} is compressed, and cannot be decompressed: {error}"
        raise InputError(Diagnostic("E601", message, hint="the file was probably cut off; fetch it again")) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        message = f"{name} cannot be read: {error.strerror or error}"
        raise InputError(Diagnostic("E601", message, hint="if it is damaged, restore it or fetch it again")) from None


def _decompressed(raw: io.BufferedReader) -> io.BufferedReader | gzip.GzipFile:
    return gzip.GzipFile(fileobj=raw) if raw.peek(2)[:2] == b"\x1f\x8b" else raw


def _near_file(name: str) -> str | None:
    folder = Path(name).parent
    if not folder.is_dir():
        return f"the folder {folder} does not exist either"
    guess = near(Path(name).name, (path.name for path in folder.iterdir() if path.is_file()))
    return guess or "check the spelling and the folder"
