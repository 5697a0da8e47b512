"""SELECT classes over windows of steps: the same versions as an independent evaluation at every step, however cut."""

from collections import Counter
from datetime import UTC, timedelta
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from tests.spark.corrections.selecting_oracle import EPOCH, Oracle, Version, WithNow, key_of, micros
from tests.spark.corrections.selecting_spark import derived, derived_here, seen

from ensue.language import parse_program
from ensue.spark.corrections.lifetimes import FROM, KEY, OCCURRED, TO, TOUCHED, Window
from ensue.spark.corrections.selecting import Kind, way_of
from ensue.spark.corrections.selecting.ways import plan_of, stepwise

HOUR = timedelta(hours=1)
START = micros(EPOCH)
STEP = 30 * 60 * 1_000_000

CLASSES = """
CREATE MUTABLE SUBSCRIBED EVENT CLASS A(w INT, k INT, g TEXT, x INT, due TIMESTAMP) ID (w, k);
CREATE MUTABLE SUBSCRIBED EVENT CLASS B(w INT, k INT, g TEXT, x INT) ID (w, k);
CREATE MUTABLE SUBSCRIBED EVENT CLASS BelowB(y INT) UNDER B;
"""

SELECTS = {
    "Filtered": "(w INT, k INT, g TEXT) ID (w, k) AS SELECT w, k, g FROM A WHERE x > 0 OCCURRING AT A + 1h",
    "Joined": """(w INT, k INT, x INT) ID (w, k) AS SELECT a.w, a.k, b.x FROM A a JOIN B b ON a.w = b.w AND a.k = b.k
      WHERE b > a - 2h AND b - a < 1 day OCCURRING AT MAX(a, b)""",
    "Paired": """(w INT, one INT, two INT) AS SELECT a.w, a.k AS one, b.k AS two FROM A a, A b
      WHERE a.w = b.w AND a.g = b.g AND a.k < b.k OCCURRING AT MIN(a, b) - 1d""",
    "Three": """(w INT, k INT, n INT, g TEXT) ID (w, k) AS SELECT a.w, a.k, b.k AS n, c.g
      FROM A a, B b, (SELECT w AS v, g, x, occ AS at FROM A WHERE x < 3) c
      WHERE a.w = b.w AND b.w = c.v AND a.g = b.g AND b.x = c.x AND c.at <= a OCCURRING AT a.due""",
    "Loose": "(w INT, g TEXT) ID (w) AS SELECT a.w, b.g FROM A a, B b WHERE a.w = b.w AND a.x = b.x OCCURRING AT a",
    "Counted": """(w INT, g TEXT, n INT) ID (w, g) AS SELECT w, g, COUNT(*) AS n FROM A a WHERE x > 0 GROUP BY w, g
      HAVING COUNT(*) > 1 OCCURRING AT MAX(a)""",
    "JoinedCount": """(w INT, k INT, n INT, s INT) ID (w, k) AS SELECT a.w, a.k, COUNT(b.k) AS n, SUM(b.x) AS s
      FROM A a LEFT JOIN B b ON a.w = b.w AND b.g = a.g GROUP BY a.w, a.k OCCURRING AT MAX(MAX(a), MIN(b))""",
    "Missing": """(w INT, k INT) ID (w, k) AS SELECT w, k FROM A a WHERE NOT EXISTS
      (SELECT 1 FROM B b WHERE b.w = a.w AND b.k = a.k AND b <= a + 2h) OCCURRING AT a + 2h""",
    "Outer": """(w INT, k INT, n INT) AS SELECT a.w, a.k, b.x AS n FROM A a LEFT JOIN B b ON b.w = a.w AND b.k = a.k
      OCCURRING AT a""",
    "Listed": """(w INT, k INT) ID (w, k) AS SELECT w, k FROM A a WHERE k IN (SELECT k FROM B WHERE B.w = a.w AND x > 0)
      OCCURRING AT a""",
    "Groups": "(w INT, g TEXT) AS SELECT DISTINCT w, g FROM B OCCURRING AT B",
    "Above": """(w INT, k INT, x INT) ID (w, k) AS SELECT a.w, a.k, a.x FROM A a
      WHERE a.x >= (SELECT MAX(b.x) FROM B b WHERE b.w = a.w AND b.k <> a.k) OCCURRING AT a""",
    "Ranked": """(w INT, k INT, n INT) ID (w, k) AS SELECT w, k, n FROM (SELECT A.w, k, A.occ,
      ROW_NUMBER() OVER (PARTITION BY w ORDER BY x, k) AS n FROM A) r WHERE n < 3 OCCURRING AT r""",
    "Seen": "(w INT, k INT, x INT) ID (w, k) AS SELECT w, k, x FROM A OCCURRING AT NOW + 1h",
    "Later": "(w INT, k INT, g TEXT) ID (w, k) AS SELECT w, k, g FROM A OCCURRING AT MAX(NOW, A, A.due)",
    "Checked": """(w INT, k INT) ID (w, k) AS SELECT a.w, a.k FROM A a WHERE NOT EXISTS
      (SELECT 1 FROM B b WHERE b.w = a.w AND b.k = a.k) OCCURRING AT NOW CHECKING AT (a, a + 4h, 1h)""",
    "Higher": """(w INT, k INT, n INT) ID (w, k) AS SELECT c.w, m.k, c.n FROM Counted c, Missing m WHERE c.w = m.w
      OCCURRING AT MAX(c, m)""",
    "Unlinked": """(w INT, k INT) ID (w, k) AS SELECT w, k FROM A a WHERE NOT EXISTS
      (SELECT 1 FROM B b WHERE b.w <= a.w AND b.w >= a.w AND b > a) OCCURRING AT a""",
    "Either": """(w INT, k INT) AS SELECT w, k FROM (SELECT w, k, occ FROM A UNION ALL
      SELECT w, k, occ FROM B WHERE x > 0) u OCCURRING AT u""",
    "Top": "(k INT, x INT) ID (k) AS SELECT k, x FROM A ORDER BY x DESC, w, k, occ LIMIT 2 OCCURRING AT A",
    "All": "(n INT, x INT) AS SELECT COUNT(*) AS n, SUM(x) AS x FROM A OCCURRING AT MAX(A)",
}
STATEMENTS = "\n".join(f"CREATE COMPLEX EVENT CLASS {name}{rest};" for name, rest in SELECTS.items())
PROGRAM = parse_program(CLASSES + STATEMENTS)
ITEMS = {item.declaration.name: item for item in PROGRAM.selected_classes}


def check(now, first):
    while first < now:
        first += HOUR
    return first


WITH_NOW = {
    "Seen": WithNow("SELECT w, k, x FROM A", 0, lambda now: now + HOUR),
    "Later": WithNow(
        "SELECT occ, due, w, k, g FROM A", 2, lambda now, *times: max(time for time in (now, *times) if time)
    ),
    "Checked": WithNow(
        "SELECT occ, w, k FROM A WHERE NOT EXISTS (SELECT 1 FROM B WHERE B.w = A.w AND B.k = A.k)",
        1,
        check,
        lambda now, first: check(now, first) <= first + 4 * HOUR,
    ),
}


steps = st.integers(0, 7)
small = st.none() | st.integers(0, 3)
groups = st.sampled_from(["p", "q", None])
times = st.integers(0, 8).map(lambda n: EPOCH + n * HOUR)


def histories(*values):
    """For some keys, at some steps, a version or a retraction."""
    version = st.none() | st.tuples(times, *values)
    return st.dictionaries(st.integers(0, 3), st.dictionaries(steps, version, min_size=1, max_size=4), max_size=4)


worlds = st.fixed_dictionaries(
    {
        "A": histories(groups, small, st.none() | times),
        "B": histories(groups, small),
        "BelowB": histories(groups, small, small),
    }
)


def versions_of(name, drawn):
    """The versions of a class in all worlds; those of a class and of one below it have keys of their own."""
    shift = 2 if name == "BelowB" else 0
    found = []
    for world, histories_ in enumerate(drawn):
        for k, history in histories_[name].items():
            changes = sorted(history.items())
            for (start, row), (end, _) in zip(changes, [*changes[1:], (None, None)], strict=True):
                if row is not None:
                    occ, *rest = row
                    whole = (occ, world, k + shift, *rest)
                    found.append(
                        Version(key_of([world, k]), whole, step_of(start), None if end is None else step_of(end))
                    )
    return merged(found)


def merged(found):
    """Without changes that change nothing."""
    kept: list[Version] = []
    for one in found:
        last = kept[-1] if kept else None
        if last and (last.key, last.row, last.end) == (one.key, one.row, one.start):
            kept[-1] = Version(one.key, one.row, last.start, one.end)
        else:
            kept.append(one)
    return kept


def step_of(number):
    return START + number * STEP


def windows_of(cuts):
    """The steps from 0 to 7, cut before some of them."""
    firsts = sorted({0, *cuts})
    return [Window(step_of(first), step_of(after) - 1) for first, after in zip(firsts, [*firsts[1:], 8], strict=True)]


def expected(oracle, name, window):
    return Counter(
        (one.key, one.row, one.start, one.end, touched) for one, touched in seen(oracle.versions[name], window)
    )


def found_in(rows, item):
    names = [OCCURRED, *item.declaration.attributes]
    return Counter(
        (row[KEY], tuple(aware(row[name]) for name in names), row[FROM], row[TO], row[TOUCHED]) for row in rows
    )


def aware(value):
    return value.astimezone(UTC) if hasattr(value, "astimezone") else value


def oracle_over(drawn):
    oracle = Oracle(PROGRAM, [step_of(number) for number in range(8)], WITH_NOW)
    oracle.versions = {name: versions_of(name, drawn) for name in ("A", "B", "BelowB")}
    oracle.derive()
    return oracle


def compare(spark, oracle, names, windows, plan=None):
    for name in names:
        item = ITEMS[name]
        for window, rows in zip(
            windows, derived(spark, PROGRAM, item, [oracle.versions] * len(windows), windows, plan), strict=True
        ):
            assert found_in(rows, item) == expected(oracle, name, window), (name, window)


def compare_here(spark, oracle, names, windows):
    for name in names:
        found = derived_here(spark, PROGRAM, ITEMS[name], [oracle.versions] * len(windows), windows)
        for window, rows in zip(windows, found, strict=True):
            assert found_in(rows, ITEMS[name]) == expected(oracle, name, window), (name, window)


def random_world(random):
    """A world with about as much in it as there is room for."""

    def history(*values):
        return {
            k: {
                random.randrange(8): None if random.random() < 0.2 else tuple(value() for value in values)
                for _ in range(random.randint(1, 4))
            }
            for k in range(random.randint(0, 4))
        }

    def time():
        return EPOCH + random.randint(0, 8) * HOUR

    def group():
        return random.choice(["p", "q", None])

    def number():
        return random.choice([0, 1, 2, 3, None])

    return {
        "A": history(time, group, number, time),
        "B": history(time, group, number),
        "BelowB": history(time, group, number, number),
    }


ALWAYS = [random_world(Random(number)) for number in range(30)]
world_lists = st.lists(worlds, max_size=12).map(lambda drawn: ALWAYS + drawn)
cut_lists = st.lists(st.integers(1, 7), max_size=2).map(lambda drawn: [3, *drawn])
ONCE = settings(max_examples=1, phases=[Phase.generate], deadline=None, suppress_health_check=list(HealthCheck))
OFTEN = settings(ONCE, max_examples=12)


@pytest.mark.parametrize("start", range(4))
@given(world_lists, cut_lists)
@ONCE
def test_the_same_as_at_every_step(spark, start, drawn, cuts):
    oracle, windows = oracle_over(drawn), windows_of(cuts)
    compare(spark, oracle, [*ITEMS][start::4], windows)
    compare_here(spark, oracle, [*ITEMS][start::4], windows)


@pytest.mark.slow
@given(world_lists, cut_lists)
@OFTEN
def test_the_same_as_at_every_step_of_many_histories(spark, drawn, cuts):
    oracle, windows = oracle_over(drawn), windows_of(cuts)
    compare(spark, oracle, [*ITEMS], windows)
    compare_here(spark, oracle, [*ITEMS], windows)


@pytest.mark.slow
def test_step_by_step_gives_the_same(spark):
    for name in ("Joined", "Loose", "Counted", "Missing", "Checked"):
        plan = stepwise(plan_of(ITEMS[name], PROGRAM), "a test wants it")
        compare(spark, oracle_over(ALWAYS), [name], windows_of([2, 5]), plan)


def test_each_goes_the_fastest_way_that_is_open_to_it():
    kinds = {name: way_of(item, PROGRAM).kind for name, item in ITEMS.items()}
    by_steps = {name for name, kind in kinds.items() if kind is Kind.STEP_BY_STEP}
    assert by_steps == {"Either", "Top", "All"}
    overlaps = {name for name, kind in kinds.items() if kind is Kind.OVERLAPS}
    assert overlaps == {"Filtered", "Joined", "Paired", "Three", "Loose", "Seen", "Later", "Higher"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Joined", "versions that overlap are joined: it has selections, projections and joins alone"),
        ("Missing", "all steps at once, for each k and w that was touched: it has EXISTS"),
        ("Unlinked", "all steps at once: it has EXISTS"),
        ("Top", "step by step: it has LIMIT"),
    ],
)
def test_ways_say_why(name, said):
    assert str(way_of(ITEMS[name], PROGRAM)) == said


def row(world, k, x, occ=EPOCH):
    return occ, world, k, "p", x, None


@pytest.mark.parametrize("name", ["Filtered", "Outer"])
def test_what_nothing_touched_is_not_looked_for_again(spark, name):
    """A version that is changed behind the back of the touched mark keeps what was found of it."""
    one, two = Window(step_of(0), step_of(1) - 1), Window(step_of(1), step_of(2) - 1)
    first = {"A": [Version(key_of([0, k]), row(0, k, 1), step_of(0)) for k in range(3)]}
    second = {
        "A": [
            Version(key_of([0, 0]), row(0, 0, 1), step_of(0), step_of(1)),
            Version(key_of([0, 0]), row(0, 0, 2, EPOCH + HOUR), step_of(1)),
            *(Version(key_of([0, k]), row(0, k, 3, EPOCH + HOUR), step_of(0)) for k in (1, 2)),
        ]
    }
    found = derived(spark, PROGRAM, ITEMS[name], [first, second], [one, two])[1]
    assert {(told["k"], told[FROM], told[TOUCHED]) for told in found if told[TO] is None} == {
        (0, step_of(1), True),
        (1, step_of(0), False),
        (2, step_of(0), False),
    }
    assert {aware(told[OCCURRED]) for told in found if not told[TOUCHED]} == {
        aware(told[OCCURRED]) for told in found if told[TO] is not None
    }


@pytest.mark.parametrize("name", ["Joined", "Counted"])
def test_the_number_of_jobs_does_not_depend_on_the_number_of_steps(spark, name):
    context = spark.sparkContext
    jobs = []
    for steps_ in (4, 60):
        versions = [Version(key_of([0, k]), row(0, k, 1), step_of(k % steps_)) for k in range(60)]
        group = f"{name} over {steps_} steps"
        context.setJobGroup(group, group)
        known = {"A": versions, "B": [Version(one.key, one.row[:5], one.start) for one in versions]}
        (found,) = derived(spark, PROGRAM, ITEMS[name], [known], [Window(step_of(0), step_of(60))])
        assert len({told[FROM] for told in found}) >= steps_ - 1
        jobs.append(len(context.statusTracker().getJobIdsForGroup(group)))
    context.setLocalProperty("spark.jobGroup.id", None)
    assert jobs[0] == jobs[1] > 0
