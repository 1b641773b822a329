"""How a game's turns are resolved: repeatably, in any order of arrival, to an end."""

from __future__ import annotations

import os
import subprocess
import sys

from pbem.archive import turn_dice
from pbem.ruleset import AnyRuleset, TurnInput, canonical
from tests.conformance.games import ROOT
from tests.conformance.play import SEED, Game, Step, fingerprint, games, other_games, standard_game, through_json


def _some(game: Game) -> tuple[Step, ...]:
    """The first steps of a game and some later ones."""
    return game.steps[:5] + game.steps[5::6]


def test_a_state_survives_storage_each_turn(ruleset: AnyRuleset) -> None:
    """What is loaded from a stored state is that state, to the byte, at every turn."""
    for game in games(ruleset.key):
        for state, _ in game.worlds():
            data = ruleset.dump(state)
            loaded = ruleset.load(through_json(data), ruleset.version)
            assert loaded == state
            assert canonical(ruleset.dump(loaded)) == canonical(data)


def test_resolving_twice_gives_the_same_bytes(ruleset: AnyRuleset) -> None:
    """The same state, orders and dice give the same next state and events, also from storage."""
    for game in games(ruleset.key):
        for step in _some(game):
            stored = ruleset.load(through_json(ruleset.dump(step.state)), ruleset.version)
            after, events = ruleset.resolve(stored, step.turn, turn_dice(SEED, step.number))
            assert canonical(ruleset.dump(after)) == canonical(ruleset.dump(step.after))
            assert events == step.events


def test_resolving_leaves_its_input_alone(ruleset: AnyRuleset) -> None:
    """A resolver that altered the old state would spoil rerun and replay."""
    for game in games(ruleset.key):
        for step in _some(game):
            before = canonical(ruleset.dump(step.state)), repr(step.turn)
            ruleset.resolve(step.state, step.turn, turn_dice(SEED, step.number))
            assert (canonical(ruleset.dump(step.state)), repr(step.turn)) == before


def test_the_order_of_arrival_does_not_matter(ruleset: AnyRuleset) -> None:
    """Whose sheet came first decides nothing."""
    for game in games(ruleset.key):
        for step in _some(game):
            late_first = TurnInput(dict(reversed(list(step.turn.orders.items()))), step.turn.missing, step.turn.removed)
            after, events = ruleset.resolve(step.state, late_first, turn_dice(SEED, step.number))
            assert canonical(ruleset.dump(after)) == canonical(ruleset.dump(step.after))
            assert events == step.events


def test_seats_are_awaited_until_the_game_is_over(ruleset: AnyRuleset) -> None:
    """A running game always awaits someone at the table; a finished one nobody, and it has a reason."""
    for game in games(ruleset.key):
        for state, _ in game.worlds():
            standing = ruleset.standing(state)
            assert standing.over == (not standing.awaiting)
            assert standing.awaiting <= set(game.seats)
            assert set(standing.winners) <= set(game.seats)
            assert standing.told is None or standing.awaiting <= standing.told <= set(game.seats)
            assert bool(standing.reason) == standing.over


def test_a_removed_seat_is_awaited_no_more(ruleset: AnyRuleset) -> None:
    """When the GM takes a seat out, the game goes on without it or ends."""
    game = standard_game(ruleset.key)
    seat, step = game.seats[-1], game.steps[0]
    orders = {other: sheet for other, sheet in step.turn.orders.items() if other != seat}

    after, _ = ruleset.resolve(step.state, TurnInput(orders, removed=frozenset({seat})), turn_dice(SEED, step.number))

    assert seat not in ruleset.standing(after).awaiting


def test_the_standard_bot_writes_only_lines_that_are_taken(ruleset: AnyRuleset) -> None:
    """The bot plays like a player who reads his receipts: no line of it is ever refused."""
    for game in (standard_game(ruleset.key), *other_games(ruleset.key)):
        for step in game.steps:
            assert {seat: parsed.errors for seat, parsed in step.parsed.items() if parsed.errors} == {}


def test_no_hash_seed_changes_a_game(ruleset: AnyRuleset) -> None:
    """A game that depended on the order of a set would differ between processes."""
    other = "1" if os.environ.get("PYTHONHASHSEED") == "0" else "0"
    command = [sys.executable, "-m", "tests.conformance.play", ruleset.key]

    there = subprocess.run(
        command, env={**os.environ, "PYTHONHASHSEED": other}, cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert there.stdout == fingerprint(games(ruleset.key))
