"""Plays two worlds on side by side, to see whether what a seat may not know shows in any later report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.ruleset import AnyRuleset, Dice, Event, SeatName, TurnInput, View
from pbem.testing.play import mailed, numbered

Sheets = Mapping[SeatName, Sequence[str]]


def reports(ruleset: AnyRuleset, state: Any, seat: SeatName, turns: Sequence[Sheets]) -> Iterator[View]:
    """A seat's report after each turn; who has no sheet there sends an empty one. Ends with the game, which discloses.

    What a sheet says is read against the view mailed at that time, so that a
    line sent to find something out is answered in each world by that world.
    """
    events: tuple[Event, ...] = ()
    view = mailed(ruleset, state, seat, events)
    for number, sheets in enumerate(turns):
        awaited = ruleset.standing(state).awaiting
        orders = {
            each: ruleset.parse(mailed(ruleset, state, each, events), numbered(sheets.get(each, ()))).orders
            for each in sorted(awaited | sheets.keys())
        }
        state, events = ruleset.resolve(state, TurnInput(orders), Dice(b"twins").scoped(number))
        if ruleset.standing(state).over:
            return
        view = mailed(ruleset, state, seat, events, last=view)
        yield view
