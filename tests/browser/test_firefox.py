"""Pages in Firefox ESR, by touches and keys: those of seats, and those of a site."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from pbem.ruleset import AnyRuleset
from pbem_rules import harvester, singularity
from tests.browser.firefox import Firefox
from tests.browser.looking import SCHEMES, Scheme, faults, too_wide
from tests.browser.test_seat_pages import EACH, file_of, moments
from tests.browser.test_site import HOME, TRAP, served, write_club, write_replay
from tests.games import RULESETS

FORM = ["[data-role=undo]", "[data-role=orders] .count", "[data-role=send]", "[data-role=next]"]
"""What a player presses in each turn."""

MAPPED = pytest.mark.parametrize(
    "ruleset", [each for each in RULESETS if each.key != "gm_adjudicated"], ids=lambda ruleset: ruleset.key
)

_MAP_SEEN = """
const map = document.querySelector("[data-role=map]");
if (!map) return 0;
const { left, width, top, bottom } = map.getBoundingClientRect();
let seen = 0;
for (let y = top; y < bottom; y += 1) seen += map.contains(document.elementFromPoint(left + width / 4, y));
return seen;
"""

_COVERED = """
return arguments[0].filter((name) => {
  const element = document.querySelector(name);
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const points = [[(left + right) / 2, (top + bottom) / 2], [left + 3, bottom - 9], [right - 3, top + 9]];
  return !points.every(([x, y]) => element.contains(document.elementFromPoint(x, y)));
});
"""

_SPILT = """
const buttons = [...document.querySelectorAll("button, a.button")].filter((each) => each.checkVisibility());
const out = (each) => each.getBoundingClientRect().right > innerWidth && !each.closest(".steps-row");
const spills = (each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === "visible";
return buttons.filter((each) => out(each) || spills(each)).map((each) => each.textContent);
"""

_PLACES = """
const map = document.querySelector("[data-role=map]");
const middles = [...map.querySelectorAll(arguments[0])].map((each) => {
  const { left, right, top, bottom } = each.getBoundingClientRect();
  return [Math.round((left + right) / 2), Math.round((top + bottom) / 2)];
});
return middles.filter(([x, y]) => map.contains(document.elementFromPoint(x, y)));
"""

_DRAWN = """
const lines = [...document.querySelectorAll("[data-draft]")].flatMap((each) => each.dataset.draft.split("|"));
return [...new Set(lines)].sort();
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the pages of this module."""
    return tmp_path_factory.mktemp("pages")


def open_page(firefox: Firefox, path: Path) -> None:
    """Open the page of a seat, without a draft that another test has left."""
    firefox.open(path.as_uri())
    if firefox.run("const kept = localStorage.length; localStorage.clear(); return kept"):
        firefox.reload()


def order(firefox: Firefox) -> None:
    """Tap a unit, if the game has any, then places until an order is drawn."""
    for unit in firefox.run(_PLACES, "[data-unit]")[:1]:
        firefox.touch(unit)
    for _ in range(8):
        if not firefox.run(_DRAWN):
            firefox.touch((firefox.run(_PLACES, ".lit:not([data-unit])") or firefox.run(_PLACES, ".lit"))[-1])


def mailed_lines(firefox: Firefox) -> list[str]:
    """Return the orders in the mail that the page opens."""
    link: str = firefox.run("return document.querySelector('[data-role=send]').href")
    return parse_qs(urlsplit(link).query)["body"][0].split("\r\n")[1:-2]


def test_errors_and_violations_are_noticed(firefox: Firefox, tmp_path: Path) -> None:
    """The tests below would see an error of a script, and a picture that the policy of a page forbids."""
    policy = '<meta http-equiv="Content-Security-Policy" content="img-src \'none\'">'
    (tmp_path / "bad.html").write_text(f"{policy}<img src='data:,'><script>throw new Error('thrown')</script>")
    firefox.open((tmp_path / "bad.html").as_uri())
    noticed = "\n".join(firefox.complaints())

    assert "img-src" in noticed
    assert "thrown" in noticed


@pytest.mark.sampled(1)
@EACH
def test_a_page_opens_on_a_phone(ruleset: AnyRuleset, firefox: Firefox, folder: Path) -> None:
    """Map and orders are on the screen together, and axe-core has no finding, in light and in dark."""
    open_page(firefox, file_of(folder, ruleset, moments(ruleset)[1]))
    for scheme in SCHEMES:
        firefox.look(360, scheme=scheme)
        assert firefox.run(_MAP_SEEN) >= (200 if list(ruleset.pictures(moments(ruleset)[1])) else 0)
        assert firefox.run(_COVERED, FORM) == []
        assert too_wide(firefox) == []
        assert faults(firefox) == []


@pytest.mark.in_turn
@pytest.mark.sampled(1)
@MAPPED
def test_touches_order(ruleset: AnyRuleset, firefox: Firefox, folder: Path) -> None:
    """A tap on a unit and one on a place draw an order; Undo takes it away; the mail has it, and a reload keeps it."""
    view = moments(ruleset)[1]
    open_page(firefox, file_of(folder, ruleset, view))
    order(firefox)
    while firefox.run("return !document.querySelector('[data-role=undo]').disabled"):
        firefox.tap("[data-role=undo]")
    assert firefox.run(_DRAWN) == []
    order(firefox)
    drawn, sheet = firefox.run(_DRAWN), mailed_lines(firefox)
    firefox.reload()

    assert drawn
    assert set(drawn) <= set(sheet)
    assert "error" not in [found.severity for found in ruleset.parse(view, list(enumerate(sheet, 1))).findings]
    assert firefox.run(_DRAWN) == drawn


@pytest.mark.in_turn
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("width", "height"), [(320, 480), (320, 568), (740, 360), (768, 1024), (1280, 800)])
def test_a_page_fits_any_screen(firefox: Firefox, folder: Path, width: int, height: int) -> None:
    """On all screens the map is seen, no button is covered, nothing is too wide, and axe-core has no finding."""
    firefox.look(width, height)
    open_page(firefox, file_of(folder, TRAP, moments(TRAP)[1]))

    assert firefox.run(_MAP_SEEN) >= (200 if height > 480 else 150)
    assert firefox.run(_COVERED, FORM) == []
    assert too_wide(firefox) == []
    assert faults(firefox) == []


@pytest.mark.in_turn
@pytest.mark.sampled(1)
@EACH
def test_a_page_can_be_read_with_large_text(ruleset: AnyRuleset, firefox: Firefox, folder: Path) -> None:
    """At twice the size of text no button leaves the screen or is covered, no text its button, and the map is seen."""
    firefox.look(360, text=2)
    open_page(firefox, file_of(folder, ruleset, moments(ruleset)[1]))

    assert firefox.run(_MAP_SEEN) >= (300 if list(ruleset.pictures(moments(ruleset)[1])) else 0)
    assert firefox.run(_COVERED, FORM) == []
    assert firefox.run(_SPILT) == []


@pytest.mark.in_turn
@pytest.mark.parametrize("ruleset", [singularity.RULESET, harvester.RULESET], ids=lambda ruleset: ruleset.key)
def test_keys_alone_order(ruleset: AnyRuleset, firefox: Firefox, folder: Path) -> None:
    """Tab leads to the map, an arrow to a place, Enter orders, and U takes it back."""
    open_page(firefox, file_of(folder, ruleset, moments(ruleset)[1]))
    for _ in range(9):
        if not firefox.run("return document.activeElement.matches('[data-role=map]')"):
            firefox.press("Tab")
    firefox.press("ArrowRight", "Enter")
    drawn = firefox.run(_DRAWN)
    sheet = mailed_lines(firefox)
    firefox.press("u")

    assert drawn
    assert set(drawn) <= set(sheet)
    assert firefox.run(_DRAWN) == []


@pytest.mark.in_turn
def test_all_heights_of_the_form_are_accessible(firefox: Firefox, folder: Path) -> None:
    """With half of the screen and with nearly all of it, lists and report have no finding of axe-core."""
    firefox.look(360, motion="reduce")
    open_page(firefox, file_of(folder, TRAP, moments(TRAP)[1]))
    order(firefox)
    for _ in ("half", "full"):
        firefox.tap(".grip")
        assert firefox.run(_COVERED, FORM) == []
        assert firefox.run(_SPILT) == []
        assert too_wide(firefox) == []
        assert faults(firefox) == []


def test_a_finger_that_slides_moves_the_map(firefox: Firefox, folder: Path) -> None:
    """A finger that slides at once moves the map and orders nothing; one that has rested orders where it is lifted."""
    open_page(firefox, file_of(folder, harvester.RULESET, moments(harvester.RULESET)[1]))
    lit = firefox.run(_PLACES, ".lit:not([data-unit])")
    before = lit[0]
    firefox.touch(before, (before[0] + 20, before[1] + 30))
    assert firefox.run(_DRAWN) == []
    lit = firefox.run(_PLACES, ".lit:not([data-unit])")
    assert before not in lit

    firefox.touch(lit[0], lit[-1], rest=300)
    assert len(firefox.run(_DRAWN)) == 1


@pytest.mark.in_turn
@EACH
def test_a_page_reads_as_the_report_without_scripts(ruleset: AnyRuleset, firefox: Firefox, folder: Path) -> None:
    """Without scripts maps and texts are there, and no controls."""
    view = moments(ruleset)[1]
    firefox.look(360, scripts=False)
    firefox.open(file_of(folder, ruleset, view).as_uri())
    shown = "return [...document.querySelectorAll(arguments[0])].filter((each) => each.checkVisibility()).length"

    assert "What you know" in firefox.run("return document.querySelector('main').innerText")
    assert firefox.run(shown, "main svg") == len(list(ruleset.pictures(view)))
    assert firefox.run(shown, "button, input, textarea, [data-role]") == 0
    assert too_wide(firefox) == []


@pytest.mark.in_turn
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


@pytest.mark.in_turn
@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_pages_of_a_club_open(firefox: Firefox, tmp_path: Path, scheme: Scheme) -> None:
    """On a small phone pages are not too wide, and axe-core has no findings."""
    names = write_club(tmp_path, TRAP)
    firefox.look(320, scheme=scheme)
    for name in names:
        firefox.open((tmp_path / name).as_uri())
        assert too_wide(firefox) == []
        assert faults(firefox) == []
