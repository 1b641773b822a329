"""The pictures of a report: their contents and their legibility."""

from __future__ import annotations

import pytest

from pbem.report.pictures import check_svg
from pbem.ruleset import Label, Picture, SpriteInstance, View
from pbem_rules.harvester import RULESET, sprites
from pbem_rules.harvester.window import LETTERED
from tests.rules.harvester.table import position, turn, view
from tests.rules.sight import LETTERS, SIGNS, contrast, faint_labels, outside, small_letters

CROWD = {
    "ann": {"H": (0, 0), "G": (0, 0), "L1": (2, 0), "S1": (2, 0), "C1": (20, 5), "C2": (-25, 3), "C3": (3, -4)},
    "bob": {"H": (3, 0), "C1": (2, 1), "S1": (20, 6)},
    "cyd": {"H": (1, -1), "L1": (2, 0)},
}


def crowd() -> View:
    """Return ann's view among friends and foes, with units far off, on ground of all kinds."""
    state = position(
        CROWD,
        size=40,
        resources={(1, 1): 3, (0, 0): 2, (-4, 1): 1},
        crags=[(1, 2), (0, 3)],
        dust=[(-1, 0), (-2, 1)],
        rulers={"bob": "ann"},
    )
    return view(turn(state, {"ann": ["MOVE C3 SE"]})[0], "ann")


def drawn(seen: View) -> Picture:
    """Return the chart of a view."""
    _, picture = RULESET.pictures(seen)
    return picture


def labels(picture: Picture) -> list[str]:
    """Return the texts on the board of a picture."""
    assert picture.drawing is not None
    return [mark.text for mark in picture.drawing.marks if isinstance(mark, Label)]


@pytest.fixture(scope="module")
def picture() -> Picture:
    """Return the picture of a crowded view."""
    return drawn(crowd())


def test_it_can_be_read(picture: Picture) -> None:
    """Its letters are large enough, and have contrast for every kind of sight."""
    check_svg(picture)
    assert small_letters(picture) == []
    assert faint_labels(picture) == []


def test_nothing_is_clipped(picture: Picture) -> None:
    """All hexes and units are drawn whole."""
    assert outside(picture) == []


def test_units_bear_their_names_and_numbers(picture: Picture) -> None:
    """An own unit bears its name, several the strongest and how many more; others' units their kind."""
    assert {"H+1", "C3", "C2"} <= set(labels(picture))


def test_owners_have_letters(picture: Picture) -> None:
    """A contact has its owner's letter above it, and the head explains the letter."""
    shown = labels(picture)

    assert {"A bob", "B cyd"} <= set(shown)
    assert shown.count("A") >= 1
    assert shown.count("B") >= 1


def test_units_far_off_have_insets(picture: Picture) -> None:
    """Units beyond the board are shown beside it, with place and distance."""
    assert [each for each in labels(picture) if " off" in each] == ["C1 at 20,5, 25 off", "C2 at -25,3, 25 off"]
    assert "all units known, 26 hexes around" in labels(picture)


def test_all_insets_find_room() -> None:
    """With each unit alone and far off the chart is wider, so that it measures 2,000 pixels at the most."""
    apart = [(30, 0), (-30, 0), (0, 30), (0, -30), (18, 0), (-18, 0), (0, 18), (0, -18), (18, -18), (7, 0)]
    names = ("C1", "C2", "C3", "S1", "S2", "S3", "L1", "L2", "G", "C4")
    units = {"ann": {"H": (0, 0), **dict(zip(names, apart, strict=True))}}

    picture = drawn(view(position(units, size=60), "ann"))

    assert len([each for each in labels(picture) if " off" in each]) == 9
    assert max(picture.width, picture.height) <= 2_000
    assert outside(picture) == []


def test_there_are_no_insets_without_need() -> None:
    """A picture of units near the Harvester has no room for others."""
    near = drawn(view(position(), "ann"))

    assert near.height < drawn(crowd()).height
    assert not [each for each in labels(near) if " off" in each or "around" in each]


def test_coordinates_stand_at_both_ends_of_rows(picture: Picture) -> None:
    """The first and the last hex of the Harvester's row are named."""
    assert {"-1,0", "7,0"} <= set(labels(picture))


def test_friend_and_foe_differ_by_shape() -> None:
    """Without colours a friend's badge is another figure than a foe's or an own one."""
    bodies = [sprites.badge(side, 14).body for side in ("own", "friend", "foe")]
    colours = (sprites.OWN, sprites.FRIEND, sprites.FOE)
    bare = [body.replace(colour, "") for body, colour in zip(bodies, colours, strict=True)]

    assert len(set(bare)) == 3


@pytest.mark.parametrize("ground", [*sprites.BANDS[:4], sprites.UNSCANNED])
@pytest.mark.parametrize("badge", [sprites.OWN, sprites.FRIEND, sprites.FOE])
def test_badges_stand_out(ground: str, badge: str) -> None:
    """A badge or its white edge has contrast to any ground, and its letters to the badge."""
    assert max(contrast(badge, ground), contrast(sprites.WHITE, ground)) >= SIGNS
    assert contrast(badge, sprites.WHITE) >= LETTERS


@pytest.mark.parametrize("band", sprites.BANDS)
@pytest.mark.parametrize("sign", ["TRACK", "RESOURCE", "SEAM", "INK", "OWN"])
def test_signs_stand_out_from_the_ground(band: str, sign: str) -> None:
    """Tracks, resources, the seam and ways can be seen in each band."""
    assert contrast(getattr(sprites, sign), band) >= SIGNS


@pytest.mark.parametrize(
    ("sign", "ground"), [("ROCK", "CRAGS"), ("GRAIN", "DUST"), ("INK", "PAPER"), ("PALE", "UNSCANNED")]
)
def test_textures_and_words_stand_out(sign: str, ground: str) -> None:
    """Peaks on crags, grains in dust and the words around the board have contrast."""
    assert contrast(getattr(sprites, sign), getattr(sprites, ground)) >= (2 if sign in ("ROCK", "GRAIN") else LETTERS)


def test_a_crowd_of_owners_shares_the_letters_there_are() -> None:
    """The nearest owners get letters; others are marked with an ellipsis, and the picture stays as large."""
    seats = tuple(f"seat{number}" for number in range(1, 31))
    units = {"seat1": {"H": (0, 0)}} | {seat: {"H": (1, -1), "C1": (0, 1)} for seat in seats[1:]}
    picture = drawn(view(position(units, seats=seats, size=40), "seat1"))

    assert len([each for each in labels(picture) if each[1:].startswith(" seat")]) == LETTERED
    assert any("…" in each for each in labels(picture))
    assert picture.height <= 1_000


def test_sprites_are_shared_by_pictures() -> None:
    """The charts of two turns have the same background and nearly the same sprites."""
    later = {**CROWD, "ann": {**CROWD["ann"], "C3": (3, -3)}}
    one, two = drawn(crowd()).drawing, drawn(view(position(later, size=40, rulers={"bob": "ann"}), "ann")).drawing
    assert one is not None
    assert two is not None
    first, second = ({mark.sprite for mark in each.marks if isinstance(mark, SpriteInstance)} for each in (one, two))

    assert one.ground == two.ground
    assert len(second - first) < len(second) / 3


@pytest.fixture(scope="module")
def region() -> Picture:
    """Return the picture for phones of a crowded view."""
    near, _ = RULESET.pictures(crowd())
    return near


def test_the_picture_for_phones_can_be_read_on_them(region: Picture) -> None:
    """The region is as wide as a phone, its letters are as legible as the chart's, and nothing is clipped."""
    check_svg(region)
    assert region.width == 374
    assert small_letters(region) == []
    assert faint_labels(region) == []
    assert outside(region) == []


def test_the_picture_for_phones_tells_what_is_beyond(region: Picture) -> None:
    """Own units farther off are named with their hexes, and only owners who are shown have their letters explained."""
    shown = labels(region)

    assert "Beyond: C1 20,5; C2 -25,3" in shown
    assert "A bob; B cyd" in shown


def test_captured_harvesters_have_a_flag() -> None:
    """A flag marks a Harvester that was won, and the reader's own if it was conquered."""
    won = {"kind": "won-over", "who": "bob", "by": "ann"}
    fought = {"kind": "fought", "outcome": "won", "q": 3, "r": 0, "enemies": "bob H", "lost": ""}
    seen = {**crowd(), "events": [fought, won, {"kind": "conquered", "by": "cyd"}]}
    picture = drawn(seen)
    assert picture.drawing is not None

    flags = [
        mark for mark in picture.drawing.marks if isinstance(mark, SpriteInstance) and mark.sprite == sprites.CAPTURED
    ]

    assert len(flags) == 2
    assert sprites.FIGHT not in {mark.sprite for mark in picture.drawing.marks if isinstance(mark, SpriteInstance)}


def test_remembered_foes_can_be_told_from_others() -> None:
    """The badge of a remembered foe is hollow, and its letters and edge have contrast."""
    assert sprites.FOE not in sprites.badge("lost", 14).body.partition("stroke")[0]
    assert contrast(sprites.FOE, sprites.PAPER) >= LETTERS
    assert contrast(sprites.RESOURCE, sprites.PAPER) >= LETTERS


def test_own_units_can_be_tapped_wherever_they_are() -> None:
    """Near units are targets in their hexes, far ones in insets; each title says what is there."""
    seen = crowd()
    told = {spot.names: spot.title for picture in RULESET.pictures(seen) for spot in picture.spots}

    assert {name for names in told for name in names} >= {unit["unit"] for unit in seen["units"]}
    assert told["L1", "S1", "2,0"] == "2,0: your L1 and S1, 3 resources"
    assert told["C1", "20,5"] == "20,5: your C1"
    assert told["1,-1",] == "1,-1: foe cyd H"
    assert told["1,2",] == "1,2: crags"
