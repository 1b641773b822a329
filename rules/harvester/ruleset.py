"""Harvester through the door of the ruleset contract."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    Standing,
    TurnInput,
    View,
)
from rules.harvester import bots, picture, sheet, textmap, turn
from rules.harvester.beginnings import LEAST_PLAYERS, MOST_PLAYERS, OPTIONS, set_up
from rules.harvester.orders import ORDERS
from rules.harvester.state import VERSION, State, dump, load
from rules.harvester.views import views_of
from rules.kit.rulebook import WithRulebook


class Harvester(WithRulebook):
    """The game by curufea: machines that compete for what is left on a dead world."""

    key = "harvester"
    title = "Harvester"
    designer = "curufea"
    version = VERSION
    seats = Seats(LEAST_PLAYERS, MOST_PLAYERS)
    pace = "all players at once, a turn a day"
    summary = "Machines harvest a dead, wrap-around world and conquer each other's Harvesters, under fog of war."
    orders = ORDERS

    def options(self) -> tuple[Option, ...]:
        """The planet: its size, its resources and its ground."""
        return OPTIONS

    def setup(self, options: Mapping[str, Any], seats: Sequence[Seat], dice: Dice) -> State:
        """Harvesters and units on a planet made by the dice. Raises SetupError."""
        return set_up(options, seats, dice)

    def view(self, state: State, seat: Seat, events: Sequence[Event]) -> View:
        """What the scanners of a seat and of its subservients perceive, and its own affairs."""
        ((_, view),) = views_of(state, [seat], events)
        return view

    def views(self, state: State, seats: Sequence[Seat], events: Sequence[Event]) -> Iterator[tuple[Seat, View]]:
        """The views of many seats in one pass."""
        yield from views_of(state, seats, events)

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> Parsed:
        """The orders of a sheet, as far as they can be judged by the report."""
        return sheet.parse(view, lines)

    def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
        """None: without a sheet units stay where they are, and a Harvester keeps its course."""
        return ()

    def template(self, view: View) -> list[str]:
        """What may be ordered now, as comments."""
        return sheet.template(view)

    def resolve(self, state: State, turn_input: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
        """The turn of all players at once."""
        return turn.resolve(state, turn_input, dice)

    def standing(self, state: State) -> Standing:
        """All still in play are awaited; who went out is told so once, and all are told of the end."""
        points = dict(zip(state.seats, state.points().tolist(), strict=True))
        if state.over:
            winners = () if state.winner is None else (state.winner,)
            reason = f"{state.winner} rules all others and is the One" if winners else "no Harvester is left"
            return Standing(over=True, awaiting=frozenset(), scores=points, winners=winners, reason=reason)
        left = zip(state.seats, state.left.tolist(), strict=True)
        told = {seat: out for seat, out in left if out in (0, state.turn - 1)}
        return Standing(
            over=False,
            awaiting=frozenset(seat for seat, out in told.items() if out == 0),
            scores=points,
            told=frozenset(told),
        )

    def pictures(self, view: View) -> Sequence[Picture]:
        """The scanned surroundings of the Harvester; none for who is out."""
        return (picture.scan_picture(view),) if view["harvester"] else ()

    def text_map(self, view: View) -> str:
        """The surroundings of the Harvester as text."""
        return textmap.text_map(view)

    def dump(self, state: State) -> Json:
        """The state as JSON data."""
        return dump(state)

    def load(self, data: Json, version: int) -> State:
        """The state of a save. Raises SaveError."""
        return load(data, version)

    @property
    def bots(self) -> Mapping[str, Bot]:
        """ "standard" plays sensibly to the end, "random" does anything."""
        return bots.BOTS
