"""The ruleset object of Singularity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pbem.ruleset import (
    BaseRuleset,
    Dice,
    Event,
    Json,
    Option,
    Panorama,
    SeatName,
    Seats,
    Standing,
    TurnInput,
    View,
)
from pbem_rules.singularity import bots, picture, sheet, textmap
from pbem_rules.singularity.checking import check_state
from pbem_rules.singularity.choices import agenda, choices
from pbem_rules.singularity.events import reason
from pbem_rules.singularity.field import LARGEST, SMALLEST, USUAL
from pbem_rules.singularity.orders import ORDERS
from pbem_rules.singularity.outcomes import order_outcomes
from pbem_rules.singularity.state import SEATS, VERSION, Reply, State
from pbem_rules.singularity.summary import turn_summary, without_orders
from pbem_rules.singularity.turn import resolve
from pbem_rules.singularity.views import view_of


class Singularity(BaseRuleset[State]):
    """The game by Mark Steere, March 2024: surround the black stone, or form a Y."""

    key = "singularity"
    title = "Singularity"
    designer = "Mark Steere"
    version = VERSION
    oldest_version = 2
    seats = Seats(2, 2, SEATS)
    pace = "two players in turn, one stone a move"
    has_dice = False
    summary = "Connect your stones to surround the black stone in a corner, or to form a Y; an open board."
    pitch = (
        "Red and blue put one stone a move on a board of hexagons, and all see everything. Surround the black "
        "stone in the corner with one connected group, or reach around the whole edge, and you win."
    )
    minutes = 5
    orders = ORDERS
    options = (
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
    bots = bots.BOTS

    view = staticmethod(view_of)
    parse = staticmethod(sheet.parse)
    template = staticmethod(sheet.template)
    desk = staticmethod(sheet.desk)
    choices = staticmethod(choices)
    agenda = staticmethod(agenda)
    turn_summary = staticmethod(turn_summary)
    without_orders = staticmethod(without_orders)
    order_outcomes = staticmethod(order_outcomes)
    pictures = staticmethod(picture.pictures)
    text_map = staticmethod(textmap.text_map)
    check_state = staticmethod(check_state)

    def dump(self, state: State) -> Json:
        """Return the state as JSON data, in which each kept reply is a list."""
        data = super().dump(state)
        for player in data["players"].values():
            player["kept"] = [list(reply.values()) for reply in player["kept"]]
        return data

    def read(self, data: Json) -> State:
        """Return the state of JSON data that `dump` has made."""
        players = {
            seat: {**player, "kept": [asdict(Reply(*reply)) for reply in player["kept"]]}
            for seat, player in data["players"].items()
        }
        return super().read({**data, "players": players})

    def public_view(self, views: Mapping[SeatName, View]) -> Panorama:
        """Return the board, which all may see (ruling 5)."""
        return Panorama(tuple(picture.pictures(next(iter(views.values())))))

    def begin(self, options: Mapping[str, Any], seats: Sequence[SeatName], dice: Dice) -> State:
        """Return a board with nothing but the black stone."""
        return State(size=options["size"], forfeit_after=options["forfeit_after"])

    def resolve(self, state: State, turn: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
        """Place the stone of the player on move and the kept replies that follow; no dice are rolled."""
        return resolve(state, turn)

    def standing(self, state: State) -> Standing:
        """Return the player on move as awaited; both get a report."""
        if state.result is None:
            return Standing(over=False, awaiting=frozenset({state.mover}))
        winners, how = state.result.winners, state.result.how
        return Standing(over=True, awaiting=frozenset(), winners=winners, reason=reason(how))
