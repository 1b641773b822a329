"""Movement of units and Harvesters, and what stops them (rulings 4, 5, 8 and 10)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from pbem.ruleset import Dice
from tests.rules.harvester.table import position, read, told, turn, view, where


@pytest.mark.parametrize(
    ("unit", "steps"), [("G", "E"), ("L2", "E E"), ("S3", "E NE NE"), ("C4", "E E SE SE")], ids=["G", "L", "S", "C"]
)
def test_every_unit_moves_up_to_its_move_value(unit: str, steps: str) -> None:
    """A General moves 1 hex, Lieutenants 2, Soldiers 3 and Scouts 4."""
    state = position({"ann": {"H": (0, 0), unit: (0, 0)}})

    after, _ = turn(state, {"ann": [f"MOVE {unit} {steps}"]})

    ends = {"E": (1, 0), "E E": (2, 0), "E NE NE": (3, -2), "E E SE SE": (2, 2)}
    assert where(after, "ann", unit) == ends[steps]


@pytest.mark.parametrize(("unit", "steps"), [("G", "E E"), ("L1", "E E E"), ("S1", "E E E E"), ("C1", "E E E E E")])
def test_no_unit_moves_farther(unit: str, steps: str) -> None:
    """A line with more steps than a unit can take is refused."""
    state = position({"ann": {"H": (0, 0), unit: (0, 0)}})

    assert [found.code for found in read(state, "ann", f"MOVE {unit} {steps}").errors] == ["too-far"]


def test_a_unit_may_take_fewer_steps() -> None:
    """Move values are the most a unit can do."""
    after, _ = turn(position({"ann": {"C1": (0, 0)}}), {"ann": ["MOVE C1 W"]})

    assert where(after, "ann", "C1") == (-1, 0)


@pytest.mark.parametrize(
    ("way", "end"),
    [("E", (1, 0)), ("NE", (1, -1)), ("NW", (0, -1)), ("W", (-1, 0)), ("SW", (-1, 1)), ("SE", (0, 1))],
)
def test_there_are_six_directions(way: str, end: tuple[int, int]) -> None:
    """Every hex has six neighbours."""
    after, _ = turn(position({"ann": {"G": (0, 0)}}), {"ann": [f"MOVE G {way}"]})

    assert where(after, "ann", "G") == end


def test_the_planet_wraps_around() -> None:
    """A unit that walks over the rim comes back on the opposite side: nineteen steps east change only the row."""
    state = position({"ann": {"C1": (9, 0)}})

    after, _ = turn(state, {"ann": ["MOVE C1 E"]})

    assert where(after, "ann", "C1") == (-9, 9)


def test_a_harvester_moves_one_hex_towards_its_target() -> None:
    """A Harvester travels one hex a turn until it reaches its target, without further orders."""
    state = position(resources={(3, 0): 1})
    state, _ = turn(state, {"ann": ["TARGET 3,0"]})
    spots = [where(state, "ann", "H")]
    for _ in range(3):
        state, _ = turn(state)
        spots.append(where(state, "ann", "H"))

    assert spots == [(1, 0), (2, 0), (3, 0), (3, 0)]


def test_a_harvester_does_not_deviate() -> None:
    """The way is a straight line drawn when the order is given; between two equally near hexes it goes to the left."""
    state = position(resources={(3, 1): 1, (1, 1): 1})
    state, _ = turn(state, {"ann": ["TARGET 3,1"]})
    spots = [where(state, "ann", "H")]
    for _ in range(3):
        state, _ = turn(state)
        spots.append(where(state, "ann", "H"))

    assert spots == [(1, 0), (2, 0), (2, 1), (3, 1)]


def test_a_harvester_is_not_turned_aside() -> None:
    """A Harvester under way is refused another target."""
    state, _ = turn(position(resources={(3, 0): 1, (0, 2): 1}), {"ann": ["TARGET 3,0"]})

    assert [found.code for found in read(state, "ann", "TARGET 0,2").errors] == ["under-way"]


def test_a_harvester_that_has_arrived_gets_another_target() -> None:
    """A Harvester that has reached its target can be sent on."""
    state, events = turn(position(resources={(1, 0): 1, (0, 2): 1}), {"ann": ["TARGET 1,0"]})

    assert told(events, "ann", "arrived") == [{"q": 1, "r": 0}]
    assert read(state, "ann", "TARGET 0,2").errors == ()


def test_a_target_is_judged_by_what_scanners_show() -> None:
    """A hex known to be bare is refused; at a mark the Harvester sets out, whatever is there (ruling 5)."""
    rival, field = position({"bob": {"H": (5, 0)}}), position(resources={(5, 0): 1})

    assert [found.code for found in read(rival, "ann", "TARGET 1,0").errors] == ["no-resource"]
    for state in (rival, field):
        after, events = turn(state, {"ann": ["TARGET 5,0"]})
        assert (where(after, "ann", "H"), [event for event in events if event.kind == "refused"]) == ((1, 0), [])


def test_a_harvester_stops_when_scanners_show_that_nothing_is_there() -> None:
    """Beside a mark that was a Harvester it stops, and can then be given another target (ruling 5)."""
    state = position({"bob": {"H": (3, 0)}}, resources={(0, 3): 1})
    far, _ = turn(state, {"ann": ["TARGET 3,0"]})

    near, events = turn(far)

    assert [found.code for found in read(far, "ann", "TARGET 0,3").errors] == ["under-way"]
    assert told(events, "ann", "nothing-there") == [{"q": 3, "r": 0}]
    assert (where(near, "ann", "H"), view(near, "ann")["harvester"]["target"]) == ((2, 0), None)
    assert read(near, "ann", "TARGET 0,3").errors == ()


def test_a_harvester_stops_when_its_target_is_seen_to_be_emptied() -> None:
    """A Harvester stops as soon as its report shows that another one has emptied its target (ruling 5)."""
    state = position({"bob": {"H": (3, 1)}}, resources={(3, 0): 1})
    state, _ = turn(state, {"ann": ["TARGET 3,0"], "bob": ["TARGET 3,0"]})

    after, events = turn(state)

    assert (where(after, "bob", "H"), where(after, "ann", "H")) == ((3, 0), (2, 0))
    assert len(told(events, "ann", "nothing-there")) == 1


def test_what_no_scanner_shows_stops_no_harvester() -> None:
    """A Harvester drives on to a target behind dust until scanners show it (ruling 5)."""
    state = position({"ann": {"C1": (4, 0)}}, resources={(5, 0): 1}, dust=[(3, 0)])
    state, _ = turn(state, {"ann": ["TARGET 5,0", "MOVE C1 W"]})

    bare = dataclasses.replace(state, resources=np.zeros_like(state.resources))
    after, events = turn(bare)

    assert told(events, "ann", "nothing-there") == []
    assert where(after, "ann", "H") == (2, 0)


@pytest.mark.parametrize("watcher", ["ann", "cyd"])
def test_a_scout_ahead_or_a_subservient_may_see_that_nothing_is_there(watcher: str) -> None:
    """All that the report shows counts, not only the Harvester's own scanner (ruling 5)."""
    scout = {"H": (0, 6), "C1": (5, -2)} if watcher == "cyd" else {"C1": (5, -2)}
    state = position({"bob": {"H": (5, 0)}, watcher: scout}, rulers={"cyd": "ann"})

    _, events = turn(state, {"ann": ["TARGET 5,0"], watcher: ["MOVE C1 SE"]} | _both(watcher))

    assert len(told(events, "ann", "nothing-there")) == 1


def _both(watcher: str) -> dict[str, list[str]]:
    return {"ann": ["TARGET 5,0", "MOVE C1 SE"]} if watcher == "ann" else {}


def test_a_harvester_waits_for_another() -> None:
    """A Harvester may not enter a hex with another Harvester; it waits, and its player is told."""
    state = position({"bob": {"H": (1, 0)}}, resources={(2, 0): 1})

    after, events = turn(state, {"ann": ["TARGET 2,0"]})

    assert where(after, "ann", "H") == (0, 0)
    assert told(events, "ann", "blocked") == [{"q": 0, "r": 0, "unit": "H", "why": "harvester"}]


def test_a_harvester_kept_waiting_may_be_sent_elsewhere() -> None:
    """Two Harvesters in each other's way need not wait for ever."""
    state = position({"bob": {"H": (1, 0)}}, resources={(2, 0): 1, (-1, 0): 1})
    state, _ = turn(state, {"ann": ["TARGET 2,0"]})

    after, _ = turn(state, {"ann": ["TARGET -1,0"]})

    assert where(after, "ann", "H") == (-1, 0)


def test_two_harvesters_never_enter_one_hex() -> None:
    """Of two bound for the same hex, lots decide which enters; the other waits."""
    state = position({"bob": {"H": (2, 0)}}, resources={(1, 0): 1})

    after, _ = turn(state, {"ann": ["TARGET 1,0"], "bob": ["TARGET 1,0"]})

    assert {where(after, "ann", "H"), where(after, "bob", "H")} in ({(1, 0), (2, 0)}, {(0, 0), (1, 0)})


LOTS = [Dice(b"lots%d" % number) for number in range(8)]


@pytest.mark.parametrize("dice", LOTS)
def test_who_is_barred_from_a_hex_draws_no_lot_for_it(dice: Dice) -> None:
    """A Harvester that a ruler's units keep out never keeps another one out by winning the lot (rulings 5 and 8)."""
    units = {"ann": {"H": (0, 0), "C1": (1, 0)}, "bob": {"H": (2, 0)}}
    state = position(units, resources={(1, 0): 1}, rulers={"bob": "ann"})

    after, _ = turn(state, {"ann": ["TARGET 1,0"], "bob": ["TARGET 1,0"]}, dice=dice)

    assert (where(after, "ann", "H"), where(after, "bob", "H")) == ((1, 0), (2, 0))


@pytest.mark.parametrize("dice", LOTS)
def test_a_ruler_who_loses_the_lot_for_a_hex_bars_it_all_the_same(dice: Dice) -> None:
    """A ruler's Harvester was about to step there, so no unit below it enters, whichever wins the lot (ruling 8)."""
    units = {"ann": {"H": (0, 0)}, "bob": {"C1": (1, 1)}, "cyd": {"H": (2, 0)}}
    state = position(units, resources={(1, 0): 1}, rulers={"bob": "ann"})

    after, _ = turn(state, {"ann": ["TARGET 1,0"], "bob": ["MOVE C1 NW"], "cyd": ["TARGET 1,0"]}, dice=dice)

    assert where(after, "bob", "C1") == (1, 1)
    assert (where(after, "ann", "H") == (1, 0)) != (where(after, "cyd", "H") == (1, 0))


def test_where_a_harvester_stands_a_ruler_who_waits_before_it_bars_nobody() -> None:
    """A ruler's Harvester that waits for another is not about to step, and bars no units of those below (ruling 8)."""
    state = position(
        {"ann": {"H": (0, 0)}, "bob": {"H": (3, 0), "C1": (2, 0)}, "cyd": {"H": (1, 0)}},
        resources={(1, 0): 1},
        rulers={"bob": "ann"},
    )

    after, _ = turn(state, {"ann": ["TARGET 1,0"], "bob": ["MOVE C1 W"]})

    assert (where(after, "ann", "H"), where(after, "bob", "C1")) == ((0, 0), (1, 0))


@pytest.mark.parametrize(("unit", "end"), [("G", (0, 0)), ("L1", (0, 0)), ("S1", (2, 0)), ("C1", (2, 0))])
def test_only_the_nimble_enter_crags(unit: str, end: tuple[int, int]) -> None:
    """Soldiers and Scouts enter crags; larger units stop before them."""
    state = position({"ann": {"H": (0, 1), unit: (0, 0)}}, crags=[(1, 0)])
    steps = "E" if unit == "G" else "E E"

    after, events = turn(state, {"ann": [f"MOVE {unit} {steps}"]})

    assert where(after, "ann", unit) == end
    assert [each["why"] for each in told(events, "ann", "blocked")] == (["crags"] if end == (0, 0) else [])


def test_a_harvester_does_not_enter_crags() -> None:
    """A Harvester whose line leads into crags waits before them, and may be sent elsewhere."""
    state, _ = turn(position(resources={(2, 0): 1, (0, 1): 1}, crags=[(1, 0)]), {"ann": ["TARGET 2,0"]})

    after, _ = turn(state, {"ann": ["TARGET 0,1"]})

    assert where(state, "ann", "H") == (0, 0)
    assert where(after, "ann", "H") == (0, 1)


def test_a_subservient_does_not_enter_its_rulers_hex() -> None:
    """No unit steps into a hex with units of a Harvester above it, at any depth of the chain."""
    units = {"ann": {"S1": (2, 0)}, "bob": {"S1": (1, 0)}, "cyd": {"S1": (3, 0)}}
    state = position(units, rulers={"bob": "cyd", "cyd": "ann"})

    after, events = turn(state, {"bob": ["MOVE S1 E"], "cyd": ["MOVE S1 W"]})

    assert (where(after, "bob", "S1"), where(after, "cyd", "S1")) == ((1, 0), (3, 0))
    assert told(events, "bob", "blocked") == [{"q": 1, "r": 0, "unit": "S1", "why": "ruler"}]


def test_a_subservient_gives_way_to_a_ruler_on_the_move() -> None:
    """A subservient's unit does not step into a hex that a ruler's unit is about to enter."""
    state = position({"ann": {"S1": (2, 0)}, "bob": {"S1": (0, 1)}}, rulers={"bob": "ann"})

    after, _ = turn(state, {"ann": ["MOVE S1 W"], "bob": ["MOVE S1 NE"]})

    assert (where(after, "ann", "S1"), where(after, "bob", "S1")) == ((1, 0), (0, 1))


def test_a_ruler_may_enter_its_subservients_hex() -> None:
    """Rulers' units may enter hexes of their subservients' units."""
    state = position({"ann": {"S1": (2, 0)}, "bob": {"S1": (1, 0)}}, rulers={"bob": "ann"})

    after, _ = turn(state, {"ann": ["MOVE S1 W"]})

    assert where(after, "ann", "S1") == where(after, "bob", "S1") == (1, 0)


def test_a_unit_that_is_held_up_stops() -> None:
    """A unit that is stopped takes none of its further steps."""
    state = position({"ann": {"S1": (2, 0)}, "bob": {"S1": (1, 0)}}, rulers={"bob": "ann"})

    after, _ = turn(state, {"bob": ["MOVE S1 E SE SE"]})

    assert where(after, "bob", "S1") == (1, 0)
