"""The examples of corrections can be read, and their data is what the documentation says."""

import csv
import gzip
import io
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.corrections.announcing import announcements
from tests.corrections.consistency import assert_consistent, covers_everything
from tests.corrections.oracle import as_published
from tests.corrections.replaying import replay

from ensue.demo.lists import outages
from ensue.language import parse_program
from ensue.model.announcements import Clock
from ensue.time import parse_instant

EXAMPLES = Path(__file__).parent.parent / "examples"


def program(name):
    return parse_program((EXAMPLES / f"{name}.ensue").read_text("utf-8"))


@pytest.mark.parametrize("name", ["earthquakes", "outages"])
def test_the_programs_can_be_read(name):
    read = program(name)
    assert {case.case.value for item in read.derived_classes for case in item.publications} == {
        "on time",
        "late",
        "change",
        "revoke",
    }


def test_the_first_hours_of_earthquakes():
    """The whole of it is too long for a test: what is published of it is in docs/corrections.md."""
    read = program("earthquakes")
    until = parse_instant("2025-05-05T06:00")
    with gzip.open(EXAMPLES / "data" / "earthquakes.jsonl.gz", "rt", encoding="utf-8") as lines:
        said = list(announcements(read, lines))
    assert len(said) == 16_184
    assert len({one.key for one in said}) == 8_460
    first = [one for one in said if one.detected <= until]
    assert covers_everything(read)
    told = [as_published(read, one) for one in replay(read, [*first, Clock(until)]).notices]
    standing = assert_consistent(read, told)
    assert Counter(one["case"] for one in told)["late"] > 10
    assert max(json.loads(said)["mag"] for _, _, said in standing) == 7.4


OUTAGES = """\
tx_time,op,outageNumber,outageStartTime,crewCurrentStatus,currentEtor,cause,estCustAffected,lastUpdateTime,regionName
1570000000,insert,7,1569999000,PG&E has assigned a crew to assess the outage.,1570010000,unknown,12,1569999500,Alta
1570000600,update,7,1569999000,PG&E assessment crew is en route to the outage.,1570020000,unknown,12,1570000300,Alta
1570001200,update,7,1569999100,PG&E repair crew is on-site working to restore power.,1570020000,wind,,1570000900,Alta
1570001800,update,7,1569999100,PG&E repair crew is on-site working to restore power.,1570020000,wind,12,1570001500,Alta
1570002400,delete,7,1569999100,PG&E repair crew is on-site working to restore power.,1570020000,wind,12,1570001500,Alta
"""


def test_outages_become_announcements_of_three_classes():
    found = list(outages.announcements(csv.DictReader(io.StringIO(OUTAGES))))
    assert [(one["type"], one["op"], one["detected"] // 1000 - 1570000000) for one in found] == [
        ("Outage", "announce", 0),
        ("Estimate", "announce", 0),
        ("Outage", "change", 600),
        ("Estimate", "announce", 600),
        ("Outage", "change", 1200),
        ("OnSite", "announce", 1200),
        ("Outage", "change", 1800),
        ("Outage", "retract", 2400),
    ]
    read = program("outages")
    said = list(announcements(read, (json.dumps(one) for one in found)))
    told = replay(read, [*said, Clock(parse_instant("2019-10-03"))], purging=True).notices
    assert [(one.name, one.case.value) for one in told] == [("Restoration_postponed", "on time")]


def test_the_script_makes_the_announcements_of_the_example(tmp_path):
    changes, made = tmp_path / "changes.csv", tmp_path / "made.jsonl.gz"
    changes.write_text(OUTAGES)
    script = EXAMPLES / "data" / "to_announcements.py"
    subprocess.run([sys.executable, script, "outages", changes, made], check=True)
    with gzip.open(made, "rt", encoding="utf-8") as lines:
        assert [json.loads(line)["type"] for line in lines][:2] == ["Outage", "Estimate"]


@pytest.mark.parametrize("page", sorted((EXAMPLES.parent / "docs").glob("corrections.md")), ids=lambda page: page.name)
def test_what_the_page_names_is_there(page):
    text = page.read_text("utf-8")
    for name in ("examples/earthquakes.ensue", "examples/outages.ensue", "examples/data/ORIGIN.md"):
        assert f"`{name}`" in text
        assert (EXAMPLES.parent / name).exists()
