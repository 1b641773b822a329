"""Bots play from the view, by the lines a person types."""

from __future__ import annotations

import functools

import pytest

from pbem.ruleset import Dice, Event, TurnInput
from rules.singularity_trap import RULESET
from rules.singularity_trap.chart import COLOURS
from rules.singularity_trap.state import State
from tests.rules.singularity_trap.builders import lines, play, ship, view, world

CAP = 60


@functools.cache
def _campaign(players: int) -> tuple[State, frozenset[str]]:
    """A campaign of standard bots to its end or to the cap, and the kinds of events in it."""
    dice, seen, events = Dice(b"bots"), set[str](), tuple[Event, ...]()
    state = RULESET.setup({}, COLOURS[:players], dice)
    while not RULESET.standing(state).over and state.turn < CAP:
        views = dict(RULESET.views(state, state.seats, events))
        orders = {}
        for seat in sorted(state.awaited):
            sheet = RULESET.bots["standard"](views[seat], dice.scoped("bot", state.turn, seat))
            parsed = RULESET.parse(views[seat], lines("\n".join(sheet)))
            assert not parsed.errors
            orders[seat] = parsed.orders
        state, events = RULESET.resolve(state, TurnInput(orders), dice.scoped("turn", state.turn))
        seen |= {event.kind for event in events}
    return state, frozenset(seen)


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_bots_bring_a_campaign_to_its_end(players: int) -> None:
    """Standard bots finish campaigns of every size with a winner."""
    state, _ = _campaign(players)

    assert RULESET.standing(state).winners


def test_bots_use_the_game() -> None:
    """They build, move, fight, capture, terraform, repair and maintain."""
    _, seen = _campaign(4)

    assert seen >= {"built", "moved", "combat", "captured", "terraformed", "repaired", "maintained", "holding"}


def test_bots_form_factions() -> None:
    """In a game of six they ally by threes, and declare when they hold enough."""
    _, seen = _campaign(6)

    assert "alliance" in seen


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


def test_a_bot_out_of_the_game_is_silent() -> None:
    """Who is not asked writes nothing."""
    left = play(world(), red="RESIGN CONFIRM").state

    assert RULESET.bots["standard"](view(left, "red"), Dice(b"y")) == []


def test_the_random_bot_never_resigns() -> None:
    """It writes lines of all other kinds."""
    shown = view(world(ship("R101", "J10"), ship("G101", "J10")), "red")

    written = [line for turn in range(60) for line in RULESET.bots["random"](shown, Dice(b"%d" % turn))]

    assert {line.split()[0] for line in written} == {verb.word for verb in RULESET.orders.verbs} - {"RESIGN"}
