"""What a demo is fed with: what is in the package, and lists as their publishers give them."""

import gzip
import zipfile
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ensue.demo.catalogue import DEMOS, EARTHQUAKES, OUTAGES, SHOP, find
from ensue.demo.laying import MOST, announcements, cut, lay
from ensue.demo.lists import earthquakes, flights, shop
from ensue.demo.reading import read_list
from ensue.errors import InputError
from ensue.language import parse_program
from ensue.spark.corrections.live import check_live

BUNDLED = [one for one in DEMOS.values() if one.bundled]


@pytest.mark.parametrize("demo", DEMOS.values(), ids=lambda demo: demo.name)
def test_its_program_can_run(demo):
    check_live(parse_program(demo.program))


@pytest.mark.parametrize("demo", BUNDLED, ids=lambda demo: demo.name)
def test_the_data_in_the_package_fits_its_program(demo):
    program = parse_program(demo.program)
    records = list(announcements(demo, None))
    assert 1_000 < len(records) <= MOST
    assert all(one["detected"] <= next_one["detected"] for one, next_one in pairwise(records))
    classes = {item.declaration.name for item in program.subscribed_classes}
    assert {one["type"] for one in records} == classes
    for one in records:
        assert {*program.attributes(one["type"])} <= {*one} - {"type", "op", "time", "detected"}


@pytest.mark.parametrize("demo", DEMOS.values(), ids=lambda demo: demo.name)
def test_what_it_shows_is_something_it_tells(demo):
    program = parse_program(demo.program)
    told = {name for item in program.derived_classes for name in program.attributes(item.declaration.name)}
    assert {*demo.shown} <= told


def test_a_feed_is_cut_by_time_and_nothing_is_torn_apart():
    records = [{"detected": time} for time in (0, 0, 1, 5, 9, 9, 10, 40)]
    parts = list(cut(records, 4))
    assert [one for part in parts for one in part] == records
    assert [[one["detected"] for one in part] for part in parts] == [[0, 0, 1, 5, 9, 9, 10], [40]]


def test_a_demo_is_laid_out_as_a_user_would_have_it(tmp_path):
    folder = tmp_path / "quakes"
    laid = lay(EARTHQUAKES, announcements(EARTHQUAKES, None), folder, cuts=7)
    assert laid.source.read_text("utf-8") == EARTHQUAKES.program
    files = sorted((folder / "feed" / "Quake").iterdir())
    assert len(files) == 7
    assert [file.stat().st_mtime for file in files] == sorted({file.stat().st_mtime for file in files})
    assert sum(len(file.read_text("utf-8").splitlines()) for file in files) == laid.total
    (folder / "again").mkdir()
    lay(EARTHQUAKES, list(announcements(EARTHQUAKES, None))[:10], folder, cuts=1)
    assert [file.name for file in (folder / "feed" / "Quake").iterdir()] == ["0000.jsonl"]
    assert (folder / "again").exists(), "only what a demo has made is removed"


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("…")
    with pytest.raises(InputError, match=r"E607.*no folder of this demo"):
        lay(EARTHQUAKES, announcements(EARTHQUAKES, None), tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["thesis.tex"]


def test_data_that_is_not_shipped_is_asked_for():
    with pytest.raises(InputError) as said:
        list(announcements(OUTAGES, None))
    for words in ("--data-file PATH", "what it is", "simonw/pge-outages-pre-2024", "outageStartTime"):
        assert words in str(said.value)


def test_the_earthquakes_are_their_own(tmp_path):
    with pytest.raises(InputError, match=r"E607.*has its own data"):
        list(announcements(EARTHQUAKES, tmp_path / "quakes.csv"))


def test_a_demo_by_a_wrong_name():
    with pytest.raises(InputError, match=r"(?s)E607: there is no demo outage.*did you mean outages"):
        find("outage")


CSV = "a,b\n1,x\n2,\n"


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "zip", "parquet"])
def test_lists_are_read_from_any_of_these(tmp_path, kind):
    path = tmp_path / f"list.{kind}"
    match kind:
        case "csv":
            path.write_text(CSV)
        case "csv.gz":
            path.write_bytes(gzip.compress(CSV.encode()))
        case "zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("list.csv", CSV)
        case _:
            pq.write_table(pa.table({"a": [1, 2], "b": ["x", None]}), path)
    assert list(read_list(path, ("a", "b"))) == [{"a": "1", "b": "x"}, {"a": "2", "b": ""}]
    with pytest.raises(InputError, match=r"(?s)E604.*no column aa; it has a, b.*the columns have to be aa"):
        list(read_list(path, ("aa",)))


@pytest.mark.parametrize(
    ("name", "content"), [("list.csv", b"a\n\xff\xfe"), ("list.zip", b"PK\x03\x04cut"), ("list.parquet", b"PAR1")]
)
def test_what_cannot_be_read_is_said(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"(?s)E601.*cannot be read"):
        list(read_list(path, ("a",)))
    with pytest.raises(InputError, match="E600"):
        list(read_list(tmp_path / "none.csv", ("a",)))


def test_a_list_without_rows(tmp_path):
    path = tmp_path / "outages.csv"
    assert OUTAGES.given is not None
    path.write_text(",".join(OUTAGES.given.columns))
    with pytest.raises(InputError, match="E604: there is no row"):
        lay(OUTAGES, announcements(OUTAGES, path), tmp_path / "demo")


@pytest.mark.parametrize(
    ("place", "region"),
    [("8 km E of X, CA", "California"), ("Bonin Islands, Japan region", "Japan"), ("south of Fiji", "south of Fiji")],
)
def test_the_region_of_a_place(place, region):
    assert earthquakes.region(place) == region


def flight(**more: str) -> dict[str, str]:
    plain = dict.fromkeys(flights.COLUMNS, "")
    known = {"month": "1", "day": "1", "carrier": "UA", "flight": "7", "tailnum": "N1", "origin": "EWR", "dest": "IAH"}
    hour = {"minute": "15", "time_hour": "2013-01-01T10:00:00Z"}
    return {**plain, **known, **hour, "dep_delay": "20", "arr_delay": "31", "air_time": "200", **more}


def test_a_flight_is_planned_leaves_and_lands():
    found = list(flights.announcements([flight()]))
    planned = 1_357_035_300_000
    assert [
        (one["type"], (one["time"] - planned) // 60_000, (one["detected"] - planned) // 60_000) for one in found
    ] == [
        ("Flight", 0, -60),
        ("Departed", 20, 20),
        ("Landed", 220, 220),
    ]
    assert [one.get("late") for one in found] == [None, 20, 31]


def test_a_flight_that_was_cancelled_is_only_planned():
    found = flights.announcements([flight(dep_delay="NA", arr_delay="NA", air_time="NA")])
    assert [one["type"] for one in found] == ["Flight"]


def sold(invoice: str, item: str, quantity: int, minute: int, price: str = "2.5") -> dict[str, str]:
    when = f"2009-12-01 08:{minute:02}:00"
    return dict(zip(shop.COLUMNS, (invoice, item, str(quantity), when, price, "17.0"), strict=True))


def test_cancelling_makes_an_order_smaller_and_then_none():
    lines = [
        sold("1", "a", 4, 0),
        sold("1", "b", 2, 0),
        sold("2", "z", 1, 1, "0"),
        sold("C3", "a", -4, 5),
        sold("C4", "b", -2, 9),
    ]
    found = list(shop.announcements(lines))
    assert [(one["op"], one["amount"]) for one in found if one["type"] == "Order"] == [
        ("announce", 15.0),
        ("change", 5.0),
        ("retract", 0.0),
    ]
    assert [(one["type"], one["item"]) for one in found if one["type"] != "Order"] == [
        ("Bought", "a"),
        ("Bought", "b"),
        ("Cancelled", "a"),
        ("Cancelled", "b"),
    ]
    assert {one["customer"] for one in found} == {"17"}
    assert SHOP.given is not None


@pytest.mark.parametrize("demo", DEMOS.values(), ids=lambda demo: demo.name)
def test_its_page_shows_its_program(demo):
    page = (Path(__file__).parents[2] / "docs" / "demos" / f"{demo.name}.md").read_text("utf-8")
    assert f"```ensue\n{demo.program.strip()}\n```" in page
