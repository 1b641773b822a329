"""The pictures of The Singularity Trap, drawn from a view."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from pbem.report.pictures import check_svg
from pbem.ruleset import FONT, Drawing, Label, Picture, SpriteInstance
from pbem_rules.common.hexes import DIRECTIONS
from pbem_rules.singularity_trap import tokens
from pbem_rules.singularity_trap.chart import COLOURS
from pbem_rules.singularity_trap.pictures import MANY, PHONE, REACH, pictures
from pbem_rules.singularity_trap.space import board_of
from tests.rules.sight import LETTERS, SIGNS, contrast, faint_labels, outside, small_letters
from tests.rules.singularity_trap.sample_view import empty_view, fight_view, sample_view

Make = Callable[[str], dict[str, Any]]
VIEWS: tuple[Make, ...] = (sample_view, fight_view, empty_view)
LARGEST = 120_000
"""Characters of SVG that a picture may have."""


def draw(view: dict[str, Any]) -> Picture:
    """Return the chart of a view."""
    return pictures(view)[1]


def drawing(view: dict[str, Any]) -> Drawing:
    """Return the drawing of a view's chart."""
    drawn = draw(view).drawing
    assert drawn is not None
    return drawn


def labels(view: dict[str, Any]) -> list[str]:
    """Return all texts on a view's chart, without those of its background."""
    return [mark.text for mark in drawing(view).marks if isinstance(mark, Label)]


@pytest.mark.parametrize("make", VIEWS)
@pytest.mark.parametrize("seat", COLOURS)
def test_every_seat_gets_sound_pictures(seat: str, make: Make) -> None:
    """Pictures are well-formed, without links, moderate in size, and pass the host's own check."""
    for picture in pictures(make(seat)):
        check_svg(picture)
        assert "href" not in picture.svg
        assert len(picture.svg) < LARGEST


def test_pictures_can_be_read() -> None:
    """Letters are large enough, and stand out from what is below them, for every kind of sight; no sign is clipped."""
    for picture in pictures(sample_view()):
        assert small_letters(picture) == []
        assert faint_labels(picture) == []
    assert outside(draw(sample_view())) == []


def test_signs_stand_out_from_the_board() -> None:
    """For every kind of sight: planets, ships and flags of every colour, fights and ways."""
    shades = [*tokens.COLOURS.values(), tokens.FIRE, tokens.WAY, tokens.MUTED]

    assert min(contrast(shade, ground) for shade in shades for ground in (tokens.CELL, tokens.RING)) >= SIGNS
    assert min(contrast(tokens.FAINT, ground) for ground in (tokens.CELL, tokens.RING)) >= LETTERS
    assert min(contrast(shade, tokens.INK) for shade in tokens.COLOURS.values()) >= LETTERS


def test_the_region_fits_a_phone() -> None:
    """The picture of the mail is as wide as a phone, with the reader's planets and ships in it."""
    region, _ = pictures(sample_view())

    assert (region.name, region.width) == ("region", PHONE)
    assert region.drawing is not None
    written = {mark.text for mark in region.drawing.marks if isinstance(mark, Label)}
    assert {"R J1", "R G4", "R J7", "a: J7"} <= written


def test_the_region_tells_what_ages_are_if_it_has_any() -> None:
    """The sign of ships out of sight stands with its meaning below a region that has one."""
    shown = [
        [mark.text for mark in region.drawing.marks if isinstance(mark, Label)]
        for region, _ in map(pictures, (sample_view(), empty_view()))
        if region.drawing
    ]

    assert ["2 turns ago" in each for each in shown] == [True, False]


@pytest.mark.parametrize("seat", COLOURS)
def test_all_seats_see_their_region_alike(seat: str) -> None:
    """The board looks the same from every home, and so do the regions' sizes and how much is in them."""
    region, red = (pictures(sample_view(each))[0].drawing for each in (seat, "red"))

    assert region is not None
    assert red is not None
    assert len(region.marks) == len(red.marks)


def test_what_happened_is_drawn() -> None:
    """Fights, captures and the reader's own ships that moved have signs; without events there are none."""
    view = sample_view()
    stamped = {mark.sprite for mark in drawing(view).marks if isinstance(mark, SpriteInstance)}
    quiet = {mark.sprite for mark in drawing(view | {"events": []}).marks if isinstance(mark, SpriteInstance)}

    happened = {tokens.FOUGHT, tokens.ARRIVED, tokens.captured(tokens.COLOURS["red"])}
    assert happened <= stamped
    assert not happened & quiet


def test_ways_are_drawn_from_where_ships_stood() -> None:
    """A slip or warp is drawn step by step, with a point at its end; a jump as dots; neither without a known start."""
    view = empty_view()
    view["events"] = [
        {"kind": "moved", "ship": "R101", "legs": [{"how": "slip", "space": "J4+6"}], "end": "J4+6"},
        {"kind": "moved", "ship": "R102", "legs": [{"how": "jump", "space": "J10+0"}], "end": "J10+0"},
    ]
    sprites = Counter(mark.sprite for mark in drawing(view).marks if isinstance(mark, SpriteInstance))
    view["memory"] |= {"stood": {"R101": "J1+9", "R102": "A10+0"}}
    known = Counter(mark.sprite for mark in drawing(view).marks if isinstance(mark, SpriteInstance))

    south = DIRECTIONS["S"]
    steps = [sprite for sprite in known if sprite.body.startswith("<line") and sprite not in sprites]
    assert (sprites[tokens.ARRIVED], sprites[tokens.JUMPED], sprites[tokens.head(south)]) == (2, 0, 0)
    assert (known[tokens.ARRIVED], known[tokens.head(south)]) == (1, 1)
    assert known[tokens.JUMPED] > 20
    assert sum(known[sprite] for sprite in steps) == 3


def test_ways_of_ships_just_built_begin_where_they_were_built() -> None:
    """A ship built and moved in one turn has no place in the report before."""
    view = empty_view()
    view["events"] = [
        {"kind": "built", "ship": "R101", "type": "Scout", "space": "J1+9", "cost": 6},
        {"kind": "moved", "ship": "R101", "legs": [{"how": "warp", "space": "J2+9"}], "end": "J2+9"},
    ]

    assert tokens.head(DIRECTIONS["S"]) in {
        mark.sprite for mark in drawing(view).marks if isinstance(mark, SpriteInstance)
    }


def test_a_way_up_or_down_is_marked_at_its_end() -> None:
    """Seen from above it has no length; beside other legs it does not count."""
    view = empty_view()
    up = {"how": "warp", "space": "J3+9"}
    view["events"] = [{"kind": "moved", "ship": "R101", "legs": [up], "end": "J3+9"}]
    view["memory"] |= {"stood": {"R101": "J3+8"}}
    alone = {mark.sprite for mark in drawing(view).marks if isinstance(mark, SpriteInstance)}
    view["memory"] |= {"stood": {"R101": "J2+8"}}
    view["events"][0]["legs"] = [{"how": "warp", "space": "J3+8"}, up]
    behind = {mark.sprite for mark in drawing(view).marks if isinstance(mark, SpriteInstance)}

    assert tokens.ARRIVED in alone - behind
    assert tokens.head(DIRECTIONS["S"]) in behind - alone


def test_a_leg_that_is_no_straight_line_has_no_arrow() -> None:
    """If a GM moved a ship by hand, the report before does not tell where its way began."""
    view = empty_view()
    view["events"] = [{"kind": "moved", "ship": "R101", "legs": [{"how": "warp", "space": "J3+9"}], "end": "J3+9"}]
    view["memory"] |= {"stood": {"R101": "C12+9"}}
    stamped = {mark.sprite for mark in drawing(view).marks if isinstance(mark, SpriteInstance)}

    assert tokens.ARRIVED in stamped
    assert not {tokens.head(direction) for direction in DIRECTIONS.values()} & stamped


def test_what_is_out_of_sight_is_marked_with_its_age() -> None:
    """Its mark is hollow, with its owner's letter, or a question mark, and the turns since it was seen."""
    shown = labels(sample_view())

    assert [shown.count(sign) for sign in ("?:2", "G:1", "M:4", "B:1")] == [1, 2, 1, 1]
    assert not any(":" in sign and sign[1] == ":" and sign[2:].isdigit() for sign in labels(empty_view()))


def test_who_cannot_see_the_chart_is_told_what_it_shows() -> None:
    """The alternative text counts what is drawn and names the fights."""
    assert draw(sample_view()).title == (
        "Chart of the Singularity for red, turn 7: you hold 8 planets and have 20 ships; others' ships in 3 spaces; "
        "allies' fleets in 3 spaces; unknown ships in 7 spaces; ships last seen in 7 spaces; fighting at M4+0."
    )


def test_who_cannot_see_the_region_is_told_where_things_are() -> None:
    """The alternative text names the spaces of planets, ships and fights on it."""
    region, _ = pictures(sample_view())

    assert region.title.startswith("The part around J5: your planets at G4+6, G7+0, J1+9, J4+6, J7+3, M1+6 and M4+0; ")
    assert "; others' ships at J7+0 and M4+0; " in region.title
    assert region.title.endswith("; fights at M4+0.")


@pytest.mark.parametrize("space", ["J1+9", "S10+9", "J10+0"])
def test_the_region_is_all_board(space: str) -> None:
    """Around a planet at the edge the region is moved inwards, so that no part of it is empty ground."""
    view = empty_view()
    planets = [planet | {"owner": "red" if planet["space"] == space else None} for planet in view["planets"]]
    region, _ = pictures(view | {"planets": planets})

    assert len(region.spots) == 3 * REACH * (REACH + 1) + 1


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
    """Frame, scale and legend are the same whatever is seen, and for all seats."""
    bare, full = empty_view(), empty_view()
    full["sensors"]["unknown"] = ["F9+1"]

    assert drawing(bare).ground == drawing(full).ground == drawing(empty_view("blue")).ground
    assert set(drawing(bare).marks) < set(drawing(full).marks)


def test_only_the_font_of_the_host_is_asked_for() -> None:
    """No other family is named, since no other would be drawn."""
    picture = draw(sample_view())

    assert picture.svg.count("font-family") == 1
    assert f'font-family="{FONT}"' in picture.svg


@pytest.mark.parametrize(("name", "seat"), [("J1", "red"), ("S10", "green"), ("A19", "blue")])
def test_planets_show_owner_and_name(name: str, seat: str) -> None:
    """A planet's hex has the letter of its owner and the hex's name in one banner."""
    assert f"{seat[0].upper()} {name}" in labels(empty_view())


def test_planets_show_colour_and_worth() -> None:
    """A planet's disc has the letter of its colour and what it pays the reader; gray is N."""
    shown = labels(empty_view("red"))
    planets, worths = 6, 1

    assert [shown.count(disc) for disc in ("R5", "Y4", "C1")] == [planets + worths] * 3
    assert shown.count("N3") == 1 + worths


def test_every_space_with_ships_shows_its_level() -> None:
    """Three unknown ships in a hex at different levels are three lines of an inset, highest first."""
    view = empty_view()
    view["sensors"]["unknown"] = ["F9-7", "F9+8", "F9+0"]
    shown = labels(view)
    start = shown.index("a: F9") + 1

    assert shown[start : start + 6] == ["+8", "?", "+0", "?", "−7", "?"]


def test_ships_seen_show_owner_and_number() -> None:
    """Two yellow ships seen in a space are marked Y2 there."""
    view = empty_view()
    ships = [{"id": f"Y{number}", "owner": "yellow", "type": "Scout", "damage": 0} for number in (101, 102)]
    view["sensors"]["contacts"] = [{"space": "F9+1", "ships": ships}]

    assert labels(view).count("Y2") == labels(empty_view()).count("Y2") + 1


def test_an_ally_seen_is_not_marked_twice() -> None:
    """A reader who sees an ally's ships needs no second mark that the ally is there."""
    view = sample_view()
    seen_only = copy.deepcopy(view)
    seen_only["sensors"]["allied"].remove({"owner": "cyan", "space": "J10+0"})

    assert draw(view) == draw(seen_only)


def test_a_crowded_hex_keeps_what_matters_and_counts_the_rest() -> None:
    """With more levels than there is room for, those of planets and known ships stay."""
    view = empty_view()
    view["sensors"]["unknown"] = [f"J10{level:+d}" for level in range(-9, 10) if level]
    shown = labels(view)

    assert {"a: J10", "see a", f"{19 - (MANY - 1)} more levels"} <= set(shown)
    assert shown.count("N3") == labels(empty_view()).count("N3") + 1


def test_two_planets_of_one_hex_are_both_drawn() -> None:
    """A GM's chart may put planets above each other; both are listed by level."""
    view = empty_view()
    view["planets"].append({"space": "J1-5", "name": "deep", "colour": "gray", "owner": "cyan", "worth": 3})
    shown = labels(view)

    assert "RC J1" in shown
    assert shown.count("N3") == labels(empty_view()).count("N3") + 1


@pytest.mark.parametrize("radius", [1, 4, 12])
def test_boards_of_any_size_fit_the_page(radius: int) -> None:
    """The scale follows the radius: every label stands on the page."""
    view = empty_view()
    view["planets"], view["rules"]["radius"] = [], radius
    drawn = draw(view)
    placed = [mark for mark in drawing(view).marks if isinstance(mark, Label)]

    assert small_letters(drawn) == []
    assert all(0 < mark.x < drawn.width and 0 < mark.y < drawn.height for mark in placed)
    assert drawing(view).ground.body.count("<text") > 3 * radius * (radius + 1) + 1


def test_labels_of_the_campaign_are_escaped() -> None:
    """Any label stays text."""
    assert "turn <7> & on" in labels(empty_view() | {"label": "turn <7> & on"})


def spots(view: dict[str, Any], name: str) -> list[str]:
    """Return the titles of the tap targets with a name, on both pictures."""
    return [spot.title for picture in pictures(view) for spot in picture.spots if name in spot.names]


def test_a_ship_is_tapped_by_its_id() -> None:
    """Hexes and the lines of insets name the own ships in them, others in sight, and those seen before."""
    view = sample_view()

    assert "R402" in spots(view, "R402")[0]
    assert "M860 (magenta Basestar)" in spots(view, "M860")[0]
    assert "Y655 (yellow Cruiser), seen 1 turn ago" in spots(view, "Y655")[0]


def test_every_space_can_be_tapped() -> None:
    """A hex has the spaces of all its levels, what is known to hold something first."""
    view = sample_view()
    _, chart = pictures(view)

    names = {name for spot in chart.spots for name in spot.names}
    hole = next(spot for spot in chart.spots if "C9+0" in spot.names)
    assert {board_of(view).name(space) for space in board_of(view).spaces()} <= names
    assert (hole.names[:3], hole.title) == (("C9+0", "C9-1", "C9+1"), "C9: nothing known")


def test_a_level_of_a_crowded_hex_is_tapped_in_its_inset() -> None:
    """Its line in the inset names that level alone."""
    _, chart = pictures(sample_view())

    (line,) = [spot for spot in chart.spots if spot.names == ("R333", "J7-2")]
    assert line.title == "J7-2: your R333"
