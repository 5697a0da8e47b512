"""Patterns as values: the nodes of the event algebra, contexts, bounds and printing."""

from ensue.algebra.contexts import Context
from ensue.algebra.expressions import Expression
from ensue.algebra.patterns import Pattern
from ensue.algebra.printing import print_expression, print_pattern
from ensue.algebra.variables import Scope, atoms, scope, walk

__all__ = ["Context", "Expression", "Pattern", "Scope", "atoms", "print_expression", "print_pattern", "scope", "walk"]
