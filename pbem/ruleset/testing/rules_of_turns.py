"""How a game's turns are resolved: repeatably, in any order of arrival, to an end."""

from __future__ import annotations

import os

from pbem.archive.record import turn_dice
from pbem.ruleset.protocol import TurnInput
from pbem.ruleset.serialization import canonical
from pbem.ruleset.testing.held import Held, in_a_process, rule
from pbem.ruleset.testing.play import (
    SEED,
    Game,
    Step,
    fingerprint,
    games,
    other_games,
    standard_game,
    through_json,
)


class TurnRules(Held):
    """How a game's turns are resolved: repeatably, in any order of arrival, to an end."""

    @rule(
        "Make load(dump(state)) equal the state, at any turn: no floats, no sets without order, no keys "
        "that are not strings. With frozen dataclasses BaseRuleset does it."
    )
    def test_a_state_survives_storage_each_turn(self) -> None:
        """What is loaded from a stored state is that state, to the byte, at every turn."""
        for game in games(self.ruleset):
            for state, _ in game.worlds():
                data = self.ruleset.dump(state)
                loaded = self.ruleset.load(through_json(data), self.ruleset.version)
                assert loaded == state
                assert canonical(self.ruleset.dump(loaded)) == canonical(data)

    @rule("Use no chance but the dice, no clock, no memory between calls; sort before you act.")
    def test_resolving_twice_gives_the_same_bytes(self) -> None:
        """The same state, orders and dice give the same next state and events, also from storage."""
        for game in games(self.ruleset):
            for step in _some(game):
                stored = self.ruleset.load(through_json(self.ruleset.dump(step.state)), self.ruleset.version)
                after, events = self.ruleset.resolve(stored, step.turn, turn_dice(SEED, step.number))
                assert canonical(self.ruleset.dump(after)) == canonical(self.ruleset.dump(step.after))
                assert events == step.events

    @rule("Return a new state (dataclasses.replace) and change nothing of the one given.")
    def test_resolving_leaves_its_input_alone(self) -> None:
        """A resolver that altered the old state would spoil rerun and replay."""
        for game in games(self.ruleset):
            for step in _some(game):
                before = canonical(self.ruleset.dump(step.state)), repr(step.turn)
                self.ruleset.resolve(step.state, step.turn, turn_dice(SEED, step.number))
                assert (canonical(self.ruleset.dump(step.state)), repr(step.turn)) == before

    @rule("Go through turn.orders sorted by seat, or in the order of seats of the state, never as they come.")
    def test_the_order_of_arrival_does_not_matter(self) -> None:
        """Whose sheet came first decides nothing."""
        for game in games(self.ruleset):
            for step in _some(game):
                late_first = TurnInput(
                    dict(reversed(list(step.turn.orders.items()))), step.turn.missing, step.turn.removed
                )
                after, events = self.ruleset.resolve(step.state, late_first, turn_dice(SEED, step.number))
                assert canonical(self.ruleset.dump(after)) == canonical(self.ruleset.dump(step.after))
                assert events == step.events

    @rule(
        "Let standing await at least one seat while the game runs, and none when it is over, with a "
        "reason then and only then; winners are seats, and whoever is awaited is told."
    )
    def test_seats_are_awaited_until_the_game_is_over(self) -> None:
        """A running game always awaits someone at the table; a finished one nobody, and it has a reason."""
        for game in games(self.ruleset):
            for state, _ in game.worlds():
                standing = self.ruleset.standing(state)
                assert standing.over == (not standing.awaiting)
                assert standing.awaiting <= set(game.seats)
                assert set(standing.winners) <= set(game.seats)
                assert standing.told is None or standing.awaiting <= standing.told <= set(game.seats)
                assert bool(standing.reason) == standing.over

    @rule("Take the seats of turn.removed out of play, and end the game if none can go on.")
    def test_a_removed_seat_is_awaited_no_more(self) -> None:
        """When the GM takes a seat out, the game goes on without it or ends."""
        game = standard_game(self.ruleset)
        seat, step = game.seats[-1], game.steps[0]
        orders = {other: sheet for other, sheet in step.turn.orders.items() if other != seat}

        after, _ = self.ruleset.resolve(
            step.state, TurnInput(orders, removed=frozenset({seat})), turn_dice(SEED, step.number)
        )

        assert seat not in self.ruleset.standing(after).awaiting

    @rule("Let the bot write only what its view allows, and no lines when it is not awaited.")
    def test_the_standard_bot_writes_only_lines_that_are_taken(self) -> None:
        """The bot plays like a player who reads his receipts: no line of it is ever refused."""
        for game in (standard_game(self.ruleset), *other_games(self.ruleset)):
            for step in game.steps:
                assert {seat: parsed.errors for seat, parsed in step.parsed.items() if parsed.errors} == {}

    @rule("Sort every set before you go through it, and call neither hash() nor id(): something depends on them.")
    def test_no_hash_seed_changes_a_game(self) -> None:
        """A game that depended on the order of a set would differ between processes."""
        other = "1" if os.environ.get("PYTHONHASHSEED") == "0" else "0"

        printed, faults = in_a_process("pbem.ruleset.testing.play", self.ruleset, hash_seed=other).communicate()

        assert printed == fingerprint(games(self.ruleset)), faults[-2_000:]


def _some(game: Game) -> tuple[Step, ...]:
    """The first steps of a game and some later ones."""
    return game.steps[:5] + game.steps[5::6]
