"""Make announcements, which `ensue run --replay` reads, of lists of changes as they were captured.

    python examples/data/to_announcements.py earthquakes earthquakes_changes.csv.gz earthquakes.jsonl.gz
    python examples/data/to_announcements.py outages outages_changes.csv.gz outages.jsonl.gz

An announcement is a line of JSON: `type` is the class, `op` what happens to the event, `time` when it occurs and
`detected` when that was learnt, both in milliseconds; the rest are attributes. docs/corrections.md says what the
columns of the two lists mean.
"""

from __future__ import annotations

import csv
import gzip
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Row = dict[str, str]
Record = dict[str, Any]

OPERATIONS = {"insert": "announce", "update": "change", "delete": "retract"}
ON_SITE = ("repair crew is on-site", "assessing the cause at the outage location")
"""What the status says when somebody is there; a crew that is assigned, sent or en route is not."""


def earthquakes(rows: Iterable[Row]) -> Iterator[Record]:
    """Each change is an announcement of one quake; `delete` means that it was withdrawn."""
    for row in rows:
        yield {
            "type": "Quake",
            "op": OPERATIONS[row["op"]],
            "time": int(row["time_ms"]),
            "detected": int(row["tx_time_ms"]),
            "id": row["id"],
            "mag": _number(row["mag"]),
            "place": row["place"],
            "longitude": _number(row["longitude"]),
            "latitude": _number(row["latitude"]),
            "depth": _number(row["depth_km"]),
        }


def outages(rows: Iterable[Row]) -> Iterator[Record]:
    """Each change is an announcement of an outage; a new estimate, or a crew on site, is an event of its own besides.

    These two occur when the company last updated the outage, which is some minutes before the list shows it.
    """
    estimates: dict[str, str] = {}
    on_site: set[str] = set()
    for row in rows:
        number, detected = row["outageNumber"], int(row["tx_time"]) * 1000
        yield {
            "type": "Outage",
            "op": OPERATIONS[row["op"]],
            "time": int(row["outageStartTime"]) * 1000,
            "detected": detected,
            "nr": int(number),
            "region": row["regionName"],
            "customers": int(row["estCustAffected"] or 0),
            "cause": row["cause"],
        }
        if row["op"] == "delete" or not row["lastUpdateTime"]:
            continue
        updated = {"op": "announce", "time": int(row["lastUpdateTime"]) * 1000, "detected": detected}
        estimate = row["currentEtor"]
        if estimate and estimates.get(number) != estimate:
            estimates[number] = estimate
            yield {"type": "Estimate", **updated, "nr": int(number), "restored": int(estimate) * 1000}
        if number not in on_site and any(words in row["crewCurrentStatus"] for words in ON_SITE):
            on_site.add(number)
            yield {"type": "OnSite", **updated, "nr": int(number)}


def _number(text: str) -> float | None:
    return float(text) if text else None


LISTS: dict[str, Callable[[Iterable[Row]], Iterator[Record]]] = {"earthquakes": earthquakes, "outages": outages}


def main(which: str, source: str, target: str) -> None:
    """Read one compressed file and write the other; the same input gives the same bytes."""
    with (
        gzip.open(source, "rt", encoding="utf-8", newline="") as changes,
        gzip.GzipFile(target, "wb", mtime=0) as announcements,
    ):
        for record in LISTS[which](csv.DictReader(changes)):
            line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
            announcements.write(f"{line}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
