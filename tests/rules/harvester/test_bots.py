"""The bots, judged by the sheets they write."""

from __future__ import annotations

import pytest

from pbem.ruleset import Dice, Event, SeatName
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.state import State
from tests.rules.harvester.table import new_game, position, read, ruler, turn, view, where


def sheet(state: State, seat: SeatName, name: str = "standard", events: tuple[Event, ...] = ()) -> list[str]:
    """Return the sheet of a bot."""
    return RULESET.bots[name](view(state, seat, events), Dice(b"bot").within(state.turn, seat))


def test_the_bot_goes_for_the_nearest_field() -> None:
    """Its Harvester is sent to the nearest resource that its scanners tell of."""
    state = position(resources={(0, 2): 1, (4, 0): 3})

    assert sheet(state, "ann")[0] == "TARGET 0 2"


def test_the_bots_guard_goes_with_the_harvester() -> None:
    """General and a Lieutenant arrive in the hex where the Harvester arrives."""
    state = position({"ann": {"H": (0, 0), "G": (0, 0), "L1": (0, 0)}}, resources={(2, 0): 1})

    after, _ = turn(state, {"ann": sheet(state, "ann")})

    assert where(after, "ann", "G") == where(after, "ann", "L1") == where(after, "ann", "H") == (1, 0)


def test_a_full_harvester_rests() -> None:
    """A full Harvester gets no target."""
    state = position(resources={(0, 2): 1}, held={"ann": 20})

    assert not [line for line in sheet(state, "ann") if line.startswith("TARGET")]


def test_the_bot_rebuilds() -> None:
    """Lost units are replaced as soon as there is enough for one."""
    assert "BUILD C1" in sheet(position(held={"ann": 1}), "ann")


def test_the_bots_pack_hunts_what_is_weak() -> None:
    """The pack conquers a foreign Harvester whose guard it outfights."""
    pack = {"L2": (1, 0), "S1": (1, 0), "S2": (1, 0)}
    state = position({"ann": {"H": (0, 0), "C1": (2, 0), **pack}, "bob": {"H": (3, 0), "G": (3, 0)}})

    after, _ = turn(state, {"ann": sheet(state, "ann")})

    assert ruler(after, "bob") == "ann"


def test_the_bots_pack_leaves_the_strong_alone() -> None:
    """A guard that is stronger is not attacked."""
    state = position({"ann": {"H": (0, 0), "C1": (2, 0), "S1": (1, 0)}, "bob": {"H": (3, 0), "G": (3, 0)}})

    after, _ = turn(state, {"ann": sheet(state, "ann")})

    assert where(after, "ann", "S1") is not None


def test_a_scout_watches_what_it_found() -> None:
    """A Scout stays beside a foreign Harvester."""
    state = position({"ann": {"C1": (2, 0)}, "bob": {"H": (3, 0), "G": (3, 0)}})

    assert not [line for line in sheet(state, "ann") if line.startswith("MOVE C1")]


@pytest.mark.in_turn
@pytest.mark.sampled(1)
@pytest.mark.parametrize("options", [{}, {"crags": 15, "dust": 10}, {"density": 5}], ids=str)
def test_a_game_of_bots_ends_and_every_line_is_taken(options: dict[str, int]) -> None:
    """Four bots play until one rules all, and none of their lines is refused."""
    state, events = new_game(4, **options), ()  # type: State, tuple[Event, ...]
    while not RULESET.standing(state).over and state.turn < 400:
        sheets = {seat: sheet(state, seat, events=events) for seat in sorted(RULESET.standing(state).awaiting)}
        state, events = turn(state, sheets)

    assert len(RULESET.standing(state).winners) == 1


def test_the_random_bot_writes_what_can_be_read() -> None:
    """Its lines are well-formed; they are refused for their meaning alone."""
    state = new_game()

    found = {each.code for seat in state.seats for each in read(state, seat, *sheet(state, seat, "random")).errors}

    assert found <= {
        "no-resource",
        "there-already",
        "too-far",
        "has-order",
        "only-one",
        "too-dear",
        "unknown-name",
        "not-a-number",
    }


def test_the_bots_pack_fights_as_one() -> None:
    """Near its prey a scattered pack gathers at its Lieutenant first, and only together it attacks."""
    guard = {"H": (4, 0), "G": (4, 0), "L1": (4, 0)}
    state = position(
        {"ann": {"H": (0, 0), "C1": (3, 0), "L2": (2, 0), "S1": (2, 0), "S2": (1, 0), "S3": (2, 1)}, "bob": guard}
    )
    after, events = turn(state, {"ann": sheet(state, "ann")})
    assert {where(after, "ann", unit) for unit in ("L2", "S1", "S2", "S3")} == {(2, 0)}

    again, _ = turn(after, {"ann": sheet(after, "ann", events=events)})
    assert ruler(again, "bob") == "ann"


def test_the_bot_follows_a_harvester_that_it_has_lost() -> None:
    """The pack goes where a foreign Harvester was seen last, and two Scouts too."""
    state = position({"ann": {"H": (0, 0), "L2": (0, 0), "C1": (0, 0), "C2": (0, 0)}, "bob": {"H": (0, 5)}})
    seen = {**view(state, "ann", ()), "memory": {"foes": [[5, 0, "bob", "H", state.turn - 1]]}}

    assert RULESET.bots["standard"](seen, Dice(b"bot"))[-3:] == ["MOVE L2 E E", "MOVE C1 E E E E", "MOVE C2 E E E E"]
