"""Singularity through the door of the ruleset contract."""

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
from rules.kit.rulebook import WithRulebook
from rules.singularity import bots, picture, sheet, textmap, turn
from rules.singularity.events import reason
from rules.singularity.field import LARGEST, SMALLEST, USUAL
from rules.singularity.orders import ORDERS
from rules.singularity.state import SEATS, VERSION, State, dump, load
from rules.singularity.views import view_of

OPTIONS = (
    Option("size", "int", USUAL, "cells along each side of the board", low=SMALLEST, high=LARGEST),
    Option(
        "forfeit_after",
        "int",
        3,
        "missed deadlines in a row after which a seat loses the game; 0 for never",
        low=0,
        high=99,
    ),
)


class Singularity(WithRulebook):
    """The game by Mark Steere, March 2024: surround the black stone, or form a Y."""

    key = "singularity"
    title = "Singularity"
    designer = "Mark Steere"
    version = VERSION
    seats = Seats(2, 2, SEATS)
    pace = "two players in turn, one stone a move"
    summary = "Connect your stones to surround the black stone in a corner, or to form a Y; an open board."
    orders = ORDERS

    def options(self) -> tuple[Option, ...]:
        """The size of the board, and when missed deadlines lose."""
        return OPTIONS

    def setup(self, options: Mapping[str, Any], seats: Sequence[Seat], dice: Dice) -> State:
        """A board with nothing but the black stone. Raises SetupError."""
        if tuple(seats) != SEATS:
            raise SetupError(
                f"Singularity is played by red and blue, in this order, not by {', '.join(seats) or 'nobody'}"
            )
        chosen = {option.name: options.get(option.name, option.default) for option in OPTIONS}
        return State(size=chosen["size"], forfeit_after=chosen["forfeit_after"])

    def view(self, state: State, seat: Seat, events: Sequence[Event]) -> View:
        """The whole board, and the seat's own kept replies."""
        return view_of(state, seat, events)

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> Parsed:
        """The orders of a sheet; the board is open, so nearly all is known at once."""
        return sheet.parse(view, lines)

    def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
        """None: without a sheet nothing is placed (ruling 13)."""
        return ()

    def template(self, view: View) -> list[str]:
        """What may be ordered now, as comments."""
        return sheet.template(view)

    def resolve(self, state: State, turn_input: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
        """The stone of the player on move and the kept replies that follow; no dice."""
        return turn.resolve(state, turn_input)

    def standing(self, state: State) -> Standing:
        """The player on move is awaited; both are told."""
        if state.result is None:
            return Standing(over=False, awaiting=frozenset({state.mover}))
        winners, how = state.result.winners, state.result.how
        return Standing(over=True, awaiting=frozenset(), winners=winners, reason=reason(how))

    def pictures(self, view: View) -> Sequence[Picture]:
        """The board."""
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
        """ "standard" plays to win, "random" anywhere."""
        return bots.BOTS
