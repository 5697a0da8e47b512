"""What waits for the rest is told under the names of the patterns, as users gave them."""

from ensue.embedded.adapting import adapt
from ensue.embedded.incoming import Names, Strict
from ensue.embedded.patterns import Watchlist
from ensue.embedded.session import Session


def test_each_part_is_of_its_pattern():
    rules = {f"rule {n}": f"A(v = {n}) then B(v = {n}) within 1 hour" for n in range(9)}
    patterns = {"pair": "A(v = ?v) then C(v = ?v) within 1 hour", **rules}
    session = Session(Watchlist.of(patterns, "recent"), Names())
    session.add(adapt([{"type": "A", "time": at, "id": f"a{at}", "v": at} for at in (3, 5)], 0)[0], Strict())
    session.advance_to(10_000_000)
    found = {(one.patterns, one.ids) for one in session.ordered.levels.open()}
    assert found == {(("pair",), ("a3",)), (("pair",), ("a5",)), (("rule 3",), ("a3",)), (("rule 5",), ("a5",))}
