"""The ruleset of Harvester: its options, and the functions that the contract asks for."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.ruleset import BaseRuleset, Event, SeatName, Seats, Standing, View
from pbem_rules.common.legacy import of_any_age
from pbem_rules.harvester import bots, picture, sheet, state, textmap, turn
from pbem_rules.harvester.beginnings import LEAST_PLAYERS, MOST_PLAYERS, OPTIONS, begin
from pbem_rules.harvester.checking import check_state
from pbem_rules.harvester.choices import agenda, choices, purses
from pbem_rules.harvester.former import renewed
from pbem_rules.harvester.memory import carry_memory
from pbem_rules.harvester.orders import ORDERS
from pbem_rules.harvester.outcomes import order_outcomes
from pbem_rules.harvester.rows import with_rows
from pbem_rules.harvester.state import VERSION, State, from_version_1, from_version_2
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
    upgrades = (from_version_1, from_version_2)
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
    # After an upgrade in mid-turn the view of the open turn is one that the older version mailed.
    current_view = staticmethod(with_rows)
    parse = staticmethod(of_any_age(renewed, sheet.parse))
    template = staticmethod(of_any_age(renewed, sheet.template))
    desk = staticmethod(of_any_age(renewed, sheet.desk))
    choices = staticmethod(of_any_age(renewed, choices))
    agenda = staticmethod(of_any_age(renewed, agenda))
    purses = staticmethod(of_any_age(renewed, purses))
    resolve = staticmethod(turn.resolve)
    turn_summary = staticmethod(of_any_age(renewed, turn_summary))
    without_orders = staticmethod(of_any_age(renewed, without_orders))
    order_outcomes = staticmethod(of_any_age(renewed, order_outcomes))
    pictures = staticmethod(of_any_age(renewed, picture.pictures))
    text_map = staticmethod(of_any_age(renewed, textmap.text_map))
    dump = staticmethod(state.dump)
    read = staticmethod(state.read)
    check_state = staticmethod(check_state)

    def view(self, state: State, seat: SeatName, events: Sequence[Event]) -> View:
        """Return the view of one seat."""
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
