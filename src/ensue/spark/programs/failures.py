"""Why a query ended, in our words where we know them."""

from __future__ import annotations

import re

from ensue.errors import Diagnostic, EnsueError, InputError, StateError
from ensue.spark.programs.sources import first_line

_OURS = re.compile(r"(?:ensue\.errors\.\w+|(?<![\w.])): ?(?:\S+: )?(E\d{3}): (.+)")
_HINT = re.compile(r"\n\s+hint: (.+)")
_HEADERS = re.compile(r"CSV header|number of columns in CSV", re.IGNORECASE)


def failure(error: BaseException) -> EnsueError:
    """The error of a query: one of Ensue's, from wherever it was raised, or what Spark says."""
    text = str(error)
    ours = _OURS.search(text)
    if ours is not None:
        advice = _HINT.match(text, ours.end())
        found = Diagnostic(ours.group(1), ours.group(2), hint=advice.group(1) if advice else None)
        return StateError(found) if found.code.startswith("E5") else InputError(found)
    if _HEADERS.search(text):
        said = re.search(r"Header:.*", text)
        message = f"a CSV file has other columns than its class: {said.group(0) if said else first_line(error)}"
        hint = "declare the attributes in the order of the file's columns, or say header 'false'"
        return InputError(Diagnostic("E604", message, hint=hint))
    return InputError(
        Diagnostic(
            "E435",
            f"the run ended by an error of Spark: {first_line(error)}",
            hint="-v shows Spark's own words; nothing is lost: the next run repeats the micro-batch",
        )
    )
