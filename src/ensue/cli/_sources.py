"""Texts of programs from files."""

from pathlib import Path

from ensue.errors import Diagnostic, InputError
from ensue.files.opening import reading


def read_source(name: str) -> str:
    """The text of a program."""
    with reading(name):
        try:
            return Path(name).read_text("utf-8-sig")
        except UnicodeDecodeError as error:
            message = f"{name} is not UTF-8 text: byte {error.start + 1} cannot be read"
            raise InputError(Diagnostic("E601", message, hint="write the file anew as UTF-8")) from None
