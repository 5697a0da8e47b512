"""The arrows of docs/architecture.md: what each package may import, and how little `import ensue` loads."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "ensue"

# Each one may import those before it, and no other.
ORDER = (
    "loading",
    "errors",
    "time",
    "model",
    "algebra",
    "reference",
    "language",
    "engine",
    "embedded",
    "files",
    "terms",
    "ontology",
    "revisions",
    "spark",
    "detecting",
    "asking",
    "testing",
    "report",
    "plotting",
    "rules",
    "server",
    "web",
    "cli",
)

# The public face imports from any layer, lazily; `__main__` is the command line.
FACE = {"__init__.py", "__main__.py"}

HEAVY = {"altair", "cyclopts", "lark", "numba", "numpy", "pandas", "polars", "pyarrow", "pyspark", "rich", "sqlglot"}


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).as_posix() not in FACE)


def layer_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_layers(path: Path) -> Iterator[tuple[int, str]]:
    """The layers that a file imports, with the line, those inside functions and `if TYPE_CHECKING` included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import hides its layer"
            # `from ensue import algebra` names a layer in the second place
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            package, _, rest = name.partition(".")
            if package == "ensue" and rest:
                yield node.lineno, rest.partition(".")[0]


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_imports_point_to_the_layers_above(path):
    layer = layer_of(path)
    assert layer in ORDER, f"{layer} has no place among the layers: give it one in ORDER and in docs/architecture.md"
    allowed = {*ORDER[: ORDER.index(layer) + 1], "__version__"}
    wrong = [f"{path.name}:{line} imports ensue.{used}" for line, used in imported_layers(path) if used not in allowed]
    assert not wrong, f"ensue.{layer} may only import {sorted(allowed)}"


def test_the_processes_of_the_frontier_load_no_engine():
    """Spark starts one for every micro-batch, and more when a run starts: each would pay for it anew."""
    found = [
        sys.executable,
        "-c",
        "import sys, ensue.spark.programs.frontier; print({'numba', 'lark'} & {*sys.modules})",
    ]
    assert subprocess.run(found, capture_output=True, text=True, check=True).stdout == "set()\n"


def test_a_program_without_a_select_does_not_load_sqlglot():
    program = "import sys; from ensue.language import parse_program; parse_program('CREATE CALENDAR d AS EVERY 1 day')"
    found = [sys.executable, "-c", f"{program}; print('sqlglot' in sys.modules)"]
    assert subprocess.run(found, capture_output=True, text=True, check=True).stdout == "False\n"


def test_import_ensue_loads_no_library():
    program = "import sys, ensue; print(*{name.partition('.')[0] for name in sys.modules})"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not HEAVY & set(run.stdout.split())
