"""The page on which orders are tapped: few taps, rows that stay where they are, and sheets that the game takes."""

from __future__ import annotations

import functools
import importlib
import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import pbem.cli
from pbem.ruleset import AnyRuleset, View
from pbem.testing.play import standard_game
from pbem.web.page import bundle_modules
from pbem_rules import bubble_singularity, dueling_masters, gm_adjudicated, harvester, singularity, singularity_trap
from tests.browser.clicking import open_lines
from tests.browser.looking import SCHEMES, faults
from tests.browser.test_seat_pages import file_of
from tests.browser.thumb import PHONE, Thumb, drafts, new_thumb, sheet_of

SKELETON = Path(pbem.cli.__file__).parent / "skeleton"
NOTHING_LEFT = "All have orders"
WALK = 60
"""Random actions of a walk through a page."""

FOOT = ("undo", "next", "send")


@functools.cache
def views(ruleset: AnyRuleset) -> dict[str, View]:
    """Return the first view of each moment in which orders are awaited, by its label."""
    asked = [view for view in standard_game(ruleset).views() if view["awaited"] and not view["over"]]
    return {view["label"]: view for view in reversed(asked)}


def view_of(ruleset: AnyRuleset, label: str) -> View:
    """Return the view of the first moment whose label begins so."""
    return next(view for name, view in reversed(views(ruleset).items()) if name.startswith(label))


Script = Callable[[Thumb], None]


def tap_all(thumb: Thumb) -> None:
    """Give each unit some order, by one tap on a place without own units."""
    for number in range(30):
        title = thumb.selected()[0]
        if title == NOTHING_LEFT or title.endswith("unspent"):
            return
        lit = [each for each in thumb.lit() if not each["unit"]]
        thumb.at(*_middle(lit[number * 7 % len(lit)]))
    raise AssertionError(thumb.selected())


def tap_a_turn_of_ships(thumb: Thumb) -> None:
    """Build a ship by two taps, let it be, and move all others."""
    thumb.press('.chips button:has-text("Build")')
    thumb.press(".chips button:not([disabled])")
    thumb.press("[data-role=next]")
    tap_all(thumb)


def tap_ship_and_square(thumb: Thumb) -> None:
    """Move a ship."""
    thumb.at(*_middle(thumb.lit()[-1]))
    thumb.at(*_middle(thumb.lit()[0]))


def tap_steps_and_bubbles(thumb: Thumb) -> None:
    """Go two steps, put a bubble on each, and do the first action that the map offers."""
    for _ in range(2):
        thumb.at(*_middle(thumb.lit()[0]))
    for _ in range(2):
        thumb.press(".chips button:not([disabled])")
    thumb.at(*_middle(thumb.lit()[0]))


def _middle(spot: Mapping[str, float]) -> tuple[float, float]:
    return spot["x"], spot["y"]


TURNS = {
    "Harvester, units on several hexes": (harvester.RULESET, "turn 4", tap_all, 14),
    "Harvester, eleven units on one hex": (harvester.RULESET, "turn 1", tap_all, 14),
    "a fleet moves, a ship is built": (singularity_trap.RULESET, "turn 8", tap_a_turn_of_ships, 12),
    "a set-up of 18 pieces": (dueling_masters.RULESET, "set-up", tap_all, 20),
    "a ship moves": (dueling_masters.RULESET, "move 3", tap_ship_and_square, 3),
    "steps, bubbles and an action": (bubble_singularity.RULESET, "round 1", tap_steps_and_bubbles, 7),
    "a stone": (singularity.RULESET, "move 1", lambda thumb: thumb.place("f6"), 2),
}
EACH = pytest.mark.parametrize(("ruleset", "label", "script", "most"), TURNS.values(), ids=TURNS)
GAMES = pytest.mark.parametrize(
    ("ruleset", "label"), [(ruleset, label) for ruleset, label, *_ in TURNS.values()], ids=TURNS
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the folder of the pages of a test."""
    return tmp_path


@pytest.fixture
def open_page(browser: Browser, folder: Path) -> Iterator[Callable[..., Thumb]]:
    """Yield a function that opens the page of a view; errors of its script, or against its policy, fail the test."""
    thumbs: list[Thumb] = []
    wrong: list[str] = []

    def opened(ruleset: AnyRuleset, label: str, size: tuple[int, int] = PHONE, **options: Any) -> Thumb:
        thumb = new_thumb(browser, size, **options)
        thumb.page.on("pageerror", lambda error: wrong.append(str(error)))
        thumb.page.on("console", lambda message: wrong.append(message.text))
        thumb.page.goto(file_of(folder, ruleset, view_of(ruleset, label)).as_uri())
        thumb.settle()
        thumbs.append(thumb)
        return thumb

    yield opened
    for thumb in thumbs:
        thumb.page.close()
    assert wrong == []


def errors_of(ruleset: AnyRuleset, view: View, sheet: list[str]) -> list[str]:
    """Return what is wrong with a sheet, as the receipt tells it."""
    found = ruleset.parse(view, list(enumerate(sheet, 1))).findings
    return [str(finding) for finding in found if finding.severity == "error"]


def marked(ruleset: AnyRuleset, view: View, sheet: list[str]) -> set[str]:
    """Return the lines of a sheet whose orders are drawn on a map."""
    words = {verb["word"] for verb in ruleset.desk(view)["verbs"] if verb["mark"]}
    return {line for line in sheet if line.split()[0] in words}


@pytest.mark.sampled(1)
@EACH
def test_a_turn_takes_few_taps(
    ruleset: AnyRuleset, label: str, script: Script, most: int, open_page: Callable[..., Thumb]
) -> None:
    """A whole turn is tapped and sent without scrolling, all of it is drawn, and the game takes the sheet."""
    view, thumb = view_of(ruleset, label), open_page(ruleset, label)
    script(thumb)
    sheet = thumb.send()

    assert thumb.taps <= most
    assert not thumb.scrolled()
    assert len(ruleset.parse(view, list(enumerate(sheet, 1))).orders) == len(sheet) > 0
    assert errors_of(ruleset, view, sheet) == []
    assert drafts(thumb.page) == marked(ruleset, view, sheet)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", [PHONE, (320, 480)], ids=str)
@EACH
def test_rows_and_buttons_stay_where_they_are(
    ruleset: AnyRuleset, label: str, script: Script, most: int, size: tuple[int, int], open_page: Callable[..., Thumb]
) -> None:
    """After each tap Undo, Next and Send are where they were, nothing is above them, and enough of the map is seen."""
    thumb = open_page(ruleset, label, size)
    seen = set()
    at = thumb.at

    def watched(x: float, y: float) -> None:
        at(x, y)
        seen.add(json.dumps([thumb.page.locator(f"[data-role={name}]").bounding_box() for name in FOOT]))
        top, bottom = thumb.room()
        assert bottom - top >= (190 if size == PHONE else 150)
        assert thumb.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    thumb.at = watched  # type: ignore[method-assign]
    script(thumb)
    thumb.send()
    assert len(seen) == 1


_BEGUN = "() => Object.values(JSON.parse(Object.values(localStorage)[0] || '{}').begun || {})"


def act_at_random(thumb: Thumb, dice: random.Random) -> None:
    """Tap a place, a choice, Next or Undo."""
    buttons = thumb.page.locator(".sheet .row button:not([disabled]):not(:has-text('More'))").all()
    what = dice.random()
    if what < 0.6 and thumb.lit():
        thumb.at(*_middle(dice.choice(thumb.lit())))
    elif what < 0.85 and buttons:
        dice.choice(buttons).evaluate("(button) => button.click()")
    elif what < 0.93:
        thumb.page.locator("[data-role=undo]").evaluate("(button) => button.click()")
    else:
        thumb.page.evaluate("document.querySelector('[data-role=next]').click()")
    if thumb.page.locator(".sheet").get_attribute("data-height") != "low":
        thumb.page.keyboard.press("Escape")
        thumb.page.wait_for_timeout(20)


@pytest.mark.in_turn
@pytest.mark.sampled(1)
@GAMES
def test_a_walk_at_random_leaves_a_sheet_that_the_game_takes(
    ruleset: AnyRuleset, label: str, open_page: Callable[..., Thumb]
) -> None:
    """What is drawn is the draft, no purse is overspent, a reload brings the draft again, and Undo takes all of it."""
    view, thumb = view_of(ruleset, label), open_page(ruleset, label, reduced_motion="reduce")
    thumb.settle = lambda: thumb.page.wait_for_timeout(10)  # type: ignore[method-assign]
    dice = random.Random(f"{ruleset.key} {label}")
    for _ in range(WALK):
        act_at_random(thumb, dice)
        sheet = sheet_of(thumb.page)
        begun = set(thumb.page.evaluate(_BEGUN))
        assert drafts(thumb.page) - begun == marked(ruleset, view, sheet)
        assert "-" not in "".join(thumb.page.locator(".count small").all_inner_texts())
    assert errors_of(ruleset, view, sheet) == []

    while thumb.page.locator("[data-role=undo]:not([disabled])").count():
        thumb.page.locator("[data-role=undo]").evaluate("(button) => button.click()")
    assert sheet_of(thumb.page) == []


def test_a_reload_brings_the_same_draft(open_page: Callable[..., Thumb]) -> None:
    """Lines, and a line that wants more words, are there again."""
    thumb = open_page(dueling_masters.RULESET, "set-up")
    for name in ("A1", "E1", "E3"):
        thumb.place(name)
    before = sheet_of(thumb.page), drafts(thumb.page)
    thumb.page.reload()

    assert before == (["SETUP HOME A1"], {"SETUP HOME A1", "SETUP ASTEROID E1 E3"})
    assert (sheet_of(thumb.page), drafts(thumb.page)) == before


@pytest.mark.sampled(1)
@pytest.mark.parametrize("label", ["turn 1", "turn 4"])
def test_lit_places_can_be_hit(label: str, open_page: Callable[..., Thumb]) -> None:
    """They are 26 px wide or more, the unit that is asked for is in view; a tap somewhat beside one still orders."""
    thumb = open_page(harvester.RULESET, label)
    for number in range(6):
        lit = thumb.lit()
        assert min(each["size"] for each in lit) >= 25.5
        assert thumb.page.locator(".ring").count() == 1
        target = [each for each in lit if not each["unit"]][number % 3]
        thumb.at(target["x"] + 9, target["y"] + 8)

    assert len(sheet_of(thumb.page)) == 6


def test_a_resting_finger_aims_and_a_sliding_one_moves_the_map(open_page: Callable[..., Thumb]) -> None:
    """Rest, slide and lift order the last place aimed at, without moving the map; to slide at once only moves it."""
    thumb = open_page(singularity.RULESET, "move 1")
    touch = thumb.page.context.new_cdp_session(thumb.page)

    def send(kind: str, *point: float) -> None:
        points = [{"x": point[0], "y": point[1]}] if point else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    start, end = (_middle(thumb.spot(name)) for name in ("e6", "h6"))
    send("touchStart", *start)
    thumb.page.wait_for_timeout(250)
    for part in range(1, 6):
        send("touchMove", *(one + (other - one) * part / 5 for one, other in zip(start, end, strict=True)))
    assert thumb.page.locator(".aimed").inner_text().startswith("h6")
    send("touchEnd")
    assert sheet_of(thumb.page) == ["PLACE h6"]
    assert _middle(thumb.spot("h6")) == end

    send("touchStart", *start)
    for part in range(1, 6):
        send("touchMove", start[0] + 12 * part, start[1])
    send("touchEnd")
    assert sheet_of(thumb.page) == ["PLACE h6"]
    assert thumb.spot("h6")["x"] > end[0] + 30


def test_a_grave_order_is_apart_and_asked_once_more(open_page: Callable[..., Thumb]) -> None:
    """It is red, takes two presses after More, and none of the first puts it into the sheet."""
    thumb = open_page(singularity_trap.RULESET, "turn 10")
    thumb.press(".now button:has-text('More')")
    resign = thumb.page.get_by_role("button", name="Resign", exact=True)
    assert resign.evaluate("(button) => getComputedStyle(button).color") == "rgb(163, 21, 21)"
    resign.click()
    assert sheet_of(thumb.page) == []
    thumb.page.get_by_role("button", name="Yes, resign").click()

    assert sheet_of(thumb.page) == ["RESIGN CONFIRM"]


def test_keys_alone_order_a_whole_turn(open_page: Callable[..., Thumb]) -> None:
    """The map is one stop: arrows go from lit place to lit place, Enter orders, U undoes."""
    thumb = open_page(harvester.RULESET, "turn 1")
    keys = thumb.page.keyboard
    thumb.page.locator(".surface").focus()
    for _ in range(11):
        keys.press("ArrowRight")
        keys.press("Enter")
    assert thumb.selected()[0] == NOTHING_LEFT
    keys.press("u")

    assert len(sheet_of(thumb.page)) == 10


def test_the_list_is_a_way_through_without_the_map(open_page: Callable[..., Thumb]) -> None:
    """Each need is a button, its places are buttons, the nearest first, and a live region says the order."""
    thumb = open_page(harvester.RULESET, "turn 1")
    thumb.press(".count")
    thumb.page.locator('.list [data-need="unit L1"]').click()
    assert thumb.page.get_by_role("heading", name="Places for L1").count() == 1
    thumb.page.locator(".list h2:has-text('Places') + button").click()

    assert len(sheet_of(thumb.page)) == 1
    assert "L1 moves to" in thumb.page.locator(".unseen").inner_text()


@pytest.mark.in_turn
def test_the_unit_stays_in_view_beside_the_lists(open_page: Callable[..., Thumb]) -> None:
    """At half height the map is moved so that the unit that is asked for is seen; at the old height nothing changes."""
    thumb = open_page(singularity_trap.RULESET, "turn 10")
    for _ in range(3):
        thumb.press("[data-role=next]")
        thumb.press(".count")
        top, bottom = thumb.room()
        ring = thumb.page.locator(".ring").first.bounding_box()
        assert ring
        assert top <= ring["y"] + ring["height"] / 2 <= bottom
        thumb.page.keyboard.press("Escape")


@pytest.mark.in_turn
def test_a_typed_line_is_drawn_like_a_tapped_one(open_page: Callable[..., Thumb]) -> None:
    """The page reads it by the same tree; what costs more than there is is red, and Send says the sum first."""
    thumb = open_page(singularity_trap.RULESET, "turn 10")
    thumb.chip("Build ▸")
    thumb.press(".chips button:not([disabled])")
    (line,) = sheet_of(thumb.page)
    built, _, made = line.rpartition(" AS ")
    thumb.press(".count")
    thumb.page.get_by_role("button", name="Orders 1").click()
    thumb.page.get_by_text("As text").click()
    lines = [f"{built} AS {made.rstrip('0123456789')}{number}" for number in range(1, 30)]
    thumb.page.get_by_label("All orders, one a line").fill("\n".join(lines).replace("BUILD", "build"))
    thumb.page.keyboard.press("Tab")

    assert thumb.page.locator(".count.over").count() == 1
    thumb.press("[data-role=send]")
    thumb.page.keyboard.press("Escape")
    assert "you have" in thumb.page.locator(".unseen").inner_text()


@pytest.mark.in_turn
def test_a_ship_that_the_sheet_builds_gets_orders(open_page: Callable[..., Thumb]) -> None:
    """It is among those without orders, moves like the others, and goes with the line that builds it."""
    thumb = open_page(singularity_trap.RULESET, "turn 10")
    thumb.chip("Build ▸")
    thumb.press(".chips button:not([disabled])")
    built = sheet_of(thumb.page)[0]
    thumb.press(".count")
    thumb.page.locator('.list [data-need*="NEW1"]').first.click()
    thumb.page.keyboard.press("Escape")
    lit = thumb.lit()
    thumb.at(*_middle(lit[0]))
    sheet = sheet_of(thumb.page)
    assert sheet[0] == built
    assert sheet[1].startswith("MOVE NEW1 ")
    assert errors_of(singularity_trap.RULESET, view_of(singularity_trap.RULESET, "turn 10"), sheet) == []

    thumb.press(".count")
    thumb.page.get_by_role("button", name="Orders 2").click()
    thumb.page.get_by_label(f"Take out: {built}").click()
    assert sheet_of(thumb.page) == []


@pytest.mark.in_turn
def test_lines_that_hang_on_a_line_follow_it(open_page: Callable[..., Thumb]) -> None:
    """When a way gets shorter, there are fewer bubbles, and a pull to its old end goes; the page says so."""
    thumb = open_page(bubble_singularity.RULESET, "round 1")
    tap_steps_and_bubbles(thumb)
    moved, placed, _ = sheet_of(thumb.page)
    thumb.press('[data-need="move"]')
    thumb.at(*_middle(thumb.lit()[0]))

    sheet = sheet_of(thumb.page)
    assert sheet == [moved.rpartition(" ")[0], placed.rpartition(" ")[0]]
    assert "no longer holds" in thumb.page.locator(".unseen").inner_text()


def test_a_corrected_report_keeps_the_draft(open_page: Callable[..., Thumb]) -> None:
    """A line that was possible, and is not by the corrected report, stays in the sheet with the reason."""
    thumb = open_page(singularity.RULESET, "move 1")
    thumb.place("f6")
    path = Path(thumb.page.url.removeprefix("file://"))
    path.write_text(path.read_text().replace('"word":"f6"', '"word":"f66"'))
    thumb.page.reload()

    assert sheet_of(thumb.page) == ["PLACE f6"]
    assert "may no longer hold" in thumb.page.locator(".row.result").inner_text()
    open_lines(thumb.page)
    assert "no longer" in thumb.page.locator(".fault").inner_text()


def test_practice_mails_nothing(open_page: Callable[..., Thumb]) -> None:
    """On a page to practise on, Send shows the mail that a real game would open in the mail program."""
    thumb = open_page(singularity.RULESET, "move 1")
    path = Path(thumb.page.url.removeprefix("file://"))
    path.write_text(path.read_text().replace('"awaited":true', '"awaited":true,"practice":"../../index.html"'))
    thumb.page.reload()
    thumb.settle()
    thumb.place("f6")
    thumb.press("[data-role=send]")

    assert thumb.page.locator("[data-role=send]").get_attribute("href") is None
    assert thumb.page.locator("a[href^=mailto]:visible").count() == 0
    assert "PLACE f6" in thumb.page.locator("pre.mail").inner_text()
    assert "In a real game Send opens your mail program" in thumb.page.locator(".list").inner_text()


@pytest.mark.in_turn
def test_several_units_of_one_place_are_ordered_at_once(open_page: Callable[..., Thumb]) -> None:
    """All n writes one line for each unit, to a place that all of them can reach; they are drawn as one."""
    thumb = open_page(harvester.RULESET, "turn 1")
    thumb.press("[data-role=next]")
    thumb.press('.chips button:has-text("All")')
    (target,) = [each for each in thumb.lit() if not each["unit"]][:1]
    thumb.at(*_middle(target))

    sheet = sheet_of(thumb.page)
    assert {line.split()[1] for line in sheet} == {"G", "L1", "L2", "S1", "S2", "S3", "C1", "C2", "C3", "C4"}
    assert drafts(thumb.page) == set(sheet)
    thumb.press("[data-role=undo]")
    assert sheet_of(thumb.page) == []


def test_what_a_tap_may_mean_else_is_offered_after_it(open_page: Callable[..., Thumb]) -> None:
    """Another level replaces the order that was given; the unit that is asked for next stays."""
    thumb = open_page(singularity_trap.RULESET, "turn 10")
    thumb.at(*_middle(next(each for each in thumb.lit() if not each["unit"])))
    (first,), asked = sheet_of(thumb.page), thumb.selected()
    thumb.press(".result button")
    (second,) = sheet_of(thumb.page)

    assert first.split()[:3] == second.split()[:3] != [first, second]
    assert first != second
    assert thumb.selected() == asked


def test_a_lit_place_is_a_goal_and_two_quick_taps_select_the_unit_there(open_page: Callable[..., Thumb]) -> None:
    """A tap on a lit place orders, also where an own unit stands; a second, soon after, takes it back for that unit."""
    thumb = open_page(singularity_trap.RULESET, "turn 10")
    target = next(each for each in thumb.lit() if each["unit"])
    x, y = _middle(target)
    thumb.at(x, y)
    [line] = sheet_of(thumb.page)
    assert {*target["names"]} & {*line.split()}
    thumb.press("[data-role=undo]")

    thumb.page.evaluate(f"""() => {{
      for (const kind of ["pointerdown", "pointerup", "pointerdown", "pointerup"])
        document.querySelector(".surface").dispatchEvent(new PointerEvent(kind, {{
          pointerId: 1, pointerType: "mouse", clientX: {x}, clientY: {y}, bubbles: true }}));
    }}""")

    assert sheet_of(thumb.page) == []
    assert [unit for unit in target["unit"].split("|") if unit in thumb.selected()[0]]


def test_points_that_are_left_are_offered_for_building(open_page: Callable[..., Thumb]) -> None:
    """With an order for each ship the page says how many points are unspent, and offers BUILD before all else."""
    thumb = open_page(singularity_trap.RULESET, "turn 10")
    tap_all(thumb)
    title, says = thumb.selected()
    assert re.fullmatch(r"(\d+) of \1 points unspent", title), title
    assert says == "All have orders: build or send"

    thumb.press(".chips button:first-child:has-text('Build')")
    thumb.press(".chips button:not([disabled])")

    thumb.at(*_middle(thumb.lit()[0]))
    assert sheet_of(thumb.page)[-1].startswith("BUILD ")


@pytest.mark.in_turn
def test_a_drawn_order_can_be_tapped_and_removed(open_page: Callable[..., Thumb]) -> None:
    """A tap on its end opens it once no place is lit there; Remove takes it out."""
    thumb = open_page(harvester.RULESET, "turn 1")
    tap_all(thumb)
    line = next(each for each in sheet_of(thumb.page) if each.startswith("MOVE C4"))
    thumb.place(line.split()[-1])
    assert thumb.selected() == ["In the sheet", line]
    thumb.press('.result button:has-text("Remove")')

    assert line not in sheet_of(thumb.page)
    assert len(sheet_of(thumb.page)) == 10


def test_a_long_press_is_a_short_cut_to_all_orders(open_page: Callable[..., Thumb]) -> None:
    """It opens the form at half height with all that the unit can do, and orders nothing."""
    thumb = open_page(harvester.RULESET, "turn 1")
    x, y = _middle(thumb.spot("0,0"))
    touch = thumb.page.context.new_cdp_session(thumb.page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    thumb.page.wait_for_timeout(700)
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    assert thumb.page.locator(".sheet").get_attribute("data-height") == "half"
    assert thumb.page.locator(".list h2").count() > 1
    assert sheet_of(thumb.page) == []


def test_two_fingers_and_one_button_change_the_scale(open_page: Callable[..., Thumb]) -> None:
    """A pinch zooms, the button at the edge shows the whole map and then what is near; neither counts as a tap."""
    thumb = open_page(singularity.RULESET, "move 1", reduced_motion="reduce")
    touch, sizes = thumb.page.context.new_cdp_session(thumb.page), [thumb.spot("f6")["size"]]
    for kind, apart in [("touchStart", 40), ("touchMove", 60), ("touchMove", 90), ("touchEnd", 0)]:
        points = [{"x": 180 + apart * way, "y": 250, "id": way} for way in (-1, 1)] if apart else []
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    sizes.append(thumb.spot("f6")["size"])
    for _ in range(2):
        # By mouse: to the browser a touch soon after a pinch can be the end of it.
        thumb.page.locator(".fit").click()
        thumb.settle()
        sizes.append(thumb.spot("f6")["size"])

    assert sizes[1] > 1.5 * sizes[0]
    assert sizes[2] == pytest.approx(sizes[0])
    assert sizes[3] >= 43
    assert sheet_of(thumb.page) == []


def test_a_large_amount_is_a_field_within_its_bounds(open_page: Callable[..., Thumb]) -> None:
    """An amount of more than 14 steps has a field with − and +; small ones are choices."""
    thumb = open_page(singularity.RULESET, "move 1")
    path = Path(thumb.page.url.removeprefix("file://"))
    branch = '{"word":"BID","next":[{"low":1,"high":40,"cost":{"gold":2}}]},'
    text = path.read_text().replace('"tree":[', f'"tree":[{branch}')
    path.write_text(re.sub(r'"purses":\{\}', '"purses":{"gold":{"have":30,"shown":"gold"}}', text))
    thumb.page.reload()
    thumb.settle()
    thumb.press(".now button:has-text('More')")
    thumb.page.get_by_role("button", name="Bid").click()
    thumb.settle()
    thumb.page.locator(".number input").fill("16")
    thumb.page.get_by_role("button", name="Put in").first.click()
    assert sheet_of(thumb.page) == [], "15 can be paid"
    thumb.page.locator(".number input").fill("14")
    thumb.page.get_by_role("button", name="One more").click()
    thumb.page.get_by_role("button", name="Put in").first.click()

    assert sheet_of(thumb.page) == ["BID 15"]
    assert "0 of 30 gold left" in thumb.page.locator(".count").inner_text()


def test_what_must_be_ordered_is_asked_for_once(open_page: Callable[..., Thumb]) -> None:
    """The first Send says what is missing, the second one sends."""
    thumb = open_page(bubble_singularity.RULESET, "round 1")
    thumb.at(*_middle(thumb.lit()[0]))
    href = thumb.page.locator("[data-role=send]").get_attribute("href")
    thumb.press("[data-role=send]")
    assert "Still needed: One action" in thumb.page.locator(".unseen").inner_text()

    assert thumb.send()
    assert href


def test_the_line_in_work_is_named_whole(open_page: Callable[..., Thumb]) -> None:
    """Above the choices stands the line with all its steps, and on the map each bubble bears its colour."""
    thumb = open_page(bubble_singularity.RULESET, "round 1")
    for _ in range(3):
        thumb.at(*_middle(thumb.lit()[0]))
    [move] = [line for line in drafts(thumb.page) if line.startswith("MOVE ")]
    assert len(move.split()) == 4
    assert thumb.selected()[1].split(" · ")[0] == move

    for _ in range(3):
        thumb.press(".chips button:not([disabled])")

    [bubbles] = [line for line in drafts(thumb.page) if line.startswith("BUBBLES ")]
    assert thumb.page.locator(".mark.piece text").all_text_contents() == bubbles.split()[1:]


def test_a_unit_that_is_made_keeps_the_case_of_its_name(browser: Browser) -> None:
    """A game may name its new units in small letters; a line about the second is read with that name."""
    page = new_thumb(browser).page
    node = {"word": "scout1", "makes": 0}

    found = page.evaluate(f"""() => {{
      {bundle_modules("tree.js")}
      return Tree.prototype.match([{json.dumps(node)}], ["SCOUT2"], 0).word;
    }}""")

    assert found == "scout2"
    page.close()


def test_a_game_without_a_map_is_typed(open_page: Callable[..., Thumb]) -> None:
    """The form stands open at the line to type, and the report is behind it."""
    thumb = open_page(gm_adjudicated.RULESET, "turn 1")
    thumb.page.get_by_label("An order", exact=True).fill("We march.")
    thumb.page.keyboard.press("Enter")
    assert thumb.page.locator("[data-role=map]").count() == 0

    assert thumb.send() == ["We march."]


def test_the_game_of_the_scaffold_shows_its_map(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The map of a game as `pbem dev new` writes it fills its part of the screen, and a cave can be tapped."""
    monkeypatch.syspath_prepend(SKELETON)
    ruleset = importlib.import_module("mygame").RULESET
    thumb = new_thumb(browser)
    view = view_of(ruleset, "turn 1")
    thumb.page.goto(file_of(tmp_path, ruleset, view, templates=SKELETON / "mygame/templates").as_uri())
    thumb.settle()
    assert min(each["size"] for each in thumb.spots()) >= 24

    open_lines(thumb.page)
    thumb.page.get_by_label("An order", exact=True).fill("HIDE IN ")
    thumb.place(view["near"][0])

    assert thumb.page.get_by_label("An order", exact=True).input_value() == f"HIDE IN {view['near'][0]}"
    thumb.page.close()


HEIGHTS = {"low": None, "half": ".count", "full": ".to-report"}
SIZES = [(320, 480), PHONE, (740, 360), (768, 1024), (1280, 800)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("size", SIZES, ids=str)
@GAMES
def test_a_page_of_orders_is_accessible(
    ruleset: AnyRuleset, label: str, size: tuple[int, int], open_page: Callable[..., Thumb]
) -> None:
    """axe-core has no findings at any height, in light and dark; no button is less than 44 px, no row too wide."""
    thumb = open_page(ruleset, label, size)
    lit = thumb.lit()
    thumb.at(*_middle(lit[0]))
    for height, button in HEIGHTS.items():
        if button and thumb.page.locator(button).is_visible():
            thumb.page.locator(button).click()
        for scheme in SCHEMES:
            thumb.page.emulate_media(color_scheme=scheme)
            assert list(faults(thumb.page)) == [], height
    small = thumb.page.evaluate("""() => [...document.querySelectorAll(".sheet button, .head button, .fit")]
      .filter((each) => each.offsetParent && !each.matches(".grip"))
      .map((each) => [each.textContent, each.offsetWidth, each.offsetHeight])
      .filter(([, width, height]) => width < 44 || height < 44)""")
    assert small == []


CUT = """() => [...document.querySelectorAll(".sheet .who, .sheet .what, .sheet button, .sheet .send")]
  .filter((each) => each.offsetParent && each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.textContent)"""


@pytest.mark.parametrize(("size", "letters"), [((360, 640), 32), ((640, 360), 16)], ids=str)
@pytest.mark.sampled(1)
@GAMES
def test_names_are_whole_and_the_map_is_half_of_the_screen(
    ruleset: AnyRuleset, label: str, size: tuple[int, int], letters: int, open_page: Callable[..., Thumb]
) -> None:
    """With letters of twice the size, and on a phone held sideways, no name is cut, and 45 % of the screen are map."""
    thumb = open_page(ruleset, label, size)
    thumb.page.evaluate(f"document.documentElement.style.fontSize = '{letters}px'")
    thumb.settle()
    top, bottom = thumb.room()
    wide = thumb.page.evaluate("document.querySelector('.surface').clientWidth")

    assert thumb.page.evaluate(CUT) == []
    assert (bottom - top) * wide >= 0.45 * size[0] * size[1]
    assert thumb.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    thumb.press("[data-role=next]")


def test_ships_of_a_type_are_built_until_the_points_are_spent(open_page: Callable[..., Thumb]) -> None:
    """The type stays chosen for the next place as long as it can be paid, and no longer."""
    thumb = open_page(singularity_trap.RULESET, "turn 8")
    tap_all(thumb)
    thumb.press('.chips button:has-text("Build")')
    thumb.press('.chips button:has-text("Cruiser")')
    for at, left in enumerate((26, 16, 6)):
        assert thumb.selected()[0] == "Build Cruiser at"
        thumb.at(*_middle(sorted(thumb.lit(), key=lambda each: bool(each["unit"]))[at]))
        assert thumb.page.locator(".count small").all_inner_texts() == [f"{left} of 36 points left"]

    assert thumb.selected()[0] == "Cruiser NEW1"
