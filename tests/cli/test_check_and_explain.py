"""`ensue check` and `ensue explain`."""

import pytest

PROGRAM = """\
CREATE SUBSCRIBED EVENT CLASS Login(user TEXT, ok BOOLEAN);
CREATE COMPLEX EVENT CLASS Attack(user TEXT) AS DETECT 3 times Login(user = ?user, ok = false) within 2 minutes
  IN CONTEXT chronicle;
CREATE COMPLEX EVENT CLASS Twice() AS DETECT Login(ok = false) then Login within 1 hour;
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "p.ensue"
    path.write_text(PROGRAM)
    return path


def test_a_good_program_takes_one_line(ensue, program):
    ran = ensue("check", program)
    assert (ran.code, ran.out) == (0, f"{program}: fine, 1 subscribed class, 2 complex classes\n")


def test_all_errors_of_all_files_are_reported(ensue, program, tmp_path):
    bad = tmp_path / "bad.ensue"
    bad.write_text(PROGRAM.replace("ok = false", "okay = false").replace("within 2 minutes", "within 2 parsecs"))
    ran = ensue("check", program, bad, tmp_path / "none.ensue")
    assert ran.code == 2
    assert ran.out == f"{program}: fine, 1 subscribed class, 2 complex classes\n"
    assert ran.err.count("okay") >= 2
    assert f"{bad}:2:" in ran.err
    assert f"{bad}:4:" in ran.err
    assert "parsecs" in ran.err
    assert "E600: there is no file" in ran.err


def test_an_unbounded_class(ensue, tmp_path):
    path = tmp_path / "p"
    path.write_text(
        "CREATE SUBSCRIBED EVENT CLASS A(v INT); CREATE COMPLEX EVENT CLASS B() AS DETECT A(v = ?v) then A(v = ?v);"
    )
    ran = ensue("check", path)
    assert ran.code == 2
    assert f"{path}: E140: B: the pattern is unbounded" in ran.err
    assert ensue("check").code == 2


def test_a_pattern_is_explained(ensue):
    ran = ensue("explain", "((Login; Logout) - Buy)_120", "--context", "chronicle")
    assert ran.code == 0
    for part in (
        "Login then Logout without Buy within 2 minutes",
        "chronicle",
        "2 minutes: within 2 minutes",
        "each for no longer than 2 minutes",
        "└── events Buy",
    ):
        assert part in ran.out


def test_shared_nodes_are_marked(ensue):
    out = ensue("explain", "(A then B within 1 s) or (A then C within 1 s)").out
    assert out.count("events A") == 2
    assert "⟨1⟩ shared\n" in out.replace(" \n", "\n").replace("  ", " ") or "shared" in out
    assert "shared, see above" in out


def test_what_cannot_be_run_is_explained_too(ensue):
    ran = ensue("explain", "A(x = ?x) then B(x = ?x)")
    assert ran.code == 0
    assert "unbounded" in ran.out
    assert "not to be run" in ran.out
    assert "constant size" in ensue("explain", "A then B").out
    assert "nothing is kept" in ensue("explain", "A").out
    assert "until 2026-01-02" in ensue("explain", "A then B before 2026-01-02T00:00:00Z").out


def test_a_program_is_explained(ensue, program):
    ran = ensue("explain", program)
    assert ran.code == 0
    assert "CREATE COMPLEX EVENT CLASS Attack(user TEXT)" in ran.out
    assert "3 times Login(user = ?user, ok = false) within 2 minutes" in ran.out
    assert ran.out.count("β") == 2


@pytest.mark.parametrize("subject", ["A then", "x" * 5000 + ")", "a\0b"])
def test_what_cannot_be_read(ensue, subject):
    assert ensue("explain", subject).code == 2


def test_help_has_examples(ensue):
    for command in ("detect", "check", "explain"):
        assert f"ensue {command}" in ensue(command, "--help").out.split("For example")[1]


SELECTING = """CREATE MUTABLE SUBSCRIBED EVENT CLASS Bed(nr INT, ward TEXT) ID (nr) LIFESPAN (7d);
CREATE COMPLEX EVENT CLASS Full(ward TEXT, n INT) ID (ward) AS
  SELECT b.ward, COUNT(*) FROM Bed b GROUP BY b.ward HAVING COUNT(*) > 9
  OCCURRING AT MAX(b)
  PUBLISH Full_now;
CREATE COMPLEX EVENT CLASS Taken(nr INT) ID (nr) AS SELECT b.nr FROM Bed b WHERE b.ward <> 'store' OCCURRING AT b - 1h;
"""


def test_check_warns_where_purging_may_show(tmp_path, ensue):
    program = tmp_path / "beds.ensue"
    program.write_text(SELECTING)
    ran = ensue("check", program)
    fine, *warnings = ran.out.splitlines()
    assert (ran.code, fine) == (0, f"{program}: fine, 1 subscribed class, 2 complex classes")
    assert [line.startswith(f"{program}: warning: ") for line in warnings] == [True, True]
    assert "Full has GROUP BY" in warnings[0] or "Full has the aggregate COUNT" in warnings[0]
    assert "of Bed, nr is not in the key" in warnings[1]


def test_check_says_what_has_no_effect(tmp_path, ensue):
    program = tmp_path / "beds.ensue"
    text = "CREATE MUTABLE SUBSCRIBED EVENT CLASS Bed(nr INT) ID (nr) DELAY 1 minute;\n"
    program.write_text(text)
    assert (
        f"{program}: warning: Bed: DELAY has no effect, because this program has corrections"
        in ensue("check", program).out
    )
    program.write_text(text.replace("MUTABLE ", ""))
    assert "warning" not in ensue("check", program).out


def test_explain_shows_the_sql_of_a_select(tmp_path, ensue):
    program = tmp_path / "beds.ensue"
    program.write_text(SELECTING)
    ran = ensue("explain", program)
    assert ran.code == 0
    assert "monotone   yes" in ran.out
    assert "monotone   no: it has" in ran.out
    assert "    b.occ - INTERVAL '1' HOUR AS occ,\n    b.nr AS nr\n" in ran.out


def test_what_cannot_run_yet_is_refused(tmp_path, ensue):
    program = tmp_path / "beds.ensue"
    program.write_text(SELECTING)
    events = tmp_path / "events.jsonl"
    events.write_text('{"type": "Bed", "time": "2026-07-10T09:00:00Z", "nr": 1, "ward": "a"}\n')
    ran = ensue("detect", "Bed", events, "--program", program)
    assert ran.code == 2
    for what in ("Bed: MUTABLE", "Bed: LIFESPAN", "Full: a class defined by a SELECT", "Full: PUBLISH"):
        assert f"E411: {what} can be run with `ensue run`, but not in one process yet" in ran.err
    ran = ensue("run", program, "--once")
    assert ran.code == 2
    assert "E434: Bed does not say where its events come from" in ran.err
    assert "--replay FILE" in ran.err


def test_a_replay_that_cannot_begin_says_why(tmp_path, ensue):
    program, said = tmp_path / "beds.ensue", tmp_path / "said.jsonl"
    program.write_text(SELECTING)
    said.write_text("")
    for options, expected in (
        (["--replay", tmp_path / "sad.jsonl"], "E600: there is no file"),
        (["--replay", said, "--once"], "E607: a replay has no --once"),
        (["--replay", said, "--speed", "fast"], "E607: --speed: fast is no speed"),
        (["--replay", said, "--until", "soon"], "E607: --until: 'soon' is not a time"),
        (["--replay", said, "--map", "detected"], "E607: --map: 'detected' does not say which column"),
        (["--output", "out.jsonl"], "E607: --output is for a replay"),
        (["--format", "csv"], "E607: --format is for a replay"),
    ):
        ran = ensue("run", program, *options)
        assert ran.code == 2
        assert expected in ran.err


def test_explain_and_check_say_which_way_a_select_goes(tmp_path, ensue):
    program = tmp_path / "beds.ensue"
    program.write_text(SELECTING)
    assert "way        versions that overlap are joined" in ensue("explain", program).out
    assert "step by step" not in ensue("check", program).out
