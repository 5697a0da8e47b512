from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No profile looks at the clock: a slow machine must not fail a test. The ordinary run takes the same random cases each
# time, so that what fails is what was changed; `--all` looks for new ones (docs/decisions/0018).
_COMMON = settings(deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ordinary", _COMMON, max_examples=200, derandomize=True)
settings.register_profile("all", _COMMON, max_examples=2_000, derandomize=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="also run the slow tests, and many more random cases")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("all" if config.getoption("--all") else "ordinary")


_LONG = tuple(Path(__file__).parent / "spark" / name for name in ("programs", "cluster", "corrections", "kafka"))
"""Where single tests take minutes: they go first, so that no core waits for one of them in the end."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the slow tests out, unless `--all` or a marker expression (`-m slow`) asks for them."""
    items.sort(key=lambda item: not any(item.path.is_relative_to(folder) for folder in _LONG))
    if config.getoption("--all") or config.getoption("-m"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]
