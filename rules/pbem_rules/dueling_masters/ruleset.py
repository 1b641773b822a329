"""The ruleset of Dueling Masters: its options, and the functions that the contract asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pbem.ruleset import (
    BaseRuleset,
    Dice,
    Event,
    Json,
    Option,
    SeatName,
    Seats,
    Standing,
    View,
    append_score,
)
from pbem_rules.dueling_masters import bots, picture, sheet, textmap, turn
from pbem_rules.dueling_masters.checking import check_state
from pbem_rules.dueling_masters.choices import agenda, choices
from pbem_rules.dueling_masters.events import ENDS
from pbem_rules.dueling_masters.orders import ORDERS
from pbem_rules.dueling_masters.outcomes import order_outcomes
from pbem_rules.dueling_masters.state import SEATS, VERSION, Rules, State
from pbem_rules.dueling_masters.summary import turn_summary, without_orders
from pbem_rules.dueling_masters.views import view_of


class DuelingMasters(BaseRuleset[State]):
    """The game by Stephen M. Cameron, 2004: find your opponent's home planet and destroy it.

    Dice complete a set-up at its second deadline at the latest, and a missed move is passed (ruling 12).
    """

    key = "dueling_masters"
    title = "Dueling Masters of Space-Time"
    designer = "Stephen M. Cameron"
    version = VERSION
    oldest_version = 4
    seats = Seats(2, 2, SEATS)
    pace = "two players in turn, one move a turn"
    summary = "Hunt your opponent's hidden home planet with ships whose flights are judged one move too late."
    pitch = (
        "Look for the home planet that your opponent has hidden in their half of space, with fighters whose "
        "flights are judged only when they are ordered again. Destroy it before yours is found."
    )
    minutes = 5
    orders = ORDERS
    options = (
        Option(
            "homes",
            "choice",
            "1",
            "home planets of each player; who has lost all has lost the game",
            choices=("1", "3"),
        ),
        Option(
            "announce",
            "choice",
            "piece",
            "piece: a departure names the piece and the square; square: the square alone, its kind only when met",
            choices=("piece", "square"),
        ),
        Option(
            "first",
            "choice",
            "seed",
            "who moves first: player one, player two, or the one drawn by the seed",
            choices=("seed", *SEATS),
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
        Option(
            "quiet_turns",
            "int",
            40,
            "turns of each player without a piece destroyed after which the game is drawn; 0 for never",
            low=0,
            high=999,
        ),
    )
    bots = bots.BOTS

    parse = staticmethod(sheet.parse)
    template = staticmethod(sheet.template)
    desk = staticmethod(sheet.desk)
    choices = staticmethod(choices)
    agenda = staticmethod(agenda)
    turn_summary = staticmethod(turn_summary)
    without_orders = staticmethod(without_orders)
    order_outcomes = staticmethod(order_outcomes)
    resolve = staticmethod(turn.resolve)
    check_state = staticmethod(check_state)
    pictures = staticmethod(picture.pictures)
    text_map = staticmethod(textmap.text_map)

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> State:
        """Return two empty boards; the players place their pieces by mail."""
        return State(
            Rules(
                homes=int(options["homes"]),
                home_moves=options["home_moves"],
                reached=options["collisions"] == "reached",
                forfeit_after=options["forfeit_after"],
                blind=options["announce"] == "square",
                quiet_turns=options["quiet_turns"],
            ),
            mover=dice.pick(SEATS, "first") if options["first"] == "seed" else options["first"],
        )

    def view(self, state: State, seat: SeatName, events: Sequence[Event]) -> View:
        return view_of(state, seat, events)

    def carry_memory(self, view: View, before: Mapping[str, Json]) -> Mapping[str, Json]:
        """Add the number of pieces that the seat has left to its remembered scores."""
        if view["stage"] == "set-up":
            return before
        return {"scores": append_score(before, "pieces", "move", view["move"], len(view["own"]))}

    def standing(self, state: State) -> Standing:
        """Return who is awaited (players without a complete set-up, then the mover) and who has won."""
        if state.result is None:
            return Standing(over=False, awaiting=state.awaited)
        winners, reason = state.result.winners, ENDS[state.result.how]
        return Standing(over=True, awaiting=frozenset(), winners=winners, reason=reason)
