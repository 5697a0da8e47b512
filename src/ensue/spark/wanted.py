"""Which rows some atom wants, and what of them the engine needs to know.

The condition of every atom becomes a column. Where Spark says exactly what the condition says, the engine does not test
it again: it is told by a bit, or, if the atom is the only one that wants events of its types, by the row's being there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import and_, or_

from pyspark.sql import Column, functions as f

from ensue.algebra import Pattern, atoms
from ensue.algebra.expressions import Attribute, attributes_in
from ensue.algebra.families import Family, families, is_hidden
from ensue.algebra.patterns import Atom
from ensue.algebra.rewriting import map_atoms
from ensue.algebra.shapes import kinds_of
from ensue.algebra.wants import Tests, any_event, tests_of, wanted_atoms
from ensue.embedded.patterns import Watched
from ensue.model import Taxonomy
from ensue.spark.sources import Source

WIDTH = 62
"""How many bits go into one whole number."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The atoms of some patterns over some sources."""

    atoms: tuple[Atom, ...]
    """For rules of one shape, those that cover all of them."""
    everything: bool
    taxonomy: Taxonomy
    families: tuple[Family, ...]
    exact: frozenset[Atom]
    """Those whose condition Spark evaluates exactly, in every source."""
    bits: tuple[Atom, ...]
    """Those that are told to the engine by a bit."""

    @classmethod
    def of(cls, watched: Sequence[Watched], sources: Sequence[Source], taxonomy: Taxonomy) -> Wanted:
        return cls._of(watched, lambda atom: all(source.filter(atom).exact for source in sources), taxonomy)

    @classmethod
    def exactly(cls, watched: Sequence[Watched], taxonomy: Taxonomy) -> Wanted:
        """Where the engine's own tests say which rows are wanted, so that all of them are exact."""
        return cls._of(watched, lambda _: True, taxonomy)

    @classmethod
    def _of(cls, watched: Sequence[Watched], is_exact: Callable[[Atom], bool], taxonomy: Taxonomy) -> Wanted:
        patterns = {item.name: (item.pattern, item.context) for item in watched}
        lone, covering = wanted_atoms(patterns)
        found = tuple(dict.fromkeys((*lone, *covering)))
        everything = any(map(any_event, kinds_of(item.pattern for item in watched)))
        exact = frozenset(atom for atom in lone if is_exact(atom))
        shared = [atom for atom in lone if everything or not _alone(atom, found, taxonomy)]
        bits = tuple(atom for atom in shared if atom.condition is not None and atom in exact)
        return cls(found, everything, taxonomy, families(patterns), exact, bits)

    @property
    def types(self) -> tuple[str, ...]:
        """The types that some atom wants."""
        return tuple(sorted({name for atom in self.atoms for name in self.taxonomy.below(atom.type)}))

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that the engine has to know."""
        found = {attribute for atom in self.atoms for _, attribute in atom.bindings}
        templates = (atom for family in self.families for atom in atoms(family.template))
        for atom in (*self.atoms, *templates):
            if atom.condition is not None and atom not in self.exact:
                found |= {name for name in attributes_in(atom.condition) if not is_hidden(name)}
        return tuple(sorted(found))

    def rewritten(self, item: Watched) -> Pattern:
        """A pattern as the engine gets it: conditions that Spark has evaluated are bits, or nothing at all.

        Rules of one shape keep theirs: the engine knows how to test them together.
        """
        if any(item.name in family.numbers for family in self.families):
            return item.pattern
        places = {atom: place for place, atom in enumerate(self.bits)}

        def change(atom: Atom) -> Atom:
            if atom in places:
                return replace(atom, condition=Attribute(bit_name(places[atom])))
            return replace(atom, condition=None) if atom in self.exact else atom

        return map_atoms(item.pattern, change)

    @property
    def tests(self) -> Tests:
        """What is wanted of which types: atoms without types, of which one has to want the event."""
        return tests_of(self.atoms, self.taxonomy)

    @staticmethod
    def of_atom(atom: Atom) -> frozenset[str]:
        """The attributes that an atom looks at."""
        tested = () if atom.condition is None else attributes_in(atom.condition)
        return frozenset((*tested, *(attribute for _, attribute in atom.bindings)))

    def rows(self, source: Source) -> Column | None:
        """The rows of a source that some atom wants, and those of which that cannot be told; None if all are wanted."""
        if self.everything:
            return None
        parts: list[Column] = []
        for shared, types in self.tests.items():
            of_type = source.of_types(types)
            if of_type is False:
                continue
            conditions = [_passes(test, source) for test in shared]
            known = [condition for condition in conditions if condition is not None]
            any_of = reduce(or_, known) if len(known) == len(conditions) else None
            if of_type is True:
                if any_of is None:
                    return None
                parts.append(any_of)
            else:
                parts.append(of_type if any_of is None else of_type & any_of)
        unknown = source.untyped
        if unknown is not None:
            parts.append(unknown)
        return reduce(or_, parts) if parts else f.lit(False)

    def bit_columns(self, source: Source) -> list[Column]:
        """For each row, which of the atoms with a bit want it, as few whole numbers as possible."""
        columns = []
        for first in range(0, len(self.bits), WIDTH):
            set_bits = [
                f.when(self._wants(atom, source), f.lit(1 << place)).otherwise(f.lit(0)).cast("bigint")
                for place, atom in enumerate(self.bits[first : first + WIDTH])
            ]
            columns.append(reduce(lambda one, two: one.bitwiseOR(two), set_bits))
        return columns

    def _wants(self, atom: Atom, source: Source) -> Column:
        of_type, condition = source.of_types(self.taxonomy.below(atom.type)), source.filter(atom).column
        if of_type is False:
            return f.lit(False)
        tested = condition if condition is not None else f.lit(True)
        return tested if of_type is True else of_type & tested


def bit_name(place: int) -> str:
    """The attribute by which the engine knows a bit: no attribute of an event is called so."""
    return f"\0{place}"


def _passes(atom: Atom, source: Source) -> Column | None:
    """Where an atom may want a row of its types: its condition may hold, and no variable would lack a value."""
    found = source.filter(atom).column
    parts = [] if found is None else [found]
    for _, attribute in dict.fromkeys(atom.bindings):
        value = source.attribute(attribute)
        if attribute != source.names.time:
            parts.append((value.plain if value.plain is not None else value.column).isNotNull())
    return reduce(and_, parts) if parts else None


def _alone(atom: Atom, found: Sequence[Atom], taxonomy: Taxonomy) -> bool:
    """Whether no other atom wants events of its types."""
    types = taxonomy.below(atom.type)
    return not any(types & taxonomy.below(other.type) for other in found if other != atom)
