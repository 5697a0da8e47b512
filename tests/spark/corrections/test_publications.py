"""The conformance cases of publications, replayed on Spark: one usually, all of them with `--all`.

A replay takes announcements in the order of their detection, so cases that are about another order are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.conformance.publishing import FOLDER, PublicationCase, all_publication_cases, read_program
from tests.spark.corrections.worlds import replayed

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

PAIRS = [
    pytest.param(case, name, id=f"{case.file}-{name or 'program'}-{case.title}")
    for case in all_publication_cases()
    for name in case.programs
    if [one["detected"] for batch in case.batches for one in batch]
    == sorted(one["detected"] for batch in case.batches for one in batch)
]


@pytest.mark.parametrize(
    ("case", "name"), [one for one in PAIRS if one.id == "life-select-moved into the future, and due again"]
)
def test_a_case(spark, tmp_path, case: PublicationCase, name: str):
    compare(spark, tmp_path, case, name)


@pytest.mark.slow
@pytest.mark.parametrize(("case", "name"), PAIRS)
def test_all_cases(spark, tmp_path, case: PublicationCase, name: str):
    compare(spark, tmp_path, case, name)


def compare(spark: SparkSession, base: Path, case: PublicationCase, name: str) -> None:
    program = read_program(case.programs[name])
    announced = [one for batch in case.announced(program) for one in batch]
    found = case.difference(replayed(spark, base, program, announced, case.until, 2))
    exemption = case.exemption("spark")
    if exemption is not None:
        found = "" if found else f"this works now: take away the mark `notyet: {exemption.runner}: {exemption.reason}`"
    if found:
        pytest.fail(f"{FOLDER / case.file}.txt:{case.line}: {case.title}\n{found}", False)
