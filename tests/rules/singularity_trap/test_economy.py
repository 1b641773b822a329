"""The economic section (rulebook, section A; rulings 6 to 10)."""

from __future__ import annotations

import dataclasses

import pytest

from pbem.ruleset import TurnInput
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.orders import Build
from tests.rules.singularity_trap.builders import DICE, RICH, Played, dark, play, ship, world

HOME = 5


def _reasons(played: Played, seat: str = "red") -> list[str]:
    return [event["why"] for event in played.told("refused", seat)]


@pytest.mark.parametrize(
    ("colour", "points"),
    [("red", 5), ("yellow", 4), ("magenta", 4), ("gray", 3), ("green", 2), ("blue", 2), ("cyan", 1)],
)
def test_planets_pay_by_colour(colour: str, points: int) -> None:
    """Each planet owned brings 1 to 5 points, the more the nearer its colour is to the owner's."""
    played = play(world(owners={"J10+0": "red"}, colours={"J10+0": colour}))

    assert played.points("red") == RICH + HOME + points
    assert played.told("income", "red") == [{"points": HOME + points, "planets": 2, "saved": RICH}]


def test_ships_cost_a_point_each_dark_or_not() -> None:
    """Every ship not scrapped costs 1 point to maintain; dark ships too."""
    played = play(world(ship("R101", "J2+8"), dark("R102", "J2+8"), ship("R103", "J10")))

    assert played.points("red") == RICH + HOME - 3
    assert played.told("maintained", "red") == [{"ships": 3, "cost": 3}]


def test_scrapped_ships_need_no_maintenance_and_refund_nothing() -> None:
    """Scrap comes before maintenance; what is scrapped brings no points."""
    played = play(world(ship("R101", "J2+8"), ship("R102", "J2+8")), red="SCRAP R102")

    assert played.points("red") == RICH + HOME - 1
    assert sorted(played.state.ships) == ["R101"]
    assert played.told("scrapped", "red") == [{"ship": "R102", "type": "Cruiser", "space": "J2+8", "why": "order"}]


def test_unpaid_ships_are_scrapped_dark_then_cheap_then_high() -> None:
    """Without points for maintenance dark ships go first, then the cheapest, then those with the highest number."""
    fleet = [dark("R300", "J3+7", "Basestar"), ship("R200", "J3+7", "Scout"), ship("R100", "J3+7", "Scout"),
             ship("R999", "J3+7"), ship("R998", "J3+7")]  # fmt: skip
    state = world(*fleet, points=0, owners={"J1+9": None, "J10+0": "red"}, colours={"J10+0": "green"})

    played = play(state)

    assert [event["ship"] for event in played.told("scrapped", "red")] == ["R300", "R200", "R100"]
    assert {event["why"] for event in played.told("scrapped", "red")} == {"unpaid"}
    assert sorted(played.state.ships) == ["R998", "R999"]


def test_a_point_repairs_a_point_of_damage() -> None:
    """Repair costs 1 point for each unit, wherever the ship is."""
    played = play(world(ship("R101", "J10+4", drive=1, armor=0)), red="REPAIR R101")

    assert played.points("red") == RICH + HOME - 1 - 4
    assert sum(played.ship("R101").left) == 10


def test_repairs_go_through_the_units_in_order() -> None:
    """If no units are named: system, drive, weapons, multifire, armor, then the rest."""
    hurt = ship("R101", "J10+4", system=0, drive=2, weapons=1, multifire=0, armor=1, slip=0)

    played = play(world(hurt), red="REPAIR R101")

    assert played.told("repaired", "red")[0]["units"] == ["system", "drive", "weapons", "multifire", "armor", "slip"]


def test_units_to_repair_can_be_named() -> None:
    """A player repairs the units named, in the order named, and for no more points than the order says."""
    hurt = ship("R101", "J10+4", weapons=0, armor=0, drive=1)

    played = play(world(hurt), red="REPAIR R101 3 armor weapons")

    assert played.told("repaired", "red") == [{"ship": "R101", "units": ["armor", "armor", "weapons"], "cost": 3}]


def test_repairs_end_with_the_points() -> None:
    """Orders are carried out in the order written until the points run out; the rest are refused with the reason."""
    fleet = [ship("R101", "J10+4", armor=0), ship("R102", "J10+4", armor=0)]

    played = play(world(*fleet, points=0), red="REPAIR R102 / REPAIR R101")

    assert [event["cost"] for event in played.told("repaired", "red")] == [2, 1]
    assert _reasons(played) == ["the points ran out after 1 of 2 repairs"]


def test_what_is_not_damaged_is_not_repaired() -> None:
    """A repair with nothing to mend is refused and costs nothing."""
    played = play(world(ship("R101", "J10+4")), red="REPAIR R101")

    assert played.points("red") == RICH + HOME - 1
    assert _reasons(played) == ["nothing of that is damaged on R101"]


def test_a_dark_ship_comes_back_by_repair_of_its_system() -> None:
    """Dark ships are out of play until repaired."""
    played = play(world(dark("R101", "J10+4")), red="REPAIR R101 system")

    assert not played.ship("R101").dark


def test_hiding_damages_the_system() -> None:
    """A ship ordered to hide goes dark, and its repair will cost a point like any other."""
    played = play(world(ship("R101", "J10+4")), red="HIDE R101")

    assert played.ship("R101").dark
    assert played.told("hidden", "red") == [{"ship": "R101"}]


def test_a_ship_repaired_this_turn_cannot_hide() -> None:
    """Only ships not being repaired may hide."""
    played = play(world(ship("R101", "J10+4", armor=1)), red="HIDE R101 / REPAIR R101")

    assert not played.ship("R101").dark
    assert _reasons(played) == ["R101 was repaired this turn, so it cannot hide"]


def test_a_dark_ship_cannot_hide_again() -> None:
    """Hiding a dark ship is refused."""
    played = play(world(dark("R101", "J10+4")), red="HIDE R101")

    assert _reasons(played) == ["R101 is dark already"]


def test_ships_are_built_at_any_own_planet() -> None:
    """A build costs the sum of the ship's units and can be at any planet owned."""
    played = play(world(owners={"J10+0": "red"}), red="BUILD Basestar AT J10 / BUILD 2 Scout AT red-home")

    assert [(event["type"], event["space"]) for event in played.told("built", "red")] == [
        ("Basestar", "J10+0"), ("Scout", "J1+9"), ("Scout", "J1+9")]  # fmt: skip
    assert played.points("red") == RICH + HOME + 3 - 15 - 6 - 6


def test_builds_end_with_the_points_and_the_rest_is_saved() -> None:
    """A ship that cannot be paid is refused with the reason, cheaper orders after it are not; the rest is saved."""
    played = play(world(points=13), red="BUILD 2 Cruiser AT J1+9 / BUILD Scout AT J1+9")

    assert [event["type"] for event in played.told("built", "red")] == ["Cruiser", "Scout"]
    assert _reasons(played) == ["1 of 2 built: a Cruiser costs 10 points, with 8 left"]
    assert played.told("saved", "red") == [{"points": 2}]


def test_scrap_pays_for_nothing_but_its_own_upkeep() -> None:
    """Scrap, maintenance, repair, hide, build: in this order, so that upkeep saved by scrap can be built from."""
    state = world(ship("R101", "J2+8", "Scout"), points=5)

    assert not play(state, red="BUILD Cruiser AT J1+9").told("built")
    assert play(state, red="BUILD Cruiser AT J1+9 / SCRAP R101").told("built")


def test_a_ship_built_this_turn_can_move_this_turn() -> None:
    """A new ship, called NEW1 on the sheet that builds it, can move at once (ruling 27)."""
    played = play(world(), red="BUILD Scout AT J1+9 / BUILD Cruiser AT J1+9 / MOVE NEW2 S-")

    built = [event["ship"] for event in played.told("built", "red")]
    assert [played.state.chart.board.name(played.ship(key).space) for key in built] == ["J1+9", "J2+8"]


def test_a_ship_not_built_cannot_move() -> None:
    """An order for a NEW ship that could not be paid is refused."""
    played = play(world(points=0), red="BUILD Cruiser AT J1+9 / MOVE NEW1 S-")

    assert _reasons(played)[-1] == "NEW1 was not built"


def test_numbers_tell_nothing_of_others() -> None:
    """A player's ship numbers depend on nothing but their own builds (ruling 6)."""
    alone = play(world(), red="BUILD 5 Scout AT J1+9")
    busy = play(world(), red="BUILD 5 Scout AT J1+9", green="BUILD 9 Scout AT S10+9")

    assert alone.state.players["red"].numbers == busy.state.players["red"].numbers


def test_numbers_are_never_used_again_and_come_without_order() -> None:
    """Each ship has a number of its own for good, and later ships have not the higher numbers."""
    first = play(world(), red="BUILD 30 Scout AT J1+9")
    everything = "/".join(sorted(first.state.ships))

    second = play(first.state, red=f"SCRAP {everything} / BUILD 30 Scout AT J1+9")

    numbers = second.state.players["red"].numbers
    assert len(set(numbers)) == 60
    assert sorted(numbers) != list(numbers)
    assert all(100 <= number <= 999 for number in numbers)


def test_four_digits_follow_when_three_are_used_up() -> None:
    """After 900 ships a player's numbers have four digits."""
    state = world()
    veteran = dataclasses.replace(state.players["red"], numbers=tuple(range(100, 1_000)))

    played = play(dataclasses.replace(state, players={**state.players, "red": veteran}), red="BUILD Scout AT J1+9")

    assert 1_000 <= played.state.players["red"].numbers[-1] <= 9_999


def test_ships_are_built_at_own_planets_only() -> None:
    """A build anywhere else is refused, and the points are kept."""
    state = world()
    orders = [Build("Scout", "J10+0"), Build("Scout", "J12+5"), Build("Scout", "S10+9")]

    played = Played(*RULESET.resolve(state, TurnInput({"red": tuple(orders)}), DICE))

    assert _reasons(played) == [f"the planet at {order.space} is not yours" for order in orders]
    assert played.points("red") == RICH + HOME
