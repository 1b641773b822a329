"""Bubble Singularity through the door of the ruleset contract."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pbem.ruleset import (
    Bot,
    Dice,
    Event,
    Json,
    Option,
    Order,
    Parsed,
    Picture,
    Seat,
    Seats,
    SetupError,
    Standing,
    TurnInput,
    View,
)
from rules.bubble_singularity import beginning, bots, picture, sheet, textmap, turn
from rules.bubble_singularity.events import ENDS
from rules.bubble_singularity.orders import ORDERS
from rules.bubble_singularity.scores import totals
from rules.bubble_singularity.state import SEATS, VERSION, Rules, State, dump, load
from rules.bubble_singularity.views import view_of
from rules.kit.rulebook import WithRulebook

OPTIONS = (
    Option(
        "layout",
        "choice",
        "standard",
        "the space cards as in the fixed chart, or by lot",
        choices=("standard", "shuffled"),
    ),
    Option("beginner", "bool", False, "the beginners' game: no ability cards, fixed starts, bubbles of the own colour"),
    Option("stations", "bool", False, "module 1: four space stations in the corners"),
    Option("advanced", "bool", False, "module 2: a board of 5 by 5 with stations, the Universe and special cards"),
)


class BubbleSingularity(WithRulebook):
    """The game by Syanmil Izhharuddin, with both modules of its rules."""

    key = "bubble_singularity"
    title = "Bubble Singularity"
    designer = "Syanmil Izhharuddin"
    version = VERSION
    seats = Seats(2, 4, SEATS)
    pace = "players in turn, a whole turn a sheet"
    summary = "Leave bubbles on cards with arrows and set off chain reactions; an open board, two modules."
    orders = ORDERS

    def options(self) -> tuple[Option, ...]:
        """Layout, the beginners' game and the two modules."""
        return OPTIONS

    def setup(self, options: Mapping[str, Any], seats: Sequence[Seat], dice: Dice) -> State:
        """The table laid; the seats then choose starts and abilities. Raises SetupError."""
        strangers = [seat for seat in seats if seat not in SEATS]
        if strangers or len(set(seats)) != len(seats) or not 2 <= len(seats) <= len(SEATS):
            named = ", ".join(seats) or "nobody"
            raise SetupError(f"Bubble Singularity is played by 2 to 4 of {', '.join(SEATS)}, not by {named}")
        chosen = {option.name: options.get(option.name, option.default) for option in OPTIONS}
        return beginning.laid(Rules(**chosen), seats, dice)

    def view(self, state: State, seat: Seat, events: Sequence[Event]) -> View:
        """The whole table; only the order of bag and decks is unknown."""
        return view_of(state, seat, events)

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> Parsed:
        """The orders of a sheet, tried out on the open table."""
        return sheet.parse(view, lines)

    def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
        """One space clockwise from north and a rotation, or the first of what is asked (rulings 23 and 26)."""
        return sheet.defaults(view)

    def template(self, view: View) -> list[str]:
        """What may be ordered now, as comments."""
        return sheet.template(view)

    def resolve(self, state: State, turn_input: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
        """The set-up, a whole turn, or an answer."""
        return turn.resolve(state, turn_input, dice)

    def standing(self, state: State) -> Standing:
        """The mover is awaited, at the set-up everybody; all are told."""
        if state.result is None:
            return Standing(over=False, awaiting=state.awaiting, scores=totals(state))
        result = state.result
        return Standing(
            over=True, awaiting=frozenset(), scores=totals(state), winners=result.winners, reason=ENDS[result.how]
        )

    def pictures(self, view: View) -> Sequence[Picture]:
        """The board with the players' supplies."""
        return (picture.board_picture(view),)

    def text_map(self, view: View) -> str:
        """The board as text."""
        return textmap.text_map(view)

    def dump(self, state: State) -> Json:
        """The state as JSON data."""
        return dump(state)

    def load(self, data: Json, version: int) -> State:
        """The state of a save. Raises SaveError."""
        return load(data, version)

    @property
    def bots(self) -> Mapping[str, Bot]:
        """ "standard" looks for the best chain, "random" plays anyhow."""
        return bots.BOTS
