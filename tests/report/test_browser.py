"""A report in a real browser, clicked and typed through: nothing else shows that it works.

Chromium is found or installed by tools/get_browser.py. Whatever the page asks of a network, or complains about, fails
the test that it happens in.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from tests.report.folders import recorded
from tools.get_browser import MissingBrowserError, browser

from ensue.report import write_report
from ensue.report.history import read_history

# as root there is no sandbox; and Chromium itself is to leave the network alone
ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()
ALL = "17 of 17 occurrences"
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 780}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    try:
        place = browser()
    except MissingBrowserError as error:
        pytest.skip(str(error))
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=str(place), args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    base = tmp_path_factory.mktemp("reports")
    return {
        name: write_report(recorded(name, base), base / f"{name}.html").path.as_uri() for name in ("quakes", "machines")
    }


@pytest.fixture
def opened(chromium, reports, request) -> Iterator[Page]:
    """A report in a window: by default that of the quakes, on a desktop."""
    name, size = getattr(request, "param", ("quakes", DESKTOP))
    context = chromium.new_context(viewport=size, has_touch=size is PHONE)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: None if asked.url == reports[name] else wrong.append(asked.url))
    page.goto(reports[name])
    yield page
    context.close()
    assert not wrong


quakes_on_a_phone = pytest.mark.parametrize("opened", [("quakes", PHONE)], indirect=True)
machines = pytest.mark.parametrize("opened", [("machines", DESKTOP)], indirect=True)


def chosen(page: Page):
    return page.locator("#chosen")


def test_the_summary_counts_by_case(opened):
    card = opened.locator(".card", has_text="Swarm")
    expect(card.locator(".counts div")).to_have_count(4)
    expect(opened.locator("#count")).to_have_text(ALL)


def test_choosing_an_occurrence_shows_its_constituents(opened):
    opened.locator("#timeline .mark[data-event]").first.locator(".hit").click()
    expect(chosen(opened).locator("h3", has_text="Made of")).to_be_visible()
    parts = chosen(opened).locator("li.part")
    count = parts.count()
    assert count > 1
    assert opened.locator("#timeline .lit").count() >= count
    assert opened.locator("#timeline .links path").count() >= count
    assert opened.locator("#map .lit").count() >= 1
    first = parts.first
    first.locator("summary").first.click()
    expect(first.locator(".attributes").first).to_be_visible()
    expect(chosen(opened).locator("ol.history > li").first).to_be_visible()


def test_why_it_was_revoked(opened):
    opened.locator("#text").fill("nn00897585")
    opened.locator("#found button.open").first.click()
    head = chosen(opened).locator("ol.history > li").first
    expect(head).to_contain_text("No_swarm")
    expect(head.locator(".cause")).to_contain_text("Quake nn00897585 was revised")
    expect(head.locator(".cause del", has_text="4.1")).to_be_visible()
    expect(head.locator(".cause ins", has_text="3.9")).to_be_visible()


def test_what_was_corrected_is_listed_with_its_reason(opened):
    listed = opened.locator("#corrected ol.corrections > li")
    expect(listed.first).to_contain_text("revoke")
    assert listed.first.locator(".cause").count() >= 1
    every = opened.locator("#corrected .chip")
    assert every.count() >= 2
    opened.locator('#corrected .chip[data-reason="withdrawn"]').click()
    expect(listed.first.locator(".cause.withdrawn").first).to_be_visible()


def test_filters(opened):
    count = opened.locator("#count")
    opened.get_by_role("button", name="revoke").first.click()
    expect(count).not_to_have_text(ALL)
    rows = opened.locator("#found tbody tr")
    assert 0 < rows.count() < 17
    opened.locator("#reset").click()
    expect(count).to_have_text(ALL)
    opened.locator(".chip", has_text="Twice").click()
    expect(opened.locator("#found thead")).to_contain_text("second")
    opened.locator("#reset").click()
    opened.locator("#text").fill("hawaii 10")
    expect(count).to_have_text("1 of 17 occurrences")
    opened.locator("#text").fill("no such place")
    expect(opened.locator("#found")).to_contain_text("Nothing that was found passes these filters")
    opened.locator("#reset").click()
    opened.locator("#from").fill("2025-05-19T00:00:00")
    opened.locator("#from").press("Tab")
    expect(count).not_to_have_text(ALL)
    opened.get_by_role("button", name="Show all time").click()
    expect(count).to_have_text(ALL)


def test_by_keyboard_alone(opened):
    for _ in range(40):
        opened.keyboard.press("Tab")
        if opened.evaluate("document.activeElement.id") == "timeline":
            break
    timeline = opened.locator("#timeline")
    expect(timeline).to_be_focused()
    opened.keyboard.press("ArrowRight")
    opened.keyboard.press("ArrowRight")
    expect(opened.locator("#cursor")).to_have_attribute("aria-label", opened.locator("#said").inner_text())
    second = opened.locator("#cursor").get_attribute("aria-label")
    opened.keyboard.press("ArrowLeft")
    assert opened.locator("#cursor").get_attribute("aria-label") != second
    opened.keyboard.press("End")
    opened.keyboard.press("Enter")
    expect(chosen(opened).locator("li.part").first).to_be_visible()
    expect(opened.locator("#cursor")).to_have_attribute("aria-selected", "true")
    opened.keyboard.press("Escape")
    expect(chosen(opened)).to_contain_text("Choose an occurrence")
    opened.keyboard.press("+")
    expect(opened.locator("#count")).not_to_have_text(ALL)
    opened.keyboard.press("0")
    expect(opened.locator("#count")).to_have_text(ALL)


def test_dragging_the_strip_chooses_a_range(opened):
    strip = opened.locator("#overview")
    strip.scroll_into_view_if_needed()
    box = strip.bounding_box()
    assert box is not None
    opened.mouse.move(box["x"] + 40, box["y"] + 10)
    opened.mouse.down()
    opened.mouse.move(box["x"] + 140, box["y"] + 10, steps=4)
    opened.mouse.up()
    expect(opened.locator("#count")).not_to_have_text(ALL)


def test_hostile_texts_are_only_texts(opened):
    opened.locator("#text").fill("</script>")
    opened.locator("#found button.open").first.click()
    expect(chosen(opened).locator("h2")).to_contain_text("<script>window.hacked=1</script>")
    assert opened.evaluate("window.hacked") is None


@quakes_on_a_phone
def test_on_a_phone_nothing_is_cut_off(opened):
    assert opened.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    opened.locator("#found button.open").nth(2).click()
    expect(chosen(opened).locator("h2")).to_be_in_viewport()
    assert opened.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


@quakes_on_a_phone
def test_on_a_phone_the_names_of_values_are_whole(opened):
    named = "[...document.querySelectorAll('#found td[data-name=what]')]"
    room = f"{named}.map((cell) => parseFloat(getComputedStyle(cell, '::before').width))"
    assert min(opened.evaluate(room)) == max(opened.evaluate(room)) > 25
    wide = "[...document.querySelectorAll('#from, #to')].map((field) => field.clientWidth)"
    assert min(opened.evaluate(wide)) > PHONE["width"] / 2


def test_what_was_only_thought_to_be_is_not_counted(opened, tmp_path):
    followed = read_history(recorded("quakes", tmp_path)).classes["Followed"].events.values()
    standing = sum(not event.last.withdrawn for event in followed)
    assert 0 < standing < len(followed)
    expect(opened.locator(".sources div", has_text="Followed").locator("dd")).to_contain_text(f"{standing} ")
    expect(opened.locator("#timeline text.lane", has_text="Followed")).to_contain_text(f"{standing} events")


@machines
def test_a_program_without_corrections_has_no_cases(opened):
    expect(opened.locator("#corrected-section")).to_be_hidden()
    expect(opened.locator("#map-section")).to_be_hidden()
    opened.locator("#found button.open").first.click()
    expect(chosen(opened).locator("li.part").first).to_contain_text("Overheated")
    expect(chosen(opened)).not_to_contain_text("What was told")
