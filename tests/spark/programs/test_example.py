"""The example of the repository is one that runs."""

from pathlib import Path

from ensue.language import parse_program
from ensue.spark.programs.running import check_runnable

EXAMPLE = Path(__file__).parents[3] / "examples" / "machines" / "machines.ensue"


def test_the_example_can_run_and_its_files_are_there():
    program = parse_program(EXAMPLE.read_text("utf-8"), file=str(EXAMPLE))
    check_runnable(program)
    for item in program.subscribed_classes:
        assert item.source is not None
        assert any((EXAMPLE.parent / dict(item.source.options)["path"]).iterdir())
