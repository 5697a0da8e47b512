"""The reference evaluator: docs/semantics.md made executable, slow and obvious. It is the judge of every engine."""

from ensue.reference.deriving import derive
from ensue.reference.evaluator import evaluate
from ensue.reference.publishing import derive_patterns, looks_of, publish, purge_by_lifespan

__all__ = ["derive", "derive_patterns", "evaluate", "looks_of", "publish", "purge_by_lifespan"]
