"""Bots play from the view, by the lines a person types."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence

import pytest

from pbem.ruleset import Dice, Event, TurnInput
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.chart import COLOURS
from pbem_rules.singularity_trap.state import State, pair
from tests.rules.singularity_trap.builders import at, dark, given, lines, play, ship, view, world
from tests.rules.singularity_trap.rushing import duels, rusher

CAP = 60


@functools.cache
def _campaign(players: int) -> tuple[State, frozenset[str]]:
    """Play a campaign of standard bots to its end or to the cap; return it with the kinds of events in it."""
    dice, seen, events = Dice(b"bots"), set[str](), tuple[Event, ...]()
    state = RULESET.setup({}, COLOURS[:players], dice)
    while not RULESET.standing(state).over and state.turn < CAP:
        views = dict(RULESET.views(state, state.seats, events))
        orders = {}
        for seat in sorted(state.awaited):
            sheet = RULESET.bots["standard"](views[seat], dice.within("bot", state.turn, seat))
            parsed = RULESET.parse(views[seat], lines("\n".join(sheet)))
            assert not parsed.errors
            orders[seat] = parsed.orders
        state, events = RULESET.resolve(state, TurnInput(orders), dice.within("turn", state.turn))
        seen |= {event.kind for event in events}
    return state, frozenset(seen)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_bots_bring_a_campaign_to_its_end(players: int) -> None:
    """Standard bots finish campaigns of every size with a winner."""
    state, _ = _campaign(players)

    assert RULESET.standing(state).winners


@pytest.mark.in_turn
def test_bots_use_the_game() -> None:
    """They build, move, fight, capture, terraform, repair, maintain, jump, hide and ally, and declare factions."""
    seen = _campaign(3)[1] | _campaign(6)[1]

    assert seen >= {"built", "moved", "combat", "captured", "terraformed", "repaired", "maintained"}
    assert seen >= {"charted", "hidden", "alliance", "declared"}


@pytest.mark.in_turn
def test_the_bot_beats_a_rusher() -> None:
    """Of a dozen duels with a player who only rushes it wins nine at the least; bench/trap_bots.py plays more."""
    assert sum(duels(RULESET.bots["standard"], rusher, 12)) >= 9


def _sheet(state: State, seat: str = "red", events: Sequence[Event] = ()) -> list[str]:
    """Return the bot's sheet, which must be free of errors."""
    shown = view(state, seat, events)
    sheet = RULESET.bots["standard"](shown, Dice(b"y"))
    assert not RULESET.parse(shown, lines("\n".join(sheet))).errors
    return sheet


def test_the_bot_puts_a_basestar_where_raids_are_to_be_feared() -> None:
    """It does so once it has three cruisers, and enemies took a planet nearby."""
    raid = Event("captured", frozenset(RULESET.seats.names),
                 {"space": "J7+3", "name": "red-inner", "was": "red", "now": "green"})  # fmt: skip
    state = world(*(ship(f"R10{n}", "J1+9") for n in range(3)), points=20)

    assert "BUILD Basestar AT J1+9" in _sheet(state, events=[raid])
    assert not [line for line in _sheet(state) if "Basestar AT" in line]


def test_the_bot_hides_what_cannot_fight() -> None:
    """A terraformer beside an enemy goes dark, and is not repaired before the enemy is gone."""
    foe, eyes, home = ship("G101", "J2+9"), ship("R102", "J1+9", "Scout"), {"J1+9": "gray"}
    bright, gone = ship("R101", "J1+9", "Terraformer"), dark("R101", "J1+9", "Terraformer")

    assert "HIDE R101" in _sheet(world(bright, foe, colours=home))
    assert "REPAIR R101" not in _sheet(world(gone, foe, eyes, colours=home))
    assert "REPAIR R101" in _sheet(world(gone, eyes, colours=home))


def test_the_bot_tries_out_jumps_and_uses_those_it_knows() -> None:
    """A scout with nothing to take jumps into the unknown; one with a chart takes it where it leads to a prize."""
    state = world(ship("R101", "A10", "Scout"), points=0)
    charted = dataclasses.replace(state.players["red"], charts=((at("A10"), at("J7+4")),))
    knowing = dataclasses.replace(state, players={**state.players, "red": charted})

    assert "MOVE R101 JUMP" in _sheet(state)
    assert "MOVE R101 JUMP DOWN" in _sheet(knowing)


def test_the_bot_allies_where_it_pays() -> None:
    """It allies with its partner by the wheel, and with all others while one of them is far ahead."""
    even = world(seats=COLOURS[:4])

    assert [line for line in _sheet(even) if "ALLY" in line] == ["ALLY green YES"]
    assert [line for line in _sheet(given(even, 15, "yellow")) if "ALLY" in line] == ["ALLY green YES", "ALLY cyan YES"]


def test_the_bot_declares_what_holds() -> None:
    """It declares the smallest faction that is enough; with two allies and planets enough an empire."""
    two = given(world(seats=COLOURS, allies=[("red", "green")]), 25, "red")
    friends = [("red", "green"), ("red", "blue")]
    three = dataclasses.replace(two, allies=frozenset(pair(a, b) for a, b in friends))
    three = given(given(given(three, 26, "blue"), 20, "green"), 13, "red")

    assert _sheet(two)[0] == "DECLARE FACTION WITH green"
    assert _sheet(three)[0] == "DECLARE EMPIRE WITH green blue"


def test_the_first_turn_of_a_bot() -> None:
    """With ten points it builds a warship and sends it to a planet in the same turn."""
    state = RULESET.setup({}, ("red", "cyan"), Dice(b"x"))
    sheet = RULESET.bots["standard"](view(state, "red"), Dice(b"y"))

    played = play(state, red="\n".join(sheet))

    assert played.told("built", "red")
    assert played.told("captured")[0]["now"] == "red"


def test_a_bot_answers_every_section() -> None:
    """At pace "section" it writes only what the section takes."""
    state = world(ship("R101", "J3+7", weapons=1), seats=("red", "cyan"), pace="section")
    for _ in range(4):
        sheet = RULESET.bots["standard"](view(state, "red"), Dice(b"y"))
        assert not RULESET.parse(view(state, "red"), lines("\n".join(sheet))).errors
        state = play(state, red="\n".join(sheet)).state


def test_the_random_bot_never_resigns() -> None:
    """It writes lines of all other kinds."""
    shown = view(world(ship("R101", "J10"), ship("G101", "J10")), "red")

    written = [line for turn in range(60) for line in RULESET.bots["random"](shown, Dice(b"%d" % turn))]

    assert {line.split()[0] for line in written} == {verb.word for verb in RULESET.orders.verbs} - {"RESIGN"}
