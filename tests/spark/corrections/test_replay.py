"""A replay on Spark publishes what the reference does, however it is cut into windows, and whatever it is of."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from tests.corrections.oracle import publications
from tests.corrections.programs import END, SECOND, START, about, announcements, programs, read, text_of
from tests.spark.corrections.worlds import comparable, replayed

from ensue.model.announcements import Announcement, Operation
from ensue.time import to_datetime

SAID = [
    about(0, 5, 5, g=1, v=2),
    about(1, 7, 7, g=1, v=1, p=to_datetime(START + 9 * SECOND)),
    about(2, 8, 8, g=1, v=3),
    about(3, 8, 8, g=1, v=3),
    about(4, 9, 9, g=1, v=2, p=to_datetime(START + 9 * SECOND)),
    about(0, 6, 12, Operation.CHANGE, g=1, v=3),
    about(1, 8, 13, Operation.CHANGE, g=2, v=1),
    about(4, 9, 14, Operation.RETRACT),
    about(3, 8, 15, Operation.RETRACT),
    about(1, 8, 16, Operation.CHANGE, g=1, v=2),
]
KINDS = {
    "select": text_of(("join", "not exists"), ("counted",)),
    "pattern": text_of(("sequence", "chronicle"), ("joined",)),
    "purged": text_of(("join",), (), "4 seconds"),
}


@pytest.mark.parametrize("kind", ["select", "pattern"])
def test_the_same_as_the_reference(spark, tmp_path, kind):
    program = read(KINDS[kind])
    found = replayed(spark, tmp_path, program, SAID, END, 3)
    expected = publications(program, SAID, END)
    assert len(expected) > 5
    assert comparable(found) == comparable(expected)


@pytest.mark.slow
@settings(
    max_examples=30,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # to shrink what fails would take Spark hours
    suppress_health_check=list(HealthCheck),
)
@given(program=programs(), said=announcements(), size=st.sampled_from([1, 4, 100]))
def test_random_worlds(spark, tmp_path_factory, program, said: list[Announcement], size: int):
    ordered = sorted(said, key=lambda one: one.detected)
    found = replayed(spark, tmp_path_factory.mktemp("world"), program, said, END, size)
    assert comparable(found) == comparable(publications(program, ordered, END))
