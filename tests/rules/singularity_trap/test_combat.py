"""The combat section (rulebook, section C; rulings 16 to 19)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from pbem.ruleset import Dice
from pbem_rules.singularity_trap.chart import UNITS
from tests.rules.singularity_trap.builders import DICE, Played, dark, play, ship, view, world

SITE = "J12+5"
"""A space without a planet."""


def _first(played: Played) -> dict[str, Any]:
    return played.told("combat")[0]


def _reports(played: Played, seat: str) -> list[dict[str, Any]]:
    """Return the combat reports as a player gets them."""
    return [event for event in view(played.state, seat, played.events)["events"] if event["kind"] == "combat"]


def _aims(fight: dict[str, Any]) -> list[tuple[str, str]]:
    return [(shot["by"], shot["at"]) for shot in fight["shots"]]


def test_the_chance_to_hit_is_te_of_ae_and_te() -> None:
    """TE are the weapons of all the target's enemies present, AE those of all the attacker's enemies."""
    state = world(ship("R101", SITE, "Basestar"), ship("R102", SITE, "Scout"), ship("G101", SITE), ship("C101", SITE))

    fight = _first(play(state, red="FIRE R101/R102 AT G101", green="FIRE G101 AT C101", cyan="FIRE C101 AT R101"))

    odds = {shot["by"]: (shot["need"], shot["of"]) for shot in fight["shots"]}
    assert odds == {"R101": (8, 12), "R102": (8, 12), "G101": (8, 16), "C101": (4, 12)}


def test_allies_neither_fire_at_each_other_nor_count_as_enemies() -> None:
    """An ally's weapons are in neither AE nor TE, and no shot is aimed at the ally's ships."""
    state = world(ship("R101", SITE), ship("G101", SITE, "Basestar"), ship("C101", SITE), allies=[("red", "green")])

    fight = _first(play(state))

    odds = {shot["by"]: (shot["at"], shot["need"], shot["of"]) for shot in fight["shots"]}
    assert odds == {"R101": ("C101", 7, 9), "G101": ("C101", 7, 9), "C101": ("G101", 2, 9)}


def test_a_hit_is_a_die_at_most_te() -> None:
    """A shot hits if its die, of AE + TE sides, shows TE or less (ruling 17)."""
    fights = [
        play(world(ship("R101", SITE), ship("G101", SITE)), dice=Dice(bytes([seed]))).told("combat")
        for seed in range(10)
    ]

    shots = [shot for fight in fights for each in fight for shot in each["shots"]]
    assert all(shot["hit"] == (shot["die"] <= shot["need"]) and 1 <= shot["die"] <= shot["of"] for shot in shots)
    assert Counter(shot["hit"] for shot in shots).keys() == {True, False}


def test_without_enemies_of_the_attacker_every_shot_hits() -> None:
    """With AE = 0 the chance is TE of TE."""
    fight = _first(play(world(ship("R101", SITE), ship("G101", SITE, "Terraformer"))))

    assert [(shot["need"], shot["of"], shot["hit"]) for shot in fight["shots"]] == [(2, 2, True)] * 2


@pytest.mark.parametrize(
    ("shooter", "shots"),
    [
        (ship("R101", SITE, "Scout"), 1),
        (ship("R101", SITE, "Cruiser"), 2),
        (ship("R101", SITE, "Basestar"), 5),
        (ship("R101", SITE, "Basestar", weapons=3), 3),
        (ship("R101", SITE, "Basestar", multifire=0), 1),
        (ship("R101", SITE, "Basestar", weapons=0, drive=1), 0),
    ],
)
def test_shots(shooter: Any, shots: int) -> None:
    """A ship with weapons has one shot, with undamaged multifire one for each weapon; without weapons none."""
    state = world(shooter, ship("G101", SITE, "Basestar"))

    fired = [shot for shot in _first(play(state))["shots"] if shot["by"] == "R101"]

    assert len(fired) == shots


def test_armor_must_be_gone_before_other_units_are_hit() -> None:
    """Hits take armor first, then a random unit of those that remain."""
    state = world(ship("R101", SITE, "Basestar"), ship("G101", SITE, "Cruiser", weapons=0))

    fight = _first(play(state))

    units = [shot["unit"] for shot in fight["shots"]]
    assert units[:2] == ["armor", "armor"]
    assert "armor" not in units[2:]
    assert len(units) == 5


def test_units_are_hit_each_as_likely() -> None:
    """After the armor any unit left may be hit; a ship with two drive units is hit there twice as often."""
    hits: Counter[str] = Counter()
    for seed in range(200):
        state = world(ship("R101", SITE, "Scout"), ship("G101", SITE, "Terraformer"))
        hits[_first(play(state, dice=Dice(b"%d" % seed)))["shots"][0]["unit"]] += 1

    assert hits.keys() == {"drive", "jump", "terraform", "system"}
    assert hits["drive"] > max(hits["jump"], hits["terraform"], hits["system"])


def test_damage_is_applied_together_at_the_end_of_the_round() -> None:
    """Two ships can destroy each other's units in the same round: both fire with all they had."""
    fight = _first(play(world(ship("R101", SITE, "Basestar"), ship("G101", SITE, "Basestar"))))

    assert Counter(shot["by"] for shot in fight["shots"]) == {"R101": 5, "G101": 5}
    assert {shot["of"] for shot in fight["shots"]} == {10}


def test_a_ship_without_system_goes_dark() -> None:
    """A hit on the system takes the ship out of play, not out of its owner's fleet."""
    played = _until("dark")

    assert played.ship("G101").dark


def test_a_ship_without_weapons_and_drive_is_destroyed() -> None:
    """When weapons and drive are both at 0 the ship is gone for good."""
    played = _until("destroyed")

    assert "G101" not in played.state.ships


def _until(how: str) -> Played:
    """Return the first of many fights of a scout and a terraformer that ends the terraformer's part in this way."""
    for seed in range(100):
        state = world(ship("R101", SITE, "Scout"), ship("G101", SITE, "Terraformer"))
        played = play(state, dice=Dice(b"%d" % seed))
        if played.told("combat")[-1]["lost"] == [{"ship": "G101", "how": how}]:
            return played
    raise AssertionError(f"no terraformer was ever {how}")


def test_surplus_hits_take_what_units_are_left() -> None:
    """All hits of a round are rolled, on a ship lost in it as well; with no unit left they take nothing (ruling 16)."""
    state = world(ship("R101", SITE, "Basestar"), ship("R102", SITE, "Basestar"), ship("G101", SITE, "Terraformer"))

    shots = _first(play(state))["shots"]

    assert [shot["hit"] for shot in shots] == [True] * 10
    assert sorted(shot["unit"] for shot in shots[:5]) == ["drive", "drive", "jump", "system", "terraform"]
    assert [shot["unit"] for shot in shots[5:]] == [None] * 5


def test_damage_stays_as_lost_units() -> None:
    """Each hit removes a unit from the ship, and the next hit one of the rest."""
    played = play(world(ship("R101", SITE), ship("G101", SITE)))

    for key, full in (("R101", 10), ("G101", 10)):
        if key in played.state.ships:
            taken = [shot["unit"] for fight in played.told("combat") for shot in fight["shots"] if shot["at"] == key]
            assert sum(played.ship(key).left) == full - sum(unit in UNITS for unit in taken)


def test_rounds_go_on_until_nobody_can_fire() -> None:
    """A new round begins as long as two ships not allied are there, not dark, and one of them can fire."""
    played = play(world(ship("R101", SITE), ship("R102", SITE), ship("G101", SITE)))

    rounds = [fight["round"] for fight in played.told("combat")]
    assert rounds == list(range(1, len(rounds) + 1))
    left = [each for each in played.state.ships.values() if not each.dark]
    owners = {each.owner for each in left}
    assert len(owners) < 2 or not any(each.weapons for each in left)


def test_every_round_has_new_odds() -> None:
    """AE and TE are summed again from the weapons left at the start of each round."""
    played = play(world(ship("R101", SITE), ship("R102", SITE), ship("G101", SITE), ship("G102", SITE)))

    for fight in played.told("combat"):
        weapons = {owner: sum(each["weapons"] for each in fight["ships"] if each["owner"] == owner)
                   for owner in ("red", "green")}  # fmt: skip
        for shot in fight["shots"]:
            own = weapons["red" if shot["by"][0] == "R" else "green"]
            assert (shot["need"], shot["of"]) == (own, sum(weapons.values()))
    assert len({shot["of"] for fight in played.told("combat") for shot in fight["shots"]}) > 1


def test_unarmed_ships_do_not_fight() -> None:
    """Without a ship that can fire there is no combat."""
    state = world(ship("R101", SITE, "Terraformer"), ship("G101", SITE, "Terraformer"))

    assert not play(state).told("combat")


def test_dark_ships_are_out_of_combat() -> None:
    """A dark ship neither fires nor is fired at, and does not count."""
    state = world(ship("R101", SITE), dark("R102", SITE), ship("G101", SITE, "Terraformer"), dark("G102", SITE))

    fight = _first(play(state))

    assert [each["id"] for each in fight["ships"]] == ["G101", "R101"]
    assert set(_aims(fight)) == {("R101", "G101")}


def test_enemies_in_different_spaces_do_not_fight() -> None:
    """Combat is among ships in the same space."""
    assert not play(world(ship("R101", SITE), ship("G101", "J12+4"))).told("combat")


def test_shots_can_be_spread_over_targets() -> None:
    """A FIRE order with several targets deals the ship's shots out to them in turn, round and round."""
    state = world(ship("R101", SITE, "Basestar"), ship("G101", SITE), ship("G102", SITE), ship("C101", SITE))

    fight = _first(play(state, red="FIRE R101 AT G102 C101"))

    assert [at for by, at in _aims(fight) if by == "R101"] == ["G102", "C101", "G102", "C101", "G102"]


def test_doctrine_prefers_most_weapons_then_lowest_number() -> None:
    """Without orders ships shoot at the type with most weapons, then at the lowest number (ruling 18)."""
    prey = [ship("G300", SITE), ship("G200", SITE), ship("C100", SITE, "Scout")]

    fight = _first(play(world(ship("R101", SITE, "Scout"), *prey)))

    assert ("R101", "G200") in _aims(fight)


@pytest.mark.parametrize(
    ("doctrine", "target"),
    [
        ("Scout", "C150"),
        ("cyan", "C150"),
        ("Terraformer Scout", "G400"),
        ("blue Cruiser", "G200"),
        ("cyan green", "C150"),
    ],
)
def test_doctrine_can_be_set(doctrine: str, target: str) -> None:
    """TARGET names players and types in order of preference, for all ships without a FIRE order."""
    prey = [ship("G300", SITE), ship("G200", SITE), ship("G400", SITE, "Terraformer"), ship("C150", SITE, "Scout")]
    state = world(ship("R101", SITE, "Scout"), *prey, seats=("red", "green", "cyan", "blue"))

    fight = _first(play(state, red=f"TARGET {doctrine}"))

    assert ("R101", target) in _aims(fight)


def test_doctrine_spares_what_is_shot_at_enough() -> None:
    """A target with as many shots aimed at it as it has units is passed over, until all are (ruling 30)."""
    prey = [ship("G200", SITE, "Scout", drive=0, sensor=0), ship("G300", SITE, "Terraformer", drive=1, jump=0)]
    state = world(ship("R101", SITE, "Basestar"), ship("R102", SITE, "Basestar"), *prey)

    shots = [at for by, at in _aims(_first(play(state))) if by[0] == "R"]

    assert shots == ["G200"] * 3 + ["G300"] * 2 + ["G300", "G200", "G200", "G200", "G300"]


def test_an_order_at_an_absent_target_leaves_the_ship_to_doctrine() -> None:
    """All shots must be fired: where no target named is there, doctrine decides."""
    fight = _first(play(world(ship("R101", SITE), ship("G101", SITE)), red="FIRE R101 AT G999"))

    assert ("R101", "G101") in _aims(fight)


def test_a_new_ship_can_have_fire_orders() -> None:
    """A ship built this turn may be moved into a fight and have targets."""
    state = world(ship("G101", "J2+8", "Scout"), ship("G102", "J2+8", "Basestar"))

    played = play(state, red="BUILD Cruiser AT J1+9 / MOVE NEW1 S- / FIRE NEW1 AT G101")

    key = played.told("built", "red")[0]["ship"]
    assert [at for by, at in _aims(_first(played)) if by == key] == ["G101", "G101"]


def test_reports_go_to_all_who_were_there() -> None:
    """Each round's report goes to players with a ship there, not dark, as it begins, whether they fight or not."""
    state = world(ship("R101", SITE), ship("G101", SITE, "Terraformer"), ship("C101", SITE, "Terraformer"),
                  dark("B101", SITE), seats=("red", "green", "cyan", "blue"), allies=[("red", "cyan")])  # fmt: skip

    played = play(state)

    audiences = [event.audience for event in played.events if event.kind == "combat"]
    assert audiences[0] == {"red", "green", "cyan"}


def test_reports_tell_units_of_own_ships_only() -> None:
    """Of others' ships a report names neither weapons nor armor nor the units hit (ruling 38)."""
    played = play(world(ship("R101", SITE, "Basestar"), ship("G101", SITE, "Terraformer")))

    fight, victims = (_reports(played, seat)[0] for seat in ("red", "green"))

    assert [sorted(each) for each in fight["ships"]] == [
        ["damage", "id", "owner", "type"],
        ["armor", "damage", "id", "owner", "type", "weapons"],
    ]
    assert {shot["unit"] for shot in fight["shots"]} == {None}
    assert {shot["unit"] for shot in victims["shots"]} == {"drive", "jump", "system", "terraform"}


def test_a_ship_gone_dark_looks_like_one_destroyed() -> None:
    """Others see that a ship vanished; only its owner is told how (ruling 38)."""
    for how in ("dark", "destroyed"):
        played = _until(how)

        assert _reports(played, "red")[-1]["lost"] == [{"ship": "G101", "how": "vanished"}]
        assert _reports(played, "green")[-1]["lost"] == [{"ship": "G101", "how": how}]


def test_dice_of_one_fight_do_not_touch_another() -> None:
    """The same fight has the same dice whatever is fought elsewhere."""
    fight = ship("R101", SITE), ship("G101", SITE)
    other = ship("R201", "C12+1", "Basestar"), ship("C201", "C12+1", "Basestar")

    here = [each for each in play(world(*fight, *other)).told("combat") if each["space"] == SITE]

    assert here == play(world(*fight)).told("combat")


def test_the_turn_has_its_own_dice() -> None:
    """The same fight in another turn has other dice."""
    state = world(ship("R101", SITE), ship("G101", SITE))

    assert _first(play(state, dice=DICE)) != _first(play(state, dice=DICE.within("another")))
