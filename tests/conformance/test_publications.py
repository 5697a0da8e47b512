"""Every case of publications/*.txt, for each of its programs, on every runner that is meant for it."""

import pytest
from tests.conformance.publishers import PUBLISHERS, difference, runs
from tests.conformance.publishing import FOLDER, PublicationCase, all_publication_cases, read_program

TRIPLES = [
    pytest.param(case, name, publisher, id=f"{publisher}-{case.file}-{name or 'program'}-{case.title}")
    for case in all_publication_cases()
    for name, text in case.programs.items()
    for publisher in PUBLISHERS
    if runs(publisher, case, read_program(text))
]


@pytest.mark.parametrize(("case", "name", "publisher"), TRIPLES)
def test_case(case: PublicationCase, name: str, publisher: str) -> None:
    found = difference(case, read_program(case.programs[name]), PUBLISHERS[publisher])
    exemption = case.exemption(publisher)
    if exemption is not None:
        found = "" if found else f"this works now: take away the mark `notyet: {exemption.runner}: {exemption.reason}`"
    if found:
        pytest.fail(f"{FOLDER / case.file}.txt:{case.line}: {case.title}\n{found}", False)
