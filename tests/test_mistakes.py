"""The gallery of mistakes: each is made, and what follows is what the page says, with a code and what to do."""

import re

import pytest
from tests.mistakes import Mistake, mistakes, somewhere, told


@pytest.mark.parametrize("mistake", mistakes(), ids=lambda mistake: mistake.title)
def test_what_is_told(mistake: Mistake):
    with somewhere():
        assert told(mistake) == mistake.output


def test_each_says_what_where_and_how_to_fix_it():
    listed = mistakes()
    assert len(listed) >= 40
    for one in listed:
        if not one.output.startswith("╭"):  # the parser of the command line has its own form
            assert re.match(r"(\S+: )?E\d{3}: ", one.output), one.title
            assert "\n  hint: " in one.output, f"{one.title}: what to do is not said"
