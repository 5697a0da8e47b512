"""Texts that Arrow reads in place of Spark: with a blank before them, Spark reads the same ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings, strategies as st
from pyspark.sql import functions as f, types as t

from ensue.spark.kafka import BROKEN, parsed
from ensue.spark.plain_json import PlainJson, readable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LARGE = "spark.sql.execution.arrow.useLargeVarTypes"
FIELDS = [
    t.StructField("type", t.StringType()),
    t.StructField("time", t.TimestampType()),
    t.StructField("id", t.StringType()),
    t.StructField("long", t.LongType()),
    t.StructField("int", t.IntegerType()),
    t.StructField("double", t.DoubleType()),
    t.StructField("truth", t.BooleanType()),
]
ORDINARY = [
    '{"type": "Login", "time": "2026-07-10T09:00:00Z", "id": "x1", "long": 12, "int": 3, "double": 0.25, "truth": true}',  # noqa: E501 - one text
    '{"time":"2026-07-10T09:00:00.123456+02:00","double":7,"more":{"a":[1,{"b":null}]},"type":"\\u00e9 \\"so\\" \\\\"}',
    '{"id": "ünï", "time": "2026-07-10 09:00:00.5", "truth": null, "int": -2147483648, "long": 9223372036854775807}',
    '{"double": -1.5e-7, "time": "1969-12-31T23:59:59-05:00"}',
    "{}",
]  # fmt: skip
"""Events as they come: it would be slow if they were left to Spark."""
SPECIAL = [
    '{"long": 01}', '{"long": +1}', '{"long": 1.0}', '{"long": 1e2}', '{"long": "5"}', '{"long": -0}', '{"long": .5}',
    '{"long": 9223372036854775808}', '{"int": 2147483648}', '{"int": true}', '{"truth": "true"}', '{"truth": 1}',
    '{"double": -0}', '{"double": -0.0}', '{"double": 1e999}', '{"double": 1e-999}', '{"double": 5.}',
    '{"double": NaN}',
    '{"double": -Infinity}', '{"double": "NaN"}',
    '{"double": 0.1000000000000000055511151231257827021181583404541015625}',
    '{"double": 123456789012345678901234567890}', '{"double": 9007199254740993}', '{"double": 4.9e-324}',
    '{"more": NaN}', '{"more": Inf}', '{"more": 01}', '{"more": "\\ud83d"}', '{"more": [1,]}', '{"more": nul}',
    '{"type": 5}', '{"type": 5.50}', '{"type": true}', '{"type": {"a": 1}}', '{"type": [1, 2]}', '{"type": ""}',
    '{"type": "\\u0000"}', '{"type": "\\ud83d\\ude00"}', '{"type": "\\ude00"}', '{"type": "\\x"}', '{"type": "\\/"}',
    '{"type": "a\tb"}', '{"type": "a\nb"}', '{"type": "\x7f\u2028"}', "{'type': 'a'}", '{type: "a"}',
    '{"type": "a", "type": "b"}', '{"more": 1, "more": 2}', '{"ty\\u0070e": "a"}', '{"TYPE": "a"}', '{"": 1}',
    '{"long": 1}{"long": 2}', '{"long": 1} {"long": 2}', '{"long": 1} x}', '{"long": 1},{"long": 2}', '{"long": 1}}',
    '{"more": {}', '{"more": "}', '{"a": 1} // }', '{/* */}', "{,}", "{", "}", "{}{", "[]", "[{}]", "null", "", " ",
    '{"time": 5}', '{"time": "2026-07-10"}', '{"time": "2026-07-10T09:00"}', '{"time": "2026-02-30T09:00:00Z"}',
    '{"time": "2026-07-10T24:00:00Z"}', '{"time": "2026-07-10T09:00:60Z"}', '{"time": "0000-01-01T00:00:00Z"}',
    '{"time": "9999-12-31T23:59:59.999999Z"}', '{"time": "1000-01-01T00:00:00+17:59"}',
    '{"time": "1582-10-10T00:00:00"}',
    '{"time": "2026-07-10T09:00:00+18:00"}', '{"time": "2026-07-10T09:00:00+0200"}',
    '{"time": "2026-07-10T09:00:00z"}',
    '{"time": "2026-07-10T09:00:00.1234567Z"}', '{"time": "2026-07-10T09:00:00 UTC"}', '{"time": ""}',
    '{"time": "now"}',
    '{"time": "2026-07-10T09:00:00-00:00"}', '{"time": "12026-07-10T09:00:00Z"}', '{"time": " 2026-07-10T09:00:00Z"}',
    '{"more": ' + "[" * 998 + "]" * 998 + "}", '{"more": ' + "[" * 1200 + "]" * 1200 + "}",
    '{"more": ' + "1" * 999 + "}", '{"more": ' + "1" * 1200 + "}", '{"type": "' + "long " * 400 + '"}',
    '{"' + "n" * 60_000 + '": 1}', '{"double": 0.' + "3" * 990 + "}",
]  # fmt: skip
TOKENS = [
    *(
        "1",
        "-7",
        "0",
        "2.5",
        "1e3",
        "true",
        "false",
        "null",
        "{}",
        "[]",
        '"a"',
        '"7"',
        '""',
        '{"a":[null]}',
        "01",
        "nul",
    ),
    *(
        '"2026-07-10T09:00:00Z"',
        '"2026-07-10 09:00:00.25"',
        '"2026-13-10T09:00:00Z"',
        '"é\\n"',
        '"\\ud83d\\ude00"',
        "-0.0",
    ),
]
"""What stands in a field, whichever."""


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Objects with some of the fields, in any order, and in every third something is wrong with the letters."""
    names = draw(st.lists(st.sampled_from([*(field.name for field in FIELDS), "more"]), max_size=4))
    gap = draw(st.sampled_from(["", " "]))
    pairs = [f'"{name}":{gap}{draw(st.sampled_from(TOKENS))}' for name in names]
    text = "{" + f",{gap}".join(pairs) + "}"
    if draw(st.integers(0, 2)):
        return text
    place, gone = draw(st.integers(0, len(text))), draw(st.integers(0, 1))
    slip = draw(st.sampled_from([*'{}[]",:\\ 1-.en\n', "NaN", ""]))
    return f"{text[:place]}{slip}{text[place + gone :]}"


def read(spark: SparkSession, values: list[bytes], *, as_texts: bool = False) -> list[tuple[Any, ...]]:
    columns = {
        "value": pa.array(values, pa.binary()),
        "topic": pa.array(["t"] * len(values)),
        "partition": pa.array([0] * len(values), pa.int32()),
        "offset": pa.array([0] * len(values), pa.int64()),
    }
    records = spark.createDataFrame(pa.table(columns)).coalesce(1)
    if as_texts:
        records = records.withColumn("value", f.col("value").cast("string"))
    table = parsed(records, t.StructType(FIELDS)).toArrow()
    micros = table.column("time").cast(pa.int64())  # also those that no date of Python's can be
    rows = table.set_column(table.schema.get_field_index("time"), "time", micros).to_pylist()
    return [(*(repr(one[field.name]) for field in FIELDS), one[BROKEN]) for one in rows]


def compare(spark: SparkSession, values: list[bytes]) -> None:
    """Each value as it is, and left to Spark, because it does not begin with a brace."""
    rows = read(spark, [*values, *(b" " + value for value in values)])
    for value, mine, by_spark in zip(values, rows, rows[len(values) :], strict=False):
        assert mine == (*by_spark[:-1], None if by_spark[-1] is None else by_spark[-1][1:]), value


def of_arrow(values: list[bytes | None]) -> list[bool]:
    _, plain = PlainJson.of(FIELDS).read(pa.array(values, pa.binary()))
    found: list[bool] = plain.tolist()
    return found


def test_special_texts_are_read_as_spark_reads_them(spark: SparkSession):
    values = [text.encode() for text in (*ORDINARY, *SPECIAL)]
    compare(spark, [*values, b'{"type": "\xff"}', b'{"type": "\xed\xa0\x80"}', b"\xef\xbb\xbf{}"])
    compare(spark, [value for text in ORDINARY for value in [text.encode()] * 50])


@settings(max_examples=15, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.lists(texts(), min_size=100, max_size=200))
def test_random_texts_are_read_as_spark_reads_them(spark: SparkSession, many: list[str]):
    compare(spark, [text.encode() for text in many])


def test_ordinary_events_are_not_left_to_spark():
    values: list[bytes | None] = [text.encode() for text in ORDINARY]
    assert all(of_arrow(values * 60))
    assert [json.loads(value) is not None for value in values if value] == [True] * len(values), "they are JSON"


def test_those_beside_a_broken_one_may_be_left_to_spark_and_no_others():
    values: list[bytes | None] = [ORDINARY[0].encode()] * 1_000
    values[450] = b'{"long": "many"}'
    values[10] = None
    found = of_arrow(values)
    assert not found[10]
    assert not found[450]
    assert sum(found) >= 898


def test_which_reads_a_text_does_not_matter(spark: SparkSession):
    """A text has the same meaning beside others, of which one is broken, and alone."""
    whole = [text.encode() for text in ORDINARY]
    assert read(spark, [*whole, b"{"])[:-1] == read(spark, whole)


def test_values_that_are_texts_already(spark: SparkSession):
    values = [text.encode() for text in (*ORDINARY, *SPECIAL)]
    assert read(spark, values, as_texts=True) == read(spark, values)


def test_a_session_whose_arrow_columns_are_large(spark: SparkSession):
    values = [text.encode() for text in (*ORDINARY, *SPECIAL)]
    expected = read(spark, values)
    spark.conf.set(LARGE, "true")
    try:
        assert read(spark, values) == expected
        assert read(spark, values, as_texts=True) == expected
    finally:
        spark.conf.unset(LARGE)


@pytest.mark.parametrize(
    "fields",
    [
        [],
        [t.StructField("a", t.DateType())],
        [t.StructField("a", t.StringType()), t.StructField("a", t.LongType())],
        [t.StructField("a", t.ArrayType(t.StringType()))],
    ],
)
def test_other_schemas_are_left_to_spark(fields: list[t.StructField]):
    assert not readable(fields)
    assert readable(FIELDS)
