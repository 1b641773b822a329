"""The ruleset of Harvester: its options, and the functions that the contract asks for."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.ruleset import BaseRuleset, Event, SeatName, Seats, Standing, View
from pbem_rules.harvester import bots, picture, sheet, state, textmap, turn
from pbem_rules.harvester.beginnings import LEAST_PLAYERS, MOST_PLAYERS, OPTIONS, begin
from pbem_rules.harvester.checking import check_state
from pbem_rules.harvester.choices import agenda, choices, purses
from pbem_rules.harvester.memory import carry_memory
from pbem_rules.harvester.orders import ORDERS
from pbem_rules.harvester.outcomes import order_outcomes
from pbem_rules.harvester.rows import with_rows
from pbem_rules.harvester.state import VERSION, State
from pbem_rules.harvester.summary import turn_summary, without_orders
from pbem_rules.harvester.views import views_of


class Harvester(BaseRuleset[State]):
    """The game by curufea: machines that compete for what is left on a dead world.

    Without a sheet units stay where they are, and a Harvester keeps its course.
    """

    key = "harvester"
    title = "Harvester"
    designer = "curufea"
    version = VERSION
    oldest_version = 3
    seats = Seats(LEAST_PLAYERS, MOST_PLAYERS)
    pace = "all players at once, a turn a day"
    summary = "Machines harvest a dead, wrap-around world and conquer each other's Harvesters, under fog of war."
    pitch = (
        "Lead a machine and its ten guards over a dead world of which your scanners show only a part, and "
        "conquer the machines of the others. A conquered player fights on for the victor; whoever rules all "
        "is the new One."
    )
    minutes = 10
    orders = ORDERS
    options = OPTIONS
    bots = bots.BOTS

    begin = staticmethod(begin)
    views = staticmethod(views_of)
    carry_memory = staticmethod(carry_memory)
    current_view = staticmethod(with_rows)
    parse = staticmethod(sheet.parse)
    template = staticmethod(sheet.template)
    desk = staticmethod(sheet.desk)
    choices = staticmethod(choices)
    agenda = staticmethod(agenda)
    purses = staticmethod(purses)
    resolve = staticmethod(turn.resolve)
    turn_summary = staticmethod(turn_summary)
    without_orders = staticmethod(without_orders)
    order_outcomes = staticmethod(order_outcomes)
    pictures = staticmethod(picture.pictures)
    text_map = staticmethod(textmap.text_map)
    dump = staticmethod(state.dump)
    read = staticmethod(state.read)
    check_state = staticmethod(check_state)

    def view(self, state: State, seat: SeatName, events: Sequence[Event]) -> View:
        ((_, view),) = views_of(state, [seat], events)
        return view

    def standing(self, state: State) -> Standing:
        """Return who is awaited and who has won; who goes out gets one more report, and all get the last one."""
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
