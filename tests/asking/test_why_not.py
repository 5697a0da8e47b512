"""`ensue.why_not`: each thing that can stop a pattern is told with the events, the values and the times."""

import pytest

import ensue

DAY = "2026-07-10T"


def at(time, type, id, **attributes):
    return {"type": type, "time": f"{DAY}{time}Z", "id": id, **attributes}


ORDERS = [
    at("09:00:00", "Order", "o1", nr=1, amount=20),
    at("09:10:00", "Cancel", "c1", nr=1),
    at("10:20:00", "Payment", "p1", nr=1, amount="20"),
    at("12:00:00", "Payment", "p2", nr=2, amount=5),
    at("12:30:00", "Order", "o2", nr=2, amount=5),
]


def nearest(pattern, events=ORDERS, **options):
    answer = ensue.why_not(pattern, events, **options)
    assert not answer.matches
    return answer.misses[0]


def test_a_limit_and_by_how_much():
    miss = nearest("Order(nr = ?n) then Payment(nr = ?n) within 1 hour")
    assert miss.kinds == ("limit",)
    assert [event.id for event in miss.events] == ["o1", "p1"]
    (reason,) = miss.reasons
    assert (
        reason == "Payment p1 came at 2026-07-10T10:20:00Z, 20 min after `within 1 hour` had ended (it took 1 h 20 min)"
    )
    assert str(miss.pattern) == "Order(nr = ?n) then Payment(nr = ?n) within 80 minutes"


@pytest.mark.parametrize(
    ("pattern", "kind", "reason"),
    [
        (
            "Order(nr = ?n) then Payment(nr = ?n) without Cancel(nr = ?n) within 2 hours",
            "forbidden",
            "Cancel c1 at 2026-07-10T09:10:00Z (nr = 1) lies in between, which `without Cancel(nr = ?n)` forbids",
        ),
        (
            "Order(nr = ?n) then Payment(nr = ?n, amount > 30) within 2 hours",
            "condition",
            "Payment p1 has amount = '20', and `amount > 30` is asked for: a text is never equal to a number",
        ),
        (
            "Order(nr = ?n) then Payment(nr = ?n, discount > 1) within 2 hours",
            "condition",
            "Payment p1 has no discount, and `discount > 1` is asked for",
        ),
        (
            "Order(nr = ?n, amount = ?a) then Payment(nr = ?n, amount = ?a) within 2 hours",
            "value",
            "amount of Order is 20, and ?a of the others is '20' (a number and a text are never equal)",
        ),
        (
            "Cancel(nr = ?n) then Payment(nr = ?n, amount = ?a) within 1 hour where ?a = 3",
            "filter limit",
            "Payment p1 came at 2026-07-10T10:20:00Z, 10 min after `within 1 hour` had ended (it took 1 h 10 min)",
        ),
        (
            "Order(nr = ?n, amount = ?a) then Cancel(nr = ?n) within 1 hour where ?a > 30",
            "filter",
            "`?a > 30` does not hold: ?a = 20",
        ),
        (
            "Cancel(nr = ?n) then Order(nr = ?n) within 1 hour",
            "order",
            "the order is another one: it would be `Order(nr = ?n) then Cancel(nr = ?n)`",
        ),
        (
            "Order(nr = ?n) then Refund(nr = ?n) within 2 hours",
            "part",
            "nothing fits `Refund(nr = ?n)`: there is no Refund",
        ),
        ("Order(nr = ?n) then Paymnt(nr = ?n) within 2 hours", "class", "there is no Paymnt, but there is Payment"),
        ("Order(nr = ?n) then Cancel(number = ?n) within 2 hours", "absent", "Cancel c1 has no number"),
        (
            "4 times Payment within 1 day",
            "count",
            "there are 2 instead of 4: `4 times Payment`",
        ),
        (
            "Order(nr = 1) before 2026-07-10T08:00:00Z",
            "interval",
            "it ends at 2026-07-10T09:00:00Z, 1 h after `before 2026-07-10T08:00:00Z`",
        ),
        (
            "Order in [2026-07-10T09:30:00Z .. 2026-07-10T10:00:00Z]",
            "interval",
            "it begins before [2026-07-10T09:30:00Z .. 2026-07-10T10:00:00Z], at 2026-07-10T09:00:00Z",
        ),
    ],
)
def test_what_stopped_it(pattern, kind, reason):
    miss = nearest(pattern)
    assert miss.kinds == tuple(kind.split())
    assert reason in miss.reasons


def test_of_a_key():
    answer = ensue.why_not("Order(nr = ?n) then Payment(nr = ?n) within 2 hours", ORDERS, key={"n": 2})
    assert [one.of_key for one in answer.counts] == [1, 1]
    assert answer.misses[0].kinds == ("order",)
    assert [event.id for event in answer.misses[0].events] == ["p2", "o2"]


def test_around_a_time():
    answer = ensue.why_not("Payment(amount > 9) within 1 minute", ORDERS, around="2026-07-10T12:00:00Z")
    assert answer.misses[0].events[0].id == "p2"


def test_what_matches_elsewhere_is_noted_and_no_miss():
    pattern = "Order(nr = ?n) then Payment(nr = ?n) within 2 hours"
    answer = ensue.why_not(pattern, ORDERS, key={"n": 2})
    assert answer.notes == ("Elsewhere it has 1 occurrence, the last at 2026-07-10T10:20:00Z (?n = 1).",)
    answer = ensue.why_not(pattern, ORDERS, around="2026-07-10T18:00:00Z")
    assert answer.notes == ("Elsewhere it has 1 occurrence, the nearest at 2026-07-10T10:20:00Z (?n = 1).",)
    assert all([event.id for event in miss.events] != ["o1", "p1"] for miss in answer.misses)


def test_what_matches_is_said():
    answer = ensue.why_not("Order(nr = ?n) then Payment(nr = ?n) within 2 hours", ORDERS)
    (found,) = ensue.detect("Order(nr = ?n) then Payment(nr = ?n) within 2 hours", ORDERS)
    assert [one.id for one in answer.matches] == [found.id]
    assert not answer.misses
    assert "has 1 occurrence" in str(answer)


def test_names_that_nobody_has_are_noted():
    answer = ensue.why_not("Ordr(nr = ?n) then Payment(numer = ?n) within 2 hours", ORDERS)
    assert answer.notes == (
        "There is no event of class Ordr. There are Order (2), Payment (2), Cancel (1): did you mean Order?",
        "No Payment has an attribute numer: the attributes are amount, id, nr",
    )


def test_a_context_that_uses_events_up():
    events = [at("09:00:00", "A", "a"), at("09:00:01", "B", "b1"), at("09:00:02", "B", "b2")]
    answer = ensue.why_not("A then B within 1 minute", events, "chronicle", key={"id": ["a", "b2"]})
    assert answer.matches  # of the key alone, there is nobody to use a up
    answer = ensue.why_not("(A then B) then B within 1 minute", events[:2], "chronicle")
    assert answer.misses[0].kinds == ("part",)


def test_a_class_of_a_program():
    program = ensue.parse_program("""
        CREATE SUBSCRIBED EVENT CLASS Order(nr INT); CREATE SUBSCRIBED EVENT CLASS Cancel(nr INT);
        CREATE COMPLEX EVENT CLASS Regret(nr INT) AS DETECT Order(nr = ?nr) then Cancel(nr = ?nr) within 1 hour;
        CREATE COMPLEX EVENT CLASS Often(nr INT) AS DETECT 2 times Regret(nr = ?nr) within 1 day;
    """)
    events = [event for event in ORDERS if event["type"] != "Payment"]
    answer = ensue.why_not("Often", events, program=program)
    assert answer.misses[0].reasons == ("there are 1 instead of 2: `2 times Regret(nr = ?nr)`",)
    assert answer.misses[0].events[0].attributes == {"nr": 1}
    assert ensue.why_not("Regret", events, program=program).matches


def test_a_key_that_nobody_has():
    with pytest.raises(ensue.InputError, match="E607: nummer is neither a variable of the pattern nor an attribute"):
        ensue.why_not("Order(nr = ?n)", ORDERS, key={"nummer": 1})


def test_no_events_at_all():
    answer = ensue.why_not("A then B within 1 minute", [])
    assert not answer.misses
    assert "There are no events at all." in str(answer)


def test_a_long_history_is_looked_at_where_most_lies_together():
    events = [{"type": "Order", "time": 1000 * i, "id": f"o{i}", "nr": i} for i in range(20_000)]
    events += [{"type": "Payment", "time": 1000 * 9000 + 3_600_001, "id": "p", "nr": 9000}]
    answer = ensue.why_not("Order(nr = ?n) then Payment(nr = ?n) within 1 hour", events)
    assert [event.id for event in answer.misses[0].events] == ["o9000", "p"]
    assert answer.misses[0].kinds == ("limit",)
    assert answer.looked_at < answer.events
