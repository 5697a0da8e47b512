"""The reference evaluator: docs/semantics.md made executable, slow and obvious. It is the judge of every engine."""

from ensue.reference.deriving import derive
from ensue.reference.evaluator import evaluate

__all__ = ["derive", "evaluate"]
