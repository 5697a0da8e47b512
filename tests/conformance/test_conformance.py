"""Every case of cases/*.txt on every runner."""

import pytest
from tests.conformance.cases import Case
from tests.conformance.files import FOLDER, all_cases
from tests.conformance.runners import RUNNERS, difference

from ensue.algebra import Context

PAIRS = [
    pytest.param(case, runner, id=f"{runner}-{case.file}-{case.title}") for case in all_cases() for runner in RUNNERS
]


@pytest.mark.parametrize(("case", "runner"), PAIRS)
def test_case(case: Case, runner: str):
    """As expected in every context, except where a `notyet` mark says otherwise; and there not as expected."""
    wrong = [report(case, context, text) for context in case.outcomes if (text := unforeseen(case, runner, context))]
    if wrong:
        pytest.fail("\n".join([f"{FOLDER / case.file}.txt:{case.line}: {case.title}", case.pattern, *wrong]), False)


def unforeseen(case: Case, runner: str, context: Context) -> str:
    found = difference(case, runner, context)
    exemption = case.exemption(runner, context)
    if exemption is None:
        return found
    return "" if found else f"this works now: take away the mark `notyet: {exemption.runner}: {exemption.reason}`"


def report(case: Case, context: Context, text: str) -> str:
    return "\n".join([f"  in {context.value}:", *(f"    {line}" for line in text.splitlines())])
