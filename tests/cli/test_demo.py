"""`ensue demo`, as far as it goes without Spark."""

from ensue.demo.catalogue import DEMOS


def test_the_list_names_them_all(ensue):
    ran = ensue("demo", "--list")
    assert ran.code == 0
    assert all(f"ensue demo {name}" in ran.out for name in DEMOS)
    assert "--data-file PATH" in ran.out


def test_no_java_is_said_before_anything_is_done(ensue, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    ran = ensue("demo")
    assert ran.code == 2
    assert "E430" in ran.err
    assert "apt install openjdk-17-jre-headless" in ran.err
    assert not list(tmp_path.iterdir())


def test_what_is_wrong_is_said(ensue, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert "did you mean flights" in ensue("demo", "flight").err
    assert "its columns: tx_time" in ensue("demo", "outages").err
    assert "there is no file none.csv" in ensue("demo", "outages", "--data-file", "none.csv").err
    (tmp_path / "wrong.csv").write_text("tx_time,op\n1,insert\n")
    ran = ensue("demo", "outages", "--data-file", "wrong.csv")
    assert ran.code == 2
    assert "has no column outageNumber" in ran.err
    assert not (tmp_path / "ensue-demo").exists()
