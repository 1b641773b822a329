"""Dueling Masters of Space-Time through the door of the ruleset contract."""

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
from rules.dueling_masters import bots, picture, sheet, textmap, turn
from rules.dueling_masters.events import ENDS
from rules.dueling_masters.orders import ORDERS
from rules.dueling_masters.state import SEATS, VERSION, Rules, State, dump, load
from rules.dueling_masters.views import view_of
from rules.kit.rulebook import WithRulebook

OPTIONS = (
    Option(
        "homes", "choice", "1", "home planets of each player; who has lost all has lost the game", choices=("1", "3")
    ),
    Option("home_moves", "bool", False, "home planets may move, like a chess king"),
    Option(
        "collisions",
        "choice",
        "all",
        "all: every collision found happens; reached: a piece destroyed on its way meets nothing further on",
        choices=("all", "reached"),
    ),
    Option(
        "forfeit_after",
        "int",
        3,
        "missed deadlines in a row after which a player loses the game; 0 for never",
        low=0,
        high=99,
    ),
)


class DuelingMasters(WithRulebook):
    """The game by Stephen M. Cameron, 2004: find your opponent's home planet and destroy it."""

    key = "dueling_masters"
    title = "Dueling Masters of Space-Time"
    designer = "Stephen M. Cameron"
    version = VERSION
    seats = Seats(2, 2, SEATS)
    pace = "two players in turn, one move a turn"
    summary = "Hunt your opponent's hidden home planet with ships whose flights are judged one move too late."
    orders = ORDERS

    def options(self) -> tuple[Option, ...]:
        """The author's variants, and when missed deadlines lose."""
        return OPTIONS

    def setup(self, options: Mapping[str, Any], seats: Sequence[Seat], dice: Dice) -> State:
        """Two empty boards; the players place their pieces by mail. Raises SetupError."""
        if tuple(seats) != SEATS:
            raise SetupError(
                f"{self.title} is played by one and two, in this order, not by {', '.join(seats) or 'nobody'}"
            )
        chosen = {option.name: options.get(option.name, option.default) for option in OPTIONS}
        return State(
            Rules(
                homes=int(chosen["homes"]),
                home_moves=chosen["home_moves"],
                reached=chosen["collisions"] == "reached",
                forfeit_after=chosen["forfeit_after"],
            )
        )

    def view(self, state: State, seat: Seat, events: Sequence[Event]) -> View:
        """The seat's own pieces as it believes them to be, and what it has learned of the opponent's."""
        return view_of(state, seat, events)

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> Parsed:
        """The orders of a sheet, judged by what its writer believes."""
        return sheet.parse(view, lines)

    def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
        """None: a missed set-up is left to the dice, a missed move passed (ruling 12)."""
        return ()

    def template(self, view: View) -> list[str]:
        """The set-up as it stands, or the pieces that can move, as comments."""
        return sheet.template(view)

    def resolve(self, state: State, turn_input: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
        """Set-ups, or one move with the judgement of the one before it."""
        return turn.resolve(state, turn_input, dice)

    def standing(self, state: State) -> Standing:
        """Who still sets up, and then the player to move, is awaited; both are told."""
        if state.result is None:
            return Standing(over=False, awaiting=state.awaited)
        winners, reason = state.result.winners, ENDS[state.result.how]
        return Standing(over=True, awaiting=frozenset(), winners=winners, reason=reason)

    def pictures(self, view: View) -> Sequence[Picture]:
        """The reader's board."""
        return (picture.board_picture(view),)

    def text_map(self, view: View) -> str:
        """The reader's board as text."""
        return textmap.text_map(view)

    def dump(self, state: State) -> Json:
        """The state as JSON data."""
        return dump(state)

    def load(self, data: Json, version: int) -> State:
        """The state of a save. Raises SaveError."""
        return load(data, version)

    @property
    def bots(self) -> Mapping[str, Bot]:
        """ "standard" searches and hunts, "random" moves anywhere."""
        return bots.BOTS
