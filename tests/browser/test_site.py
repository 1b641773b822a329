"""The site in a browser: its pages, replays of all games, and encrypted pages, from a disk and from the web."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from pbem.app import TEMPLATE_DIR
from pbem.report.facts import QuotedText
from pbem.report.renderer import Renderer
from pbem.ruleset import AnyRuleset
from pbem.site.data import CampaignPage, ClubPage, GamePage, Issue, Result, Score, ScoreCourse, SiteFolder, TurnOpened
from pbem.site.pictures import BoardFile, title_picture
from pbem.site.publish import SharedPicture, course_plot, replay_page, sample_page, site_page
from pbem.site.replay import Replay, ReplayStep
from pbem.site.samples import make_samples
from pbem.site.standings import PlayerStanding
from pbem.store.types import CampaignState
from pbem.testing.play import standard_game
from pbem.web.page import encrypt_page, page_assets
from pbem_rules import singularity
from tests.browser.looking import SCHEMES, Scheme, faults, lost_pictures, new_page, too_wide
from tests.games import RULESETS

TRAP = next(each for each in RULESETS if each.key == "singularity_trap")
HOME = "c/war7/replay"
START = dt.datetime(2026, 11, 2, 9, tzinfo=dt.UTC)
HOSTILE = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"
OPENED = TurnOpened(number=1, label="turn 1", at=START, deadline=START + dt.timedelta(days=7))


def campaign_of(
    ruleset: AnyRuleset, seats: tuple[str, ...], status: CampaignState = CampaignState.OVER
) -> CampaignPage:
    """Return a campaign with everything that its page can have."""
    return CampaignPage(
        name="war7",
        game=GamePage(ruleset.key, ruleset.title, ruleset.designer, ruleset.summary),
        status=status,
        schedule="FRI 20:00 America/Argentina/ComodRivadavia",
        zone="America/Argentina/ComodRivadavia",
        seats=seats,
        joins=True,
        free=2,
        paused=False,
        created=START,
        last=OPENED,
        openings=(OPENED,),
        scores=tuple(Score(seat, 10 - at, 100 - at) for at, seat in enumerate(seats)),
        of="planets",
        issues=(Issue(OPENED, (QuotedText(by="", text=HOSTILE + " word" * 60 + " " + "a" * 300),)),),
        result=Result(winners=seats[:1], reason="held 25 planets") if status == CampaignState.OVER else None,
        replay=status == CampaignState.OVER,
    )


def write_replay(root: Path, ruleset: AnyRuleset, times: int = 1) -> list[str]:
    """Write the replay of a game of bots, played so many times over; return the labels of its openings."""
    game = standard_game(ruleset)
    folder = SiteFolder(root)
    campaign = campaign_of(ruleset, game.seats)
    club = ClubPage(name="The Club", address="orders@example.org", domain="example.org", url="", campaigns=(campaign,))
    said = {"kind": "news", "by": "red", "to": [], "text": HOSTILE}
    with Renderer([TEMPLATE_DIR], {ruleset.key: ruleset}, pictures=False) as reporter:
        replay = Replay(reporter, ruleset, game.seats, folder, HOME)
        before: dict[str, Any] = {"orders": {}, "missing": [game.seats[0]]}
        for number, step in enumerate(game.steps * times, start=1):
            replay.add(ReplayStep(number=number, at=START, views=step.views, before=before, words=[said]))
            given = {seat: [*map(ruleset.orders.to_json, orders)] for seat, orders in step.turn.orders.items()}
            before = {"orders": given, "missing": []}
        proof = {"seal": "ab" * 32, "seed": "cd" * 32, "head": "ef" * 32, "dice": ("red: w",), "archive": "a.zip"}
        page = replay_page(reporter, club, campaign, replay, made="", judged=False, **proof)
        folder.write(f"{HOME}/index.html", page)
    return [moment["label"] for moment in replay.moments]


@contextmanager
def opened(browser: Browser, url: str, width: int = 1100, scheme: Scheme = "light") -> Iterator[Page]:
    """Open a page of a site; fail if the browser had any complaint, such as about what a policy forbids."""
    complaints: list[str] = []

    def told(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            complaints.append(message.text)

    page = new_page(browser, viewport={"width": width, "height": 800}, color_scheme=scheme)
    page.on("console", told)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        page.goto(url)
        yield page
        assert complaints == []
    finally:
        page.close()


class _Told(SimpleHTTPRequestHandler):
    """Server of a folder that records the names of requested files."""

    asked: list[str]

    def __init__(self, *args: object, asked: list[str], directory: str) -> None:
        self.asked = asked
        super().__init__(*args, directory=directory)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        self.asked.append(self.path.rpartition("/")[2])
        super().do_GET()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def served(root: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the address of a folder on the web, and the names of requested files."""
    asked: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Told, asked=asked, directory=str(root)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module", params=RULESETS, ids=lambda ruleset: ruleset.key)
def replayed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return a site with the replay of a game."""
    root = tmp_path_factory.mktemp("site")
    return root, write_replay(root, request.param)


@pytest.fixture(scope="module")
def trap(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return a site with the replay of The Singularity Trap, for what is the same in all games."""
    root = tmp_path_factory.mktemp("trap")
    return root, write_replay(root, TRAP)


@pytest.mark.sampled(1)
def test_a_game_is_watched_from_a_disk(browser: Browser, replayed: tuple[Path, list[str]]) -> None:
    """A replay opened as a file is stepped through by clicks and keys, and by a drag to its end."""
    root, labels = replayed
    with opened(browser, f"file://{root}/{HOME}/index.html") as page:
        told = page.locator("output")
        page.locator(".stories h2").first.wait_for()
        first = told.inner_text()
        page.get_by_role("button", name="On", exact=True).click()
        page.locator("h1").click()
        page.keyboard.press("ArrowRight")
        third = told.inner_text()
        page.get_by_role("slider", name="Turn").fill(str(len(labels) - 1))
        page.get_by_text(f"{labels[-1]} ({len(labels)} of {len(labels)})").wait_for()

        assert first == f"{labels[0]} (1 of {len(labels)})"
        assert third == f"{labels[2]} (3 of {len(labels)})"
        assert page.title().startswith("Replay of war7")


def test_a_link_names_a_turn_and_a_seat(browser: Browser, trap: tuple[Path, list[str]]) -> None:
    """A link opens its turn and seat, and the address follows the view."""
    root, labels = trap
    with opened(browser, f"file://{root}/{HOME}/index.html#turn=4") as page:
        page.get_by_text(f"{labels[3]} (4 of").wait_for()
        seats = page.get_by_label("Whose eyes").locator("option").all_text_contents()
        page.get_by_label("Whose eyes").select_option(seats[-1])
        page.get_by_role("button", name="Back", exact=True).click()
        expect(page).to_have_url(re.compile(r"#turn=3&"))
        link = page.url
    with opened(browser, link) as page:
        page.get_by_text(f"{labels[2]} (3 of").wait_for()

        assert link.endswith(f"#turn=3&seat={seats[-1]}")
        assert page.get_by_label("Whose eyes").input_value() == seats[-1]


@pytest.mark.parametrize(("width", "height"), [(360, 640), (640, 360)])
def test_a_replay_on_a_phone_begins_with_its_board(
    browser: Browser, trap: tuple[Path, list[str]], width: int, height: int
) -> None:
    """The board comes first, with more than half of a high screen, and controls below it stay in reach."""
    root, labels = trap
    with opened(browser, f"file://{root}/{HOME}/index.html", width) as page:
        page.set_viewport_size({"width": width, "height": height})
        page.locator(".stories h2").first.wait_for()
        board = page.locator(".map-view svg").first.bounding_box()
        bar = page.locator(".bar").bounding_box()
        page.get_by_role("button", name="On", exact=True).click()
        page.get_by_text(f"{labels[1]} (2 of").wait_for()
        moved = page.evaluate("() => scrollY")

    assert board
    assert bar
    seen = min(bar["y"], board["y"] + board["height"]) - board["y"]
    assert seen > (0.5 if width < height else 0.35) * height
    assert bar["y"] + bar["height"] == pytest.approx(height, abs=1)
    assert moved == 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_replay_is_accessible(browser: Browser, replayed: tuple[Path, list[str]], scheme: Scheme) -> None:
    """On a phone nothing is too wide, and axe-core has no findings, in light and in dark."""
    root, labels = replayed
    with opened(browser, f"file://{root}/{HOME}/index.html#turn={len(labels)}", 360, scheme) as page:
        page.locator(".stories h2").first.wait_for()
        folded = page.locator("summary").first
        folded.click()

        assert too_wide(page) == []
        assert faults(page) == []


def test_words_of_players_are_shown_and_never_run(browser: Browser, trap: tuple[Path, list[str]]) -> None:
    """Text that looks like a script is shown as text."""
    root, _ = trap
    with opened(browser, f"file://{root}/{HOME}/index.html") as page:
        said = page.locator("blockquote .said").first.inner_text()

        assert said == HOSTILE
        assert page.title() != "run"


def test_a_long_game_is_loaded_as_it_is_watched(browser: Browser, tmp_path: Path) -> None:
    """Of two hundred turns in a subfolder of a web server, only a few are requested and kept, at any turn."""
    game = singularity.RULESET  # of a board that is drawn in a moment
    turns = len(write_replay(tmp_path / "sub/folder", game, times=200 // len(standard_game(game).steps) + 1))
    with served(tmp_path) as (url, asked), opened(browser, f"{url}/sub/folder/{HOME}/index.html") as page:
        scripts = expect(page.locator("head script"))  # each is removed once its file has been read
        page.locator(".stories h2").first.wait_for()
        scripts.to_have_count(0)
        first = sorted(name for name in asked if name[0] == "0")
        page.get_by_label("Speed").select_option("8×")
        for number in range(20, turns, 20):
            page.get_by_role("slider", name="Turn").fill(str(number))
            page.get_by_text(f"({number + 1} of").wait_for()
        scripts.to_have_count(0)
        asked.clear()
        page.get_by_role("button", name="To the beginning").click()
        page.get_by_text("(1 of").wait_for()
        scripts.to_have_count(0)

        assert turns >= 200
        assert first == ["0001.js", "0002.js", "0003.js", "0004.js"]
        assert "0001.js" in asked


def test_a_replay_plays_by_itself_to_its_end(browser: Browser, trap: tuple[Path, list[str]]) -> None:
    """A replay plays by one press, and stops at the end."""
    root, labels = trap
    with opened(browser, f"file://{root}/{HOME}/index.html#turn={len(labels) - 2}") as page:
        page.get_by_label("Speed").select_option("8×")
        page.get_by_role("button", name="Play", exact=True).click()
        page.get_by_text(f"({len(labels)} of").wait_for()
        page.get_by_role("button", name="Play", exact=True).wait_for()


def test_moves_go_with_the_board(browser: Browser, trap: tuple[Path, list[str]]) -> None:
    """Orders are drawn on what was true, in the colours of seats, move with it when it is zoomed, and can be hidden."""
    root, _ = trap
    with opened(browser, f"file://{root}/{HOME}/index.html#turn=3") as page:
        marks = page.locator(".map-view svg .moves .move")
        marks.first.wait_for()
        small = marks.first.bounding_box()
        page.get_by_role("button", name="Closer").click()
        near = marks.first.bounding_box()
        seats = {mark.get_attribute("data-seat") for mark in marks.all()}
        page.get_by_label("Whose eyes").select_option("green")
        page.get_by_text("What green knew").wait_for()
        own = {mark.get_attribute("data-seat") for mark in page.locator(".maps section:first-child .move").all()}
        page.get_by_label("Moves").uncheck()

        assert small
        assert near
        assert near["height"] > 1.2 * small["height"]
        assert len(seats) > 1
        assert own <= {"green"}
        expect(page.locator(".moves").first).to_be_hidden()


@pytest.mark.parametrize("refused", [False, True])
def test_a_replay_fills_the_screen(browser: Browser, trap: tuple[Path, list[str]], refused: bool) -> None:
    """By its button and by a key the game fills the screen, also where the browser gives no page the screen."""
    root, _ = trap
    with opened(browser, f"file://{root}/{HOME}/index.html") as page:
        page.locator(".stories h2").first.wait_for()
        if refused:
            page.evaluate("() => { Element.prototype.requestFullscreen = () => Promise.reject(new Error()); }")
        button = page.get_by_role("button", name="Full screen")
        button.click()
        expect(page.locator("#viewer")).to_have_class(re.compile("full"))
        box = page.locator("#viewer").bounding_box()
        button.click()
        expect(button).to_have_attribute("aria-pressed", "false")
        page.locator("output").click()
        page.keyboard.press("f")
        expect(button).to_have_attribute("aria-pressed", "true")
        assert box
        assert (box["x"], box["y"], box["width"]) == (0, 0, 1100)


def write_club(root: Path, ruleset: AnyRuleset) -> list[str]:
    """Write the pages of a club that plays a game, in each state of a campaign; return their names."""
    folder = SiteFolder(root)
    states = (*CampaignState, CampaignState.FORMING)
    campaigns = [
        dataclasses.replace(campaign_of(ruleset, ("red", "cyan"), state), name=f"war{at}")
        for at, state in enumerate(states)
    ]
    course = ScoreCourse(("turn 1", "turn 2"), {"red": (1, 5), "cyan": (2, None)})
    campaigns[1] = dataclasses.replace(campaigns[1], course=course)
    own: dict[str, Any] = {"title": HOSTILE, "gm": "Ada", "contact": "gm@example.org", "joins": False}
    campaigns[4] = dataclasses.replace(campaigns[4], **own)
    game = campaigns[0].game
    club = ClubPage(
        name=HOSTILE, address="orders@example.org", domain="example.org", url="https://club.example.org/",
        campaigns=tuple(campaigns), games=(game,),
    )  # fmt: skip
    home, place = f"games/{game.key}", f"games/{game.key}/board.svg"
    with Renderer([TEMPLATE_DIR], {ruleset.key: ruleset}, pictures=False) as reporter:
        samples = make_samples(reporter, ruleset)
        board = samples.board or title_picture(game.title, HOSTILE)
        file = BoardFile(place, board.title, board.width, board.height)
        kept = {game.key: {"receipt": samples.receipt is not None}}
        given: dict[str, Any] = {"club": club, "samples": kept, "share": SharedPicture("https://example.org/", HOSTILE)}
        boards = {each.name: file for each in campaigns}
        standings = [PlayerStanding(HOSTILE, 12, 3, 1)]
        pages = {
            "index.html": site_page(reporter, "index.html", "club", boards=boards, games={game.key: file}, **given),
            "results.html": site_page(reporter, "results.html", "results", boards=boards, standings=standings, **given),
        }
        for each in campaigns:
            path = f"c/{each.name}/index.html"
            shown: dict[str, Any] = {"campaign": each, "pictures": [], "board": file, **course_plot(each), **given}
            pages[path] = site_page(reporter, path, "campaign", **shown)
        for kind, mail in (("report", samples.report), ("receipt", samples.receipt)):
            if mail:
                pages[f"{home}/{kind}.html"] = sample_page(reporter, club, game, kind, samples, mail)
    folder.write(place, board.svg)
    for path, text in pages.items():
        folder.write(path, text)
    return list(pages)


@pytest.fixture(scope="module", params=RULESETS, ids=lambda ruleset: ruleset.key)
def club_site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return a site with the pages of a club that plays a game, in each state of a campaign, and their names."""
    root = tmp_path_factory.mktemp("club")
    return root, write_club(root, request.param)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_pages_of_the_club_read_well(
    browser: Browser, club_site: tuple[Path, list[str]], width: int, scheme: Scheme
) -> None:
    """At any width nothing is too wide, axe-core has no findings, pictures are shown, and no words of players run."""
    root, names = club_site
    for name in names:
        with opened(browser, f"file://{root}/{name}", width, scheme) as page:
            lost = lost_pictures(page)

            assert too_wide(page) == [], name
            assert faults(page) == [], name
            assert lost == [], name
            assert page.title() != "run", name


def test_pages_of_the_club_need_no_script(browser: Browser, club_site: tuple[Path, list[str]]) -> None:
    """Without scripts pictures and links to join and to try a game are there, and no more is requested."""
    root, _ = club_site
    with served(root) as (url, asked):
        context = browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 800})
        page = context.new_page()
        page.goto(f"{url}/index.html")
        page.locator("img").last.scroll_into_view_if_needed()
        expect(page.get_by_role("link", name="Play a turn")).to_be_visible()
        expect(page.get_by_role("link", name="Join war0")).to_be_visible()
        expect(page.locator("[data-due]")).to_have_text("Mon 9 Nov 2026 06:00 America/Argentina/ComodRivadavia")
        context.close()

        assert set(asked) == {"index.html", "board.svg"}


@pytest.mark.parametrize(
    ("now", "left"), [("2026-11-05T20:58", "in 3 days 12 hours"), ("2026-11-10T12:00", "which is past")]
)
def test_a_deadline_stands_in_the_zone_of_its_reader(
    browser: Browser, club_site: tuple[Path, list[str]], now: str, left: str
) -> None:
    """A script tells a deadline as the reader's clock has it, with the time left; the campaign's stays as its title."""
    root, _ = club_site
    context = browser.new_context(timezone_id="Asia/Tokyo")
    page = context.new_page()
    page.clock.set_fixed_time(dt.datetime.fromisoformat(f"{now}+00:00"))
    page.goto(f"file://{root}/c/war1/index.html")

    due = page.locator("[data-due]")
    expect(due).to_have_text(f"Mon 9 Nov 18:00 your time, {left}")
    expect(due).to_have_attribute("title", "Mon 9 Nov 2026 06:00 America/Argentina/ComodRivadavia")
    context.close()


def test_a_sealed_page_opens_by_its_link_alone(browser: Browser, tmp_path: Path) -> None:
    """With its key the page is itself, script and all; with another, or none, nothing of it is seen."""
    worn = page_assets("base.css", script="dom.js")
    html = f'<!DOCTYPE html><html lang="en"><head>{worn.head}<title>the war</title></head><body><main><h1>Ships</h1>'
    sealed = encrypt_page(f'{html}<a href="#desk">desk</a><p id="desk">x</p></main>{worn.foot}</body></html>'.encode())
    SiteFolder(tmp_path).write(sealed.place, sealed.content)
    url = f"file://{tmp_path}/{sealed.place}"
    with opened(browser, f"{url}#{sealed.key}") as page:
        page.get_by_role("heading", name="Ships").wait_for()
        page.get_by_role("link", name="desk").click()
        page.reload()
        page.get_by_role("heading", name="Ships").wait_for()
        assert page.title() == "the war"
    for wrong in ("", "#" + "A" * 43, "#short"):
        with opened(browser, url + wrong, 360, "dark") as page:
            page.get_by_role("status").wait_for()
            assert page.get_by_text("Ships").count() == 0
            assert faults(page) == []
