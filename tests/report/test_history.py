"""From tables to what a page holds: versions, links, causes, what is left out."""

import json

import pytest
from tests.report.folders import folder, minutes, publications, recorded, versions

from ensue.errors import EnsueError, InputError
from ensue.report.encoding import encode, packed, place_of
from ensue.report.history import read_history, scalar
from ensue.report.links import link
from ensue.report.page import embedded, page
from ensue.report.selection import select
from ensue.report.writing import write_report

PROGRAM = """
CREATE MUTABLE SUBSCRIBED EVENT CLASS Bed(nr TEXT, ward TEXT, ID (nr));
CREATE COMPLEX EVENT CLASS Full(ward TEXT, ID (ward)) AS
  SELECT b.ward FROM Bed b GROUP BY b.ward HAVING COUNT(*) >= 2 OCCURRING AT MAX(b)
  PUBLISH Full CASE LATE Full_late CASE RETROACTIVECHANGE Full_changed CASE REVOKE Not_full;
"""
BEDS = versions(
    "Bed",
    [
        ("1", 0, 1, False, {"nr": "1", "ward": "a"}, []),
        ("2", 2, 3, False, {"nr": "2", "ward": "b"}, []),
        ("2", 2, 5, False, {"nr": "2", "ward": "a"}, []),
        ("3", 1, 6, False, {"nr": "3", "ward": "b"}, []),
    ],
)
GONE = versions("Bed", [("2", 2, 9, True, {"nr": "2", "ward": "a"}, [])])
FULL = versions("Full", [("a", 2, 5, False, {"ward": "a"}, None), ("a", 2, 9, True, {"ward": "a"}, None)])


def told(case, at, **more):
    return {
        "publication": f"Full {case}",
        "class": "Full",
        "case": case,
        "detected": minutes(at),
        "occurred": minutes(2),
        "attributes": json.dumps({"ward": "a"}),
        "key": "a",
        "id": "Full-a",
        **more,
    }


@pytest.fixture
def beds(tmp_path):
    old = {"id": "Full-a", "occurred": minutes(2), "attributes": json.dumps({"ward": "a"})}
    return folder(
        tmp_path / "beds",
        PROGRAM,
        {
            "Bed": [BEDS, GONE],
            "Full": [FULL],
            "publications": [publications([told("late", 5)]), publications([told("revoke", 9, replaces=old)])],
        },
    )


def test_versions_come_together_in_order_of_detection(beds):
    history = read_history(beds)
    bed = history.event(("Bed", "2"))
    assert bed is not None
    assert [(one.values[1], one.withdrawn) for one in bed.versions] == [("b", False), ("a", False), ("a", True)]
    assert history.corrects
    assert history.found == ("Full",)
    assert history.cases == {("Full", "late"): 1, ("Full", "revoke"): 1}


def test_a_group_has_the_events_with_its_key(beds):
    links = link(read_history(beds))
    assert links.parts["Full", "a"] == (("Bed", "1"), ("Bed", "2"))
    assert links.by_key == {"Full": ("ward",)}


def test_causes_are_the_versions_of_the_step(beds):
    history = read_history(beds)
    links = link(history)
    assert [links.causes(one) for one in history.told] == [[(("Bed", "2"), 1)], [(("Bed", "2"), 2)]]


def test_what_the_table_says_of_causes_counts(tmp_path):
    said = told("late", 5, constituents=[{"class": "Bed", "key": "1"}, {"class": "Bed", "key": "2"}], why=[])
    place = folder(tmp_path, PROGRAM, {"Bed": [BEDS], "Full": [FULL], "publications": [publications([said])]})
    history = read_history(place)
    assert link(history).causes(history.told[0]) == []


def test_longer_tables_are_read_from_their_end(beds):
    history = read_history(beds, most=1)
    table = history.classes["Bed"]
    assert (table.read, table.total) == (1, 5)
    assert [one.case for one in history.told] == ["revoke"]
    assert history.cases["Full", "late"] == 1
    assert "Of 5 rows of Bed the newest 1 were read." in select(history, link(history)).notes


def test_what_does_not_fit_is_said(beds):
    history = read_history(beds)
    chosen = select(history, link(history), most_told=1, most_events=2)
    assert [one.case for one in chosen.told] == ["revoke"]
    assert "Of 2 publications the newest 1 are on this page; the summary counts all." in chosen.notes
    assert "Of 3 events of Bed 2 are on this page." in chosen.notes  # with what is published come all of its parts
    data = encode(history, link(history), chosen)
    assert data["told"]["counts"] == [["Full", "revoke", 1], ["Full", "late", 1]]


def test_columns_refer_to_events_by_number(beds):
    history = read_history(beds)
    links = link(history)
    data = encode(history, links, select(history, links))
    bed, full = data["classes"]
    assert bed["keys"] == ["1", "3", "2"]
    assert bed["count"] == [1, 1, 3]
    assert bed["gone"] == [4]
    assert full["parts"] == [[0, 2]]
    assert data["told"]["event"] == [3, 3]
    assert data["told"]["causes"] == [[[2, 1]], [[2, 2]]]
    json.dumps(data)


def test_a_recorded_replay(tmp_path):
    history = read_history(recorded("quakes", tmp_path))
    links = link(history)
    assert {case for _, case in history.cases} == {"on time", "late", "change", "revoke"}
    assert sum(history.cases.values()) == len(history.told)
    assert all(links.parts[ref] for ref in links.parts)
    revoked = next(one for one in history.told if one.event == ("Swarm", '["nn00897585"]') and one.case == "revoke")
    (quake, place), *_ = [one for one in links.causes(revoked) if one[0] == ("Quake", "nn00897585")]
    event = history.event(quake)
    assert event is not None
    at = history.classes["Quake"].attributes.index("mag")
    assert [event.versions[place - 1].values[at], event.versions[place].values[at]] == [4.1, 3.9]


def test_a_program_without_corrections(tmp_path):
    history = read_history(recorded("machines", tmp_path))
    links = link(history)
    assert not history.corrects
    assert history.found == ("Overheated", "Failing")
    failing = next(iter(history.classes["Failing"].events.values()))
    assert {ref[0] for ref in links.parts[failing.ref]} == {"Overheated"}
    assert {ref[0] for ref in links.within(failing.ref)} == {"Overheated", "Reading"}


def test_nothing_in_the_data_can_leave_its_script_element(tmp_path):
    hostile = {"x": "</script><script>alert(1)</script>\u2028<!--"}
    text = embedded(hostile)
    assert "<" not in text
    assert "\u2028" not in text
    assert json.loads(text) == hostile
    shown = page({"x": 1}, "<b>$title & 'more'</b>")
    assert "<b>$title" not in shown
    assert "&lt;b&gt;$title &amp;" in shown


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (None, None),
        (True, True),
        (2**53 + 1, str(2**53 + 1)),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (minutes(0), "2026-07-10T09:00:00Z"),
        ([1], "[1]"),
        (b"x", "b'x'"),
    ],
)
def test_values_as_a_browser_can_hold_them(value, kept):
    assert scalar(value) == kept


def test_repeated_texts_are_packed():
    assert packed(["a", "b", "a", "a", "b"]) == {"of": ["a", "b"], "at": [0, 1, 0, 0, 1]}
    assert packed(["a", None]) == ["a", None]
    assert packed([]) == []


@pytest.mark.parametrize(
    ("attributes", "place"),
    [(("id", "Lon", "LAT"), (1, 2)), (("latitude", "longitude"), (1, 0)), (("latitude",), None), ((), None)],
)
def test_where_things_are(attributes, place):
    assert place_of(attributes) == place


def test_a_report_is_written_whole(beds, tmp_path):
    written = write_report(beds, tmp_path / "r.html", title="Beds")
    text = written.path.read_text("utf-8")
    assert written.size == len(text.encode())
    assert "<title>Beds</title>" in text
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")  # a namespace, not an address
    assert "https://" not in text
    assert not list(tmp_path.glob(".*"))


def test_what_is_still_to_come_is_no_occurrence(tmp_path):
    known_ahead = versions("Full", [("b", 90, 6, False, {"ward": "b"}, None)])
    tables = {"Bed": [BEDS], "Full": [FULL, known_ahead], "publications": [publications([told("late", 5)])]}
    data = folder(tmp_path / "beds", PROGRAM, tables)
    assert write_report(data, tmp_path / "page.html").occurrences == 1


def test_only_one_class(tmp_path):
    data = recorded("quakes", tmp_path)
    both = write_report(data, tmp_path / "both.html")
    one = write_report(data, tmp_path / "one.html", class_name="Twice")
    assert 0 < one.publications < both.publications


@pytest.mark.parametrize(("name", "code", "said"), [("Ful", "E607", "did you mean Full?"), ("Bed", "E607", "outside")])
def test_classes_that_cannot_be_shown(beds, tmp_path, name, code, said):
    with pytest.raises(InputError) as error:
        write_report(beds, tmp_path / "r.html", class_name=name)
    assert error.value.code == code
    assert said in str(error.value)


def test_no_data_folder(tmp_path):
    with pytest.raises(InputError, match="is not the data folder of a run") as error:
        read_history(tmp_path / "nowhere")
    assert error.value.code == "E600"


def test_no_tables_yet(tmp_path):
    with pytest.raises(InputError, match="has no tables yet") as error:
        read_history(folder(tmp_path, PROGRAM, {}))
    assert error.value.code == "E608"


def test_a_file_that_is_none(beds):
    broken = next((beds / "tables").rglob("*.parquet"))
    broken.write_bytes(b"nothing")
    with pytest.raises(EnsueError) as error:
        read_history(beds)
    assert error.value.code == "E601"
    assert str(broken) in str(error.value)


def test_an_output_that_cannot_be_written(beds, tmp_path):
    with pytest.raises(InputError) as error:
        write_report(beds, tmp_path / "nowhere" / "r.html")
    assert error.value.code == "E605"
