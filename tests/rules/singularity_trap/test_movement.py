"""The movement section (rulebook, section B; rulings 11 to 15)."""

from __future__ import annotations

import pytest

from pbem.ruleset import Dice
from pbem_rules.singularity_trap.movement import jump_exit
from pbem_rules.singularity_trap.space import StarMap
from pbem_rules.singularity_trap.state import Ship
from tests.rules.singularity_trap.builders import BOARD, DICE, Played, at, dark, play, ship, world


def _place(played: Played, key: str = "R101") -> str:
    return BOARD.name(played.ship(key).space)


def _refusal(played: Played) -> str:
    return str(played.told("refused", "red")[0]["why"])


@pytest.mark.parametrize(
    ("way", "end"),
    [
        ("N", "J9+0"),
        ("SE+ SE+", "L10+2"),
        ("UP DOWN", "J10+0"),
        ("SLIP NE- 3", "M7-3"),
        ("SLIP NE- 3 N+ UP", "M6-1"),
        ("SLIP S 3 S S S", "J16+0"),
        ("SLIP DOWN", "J10-1"),
    ],
)
def test_slip_and_warp_add_vectors(way: str, end: str) -> None:
    """A slip goes some spaces along one vector; each warp goes one space along any vector."""
    assert _place(play(world(ship("R101", "J10")), red=f"MOVE R101 {way}")) == end


def test_several_ships_move_by_one_line() -> None:
    """Ships joined by strokes all make the same move."""
    played = play(world(ship("R101", "J10"), ship("R102", "J12")), red="MOVE R101/R102 N")

    assert (_place(played), _place(played, "R102")) == ("J9+0", "J11+0")


@pytest.mark.parametrize(
    ("mover", "way", "why"),
    [
        (ship("R101", "J10", drive=2), "N N N", "R101 has drive for 2 warps and jumps, not 3"),
        (ship("R101", "J10", drive=2), "SLIP N 3", "R101 can slip 2 spaces, not 3"),
        (ship("R101", "J10", slip=0), "SLIP N 1", "R101 has no undamaged slip unit"),
        (ship("R101", "J10", "Scout"), "SLIP N 1", "R101 has no undamaged slip unit"),
        (ship("R101", "J10", "Scout", jump=0), "JUMP", "R101 has no undamaged jump unit"),
        (ship("R101", "J10"), "JUMP", "R101 has no undamaged jump unit"),
        (ship("R101", "J10", drive=0), "N", "R101 has no drive unit left"),
        (ship("R101", "J10", drive=0), "STAY", "R101 has no drive unit left"),
        (dark("R101", "J10"), "N", "R101 is dark"),
    ],
)
def test_moves_beyond_a_ships_units_are_refused(mover: Ship, way: str, why: str) -> None:
    """A drive unit powers one warp or jump, and one space of slip; slip and jump need units; dark ships stay."""
    played = play(world(mover), red=f"MOVE R101 {way}")

    assert _place(played) == "J10+0"
    assert _refusal(played) == why


def test_slip_uses_no_drive() -> None:
    """After a slip of 3 a ship with 3 drive units still has 3 warps."""
    assert _place(play(world(ship("R101", "J10")), red="MOVE R101 SLIP N 3 N N N")) == "J4+0"


def test_jumps_and_warps_mix() -> None:
    """A ship with a jump unit orders any mixture of warps and jumps."""
    played = play(world(ship("R101", "J10", "Scout")), red="MOVE R101 N JUMP")

    assert [leg["how"] for leg in played.told("moved", "red")[0]["legs"]] == ["warp", "jump"]
    assert played.ship("R101").space == jump_exit(DICE, BOARD, at("J9"))


def test_a_jump_leads_to_the_same_space_for_everyone_for_good() -> None:
    """The exit of a jump from a space is drawn for the campaign, not for the turn or the player (ruling 14)."""
    exits = {jump_exit(dice, BOARD, at("J10")) for dice in (DICE, DICE.within("turn", 1), DICE.within("turn", 9))}

    assert len(exits) == 1
    assert exits != {jump_exit(Dice(b"another campaign"), BOARD, at("J10"))}


def test_a_jump_never_ends_where_it_began() -> None:
    """Every jump leads to another space of the board, and jumps lead nearly everywhere."""
    ends = {space: jump_exit(DICE, BOARD, space) for space in BOARD.spaces()}

    assert all(BOARD.has(end) and end != space for space, end in ends.items())
    assert len(set(ends.values())) > 3_000
    assert any(ends[end] != space for space, end in ends.items())
    tiny = StarMap(1, 1)
    assert all(jump_exit(Dice(bytes([seed])), tiny, (0, 0, 1)) != (0, 0, 1) for seed in range(99))


def test_jumps_are_one_way() -> None:
    """The space jumped into has a jump of its own, which does not lead back."""
    there = play(world(ship("R101", "J10", "Scout")), red="MOVE R101 JUMP").state

    played = play(there, red="MOVE R101 JUMP")

    assert _place(played) not in ("J10+0", BOARD.name(there.ships["R101"].space))
    assert len(played.state.players["red"].charts) == 2


def test_a_jump_is_charted_once() -> None:
    """A jump made is listed in that player's charts."""
    first = play(world(ship("R101", "J10", "Scout"), ship("R102", "J10", "Scout")), red="MOVE R101/R102 JUMP")

    end = BOARD.name(jump_exit(DICE, BOARD, at("J10")))
    assert first.told("charted") == [{"entry": "J10+0", "exit": end}]
    assert first.state.players["red"].charts == ((at("J10"), at(end)),)
    assert not first.state.players["green"].charts


def test_a_step_off_the_map_is_invalid() -> None:
    """A move off the map ends at the last space on it; the segments after it are lost."""
    played = play(world(ship("R101", "J2+9")), red="MOVE R101 N N S")

    assert _place(played) == "J1+9"
    assert played.told("stopped", "red") == [{"ship": "R101", "space": "J1+9", "why": "invalid"}]


def test_levels_end_at_nine() -> None:
    """Levels go from -9 to 9."""
    assert play(world(ship("R101", "J10+9")), red="MOVE R101 UP").told("stopped", "red")[0]["why"] == "invalid"


def test_a_stationary_enemy_ends_the_move() -> None:
    """An encounter with a stationary ship of a player who is no ally ends the move at the end of that segment."""
    played = play(world(ship("R101", "J10"), ship("G101", "J9", weapons=0)), red="MOVE R101 N N")

    assert played.told("moved", "red")[0]["end"] == "J9+0"
    assert played.told("stopped", "red") == [{"ship": "R101", "space": "J9+0", "why": "static"}]


def test_a_slip_passes_over_what_is_on_its_way() -> None:
    """Only the end of a slip can meet anything."""
    played = play(world(ship("R101", "J10"), ship("G101", "J9")), red="MOVE R101 SLIP N 2")

    assert _place(played) == "J8+0"


def test_a_stationary_ally_does_not_interrupt() -> None:
    """Allies' stationary ships let each other pass."""
    state = world(ship("R101", "J10"), ship("G101", "J9"), allies=[("red", "green")])

    assert _place(play(state, red="MOVE R101 N N")) == "J8+0"


def test_a_dark_ship_does_not_interrupt() -> None:
    """Dark ships are dark, not stationary."""
    assert _place(play(world(ship("R101", "J10"), dark("G101", "J9")), red="MOVE R101 N N")) == "J8+0"


def test_moving_ships_do_not_stop_each_other() -> None:
    """Two enemies under way pass through each other, even where both end a segment."""
    state = world(ship("R101", "J10"), ship("G101", "J8"))

    played = play(state, red="MOVE R101 N N N", green="MOVE G101 S S S")

    assert (_place(played), _place(played, "G101")) == ("J7+0", "J11+0")


def test_a_move_that_goes_nowhere_is_a_move() -> None:
    """A ship ordered to move without change of position is moving, not stationary, so it stops no other (ruling 11)."""
    state = world(ship("R101", "J10"), ship("G101", "J9", drive=1))

    played = play(state, red="MOVE R101 N N", green="MOVE G101 STAY")

    assert _place(played) == "J8+0"
    assert played.told("moved", "green") == [
        {"ship": "G101", "legs": [{"how": "stay", "space": "J9+0"}], "end": "J9+0"}
    ]


def test_a_ship_in_an_encounter_cannot_move() -> None:
    """A ship with a non-dark ship of no ally in its space as movement begins is pinned, and so stationary."""
    state = world(ship("R101", "J10", weapons=0), ship("G101", "J10", "Terraformer"), ship("C101", "J11"))

    played = play(state, red="MOVE R101 N", cyan="MOVE C101 N N")

    assert _refusal(played) == "R101 is in an encounter"
    assert played.told("stopped", "cyan")[0]["why"] == "static"


@pytest.mark.parametrize("allies", [[("red", "green")], []])
def test_allies_and_dark_ships_pin_nobody(allies: list[tuple[str, str]]) -> None:
    """Only ships that are neither dark nor an ally's make an encounter."""
    other = ship("G101", "J10") if allies else dark("G101", "J10")

    assert _place(play(world(ship("R101", "J10"), other, allies=allies), red="MOVE R101 N")) == "J9+0"


def test_a_dark_ship_repaired_pins_the_other_fleet() -> None:
    """A dark ship that survived can be repaired in its enemy's midst and so hold the enemy in place."""
    state = world(ship("R101", "J10", weapons=0), dark("G101", "J10", "Terraformer"))

    played = play(state, red="MOVE R101 N", green="REPAIR G101 system")

    assert _refusal(played) == "R101 is in an encounter"


def test_segments_are_simultaneous() -> None:
    """All do their first segment before any does its second; a ship is stationary, or not, all the section."""
    state = world(ship("R101", "J10"), ship("G101", "J8"), ship("C101", "J7", weapons=0))

    played = play(state, red="MOVE R101 N N N", green="MOVE G101 SE SE SE")

    assert played.told("stopped", "red") == [{"ship": "R101", "space": "J7+0", "why": "static"}]


def test_of_two_moves_the_later_counts() -> None:
    """A later line for the same ship replaces the earlier one (ruling 28)."""
    assert _place(play(world(ship("R101", "J10")), red="MOVE R101 N / MOVE R101 S")) == "J11+0"


def test_an_order_for_a_ship_that_is_gone_is_refused() -> None:
    """A ship scrapped on the same sheet does not move."""
    assert _refusal(play(world(ship("R101", "J10")), red="SCRAP R101 / MOVE R101 N")) == "R101 is no more"
