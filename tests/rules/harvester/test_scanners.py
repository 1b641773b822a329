"""The bands of scanners: the facts that each tells, and no others (rulings 9, 10 and 12)."""

from __future__ import annotations

import pytest

from tests.rules.harvester.table import new_game, position, scanned, turn, view


@pytest.mark.parametrize(("unit", "rating"), [("H", 5), ("G", 4), ("L1", 3), ("S1", 2), ("C1", 1)])
def test_scanners_reach_as_far_as_their_rating(unit: str, rating: int) -> None:
    """A scanner rating is the number of hexes a unit perceives."""
    spot = (0, 0) if unit == "H" else (-2, -6)
    state = position({"ann": {"H": (0, 0), unit: spot}}, size=20)

    seen = view(state, "ann")

    assert scanned(seen, (spot[0], spot[1] - rating)) == (max(rating, 1), [])
    assert scanned(seen, (spot[0], spot[1] - rating - 1)) is None


def test_band_1_tells_the_exact_contents() -> None:
    """Band 1 tells resources, and units by player and kind, without their numbers."""
    state = position({"bob": {"G": (1, 0), "S1": (1, 0), "S3": (1, 0)}}, resources={(1, 0): 3})

    seen = view(state, "ann")

    assert scanned(seen, (1, 0)) == (1, [1, 0, "", 3, 3])
    assert seen["contacts"] == [{"q": 1, "r": 0, "owner": "bob", "side": "foe", "units": "GSS"}]


def test_the_own_hex_belongs_to_band_1() -> None:
    """A unit tells the exact contents of its own hex."""
    state = position({"ann": {"C1": (8, 0)}, "bob": {"C1": (8, 0)}}, resources={(8, 0): 2})

    assert scanned(view(state, "ann"), (8, 0)) == (1, [1, 0, "", 2, 2])


def test_band_2_tells_the_number_of_units() -> None:
    """Two hexes off the number of units shows, but not their kinds or owners, nor resources."""
    state = position({"bob": {"G": (2, 0), "S1": (2, 0)}}, resources={(2, 0): 3})

    seen = view(state, "ann")

    assert scanned(seen, (2, 0)) == (2, [1, 0, "", 2])
    assert seen["contacts"] == []


def test_band_3_tells_where_something_came_from() -> None:
    """Three hexes off a hex tells the directions from which it was entered, but not by what or how many."""
    state = position({"bob": {"S1": (5, -1), "S2": (4, 0)}})

    after, _ = turn(state, {"bob": ["MOVE S1 W SW", "MOVE S2 W"]})

    assert scanned(view(after, "ann"), (3, 0)) == (3, [0, 1, "E NE"])


def test_band_4_tells_of_movement() -> None:
    """Four hexes off a hex tells that something moved in or out, but not from where."""
    state = position({"bob": {"S1": (5, 0), "S2": (4, -1)}})

    after, _ = turn(state, {"bob": ["MOVE S1 W", "MOVE S2 NE"]})

    assert scanned(view(after, "ann"), (4, 0)) == (4, [0, 1])
    assert scanned(view(after, "ann"), (4, -1)) == (4, [0, 1])


def test_band_5_tells_harvesters_and_resources_alike() -> None:
    """Five hexes off a Harvester and a resource make the same mark; other units make none."""
    state = position({"bob": {"H": (5, 0), "S1": (5, -1)}}, resources={(5, -5): 3})

    seen = view(state, "ann")

    assert scanned(seen, (5, 0)) == scanned(seen, (5, -5)) == (5, [1])
    assert scanned(seen, (5, -1)) == (5, [])


def test_nothing_is_told_beyond() -> None:
    """A Harvester six hexes off is not perceived at all."""
    seen = view(position({"bob": {"H": (6, 0)}}), "ann")

    assert scanned(seen, (6, 0)) is None
    assert "bob" not in str(seen)


def test_movement_of_this_turn_alone_is_told() -> None:
    """Traces of movement last one turn."""
    moved, _ = turn(position({"bob": {"S1": (3, 0)}}), {"bob": ["MOVE S1 E"]})
    still, _ = turn(moved)

    assert scanned(view(moved, "ann"), (3, 0)) == (3, [0, 1, ""])
    assert scanned(view(still, "ann"), (3, 0)) == (3, [])


def test_a_step_undone_is_no_movement() -> None:
    """Units kept out by a tie leave no trace."""
    state = position({"bob": {"S1": (4, 0)}, "cyd": {"S1": (5, 0)}})

    after, _ = turn(state, {"bob": ["MOVE S1 E"]})

    assert scanned(view(after, "ann"), (4, 0)) == (4, [])


def test_the_nearest_band_counts() -> None:
    """The nearest of several units that perceive a hex decides its band."""
    state = position({"ann": {"C1": (4, 0)}, "bob": {"S1": (5, 0)}})

    assert scanned(view(state, "ann"), (5, 0)) == (1, [0, 0, "", 1, 0])


def test_scanning_comes_after_moving() -> None:
    """Scans show where units are after the move, from where scanners are after it."""
    state = position({"ann": {"C1": (7, 0)}, "bob": {"S1": (9, -3)}})

    after, _ = turn(state, {"ann": ["MOVE C1 E"], "bob": ["MOVE S1 SW SE"]})

    assert view(after, "ann")["contacts"] == [{"q": 8, "r": -1, "owner": "bob", "side": "foe", "units": "S"}]


def test_subservients_scanners_tell_their_rulers() -> None:
    """All scanner information goes up the chain, to every Harvester above, and not down."""
    state = position({"cyd": {"C1": (5, 2)}, "dan": {"S1": (5, 3)}}, rulers={"cyd": "bob", "bob": "ann"})

    for seat in ("ann", "bob", "cyd"):
        assert {"S"} <= {
            kind for each in view(state, seat)["contacts"] if each["owner"] == "dan" for kind in each["units"]
        }
    assert scanned(view(state, "cyd"), (0, -4)) is None


def test_points_of_others_are_not_told() -> None:
    """A player knows their own points and those of all below them, and no others."""
    state = position(rulers={"bob": "ann"}, held={"ann": 1, "bob": 2, "cyd": 19})

    assert [(each["seat"], each["points"]) for each in view(state, "ann")["subservients"]] == [("bob", 2)]
    assert view(state, "bob")["subservients"] == view(state, "cyd")["subservients"] == []


def test_whom_a_foe_serves_is_not_told() -> None:
    """A unit shows its owner and that it is a foe, not its owner's ruler."""
    units = {"bob": {"S1": (1, 0)}}

    assert view(position(units), "ann")["contacts"] == view(position(units, rulers={"bob": "cyd"}), "ann")["contacts"]


@pytest.mark.parametrize(
    ("rulers", "side"),
    [
        ({}, "foe"),
        ({"bob": "ann"}, "friend"),
        ({"ann": "bob"}, "friend"),
        ({"ann": "cyd", "bob": "cyd"}, "friend"),
        ({"bob": "cyd"}, "foe"),
    ],
    ids=str,
)
def test_units_nearby_are_friends_or_foes(rulers: dict[str, str], side: str) -> None:
    """Rulers, subservients and those of the same top are friends, all others foes (ruling 12)."""
    state = position({"bob": {"S1": (1, 0)}}, rulers=rulers)

    seen = {(each["q"], each["r"]): each["side"] for each in view(state, "ann")["contacts"]}
    assert seen[1, 0] == side


def test_a_ruler_has_a_summary_of_his_empire() -> None:
    """A ruler is told the place, the resources and the units of each Harvester below (ruling 12)."""
    state = position({"bob": {"G": (-6, 0), "S1": (-4, 0), "S2": (-4, 0)}}, rulers={"bob": "ann"}, held={"bob": 7})

    (bob,) = view(state, "ann")["subservients"]

    assert (bob["q"], bob["r"], bob["held"]) == (-6, 0, 7)
    assert bob["units"] == [[-6, 0, "G"], [-4, 0, "SS"]]


def test_dust_hides_what_is_in_it() -> None:
    """Beyond distance 1 a dust field shows itself and nothing else."""
    state = position({"bob": {"S1": (2, 0)}}, resources={(2, 0): 1}, dust=[(2, 0)])

    seen = view(state, "ann")

    assert scanned(seen, (2, 0)) is None
    assert seen["dust"] == [[2, 0]]


def test_nothing_is_seen_past_dust() -> None:
    """A scanner does not look over a dust field on the straight line to a hex, not even one beside it."""
    seen = view(position(resources={(2, 0): 1, (2, 1): 1}, dust=[(1, 0)]), "ann")

    assert scanned(seen, (2, 0)) is None
    assert scanned(seen, (0, 2)) == (2, [])


def test_dust_beside_a_unit_hides_nothing_in_it() -> None:
    """At distance 1 a dust field tells as much as any hex."""
    seen = view(position({"bob": {"S1": (1, 0)}}, dust=[(1, 0)]), "ann")

    assert scanned(seen, (1, 0)) == (1, [0, 0, "", 1, 0])


def test_a_unit_in_dust_sees_next_to_nothing() -> None:
    """From within a dust field scanners reach the next hexes and no farther."""
    state = position({"ann": {"H": (0, 0), "G": (0, -8)}}, dust=[(0, -8)])

    seen = view(state, "ann")

    assert scanned(seen, (1, -9)) == (1, [])
    assert scanned(seen, (2, -10)) is None


def test_ground_is_told_in_every_band() -> None:
    """Crags show as far as scanners reach."""
    assert view(position(crags=[(5, 0), (1, 0), (6, 0)]), "ann")["crags"] == [[1, 0], [5, 0]]


def test_coordinates_are_the_readers_own() -> None:
    """A game begins at 0,0 for each player."""
    state = new_game()
    homes = [(view(state, seat)["harvester"]["q"], view(state, seat)["harvester"]["r"]) for seat in state.seats]

    assert homes == [(0, 0)] * 4
