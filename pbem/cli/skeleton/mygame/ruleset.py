"""The ruleset of My Game; `BaseRuleset` has defaults for everything else."""

from collections.abc import Mapping, Sequence
from typing import Any

from pbem.ruleset import BaseRuleset, Dice, Event, Option, SeatName, Seats, Standing, View

from mygame.orders import ORDERS
from mygame.state import Player, State
from mygame.turn import resolve
from mygame.view import known, pictures, text_map, turn_summary, without_orders


class MyGame(BaseRuleset[State]):
    """A tiny game of hidden choices."""

    key = "mygame"
    title = "My Game"
    designer = "Ann Example"
    summary = "Hide your lantern in a cave, and look for those of the others."
    seats = Seats(2, 6)
    orders = ORDERS
    options = (
        Option("turns", "int", 8, "turns to play", low=1, high=30),
        Option("caves", "int", 12, "caves in the hill", low=6, high=30),
    )

    resolve = staticmethod(resolve)
    turn_summary = staticmethod(turn_summary)
    without_orders = staticmethod(without_orders)
    pictures = staticmethod(pictures)
    text_map = staticmethod(text_map)

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> State:
        """Return the first state: each lantern in a random cave, which two may share (rule 1)."""
        caves = options["caves"]
        players = {seat: Player(dice.roll(caves, "lantern", seat)) for seat in seats}
        return State(turn=1, turns=options["turns"], caves=caves, players=players)

    def view(self, state: State, seat: SeatName, events: Sequence[Event]) -> View:
        """Return the view of a seat: its heading, and what it knows."""
        label = f"turn {min(state.turn, state.turns)}" + (", the end" if state.over else "")
        return {**self.heading(state, seat, events, label), **known(state, seat)}

    def standing(self, state: State) -> Standing:
        """Return the standing: all who play are awaited each turn; most points win (rule 5)."""
        scores = {seat: player.score for seat, player in state.players.items()}
        if not state.over:
            return Standing(over=False, awaiting=state.playing, scores=scores)
        best = max((scores[seat] for seat in state.playing), default=0)
        winners = tuple(seat for seat in sorted(state.playing) if scores[seat] == best)
        return Standing(over=True, awaiting=frozenset(), scores=scores, winners=winners, reason="most lanterns found")
