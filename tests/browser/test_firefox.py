"""Pages in Firefox ESR, by touches and keys: those of seats, and those of a site."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.app import TEMPLATE_DIR
from pbem.report.renderer import Renderer
from pbem.ruleset import AnyRuleset
from pbem.site.data import ClubPage, SiteFolder
from pbem.site.publish import site_page
from tests.browser.firefox import Firefox
from tests.browser.looking import SCHEMES, Scheme, faults, too_wide
from tests.browser.test_seat_pages import EACH, file_of, moments
from tests.browser.test_site import HOME, TRAP, campaign_of, served, write_replay


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the pages of this module."""
    return tmp_path_factory.mktemp("pages")


def test_errors_and_violations_are_noticed(firefox: Firefox, tmp_path: Path) -> None:
    """The tests below would see an error of a script, and a picture that the policy of a page forbids."""
    policy = '<meta http-equiv="Content-Security-Policy" content="img-src \'none\'">'
    (tmp_path / "bad.html").write_text(f"{policy}<img src='data:,'><script>throw new Error('thrown')</script>")
    firefox.open((tmp_path / "bad.html").as_uri())
    noticed = "\n".join(firefox.complaints())

    assert "img-src" in noticed
    assert "thrown" in noticed


@EACH
def test_a_page_opens_on_a_phone(ruleset: AnyRuleset, firefox: Firefox, folder: Path) -> None:
    """No error, nothing too wide, and no finding of axe-core, in light and in dark."""
    firefox.open(file_of(folder, ruleset, moments(ruleset)[1]).as_uri())
    for scheme in SCHEMES:
        firefox.look(360, 740, scheme)
        assert too_wide(firefox) == []
        assert faults(firefox) == []


@EACH
def test_a_page_reads_as_the_report_without_scripts(ruleset: AnyRuleset, firefox: Firefox, folder: Path) -> None:
    """Without scripts maps and texts are there, and no controls."""
    view = moments(ruleset)[1]
    firefox.look(360, scripts=False)
    firefox.open(file_of(folder, ruleset, view).as_uri())
    shown = "return [...document.querySelectorAll(arguments[0])].filter((each) => each.checkVisibility()).length"

    assert "What you know" in firefox.run("return document.querySelector('main').innerText")
    assert firefox.run(shown, "main svg") == len(list(ruleset.pictures(view)))
    assert firefox.run(shown, "button, input, textarea, #to-desk") == 0
    assert too_wide(firefox) == []


def test_a_game_is_watched_from_a_disk_and_from_the_web(firefox: Firefox, tmp_path: Path) -> None:
    """A replay is stepped through by a tap and by keys; nothing is too wide, and axe-core has no finding."""
    labels = write_replay(tmp_path, TRAP)
    with served(tmp_path) as (url, _):
        for root in (tmp_path.as_uri(), url):
            firefox.open(f"{root}/{HOME}/index.html")
            firefox.wait("document.querySelector('.stories h2')")
            firefox.tap("button[aria-label=On]")
            firefox.tap("h1")
            firefox.press("ArrowRight")
            firefox.wait(f"document.querySelector('output').innerText.startsWith('{labels[2]} (3 of')")
            assert too_wide(firefox) == []
            assert faults(firefox) == []
        firefox.open("about:blank")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pages_of_a_club_open(firefox: Firefox, tmp_path: Path, scheme: Scheme) -> None:
    """On a small phone pages are not too wide, and axe-core has no findings."""
    campaign = campaign_of(TRAP, ("red", "cyan"))
    club = ClubPage(
        name="The Club", address="orders@example.org", domain="example.org", url="", campaigns=(campaign,),
        games=(campaign.game,),
    )  # fmt: skip
    folder = SiteFolder(tmp_path)
    with Renderer([TEMPLATE_DIR], pictures=False) as reporter:
        path = "c/war7/index.html"
        folder.write("index.html", site_page(reporter, "index.html", "club", club=club))
        folder.write(path, site_page(reporter, path, "campaign", club=club, campaign=campaign, pictures=[]))
    firefox.look(320, scheme=scheme)
    for name in ("index.html", path):
        firefox.open((tmp_path / name).as_uri())
        assert too_wide(firefox) == []
        assert faults(firefox) == []
