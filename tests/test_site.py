"""The documentation as a site: what is made from the code is up to date, and every link leads somewhere."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest
from tools.pages.made import DOCS, made
from tools.pages.operators import operators
from tools.pages.rules import aliases, rules
from tools.pages.words import KINDS, SPELLINGS

from ensue.language.scanning import scan
from ensue.language.source import Source

HOME = DOCS.parent


def test_what_is_made_from_the_code_is_up_to_date():
    """Every example of every operator is run for it."""
    outdated = [path for path, text in made().items() if (DOCS / path).read_text("utf-8") != text]
    assert outdated == [], "`python -m tools.pages` writes them anew"


def test_every_operator_of_the_grammar_has_an_example():
    known = rules()
    wanted = {
        f"{rule}.{name}"
        for rule in ("test", "prefix", "postfix", "primary", "interval")
        for name in aliases(known[rule].body)
    }
    wanted |= {"sequence", "alternative", "conjunction", "atom", "range"}
    assert wanted == {name for operator in operators() for name in operator.grammar}


@pytest.mark.parametrize("terminal", SPELLINGS)
def test_what_is_said_of_a_terminal_is_what_the_scanner_takes(terminal: str):
    for spelling in SPELLINGS[terminal]:
        if terminal not in {"IN_LIST", "IN_CONTEXT"}:  # told apart by what follows
            assert [token.type for token in scan(Source(spelling))] == [terminal]


@pytest.mark.parametrize("terminal", sorted(set(KINDS) - {"SUBSCRIPT", "QUERY"}))
def test_examples_of_words_are_of_their_kind(terminal: str):
    for example in KINDS[terminal].examples:
        assert [token.type for token in scan(Source(example))] == [terminal]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `./ensue docs` does it, elsewhere."""
    folder = tmp_path_factory.mktemp("documentation")
    shutil.copytree(DOCS, folder / "docs")
    (folder / "zensical.toml").write_bytes((HOME / "zensical.toml").read_bytes())
    built = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"], cwd=folder, check=False, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder / "site"


def test_every_page_is_in_the_navigation_or_linked(site: Path):
    listed = set(re.findall(r'"([\w/-]+\.md)"', (HOME / "zensical.toml").read_text("utf-8")))
    assert all((DOCS / page).is_file() for page in listed)
    linked = {target for page in site.rglob("*.html") for target, _ in _local_links(page)}
    pages = {page.resolve() for page in site.rglob("*.html") if page.name != "404.html"}
    assert pages <= linked


def test_every_link_leads_somewhere(site: Path):
    anchors = {page.resolve(): _anchors(page) for page in site.rglob("*.html")}
    dead = [
        f"{page.relative_to(site)}: {target.name}#{anchor}"
        for page in site.rglob("*.html")
        if page.name != "404.html"
        for target, anchor in _local_links(page)
        if not target.exists() or (anchor and target in anchors and anchor not in anchors[target])
    ]
    assert dead == []


def test_nothing_is_fetched_from_a_network(site: Path):
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        fetched = re.findall(r'<(?:script|img|iframe)[^>]* src="?(https?:[^">]*)', text)
        fetched += re.findall(r'<link[^>]* rel="?(?:stylesheet|preload|icon)[^>]* href="?(https?:[^">]*)', text)
        assert fetched == [], page


def _local_links(page: Path) -> list[tuple[Path, str]]:
    links = re.findall(r' (?:href|src)="?([^" >]+)', _without_code(page.read_text("utf-8")))
    found = []
    for link in links:
        path, anchor = urldefrag(link)
        if not re.match(r"[a-z]+:|//", link):
            found.append(((page.parent / unquote(path) if path else page).resolve(), unquote(anchor)))
    return found


def _anchors(page: Path) -> set[str]:
    return set(re.findall(r' (?:id|name)="?([^" >]+)', page.read_text("utf-8")))


def _without_code(text: str) -> str:
    return re.sub(r"<(script|pre|code)\b.*?</\1>", "", text, flags=re.DOTALL)
