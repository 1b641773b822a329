"""The site in a browser: its pages, replays of all games, and encrypted pages, from a disk and from the web."""

from __future__ import annotations

import datetime as dt
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from pbem.app import TEMPLATE_DIR
from pbem.report.facts import QuotedText
from pbem.report.renderer import Renderer
from pbem.ruleset import AnyRuleset
from pbem.site.data import CampaignPage, ClubPage, GamePage, Issue, Result, Score, SiteFolder, TurnOpened
from pbem.site.publish import replay_page, site_page
from pbem.site.replay import Replay, ReplayStep
from pbem.store.types import CampaignState
from pbem.testing.play import standard_game
from pbem.web import encrypt_page, page_assets
from tests.browser.looking import SCHEMES, Scheme, faults, new_page, too_wide
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
        for number, step in enumerate(game.steps * times, start=1):
            before = {"orders": {}, "missing": [game.seats[0]]}
            replay.add(ReplayStep(number=number, at=START, views=step.views, before=before, words=[said]))
        proof = {"seal": "ab" * 32, "seed": "cd" * 32, "head": "ef" * 32, "dice": ("red: w",), "archive": "a.zip"}
        page = replay_page(reporter, club, campaign, replay, made="", judged=False, **proof)
        folder.write(f"{HOME}/index.html", page)
    return [moment["label"] for moment in replay.moments]


def write_club(root: Path, campaign: CampaignPage) -> tuple[str, str]:
    """Write the pages of a club and of its campaign; return their names."""
    club = ClubPage(
        name="The Club", address="orders@example.org", domain="example.org", url="", campaigns=(campaign,),
        games=(campaign.game,),
    )  # fmt: skip
    folder = SiteFolder(root)
    with Renderer([TEMPLATE_DIR], pictures=False) as reporter:
        folder.write("index.html", site_page(reporter, "index.html", "club", club=club))
        path = "c/war7/index.html"
        folder.write(path, site_page(reporter, path, "campaign", club=club, campaign=campaign, pictures=[]))
    return "index.html", path


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


@pytest.mark.sampled(2)
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


@pytest.mark.sampled(4)
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
    turns = len(write_replay(tmp_path / "sub/folder", TRAP, times=200 // len(standard_game(TRAP).steps) + 1))
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


@pytest.mark.parametrize(
    ("status", "scheme"),
    [(CampaignState.FORMING, "dark"), (CampaignState.RUNNING, "light"), (CampaignState.OVER, "dark")],
)
def test_pages_of_the_club_read_well(browser: Browser, tmp_path: Path, status: CampaignState, scheme: Scheme) -> None:
    """On a small phone pages are not too wide, axe-core has no findings, and no words of players run."""
    names = write_club(tmp_path, campaign_of(RULESETS[0], ("red", "cyan"), status))
    for name in names:
        with opened(browser, f"file://{tmp_path}/{name}", 360, scheme) as page:
            assert too_wide(page) == []
            assert faults(page) == []
            assert page.title() != "run"


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
