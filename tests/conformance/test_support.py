"""docs/support.md is what the cases say, and the cases leave nothing out."""

import pytest
from tests.conformance.files import all_cases
from tests.conformance.runners import read
from tests.conformance.support import OPERATORS, PAGE, support_page

from ensue.algebra import Context, walk


def test_the_page_is_up_to_date():
    assert PAGE.read_text("utf-8") == support_page(), "write it anew with: python -m tests.conformance.support"


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_has_cases_in_every_context(operator):
    cases = [case for case in all_cases() if any(outcome.occurrences for outcome in case.outcomes.values())]
    using = [case for case in cases if any(OPERATORS[operator](node) for node in walk(read(case.pattern, case.given)))]
    for context in Context:
        assert sum(context in case.outcomes for case in using) >= 4


def test_every_case_is_a_sentence_of_its_own():
    titles = [(case.file, case.title) for case in all_cases()]
    assert len(titles) == len(set(titles)) >= 170
