"""The format of publication cases: what it reads, and what it refuses."""

import pytest
from tests.conformance.cases import FormatError
from tests.conformance.publishing import read_program, read_publication_cases

from ensue.model.announcements import Operation
from ensue.time import parse_instant

START = parse_instant("2026-01-01")
SECOND = 1_000_000
PROGRAM = "program: CREATE MUTABLE SUBSCRIBED EVENT CLASS Job(nr INT, host TEXT, ID (nr));"


def read(text):
    return read_publication_cases(f"== title\n{text}", "file")[0]


def test_announcements():
    case = read(
        f"{PROGRAM}\nannounced:\n  5s Job@4s(nr=1 host='a b')\n  --- batch ---\n  7s retract Job(nr=1)\npublished: none"
    )
    (first,), (second,) = case.announced(read_program(case.programs[""]))
    assert (first.key, first.time, first.detected) == ("1", START + 4 * SECOND, START + 5 * SECOND)
    assert first.attributes == {"nr": 1, "host": "a b"}
    assert (second.key, second.time, second.operation) == ("1", None, Operation.RETRACT)
    assert case.until == START + 7 * SECOND


def test_a_difference_is_told_in_the_words_of_the_format():
    case = read(f"{PROGRAM}\npublished:\n  5s on time X@4s(nr=1)\n  6s change Y@3s(nr=1) was @4s(nr=1)")
    day = "2026-01-01T00:00:0"
    told = {"publication": "X", "class": "C", "case": "on time", "detected": f"{day}5Z", "occurred": f"{day}4Z"}
    changed = {"publication": "Y", "class": "C", "case": "change", "detected": f"{day}6Z", "occurred": f"{day}3Z"}
    first = {**told, "attributes": {"nr": 1, "none": None}, "replaces": None}
    second = {**changed, "attributes": {"nr": 1}, "replaces": {"occurred": f"{day}4Z", "attributes": {"nr": 1}}}
    assert case.difference([first, second]) == ""
    assert "in another order" in case.difference([second, first])
    assert case.difference([first]) == f"missing     {day}6Z change Y@{day}3Z(nr=1) was @{day}4Z(nr=1)"
    assert case.difference([first, second, first]) == f"unexpected  {day}5Z on time X@{day}4Z(nr=1)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("published: none", "there is no program"),
        (PROGRAM, "nothing is expected"),
        (f"{PROGRAM}\nannounced: Job\npublished: none", "'Job' announces nothing"),
        (f"{PROGRAM}\npublished: 5s never X@4s", "'5s never X@4s' is no publication"),
        (f"{PROGRAM}\nevents: a1\npublished: none", "'events' is no field"),
        (f"{PROGRAM}\nuntil: 5s\nuntil: 6s\npublished: none", "`until` is given twice"),
    ],
)
def test_what_is_refused(text, message):
    with pytest.raises(FormatError, match=r"file\.txt, line 1") as error:
        read(text)
    assert message in str(error.value)
