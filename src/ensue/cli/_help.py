"""What the commands say about themselves. It stands here because `ensue --help` must not load them all."""

ENSUE = """Composite event processing.

`ensue COMMAND --help` says more, with examples; `ensue --install-completion` has your shell complete commands.
"""

DEMO = """Show what Ensue does: a program over a week of real earthquakes, on Spark.

Prints the program, takes the feed through a streaming query at speed, shows what is published, changed and revoked, and
writes a report. It needs Java. There are other demos besides.

For example:

    ensue demo
    ensue demo --list
    ensue demo outages --data-file outages_changes.csv.gz
"""

DETECT = """Find the occurrences of a pattern in files of events.

Files are JSON lines, CSV or Parquet, by their names, also compressed with gzip; `-` is JSON lines from standard input.
They are read whole, so their rows may stand in any order. Exit code 2 means that something in the input is wrong.

For example:

    ensue detect '3 times Login(user = ?u, ok = false) within 2 minutes' logins.jsonl
    ensue detect 'Order(id = ?o) then Payment(order = ?o) within 1 h' orders.csv payments.csv --to paid.jsonl
    tail -f events.jsonl | ensue detect 'A then B within 10 s' - --delay 5s --output jsonl
"""

CHECK = """Check programs and report every error in them.

Exit code 2 if there is one.

For example:

    ensue check fraud.ensue
    ensue check rules/*.ensue
"""

EXPLAIN = """Say what a pattern or a program means, and how it would be run.

Shows the canonical form, how long an event can matter (β) and why, what has to be kept, and the plan as a tree.

For example:

    ensue explain '((Login; Logout) - Buy)_120'
    ensue explain 'A > (B & C) within 5 min' --context chronicle
    ensue explain fraud.ensue
"""

RUN = """Run a program on Spark.

Reads what the classes of the program name as their sources, finds what their patterns describe, and keeps every class
as a history table. Ctrl-C ends it cleanly, and the next start goes on where it was. With `--replay`, recorded
announcements are taken instead.

For example:

    ensue run fraud.ensue
    ensue run fraud.ensue --once --data /data/fraud
    ensue run fraud.ensue --master spark://host:7077 --trigger "10 seconds"
    ensue run outages.ensue --replay october.jsonl.gz --output publications.jsonl
"""

REPORT = """Write what a run has found, told and corrected as one HTML page.

The page holds everything that it needs, and can be opened anywhere, without a network. It is made from the tables in
the data folder of a run or a replay, without Spark.

For example:

    ensue report ensue-data
    ensue report /data/outages --class NoCrew --output no-crew.html
"""

STATE = """Show what a streaming query on Spark has kept.

Lists the open partial matches by pattern and key, and the size of each shard. The checkpoint is only read.

For example:

    ensue state /data/checkpoints/fraud
    ensue state /data/checkpoints/fraud --most 1000
"""

INIT = """Write a small project that works: a program, some events, a test, and a README with what to do next.

Nothing is overwritten.

For example:

    ensue init logins
    cd logins
"""

DOCTOR = """Check that this machine has what Ensue needs.

Looks at Python, the libraries, the cache of compiled code, memory, disks, Java, and jars that are named for Spark, and
starts Spark once. It says what to do about each problem; exit code 1 if there is one.

For example:

    ensue doctor
    ensue doctor --quick
"""

WHY = """Say where an occurrence comes from.

Shows what it is made of, down to the events from outside, with their attributes; what was believed of it when; and what
was published about it, with the change that caused it. It reads the tables of a run, or files, and does not start
Spark.

For example:

    ensue why 4f2a --data /data/fraud
    ensue detect 'A then B within 1 h' events.jsonl --to found.jsonl
    ensue why 77c1 found.jsonl events.jsonl
"""

WHY_NOT = """Say why a pattern has no occurrence.

Shows how many events there are for each part of the pattern, what came nearest, and which condition, limit or event
stopped it. If there are occurrences after all, it shows those.

For example:

    ensue why-not 'Order(id = ?o) then Payment(order = ?o) within 1 h' orders.csv payments.csv
    ensue why-not 'Order(id = ?o) then Payment(order = ?o) within 1 h' *.csv --key o=17 --around 2026-07-10T09:20Z
    ensue why-not Overheated readings.jsonl --program machines.ensue
"""
