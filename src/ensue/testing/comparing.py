"""Comparing what was found, in an order that does not matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ensue.embedded.findings import Finding

Found = Iterable[Finding] | Mapping[str, Iterable[Finding]]


def difference(found: Found, expected: Found) -> str:
    """What is missing, and what is too much or there twice; empty if both hold the same occurrences, by their ids."""
    left, right = _listed(found), _listed(expected)
    shown = {finding.id: finding for finding in (*left, *right)}
    counts, wanted = Counter(f.id for f in left), Counter(f.id for f in right)
    lines = [f"missing     {_show(shown[key])}" for key in (wanted - counts).elements()]
    lines += [f"unexpected  {_show(shown[key])}" for key in (counts - wanted).elements()]
    return "\n".join(sorted(lines))


def assert_same(found: Found, expected: Found) -> None:
    """Fails, with the difference, unless both hold the same occurrences."""
    text = difference(found, expected)
    if text:
        raise AssertionError(f"not the same occurrences:\n{text}")


def _listed(found: Found) -> list[Finding]:
    if isinstance(found, Mapping):
        return [finding for part in found.values() for finding in part]
    return list(found)


def _show(finding: Finding) -> str:
    bound = [f"{name}={value!r}" for name, value in sorted(finding.bindings.items())]
    interval = f"[{finding.begin.isoformat()} .. {finding.end.isoformat()}]"
    return " ".join([finding.type, "of", *finding.constituents, interval, *bound, f"id {finding.id}"])
