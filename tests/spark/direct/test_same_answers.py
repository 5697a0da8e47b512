"""Files that workers read themselves give the occurrences of the reference, over random patterns and histories."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings, strategies as st
from tests.spark.worlds import detected, keyed_worlds, worlds

AT_ONCE = 10
"""So many cases are one job of Spark. A failing list of them is not made smaller: each try would be a job."""


@contextmanager
def folders(count: int) -> Iterator[list[Path]]:
    with tempfile.TemporaryDirectory() as name:
        made = [Path(name) / str(number) for number in range(count)]
        for folder in made:
            folder.mkdir()
        yield made


def check(spark, some) -> None:
    with folders(len(some)) as places:
        for world, found in zip(some, detected(spark, some, places), strict=True):
            assert found == world.expected(str(some.index(world))), f"{world.pattern} in {world.context.value}"


def _cases(count):
    return settings(max_examples=count, phases=[Phase.explicit, Phase.reuse, Phase.generate])


@_cases(2)
@given(some=st.lists(worlds(), min_size=AT_ONCE, max_size=AT_ONCE))
def test_patterns_of_every_kind(spark, some):
    check(spark, some)


@_cases(3)
@given(some=st.lists(keyed_worlds(), min_size=AT_ONCE, max_size=AT_ONCE))
def test_patterns_with_a_key(spark, some):
    check(spark, some)


@pytest.mark.slow
@_cases(20)
@given(some=st.lists(st.one_of(worlds(), keyed_worlds()), min_size=AT_ONCE, max_size=AT_ONCE))
def test_many_more(spark, some):
    check(spark, some)
