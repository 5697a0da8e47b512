"""Spark gives the occurrences of the reference, with the same ids, over random patterns, contexts and histories."""

from hypothesis import Phase, given, settings, strategies as st
from tests.spark.worlds import detected, keyed_worlds, worlds

AT_ONCE = 10
"""So many cases are one job of Spark. A failing list of them is not made smaller: each try would be a job."""

_few = settings(max_examples=3, phases=[Phase.explicit, Phase.reuse, Phase.generate])


@_few
@given(some=st.lists(worlds(), min_size=AT_ONCE, max_size=AT_ONCE))
def test_patterns_of_every_kind(spark, some):
    for world, found in zip(some, detected(spark, some), strict=True):
        assert found == world.expected(str(some.index(world))), f"{world.pattern} in {world.context.value}"


@_few
@given(some=st.lists(keyed_worlds(), min_size=AT_ONCE, max_size=AT_ONCE))
def test_patterns_with_a_key(spark, some):
    for world, found in zip(some, detected(spark, some), strict=True):
        assert found == world.expected(str(some.index(world))), f"{world.pattern} in {world.context.value}"
