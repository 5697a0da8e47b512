"""Patterns one event at a time, in plain Python: for events that come singly, columns cost more than they save."""

from ensue.engine.immediate.compiling import supported
from ensue.engine.immediate.runtime import Runtime, State

__all__ = ["Runtime", "State", "supported"]
