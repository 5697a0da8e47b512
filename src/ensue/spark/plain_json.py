"""JSON texts read by Arrow, many at once, where it reads exactly what Spark would.

Spark takes one text at a time, and most of the way of an event from Kafka goes into that. Arrow gets the texts in which
nothing is left to choose, and Spark all others: what is broken, what does not fit the schema, and what the two
understand differently. Which of them reads a text may depend on the texts beside it; what is read does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import types as t

from ensue.engine.arrays import Truths

_KINDS: Mapping[t.DataType, pa.DataType] = {
    t.StringType(): pa.string(),
    t.LongType(): pa.int64(),
    t.IntegerType(): pa.int32(),
    t.DoubleType(): pa.float64(),
    t.BooleanType(): pa.bool_(),
    t.TimestampType(): pa.timestamp("us", "UTC"),
}
_DOUBTFUL = r"[\x00-\x1f]|NaN|Inf|\\u[dD]"
"""No text on one line; not JSON, but read by one or the other; halves of characters, which need not fit together."""
_SIGNS = (b"NaN", b"Inf", b"\\ud", b"\\uD")
_INSTANT = r"^[1-9]\d{3}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-](?:0\d|1[0-7]):[0-5]\d)?$"
_ZONED = r"(?:Z|[+-]\d\d:\d\d)$"
_SHORT, _LONGEST = 1_000, 50_000
"""Spark refuses numbers of more than so many digits, as many objects in one another, and names of so many letters."""
_MANY_DIGITS = r"[0-9.eE+-]{1000}"
_PIECE = 100
"""If not all texts of a batch can be read, so many at a time are tried: those beside a broken one are left to Spark."""


def readable(fields: Sequence[t.StructField]) -> bool:
    """Whether Arrow knows the types of all fields, and their names tell them apart."""
    names = {field.name for field in fields}
    return bool(fields) and len(names) == len(fields) and all(field.dataType in _KINDS for field in fields)


@dataclass(frozen=True, slots=True)
class PlainJson:
    """For `mapInArrow`: a column of texts becomes the fields of the objects that Arrow can read, and the other texts.

    Further columns follow as they are. Columns have no names of their own.
    """

    fields: tuple[tuple[str, pa.DataType], ...]

    @classmethod
    def of(cls, fields: Sequence[t.StructField]) -> PlainJson:
        return cls(tuple((field.name, _KINDS[field.dataType]) for field in fields))

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        worth_trying = True
        for batch in batches:
            values, *others = batch.columns
            values = values.cast(pa.binary())  # a session may have large columns
            if worth_trying:
                found, plain = self.read(values)
                worth_trying = bool(plain.any()) or not len(plain)
            else:
                found, plain = [pa.nulls(len(values), kind) for _, kind in self.fields], np.zeros(len(values), np.bool_)
            left = pa.nulls(len(values), values.type) if plain.all() else pc.if_else(pa.array(plain), None, values)
            columns = [*found, left, *others]
            yield pa.RecordBatch.from_arrays(columns, names=list(map(str, range(len(columns)))))

    def read(self, values: pa.Array) -> tuple[list[pa.Array], Truths]:
        """The fields of each text, null where it could not be read, and which ones could."""
        plain = _plain(values)
        everything = bool(plain.all())
        tables, found = self._tables(values if everything else values.filter(pa.array(plain)))
        plain[plain] = found
        table = pa.concat_tables(tables).combine_chunks()
        if not (everything and found.all()):
            table = table.take(pa.array(np.cumsum(plain) - 1, mask=~plain)).combine_chunks()
        arrays = (column.combine_chunks() for column in table.columns)
        return [one.chunk(0) if isinstance(one, pa.ChunkedArray) else one for one in arrays], plain

    def _tables(self, texts: pa.Array) -> tuple[list[pa.Table], Truths]:
        """What can be read, and for each text whether it is there."""
        whole = self._table(texts)
        if whole is not None:
            return [whole], np.ones(len(texts), np.bool_)
        pieces = [texts.slice(start, _PIECE) for start in range(0, len(texts), _PIECE)]
        found = [self._table(piece) for piece in pieces]
        there = np.repeat([one is not None for one in found], [len(piece) for piece in pieces])
        return [one for one in found if one is not None] or [self._typed.empty_table()], there

    def _table(self, texts: pa.Array) -> pa.Table | None:
        """The objects of texts that begin and end with a brace; None if they are not just as many, or doubtful."""
        import pyarrow.json as pj

        if not len(texts):
            return self._typed.empty_table()
        lines = _joined(texts)
        try:
            table = pj.read_json(
                pa.BufferReader(lines),
                read_options=pj.ReadOptions(use_threads=False, block_size=len(lines) + 1),
                parse_options=pj.ParseOptions(explicit_schema=self._read, unexpected_field_behavior="ignore"),
            )
            if len(table) != len(texts):
                return None
            columns = [_exact(table.column(name).combine_chunks(), kind) for name, kind in self.fields]
        except pa.ArrowInvalid:
            return None
        return pa.Table.from_arrays(columns, schema=self._typed)

    @property
    def _typed(self) -> pa.Schema:
        return pa.schema(list(self.fields))

    @property
    def _read(self) -> pa.Schema:
        """Times are read as texts: Arrow would take more of them than Spark, and fewer."""
        return pa.schema((name, pa.string() if pa.types.is_timestamp(kind) else kind) for name, kind in self.fields)


def _joined(texts: pa.Array) -> pa.Buffer:
    return pc.binary_join(pa.LargeListArray.from_arrays([0, len(texts)], texts), b"\n")[0].as_buffer()


def _plain(values: pa.Array) -> Truths:
    """Which texts are one object on one line, if they are JSON at all, and nothing that is understood differently."""
    try:
        texts = values.cast(pa.string())
    except pa.ArrowInvalid:  # one of them is no UTF-8
        return np.zeros(len(values), np.bool_)
    lengths = pc.binary_length(texts)
    fine = pc.and_(pc.starts_with(texts, "{"), pc.ends_with(texts, "}"))
    if _some_doubtful(values):
        fine = pc.and_not(fine, pc.match_substring_regex(texts, _DOUBTFUL))
    plain: Truths = np.array(pc.and_(fine, pc.less(lengths, _LONGEST)).fill_null(False))
    long = plain & np.asarray(pc.greater_equal(lengths, _SHORT).fill_null(False))
    if long.any():
        some = texts.filter(pa.array(long))
        deep = pc.greater_equal(pc.count_substring_regex(some, r"[{\[]"), _SHORT)
        plain[long] = ~np.asarray(pc.or_(deep, pc.match_substring_regex(some, _MANY_DIGITS)))
    return plain


def _some_doubtful(values: pa.Array) -> bool:
    """Whether it may be that one is: to look through all of them as one text is several times as fast."""
    text = _joined(values.drop_null()).to_pybytes()
    between = max(0, len(values) - values.null_count - 1)
    controls = int((np.frombuffer(text, np.uint8) < 0x20).sum())
    return controls != between or any(sign in text for sign in _SIGNS)


def _exact(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """A column as Spark would read it too; `ArrowInvalid` if that cannot be said."""
    if pa.types.is_timestamp(kind):
        return _instants(column, kind)
    if pa.types.is_floating(kind):
        numbers = np.asarray(column.fill_null(1.0))
        if not np.isfinite(numbers).all() or (np.signbit(numbers) & (numbers == 0)).any():
            raise pa.ArrowInvalid("a number that is too large, or -0")
    return column


def _instants(texts: pa.Array, kind: pa.DataType) -> pa.Array:
    """Times as ISO has them; without a zone they are UTC."""
    if not pc.all(pc.match_substring_regex(texts, _INSTANT), min_count=0).as_py():
        raise pa.ArrowInvalid("a time in another form")
    zoned = pc.match_substring_regex(texts, _ZONED)
    return pc.if_else(zoned, texts, pc.binary_join_element_wise(texts, "Z", "")).cast(kind)
