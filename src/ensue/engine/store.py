"""The events that rows refer to: times and ids by handle, no more than what is still needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ensue.engine.arrays import Bytes, Ints, counting, frozen, no_ints
from ensue.engine.kernels.identity import digest_texts
from ensue.engine.kernels.partition import Groups

_NO_TEXTS = pa.array([], pa.large_string())


@dataclass(frozen=True, slots=True)
class Ids:
    """Ids as codes: a whole number, such as a position, stands for its digits, -(k + 1) for the k-th text."""

    codes: Ints
    texts: pa.LargeStringArray

    @classmethod
    def from_positions(cls, first: int, count: int) -> Ids:
        return cls(counting(count) if first == 0 else np.arange(first, first + count, dtype=np.int64), _NO_TEXTS)

    @classmethod
    def from_texts(cls, texts: pa.Array | Sequence[str]) -> Ids:
        array = texts if isinstance(texts, pa.Array) else pa.array(texts, pa.large_string())
        return cls(-1 - np.arange(len(array), dtype=np.int64), array.cast(pa.large_string()))

    @classmethod
    def from_numbers(cls, numbers: Ints) -> Ids:
        """Whole numbers as their digits, without making texts of them; only negative ones need theirs."""
        if numbers.min(initial=0) >= 0:
            return cls(numbers, _NO_TEXTS)
        negative = numbers < 0
        texts = pa.array(numbers[negative]).cast(pa.large_string())
        return cls(np.where(negative, -np.cumsum(negative, dtype=np.int64), numbers), texts)

    def take(self, rows: Ints) -> Ids:
        return Ids(self.codes[rows], self.texts)

    def to_pylist(self) -> list[str]:
        listed = (
            self.texts.take(pa.array(np.where(self.codes < 0, -1 - self.codes, 0))).to_pylist()
            if len(self.texts)
            else None
        )
        return [str(code) if code >= 0 or listed is None else listed[i] for i, code in enumerate(self.codes.tolist())]

    def table(self) -> tuple[Ints, Bytes]:
        """The texts as offsets and bytes, for the kernels."""
        if not len(self.texts):
            return frozen(np.zeros(1, np.int64)), frozen(np.zeros(0, np.uint8))
        texts = self.texts if self.texts.offset == 0 else pa.concat_arrays([self.texts, _NO_TEXTS])
        _, offsets, data = texts.buffers()
        content = np.frombuffer(data if data is not None else b"", np.uint8)
        return frozen(np.frombuffer(offsets, np.int64)[: len(texts) + 1]), frozen(content)


class Store:
    """A growing list of events; handles are places in it."""

    def __init__(self, times: Ints | None = None, ids: Ids | None = None) -> None:
        self.times: Ints = no_ints() if times is None else times
        self.ids: Ids = ids or Ids.from_texts([])
        self.ordered = True
        self.temporal: Ints = no_ints()
        """The handles of the temporal events."""
        self._known: Groups | None = None
        """The digests of their ids, numbered in the same order; made when it is asked for."""
        self._table: tuple[Ints, Bytes] | None = None

    def __len__(self) -> int:
        return len(self.times)

    def copy(self) -> Store:
        """A store that grows on its own from here."""
        other = Store(self.times, self.ids)
        other.ordered, other.temporal = self.ordered, self.temporal
        return other

    def append(self, times: Ints, ids: Ids, *, in_order: bool = False) -> int:
        """Add events; gives the handle of the first one.

        As long as all come in (time, id) order, handles stand in that order too, and comparing them is enough.
        """
        self.ordered = self.ordered and in_order and (not len(self) or not len(times) or times[0] > self.times[-1])
        first, known = len(self.times), len(self.ids.texts)
        codes = np.where(ids.codes < 0, ids.codes - known, ids.codes) if known else ids.codes
        texts = (
            pa.concat_arrays([self.ids.texts, ids.texts])
            if known and len(ids.texts)
            else (self.ids.texts if known else ids.texts)
        )
        self.times = np.concatenate([self.times, times]) if first else times
        self.ids = Ids(np.concatenate([self.ids.codes, codes]) if first else codes, texts)
        self._table = None
        return first

    def append_temporal(self, times: Ints, ids: pa.LargeStringArray) -> Ints:
        """Add temporal events, unless they are here; gives their handles. Events with the same id are one event."""
        if self._known is None:
            self._known = Groups(2, len(self.temporal))
            self._known.number(_digests(self._texts_of(self.ids.codes[self.temporal])))
        before = self._known.count
        numbers = self._known.number(_digests(ids))
        new = np.flatnonzero(np.diff(np.maximum.accumulate(np.maximum(numbers, before - 1)), prepend=before - 1))
        if len(new) < len(ids):
            times, ids = times[new], ids.take(pa.array(new))
        first = self.append(times, Ids.from_texts(ids))
        self.temporal = np.concatenate([self.temporal, np.arange(first, first + len(new), dtype=np.int64)])
        return self.temporal[numbers]

    def arrays(self) -> tuple[bool, Ints, Ints, Ints, Bytes]:
        """Whether handles are in order, times, id codes, and the table of texts, as the kernels take them."""
        if self._table is None:
            self._table = self.ids.table()
        return self.ordered, frozen(self.times), frozen(self.ids.codes), *self._table

    def kept(self, handles: Ints) -> Store:
        """A store of just these events, in this order."""
        codes = self.ids.codes[handles]
        textual = codes < 0
        texts = self._texts_of(codes[textual])
        codes[textual] = -1 - np.arange(int(textual.sum()), dtype=np.int64)
        kept = Store(self.times[handles], Ids(codes, texts if len(texts) else _NO_TEXTS))
        kept.ordered = self.ordered
        if len(self.temporal):
            places = np.full(len(self), -1, np.int64)
            places[handles] = np.arange(len(handles))
            now = places[self.temporal]
            kept.temporal = now[now >= 0]
        return kept

    def _texts_of(self, codes: Ints) -> pa.LargeStringArray:
        """The texts that codes stand for, none of which is a number."""
        return self.ids.texts.take(pa.array(-1 - codes))


def _digests(texts: pa.LargeStringArray) -> Ints:
    """Two words for each text."""
    found: Ints = digest_texts(*Ids.from_texts(texts).table()).view(np.int64)
    return found
