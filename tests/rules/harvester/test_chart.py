"""A player's chart: places keep their names for good, and its seam is marked (rulings 1 and 15)."""

from __future__ import annotations

from pbem.ruleset import Picture, SpriteInstance
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.sprites import SEAM
from pbem_rules.harvester.state import State
from tests.rules.harvester.table import position, scanned, turn, view

ROAD = {(q, 0): 1 for q in range(1, 10)} | {(-9, 9): 1}


def driven(state: State, turns: int) -> State:
    """Drive ann's Harvester to the east, hex by hex."""
    for q in range(1, turns + 1):
        state, _ = turn(state, {"ann": [f"TARGET {q},0"]})
    return state


def test_the_origin_stays_where_the_harvester_started() -> None:
    """A Harvester that drives east over the rim of its chart comes back from the west of it."""
    state = driven(position(resources=ROAD), 9)

    after, _ = turn(state, {"ann": ["TARGET 10,0"]})

    assert [view(each, "ann")["harvester"]["q"] for each in (state, after)] == [9, -9]
    assert (view(after, "ann")["harvester"]["r"], scanned(view(after, "ann"), (0, 0))) == (9, None)


def test_a_place_keeps_its_name_while_the_harvester_moves() -> None:
    """The name of a unit beyond the seam does not change when the Harvester takes a step."""
    state = position({"ann": {"C1": (-9, 9)}}, resources=ROAD)

    names = [view(driven(state, turns), "ann")["units"] for turns in range(8)]

    assert all(each == [{"unit": "C1", "q": -9, "r": 9}] for each in names)


def test_a_unit_that_crosses_the_seam_has_the_name_of_where_it_is() -> None:
    """A step over the rim leads to a hex with the name of the opposite side."""
    after, _ = turn(position({"ann": {"C1": (9, 0)}}), {"ann": ["MOVE C1 E"]})

    assert view(after, "ann")["units"] == [{"unit": "C1", "q": -9, "r": 9}]


def test_events_and_targets_have_the_names_of_the_chart() -> None:
    """Events beyond the seam use the same names as scans there."""
    state = driven(position(resources=ROAD), 9)

    after, events = turn(state, {"ann": ["TARGET 10,0"]})

    (arrived,) = (event.data for event in events if event.kind == "arrived")
    assert (arrived["q"], arrived["r"]) == (-9, 9)
    assert scanned(view(after, "ann"), (-9, 9)) is not None


def test_the_text_map_marks_the_seam() -> None:
    """The map goes on around the Harvester; a bar marks the seam, with the coordinates beyond it."""
    state = driven(position(resources=ROAD), 9)

    lines = RULESET.text_map(view(state, "ann")).splitlines()

    (middle,) = (line for line in lines if line.strip().startswith("4,0 "))
    assert middle.index("@") < middle.index("|") < len(middle)
    assert "the row of 4,0 with -9,9" in " ".join(lines)
    assert max(map(len, lines)) <= 80


def test_there_is_no_seam_around_the_origin() -> None:
    """A map within the chart does not mention the seam."""
    assert "seam" not in RULESET.text_map(view(position(), "ann"))


def test_the_picture_shows_the_seam_and_keeps_its_frame() -> None:
    """A picture is as large beyond the seam as at the origin, with the seam drawn."""
    (_, plain), (_, seamed) = (
        RULESET.pictures(view(state, "ann")) for state in (position(), driven(position(resources=ROAD), 9))
    )

    assert (plain.width, plain.height) == (seamed.width, seamed.height)
    assert [any(SEAM in mark.sprite.body for mark in stamps(each)) for each in (plain, seamed)] == [False, True]


def stamps(picture: Picture) -> list[SpriteInstance]:
    """Return the sprites on a picture."""
    assert picture.drawing is not None
    return [mark for mark in picture.drawing.marks if isinstance(mark, SpriteInstance)]
