"""The pages of seats in a real browser: their reports, their maps, and their order forms."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.start import StartCampaign
from pbem.app import open_app
from pbem.config import write_default_settings
from pbem.report.data import read_report_data
from pbem.report.facts import PressSection, QuotedText
from pbem.report.renderer import Renderer
from pbem.ruleset import AnyRuleset, Dice, View, canonical_json
from pbem.store.models import OrderSheet
from pbem.testing.play import standard_game, usual_seats
from pbem.testing.suite import migrated_database
from pbem_rules import harvester, singularity, singularity_trap
from tests.browser.clicking import mailed, open_lines, put_line, written
from tests.browser.looking import SCHEMES, WIDTHS, faults, new_page, too_wide
from tests.browser.test_reports import TEMPLATES, _facts
from tests.games import RULESETS
from tests.toy.home import MONDAY, Desk

LARGEST = 450_000
"""Bytes of the page of a turn of The Singularity Trap."""

MOST = 6
"""Lines of a sheet that are put together by clicks."""

EACH = pytest.mark.parametrize("ruleset", RULESETS, ids=lambda ruleset: ruleset.key)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the pages of this module."""
    return tmp_path_factory.mktemp("pages")


@functools.cache
def moments(ruleset: AnyRuleset) -> list[View]:
    """Return views of a game in which orders are awaited: from its beginning, its middle and its end."""
    asked = [view for view in standard_game(ruleset).views() if view["awaited"] and not view["over"]]
    return [asked[0], asked[len(asked) // 2], asked[-1]]


def file_of(
    folder: Path,
    ruleset: AnyRuleset,
    view: View,
    words: PressSection | None = None,
    templates: Path = TEMPLATES,
) -> Path:
    """Return the page of a view, as it would be attached; made once."""
    path = folder / f"{ruleset.key}-{hashlib.sha256(canonical_json((view, str(words)))).hexdigest()[:9]}.html"
    if not path.exists():
        facts = dataclasses.replace(_facts(view, usual_seats(ruleset), first=True), page=True)
        with Renderer([TEMPLATES, templates], {ruleset.key: ruleset}) as reporter:
            report = reporter.report(ruleset, view, dataclasses.replace(facts, words=words) if words else facts)
        path.write_bytes(report.page or b"")
    return path


def bot_lines(ruleset: AnyRuleset, view: View) -> list[str]:
    """Return the orders of the game's own bot."""
    return list(ruleset.bots["standard"](view, Dice(b"x" * 32).within("bot")))


def canonical_lines(ruleset: AnyRuleset, view: View, lines: Sequence[str]) -> list[str]:
    """Return the same orders as the game itself writes them."""
    return [ruleset.orders.line(order) for order in ruleset.parse(view, list(enumerate(lines, 1))).orders]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Page]:
    """Yield a window of a screen; errors in a page's script, or against its policy, fail the test."""
    page = new_page(browser, viewport={"width": 1100, "height": 800})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    yield page
    page.close()
    assert wrong == []


@pytest.mark.sampled(1)
@EACH
def test_a_turn_is_ordered_by_clicks(ruleset: AnyRuleset, opened: Page, folder: Path) -> None:
    """The orders of a game's bot can be put together by clicks, and the sheet parses as the same orders."""
    for view in moments(ruleset):
        lines = canonical_lines(ruleset, view, bot_lines(ruleset, view))[:MOST]
        opened.goto(file_of(folder, ruleset, view).as_uri())
        opened.evaluate("localStorage.clear()")
        opened.reload()
        typed = [put_line(opened, line) for line in lines]

        sheet = mailed(opened)[2].split("\r\n")[1:-2]
        parsed = ruleset.parse(view, list(enumerate(sheet, 1)))
        assert opened.locator(".fault").all_text_contents() == []
        assert [ruleset.orders.line(order) for order in parsed.orders] == lines
        assert typed == [[]] * len(lines) or all(kind["form"].get("verbatim") for kind in kinds_of(ruleset, view))


def kinds_of(ruleset: AnyRuleset, view: View) -> list[dict[str, dict[str, object]]]:
    """Return the kinds of the fields of an order form."""
    desk: dict[str, dict[str, dict[str, dict[str, object]]]] = ruleset.desk(view)
    return list(desk["kinds"].values())


@pytest.mark.sampled(1)
@EACH
def test_a_mail_of_a_page_is_accepted(ruleset: AnyRuleset, opened: Page, tmp_path: Path) -> None:
    """The mail of a page that was mailed, its orders clicked, is accepted without a finding, as if typed."""
    write_default_settings(tmp_path, "orders@example.org")
    (tmp_path / "pbem.sqlite").write_bytes(migrated_database())
    seats = [(seat, f"{seat}@example.org") for seat in usual_seats(ruleset)]
    wanted = NewCampaign(
        name="web1", game=ruleset.key, gm="gm@example.org", seats=seats, deadline="EVERY 24h", options={},
        policy={"page": "attached"},
    )  # fmt: skip
    with open_app(tmp_path, {ruleset.key: ruleset}) as app:
        desk = Desk(app, MONDAY)
        create_campaign(app, wanted, desk.now, seed=b"a seed for pages")
        run_action(app, "web1", StartCampaign(), desk.now)
        desk.tick()
        files = {seat: _files(desk, address) for seat, address in seats}
        seat = next(seat for seat, found in files.items() if read_report_data(found[".json"])["view"]["awaited"])
        view = read_report_data(files[seat][".json"])["view"]
        (tmp_path / "page.html").write_bytes(files[seat][".html"])
        opened.goto((tmp_path / "page.html").as_uri())
        lines = canonical_lines(ruleset, view, bot_lines(ruleset, view))
        for line in lines:
            put_line(opened, line)
        to, subject, body = mailed(opened)
        desk.post(body.replace("\r\n", "\n"), sender=f"{seat}@example.org", to=to, subject=subject)
        desk.tick()

        with app.store.reading() as session:
            (sheet,) = session.scalars(select(OrderSheet))
        typed = ruleset.parse(view, list(enumerate(lines, 1))).orders
        assert sheet.orders == [ruleset.orders.to_json(order) for order in typed]
        assert [finding for finding in sheet.findings if finding["severity"] != "note"] == []


def _files(desk: Desk, address: str) -> dict[str, bytes]:
    """Return the files of the first report to an address, by the ends of their names."""
    reports = [
        mail for mail in desk.mails(address) if any(part.get_content_subtype() == "json" for part in mail.walk())
    ]
    found = {}
    for part in reports[0].iter_attachments():
        content = part.get_payload(decode=True)
        assert isinstance(content, bytes)
        found[Path(part.get_filename() or "").suffix] = content
    return found


def test_a_tap_fills_the_line_that_is_typed(opened: Page, folder: Path) -> None:
    """While a line is being typed, a tap on the map puts what it names into the line."""
    view = moments(harvester.RULESET)[1]
    opened.goto(file_of(folder, harvester.RULESET, view).as_uri())
    open_lines(opened)
    opened.get_by_label("An order", exact=True).fill("TARGET ")
    spot = opened.locator(".surface [data-names]").nth(3)
    box = spot.bounding_box()
    assert box
    opened.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    assert re.fullmatch(r'TARGET "?-?\d+,-?\d+"?', written(opened))


def begin(page: Page, folder: Path, ruleset: AnyRuleset) -> None:
    """Open a page in the middle of a game, put an order into its sheet, and begin another."""
    view = moments(ruleset)[1]
    page.goto(file_of(folder, ruleset, view).as_uri())
    put_line(page, bot_lines(ruleset, view)[0])
    buttons = page.locator(".offers button:visible")
    if buttons.count():
        buttons.first.click()


@pytest.mark.sampled(1)
@EACH
def test_a_page_fits_a_phone(ruleset: AnyRuleset, opened: Page, folder: Path) -> None:
    """A page needs no scrolling sideways, with an order being written and one in the sheet."""
    begin(opened, folder, ruleset)

    for width in WIDTHS:
        opened.set_viewport_size({"width": width, "height": 740})
        assert too_wide(opened) == []


@pytest.mark.sampled(1)
@EACH
def test_a_page_is_accessible(ruleset: AnyRuleset, opened: Page, folder: Path) -> None:
    """axe-core has no findings, in light and in dark, with an order being written and one in the sheet."""
    begin(opened, folder, ruleset)

    for scheme in SCHEMES:
        opened.emulate_media(color_scheme=scheme)
        assert list(faults(opened)) == []


def test_a_word_that_was_chosen_is_whole(opened: Page, folder: Path) -> None:
    """After N, NE is the next way and not the rest of the word; while N is typed, it may be either."""
    view = moments(singularity_trap.RULESET)[1]
    opened.goto(file_of(folder, singularity_trap.RULESET, view).as_uri())
    line = f"MOVE {view['ships'][0]['id']} N NE"
    assert put_line(opened, line) == []
    assert opened.locator(".lines code").all_text_contents() == [line]

    opened.get_by_label("An order", exact=True).fill(line[:-1])
    offered = opened.locator(".offers button").all_text_contents()
    assert (offered.count("NE"), offered.count("NE for N")) == (1, 1)


def test_keys_alone_write_an_order(opened: Page, folder: Path) -> None:
    """Tab leads to the first choice, Enter chooses; the next choice has the focus, until the line can be added."""
    view = moments(singularity_trap.RULESET)[1]
    opened.goto(file_of(folder, singularity_trap.RULESET, view).as_uri())
    open_lines(opened)
    opened.get_by_label("An order", exact=True).focus()
    while opened.evaluate("document.activeElement.textContent") != "TARGET":
        opened.keyboard.press("Tab")
    for _ in range(2):
        opened.keyboard.press("Enter")
        assert opened.evaluate("document.activeElement.closest('.offers') !== null")
    first = written(opened)
    opened.get_by_label("An order", exact=True).focus()
    opened.keyboard.press("Enter")

    assert opened.locator(".lines code").all_text_contents() == [first]


def test_lines_are_typed_and_completed(opened: Page, folder: Path) -> None:
    """One choice completes a word; lines that cannot be read are marked, and the page refers to the receipt."""
    view = moments(singularity.RULESET)[0]
    opened.goto(file_of(folder, singularity.RULESET, view).as_uri())
    open_lines(opened)
    line = opened.get_by_label("An order", exact=True)
    line.fill("pla")
    opened.get_by_role("button", name="PLACE", exact=True).click()
    line.fill("PLACE zz9")
    assert "zz9" in opened.locator(".says").inner_text()

    line.press("Enter")
    assert "zz9" in opened.locator(".lines .fault").inner_text()
    assert "receipt is the judge" in opened.locator(".desk").inner_text()


def test_an_unfinished_line_is_no_fault(opened: Page, folder: Path) -> None:
    """While a line is typed, the page says what comes next; a hex may be written with a comma or without."""
    view = moments(harvester.RULESET)[1]
    opened.goto(file_of(folder, harvester.RULESET, view).as_uri())
    open_lines(opened)
    line, says = opened.get_by_label("An order", exact=True), opened.locator(".says")
    line.fill("TARGET 9")
    assert says.inner_text().startswith("Next: a hex")
    for written_so in ("TARGET 9,-3", "TARGET 9 -3", 'target "9,-3"'):
        line.fill(written_so)
        assert says.inner_text() == ""
        line.press("Enter")

    assert opened.locator(".lines .fault").count() == 0


def test_a_draft_survives_a_reload(opened: Page, folder: Path) -> None:
    """The sheet is there again after a reload; its lines can be changed, moved and removed."""
    view = moments(singularity.RULESET)[0]
    opened.goto(file_of(folder, singularity.RULESET, view).as_uri())
    open_lines(opened)
    opened.get_by_text("As text").click()
    opened.get_by_label("All orders, one a line").fill("PLACE e6\nDRAW OFFER\n")
    opened.reload()
    open_lines(opened)
    shown = opened.locator(".lines code")
    assert shown.all_text_contents() == ["PLACE e6", "DRAW OFFER"]

    opened.get_by_label("Later: PLACE e6").click()
    opened.get_by_label("Change: PLACE e6").click()
    opened.get_by_label("An order", exact=True).fill("PLACE f6")
    opened.get_by_role("button", name="Put back").click()
    opened.get_by_label("Take out: DRAW OFFER").click()
    assert shown.all_text_contents() == ["PLACE f6"]


def test_a_sheet_too_long_for_mail_programs_is_copied(opened: Page, folder: Path) -> None:
    """The link then opens an empty mail, the page says so, and the whole sheet can be copied."""
    view = moments(singularity.RULESET)[0]
    opened.goto(file_of(folder, singularity.RULESET, view).as_uri())
    open_lines(opened)
    opened.get_by_text("As text").click()
    opened.get_by_label("All orders, one a line").fill("; a long remark of mine\n" * 100)
    link = opened.get_by_role("link", name="Open a mail to paste it into")

    assert "body=" not in str(link.get_attribute("href"))
    assert "too long" in opened.locator(".desk").inner_text()
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened.get_by_role("button", name="Copy the sheet").click()
    opened.get_by_text("Copied.").wait_for()
    assert str(opened.evaluate("navigator.clipboard.readText()")).count("long remark") == 100


@EACH
def test_a_page_reads_as_the_report_without_scripts(ruleset: AnyRuleset, browser: Browser, folder: Path) -> None:
    """Without scripts maps and texts are there, and no controls."""
    view = moments(ruleset)[1]
    path = file_of(folder, ruleset, view)
    page = new_page(browser, viewport={"width": 360, "height": 740}, java_script_enabled=False)
    page.goto(path.as_uri())
    text = page.locator("main").inner_text()
    maps, controls = page.locator("main svg").count(), page.locator("button:visible, input:visible").count()
    page.close()

    assert str(view["seat"]) in text
    assert "What you know" in text
    assert maps == len(list(ruleset.pictures(view)))
    assert controls == 0


HOSTILE = "</pre><script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"


def test_text_of_players_cannot_run(opened: Page, folder: Path) -> None:
    """Press and drafts are text: neither becomes part of the page."""
    said = PressSection(
        press=(QuotedText(by="blue", text=HOSTILE),), news=(QuotedText(by="red", text=HOSTILE),), gm_texts=(HOSTILE,)
    )
    view = moments(singularity.RULESET)[0]
    opened.goto(file_of(folder, singularity.RULESET, view, said).as_uri())
    put_line(opened, "PLACE e6")
    opened.get_by_label("An order", exact=True).fill(HOSTILE)
    opened.get_by_role("button", name="Add", exact=True).click()
    opened.reload()
    open_lines(opened)
    lines = opened.locator(".lines").inner_text()
    opened.locator(".tabs").get_by_role("button", name="Report").click()

    assert "window.hacked = 1" in lines
    assert "window.hacked = 1" in opened.locator("main").inner_text()
    assert opened.evaluate("window.hacked") is None
    assert opened.locator("main img, main script").count() == 0


def test_the_policy_stops_what_comes_into_a_page_nevertheless(browser: Browser, folder: Path) -> None:
    """Scripts, styles and addresses that are not the program's own do nothing, wherever they are in the file."""
    path = file_of(folder, singularity.RULESET, moments(singularity.RULESET)[2])
    evil = (
        "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'><p style='color:red' id=red>"
        "<script src='data:text/javascript,window.hacked=1'></script></p>"
        "<a id=go href='javascript:window.hacked=1'>a</a>"
    )
    path.write_text(path.read_text().replace("</main>", f"{evil}</main>"))
    page = new_page(browser)
    page.goto(path.as_uri())
    page.locator("#go").click()
    colour = page.evaluate("getComputedStyle(document.getElementById('red')).color")
    hacked = page.evaluate("window.hacked ?? null")
    page.close()

    assert (hacked, colour != "rgb(255, 0, 0)") == (None, True)


def test_a_page_asks_for_nothing(opened: Page, folder: Path) -> None:
    """A page is one file, without network, and small enough to be mailed."""
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    for view in moments(singularity_trap.RULESET):
        path = file_of(folder, singularity_trap.RULESET, view)
        opened.goto(path.as_uri())
        assert path.stat().st_size < LARGEST
        assert not re.search(rb"<(?:link|img|iframe|object|base)\b", path.read_bytes())

    assert [url for url in asked if not url.startswith("file:")] == []
