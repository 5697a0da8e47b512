"""`ensue why-not`: the question on the command line, and the answer on the screen and as JSON."""

import json

import pytest

ORDERS = """id,type,time,nr
o1,Order,2026-07-10T09:00:00Z,1
o7,Order,2026-07-10T09:00:00Z,7
p1,Payment,2026-07-10T10:10:00Z,1
"""
PATTERN = "Order(nr = ?n) then Payment(nr = ?n) within 1 hour"


@pytest.fixture
def orders(tmp_path):
    path = tmp_path / "orders.csv"
    path.write_text(ORDERS)
    return path


def test_as_json(ensue, orders):
    ran = ensue("why-not", PATTERN, orders, "--key", "n=1", "--json")
    assert ran.code == 0, ran.err
    said = json.loads(ran.out)
    assert said["misses"][0]["kinds"] == ["limit"]
    assert [event["id"] for event in said["misses"][0]["events"]] == ["o1", "p1"]
    assert said["misses"][0]["would_match"] == "Order(nr = ?n) then Payment(nr = ?n) within 70 minutes"
    assert said["counts"][0] == {"atom": "Order(nr = ?n)", "of_class": 2, "that_fit": 2, "of_key": 1}


def test_what_matches_is_shown(ensue, orders):
    ran = ensue("why-not", "Order(nr = ?n) then Payment(nr = ?n) within 2 hours", orders)
    assert ran.code == 0
    assert "has 1 occurrence" in ran.out


def test_a_key_that_nobody_has(ensue, orders):
    ran = ensue("why-not", PATTERN, orders, "--key", "n=5")
    assert "No event has ?n = 5; there are 1, 7." in ran.out


def test_rows_that_cannot_be_used_are_noted(ensue, orders):
    orders.write_text(ORDERS + "p2,Payment,yesterday,7\n")
    ran = ensue("why-not", PATTERN, orders)
    assert ran.code == 0
    assert "1 row cannot be used, the first:" in ran.out
    assert "E401: time is 'yesterday', which is not a time" in ran.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "E607: no file is given"),
        (["{}", "--key", "n"], "E607: --key n is not a name and a value"),
        (["{}", "--key", "m=1"], "E607: m is neither a variable of the pattern nor an attribute"),
        (["{}", "--around", "noon"], "E607: --around: 'noon' is not a time"),
        (["missing.csv"], "E600: there is no file missing.csv"),
    ],
)
def test_what_is_wrong(ensue, orders, arguments, message):
    ran = ensue("why-not", PATTERN, *(one.format(orders) for one in arguments))
    assert ran.code == 2
    assert ran.err.startswith(message)
