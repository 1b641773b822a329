"""The chart of The Singularity Trap, drawn from a view."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from pbem.report.pictures import check
from pbem.ruleset import FONT, Picture
from rules.singularity_trap.chart import COLOURS
from rules.singularity_trap.pictures import HEIGHT, MOST_LEVELS, WIDTH, pictures
from tests.rules.singularity_trap.sample_view import empty_view, fight_view, sample_view

Make = Callable[[str], dict[str, Any]]
VIEWS: tuple[Make, ...] = (sample_view, fight_view, empty_view)
LARGEST = 120_000
"""Characters of SVG that a report may carry."""


def draw(view: dict[str, Any]) -> Picture:
    """The one picture of a view."""
    (picture,) = pictures(view)
    return picture


def texts(view: dict[str, Any]) -> list[ET.Element]:
    """All elements with text in a view's picture."""
    return list(ET.fromstring(draw(view).svg).iter("{http://www.w3.org/2000/svg}text"))


def labels(view: dict[str, Any]) -> list[str]:
    """All that is written in a view's picture, and not the faint names of hexes."""
    return [text.text or "" for text in texts(view) if text.get("fill")]


@pytest.mark.parametrize("make", VIEWS)
@pytest.mark.parametrize("seat", COLOURS)
def test_every_seat_gets_a_sound_picture(seat: str, make: Make) -> None:
    """A picture is well-formed, without links, moderate in size, and passes the host's own check."""
    picture = draw(make(seat))

    check(picture)
    assert "href" not in picture.svg
    assert len(picture.svg) < LARGEST
    assert (picture.width, picture.height) == (WIDTH, HEIGHT)


def test_the_picture_is_a_function_of_the_view() -> None:
    """Drawing twice gives the same text and leaves the view alone."""
    view = sample_view()
    before = copy.deepcopy(view)

    assert draw(view) == draw(view)
    assert view == before


def test_the_order_of_what_is_seen_does_not_show() -> None:
    """Lists of a view may come in any order: nothing of it can be read from the picture."""
    view, other = sample_view(), sample_view()
    for name in ("contacts", "unknown", "allied"):
        other["sensors"][name].reverse()
    other["ships"].reverse()
    other["planets"].reverse()

    assert sorted(labels(other)) == sorted(labels(view))
    assert len(draw(other).svg) == len(draw(view).svg)


def test_board_and_legend_do_not_depend_on_ships() -> None:
    """Frame, scale and legend are the same whatever is seen."""
    bare, full = empty_view(), empty_view()
    full["sensors"]["unknown"] = ["F9+1"]

    longer = draw(full).svg
    assert draw(bare).svg in longer.replace(_added(draw(bare).svg, longer), "", 1)


def _added(before: str, after: str) -> str:
    """The one stretch that `after` has and `before` has not."""
    start = next(at for at, (a, b) in enumerate(zip(before, after, strict=False)) if a != b)
    return after[start : start + len(after) - len(before)]


def test_only_the_font_of_the_host_is_asked_for() -> None:
    """No other family is named, since no other would be drawn."""
    picture = draw(sample_view())

    assert picture.svg.count("font-family") == 1
    assert f'font-family="{FONT}"' in picture.svg


@pytest.mark.parametrize(("name", "seat"), [("J1", "red"), ("S10", "green"), ("A19", "blue")])
def test_planets_show_owner_and_name(name: str, seat: str) -> None:
    """A planet's hex has the letter of its owner and the hex's name in one banner."""
    assert f"{seat[0].upper()} · {name}" in labels(empty_view())


def test_planets_show_colour_and_worth() -> None:
    """A planet's disc has the letter of its colour and what it pays the reader; gray is N."""
    shown = labels(empty_view("red"))
    planets, worths, legend = 6, 1, 1

    assert [shown.count(disc) for disc in ("R5", "Y4", "C1")] == [planets + worths] * 3
    assert shown.count("N3") == 1 + worths + legend


def test_every_space_with_ships_shows_its_level() -> None:
    """Three unknown ships in a hex at different levels are three lines, highest first."""
    view = empty_view()
    view["sensors"]["unknown"] = ["F9-7", "F9+8", "F9+0"]
    shown = labels(view)
    start = shown.index("+8")

    assert shown[start : start + 6] == ["+8", "?", "+0", "?", "−7", "?"]


def test_ships_seen_show_owner_and_number() -> None:
    """Two yellow ships seen in a space are marked Y2 there."""
    view = empty_view()
    ships = [{"id": f"Y{number}", "owner": "yellow", "type": "Scout", "damage": 0} for number in (101, 102)]
    view["sensors"]["contacts"] = [{"space": "F9+1", "ships": ships}]

    assert labels(view).count("Y2") == labels(empty_view()).count("Y2") + 1


def test_an_ally_seen_is_not_marked_twice() -> None:
    """Where the reader sees an ally's ships he needs no second mark that the ally is there."""
    view = sample_view()
    seen_only = copy.deepcopy(view)
    seen_only["sensors"]["allied"].remove({"owner": "cyan", "space": "J10+0"})

    assert draw(view) == draw(seen_only)


def test_a_crowded_hex_keeps_what_matters_and_counts_the_rest() -> None:
    """With more levels than there is room for, those of planets and known ships stay."""
    view = empty_view()
    view["sensors"]["unknown"] = [f"J10{level:+d}" for level in range(-9, 10) if level]
    shown = labels(view)

    assert f"{19 - (MOST_LEVELS - 1)} more" in shown
    assert shown.count("N3") == labels(empty_view()).count("N3")


def test_two_planets_of_one_hex_are_both_drawn() -> None:
    """A GM's chart may put planets above each other; both are listed by level."""
    view = empty_view()
    view["planets"].append({"space": "J1-5", "name": "deep", "colour": "gray", "owner": "cyan", "worth": 3})
    shown = labels(view)

    assert "RC · J1" in shown
    assert shown.count("N3") == labels(empty_view()).count("N3") + 1


@pytest.mark.parametrize("radius", [1, 4, 12])
def test_boards_of_any_size_fit_the_page(radius: int) -> None:
    """The scale follows the radius: every label stands on the page."""
    view = empty_view()
    view["planets"], view["rules"]["radius"] = [], radius
    placed = [text for text in texts(view) if text.get("x") != "0"]

    assert len(placed) > 3 * radius * (radius + 1) + 1
    assert all(0 < float(text.get("x", "")) < WIDTH for text in placed)
    assert all(-1 < float(text.get("y", "")) < HEIGHT for text in placed)


def test_labels_of_the_campaign_are_escaped() -> None:
    """Whatever a label says, it stays text."""
    assert "turn <7> & on" in labels(empty_view() | {"label": "turn <7> & on"})
