"""`import ensue`: what it offers, and that it costs next to nothing."""

import subprocess
import sys
from importlib import import_module

import pytest

import ensue


@pytest.mark.parametrize("name", ensue.__all__)
def test_everything_that_is_offered_is_there(name):
    assert getattr(ensue, name) is not None
    assert name in dir(ensue)


def test_nothing_is_loaded_but_not_offered():
    assert set(ensue._PLACES) | {"__version__"} == set(ensue.__all__)
    for name, (home, original) in ensue._PLACES.items():
        assert getattr(ensue, name) is getattr(import_module(home), original)


def test_what_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="detct"):
        _ = ensue.detct


def test_building_patterns_loads_no_engine():
    program = """
import sys, ensue
pattern = ensue.event("Login", user=ensue.var.u).times(3).within("2 minutes")
assert str(pattern) == "3 times Login(user = ?u) within 2 minutes"
assert ensue.parse(str(pattern)) == pattern
assert not {"numba", "pyarrow", "pandas", "polars"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_neither_pandas_nor_polars_is_needed():
    """Arrow imports pandas by itself where it is installed, so it is made impossible here."""
    program = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name in ("pandas", "polars"):
            raise ImportError(name)
sys.meta_path.insert(0, Missing())
import ensue, pyarrow
assert len(ensue.detect("A", [{"type": "A", "time": 1}])) == 1
assert len(ensue.detect("A", pyarrow.table({"type": ["A"], "time": [1]}))) == 1
"""
    subprocess.run([sys.executable, "-c", program], check=True)
