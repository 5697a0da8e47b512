"""Make announcements, which `ensue run --replay` reads, of lists of changes as they were captured.

    .venv/bin/python examples/data/to_announcements.py earthquakes earthquakes_changes.csv.gz earthquakes.jsonl.gz
    .venv/bin/python examples/data/to_announcements.py outages outages_changes.csv.gz outages.jsonl.gz

An announcement is a line of JSON: `type` is the class, `op` what happens to the event, `time` when it occurs and
`detected` when that was learnt, both in milliseconds; the rest are attributes. docs/corrections.md says what the
columns of the two lists mean.
"""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

from ensue.demo.lists import earthquakes, outages
from ensue.demo.reading import read_list

LISTS = {"earthquakes": earthquakes, "outages": outages}


def main(which: str, source: str, target: str) -> None:
    """Read one file and write the other, compressed; the same input gives the same bytes."""
    rows = read_list(Path(source), LISTS[which].COLUMNS)
    with gzip.GzipFile(target, "wb", mtime=0) as announcements:
        for record in LISTS[which].announcements(rows):
            line = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
            announcements.write(f"{line}\n".encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
