"""Planet ownership and terraforming (rulebook, sections C and D; ruling 20)."""

from __future__ import annotations

import pytest

from pbem_rules.singularity_trap.state import Ship
from tests.rules.singularity_trap.builders import dark, play, ship, world

CENTRE = "J10+0"


@pytest.mark.parametrize(
    ("ships", "owner"),
    [
        ([], None),
        ([ship("R101", CENTRE)], "red"),
        ([ship("R101", CENTRE, "Terraformer")], None),
        ([ship("R101", CENTRE, weapons=0)], None),
        ([dark("R101", CENTRE)], None),
        ([ship("R101", CENTRE, "Scout"), ship("G101", CENTRE)], "green"),
        ([ship("R101", CENTRE, "Scout"), ship("R102", CENTRE, "Scout"), ship("G101", CENTRE)], None),
        ([ship("R101", CENTRE), dark("G101", CENTRE, "Basestar")], "red"),
    ],
)
def test_an_unowned_planet_goes_to_most_weapons(ships: list[Ship], owner: str | None) -> None:
    """It goes to the player with the highest total of weapons there, to none on a tie; dark ships do not count."""
    state = world(*ships, allies=[("red", "green")])

    assert play(state).owner(CENTRE) == owner


@pytest.mark.parametrize(
    ("ships", "owner"),
    [
        ([ship("G101", CENTRE)], "green"),
        ([ship("G101", CENTRE, weapons=0)], "red"),
        ([ship("G101", CENTRE), ship("C101", CENTRE, "Scout")], "green"),
        ([ship("G101", CENTRE), ship("C101", CENTRE)], None),
        ([ship("B101", CENTRE)], "red"),
        ([ship("B101", CENTRE), ship("G101", CENTRE)], "red"),
        ([ship("B101", CENTRE, "Scout"), ship("G101", CENTRE)], "green"),
        ([ship("B101", CENTRE, "Basestar"), ship("G101", CENTRE), ship("C101", CENTRE)], "red"),
    ],
)
def test_an_owned_planet_goes_to_the_strongest_enemy(ships: list[Ship], owner: str | None) -> None:
    """Red's planet goes to the enemy with most weapons, stays if an ally has or ties for most, and is unowned on a tie.

    The ally is blue; green is allied with everyone but red.
    """
    allies = [("green", "cyan"), ("green", "blue"), ("cyan", "blue"), ("red", "blue")]
    state = world(*ships, seats=("red", "green", "cyan", "blue"), owners={CENTRE: "red"}, allies=allies)

    assert play(state).owner(CENTRE) == owner


def test_an_owners_ship_with_most_weapons_keeps_the_planet() -> None:
    """It is unchanged if the owner is highest or tied for highest."""
    state = world(ship("R101", CENTRE), ship("B101", CENTRE), ship("G101", CENTRE), seats=("red", "green", "blue"),
                  owners={CENTRE: "red"}, allies=[("red", "blue"), ("blue", "green"), ("red", "green")])  # fmt: skip

    assert play(state).owner(CENTRE) == "red"


def test_ownership_follows_combat() -> None:
    """Planets change hands after all combat: a player beaten there takes nothing."""
    state = world(ship("R101", CENTRE, "Terraformer"), *(ship(f"G10{n}", CENTRE) for n in range(4)),
                  owners={CENTRE: "red"})  # fmt: skip

    played = play(state)

    assert played.told("combat")
    assert played.owner(CENTRE) == "green"


def test_all_hear_of_captured_planets() -> None:
    """Everyone can see the ownership of all planets."""
    played = play(world(ship("G101", CENTRE)))

    event = {"space": CENTRE, "name": "centre", "was": None, "now": "green"}
    assert all(event in played.told("captured", seat) for seat in ("red", "green", "cyan"))


@pytest.mark.parametrize(
    ("before", "order", "after"),
    [
        ("cyan", "", "green"),
        ("cyan", "TERRAFORM R101 TO blue", "blue"),
        ("cyan", "TERRAFORM R101 TO green", "green"),
        ("green", "", "gray"),
        ("blue", "", "gray"),
        ("gray", "", "yellow"),
        ("gray", "TERRAFORM R101 TO magenta", "magenta"),
        ("yellow", "", "red"),
        ("magenta", "", "red"),
        ("red", "", "red"),
        ("gray", "TERRAFORM R101 NO", "gray"),
        ("gray", "TERRAFORM R101", "yellow"),
        ("gray", "TERRAFORM R101 TO magenta / TERRAFORM R101 TO yellow", "yellow"),
    ],
)
def test_a_terraformer_brings_its_planet_a_step_nearer(before: str, order: str, after: str) -> None:
    """One step a turn toward the owner's colour, by itself; where there are two colours the player may pick."""
    state = world(ship("R101", CENTRE, "Terraformer"), owners={CENTRE: "red"}, colours={CENTRE: before})

    assert play(state, red=order).colour(CENTRE) == after


@pytest.mark.parametrize(
    ("worker", "orders"),
    [
        (ship("R101", CENTRE, "Terraformer", terraform=0), ""),
        (dark("R101", CENTRE, "Terraformer"), ""),
        (ship("R101", CENTRE, "Terraformer"), "MOVE R101 STAY"),
        (ship("R101", CENTRE, "Terraformer"), "MOVE R101 N S"),
        (ship("R101", CENTRE, "Cruiser"), ""),
        (ship("G101", CENTRE, "Terraformer"), ""),
        (ship("R101", "J9", "Terraformer"), "MOVE R101 S"),
    ],
)
def test_only_a_stationary_undamaged_terraformer_of_the_owner_works(worker: Ship, orders: str) -> None:
    """It must belong to the owner, not have moved this turn, not be dark, and have its terraforming unit."""
    state = world(worker, owners={CENTRE: "red"})

    assert play(state, red=orders).colour(CENTRE) == "gray"


def test_several_terraformers_do_no_more_than_one() -> None:
    """A planet changes one step a turn, however many work on it."""
    workers = [ship(f"R10{n}", CENTRE, "Terraformer") for n in range(3)]

    assert play(world(*workers, owners={CENTRE: "red"}, colours={CENTRE: "cyan"})).colour(CENTRE) == "green"


def test_one_terraformer_held_back_does_not_hold_back_another() -> None:
    """NO is for one ship."""
    workers = [ship(f"R10{n}", CENTRE, "Terraformer") for n in (1, 2)]

    assert play(world(*workers, owners={CENTRE: "red"}), red="TERRAFORM R101 NO").colour(CENTRE) == "yellow"


def test_a_colour_that_is_not_the_next_step_is_refused() -> None:
    """A terraformer told an impossible colour works as without order, and its player is told (ruling 36)."""
    state = world(ship("R101", CENTRE, "Terraformer"), owners={CENTRE: "red"})

    played = play(state, red="TERRAFORM R101 TO cyan")

    assert played.colour(CENTRE) == "yellow"
    assert played.told("refused", "red")[0]["why"] == "from gray the next step is yellow or magenta"


@pytest.mark.parametrize(
    ("place", "orders", "why"),
    [
        ("J9", "TERRAFORM R101", "R101 is not at a planet of yours"),
        (CENTRE, "TERRAFORM R101 / MOVE R101 STAY", "R101 moved this turn"),
        (CENTRE, "TERRAFORM R101 / HIDE R101", "R101 is dark or has no undamaged terraforming unit"),
        ("J1+9", "TERRAFORM R101", "the planet of R101 has your colour already"),
    ],
)
def test_idle_terraformers_are_explained(place: str, orders: str, why: str) -> None:
    """An order to a terraformer that cannot work is refused with the reason."""
    played = play(world(ship("R101", place, "Terraformer"), owners={CENTRE: "red"}), red=orders)

    assert [event["why"] for event in played.told("refused", "red")] == [why]


def test_a_planet_captured_this_turn_can_be_terraformed() -> None:
    """Ownership changes in the combat section, so the new owner's stationary terraformer works in the next."""
    played = play(world(ship("R101", CENTRE, "Terraformer"), ship("R102", CENTRE)))

    assert (played.owner(CENTRE), played.colour(CENTRE)) == ("red", "yellow")
    assert played.told("terraformed", "cyan") == [{"space": CENTRE, "name": "centre", "was": "gray", "now": "yellow"}]
