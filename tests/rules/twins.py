"""Continues two worlds in parallel, to find out whether a secret shows in any later report of a seat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.ruleset import AnyRuleset, Dice, Event, SeatName, TurnInput, View
from pbem.testing.play import mail_view, number_lines

Sheets = Mapping[SeatName, Sequence[str]]


def reports(ruleset: AnyRuleset, state: Any, seat: SeatName, turns: Sequence[Sheets]) -> Iterator[View]:
    """Yield a seat's report after each turn, up to the end of the game, which discloses all.

    Seats without a sheet send an empty one. Sheets are read against the view mailed at
    that time, so that a line sent to find something out is answered in each world by
    that world.
    """
    events: tuple[Event, ...] = ()
    view = mail_view(ruleset, state, seat, events)
    for number, sheets in enumerate(turns):
        awaited = ruleset.standing(state).awaiting
        orders = {
            each: ruleset.parse(mail_view(ruleset, state, each, events), number_lines(sheets.get(each, ()))).orders
            for each in sorted(awaited | sheets.keys())
        }
        state, events = ruleset.resolve(state, TurnInput(orders), Dice(b"twins").within(number))
        if ruleset.standing(state).over:
            return
        view = mail_view(ruleset, state, seat, events, last=view)
        yield view
