"""Twin worlds played on: what one player is mailed, turn after turn, if he sends the same sheets in both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.ruleset import Event, Json, TurnInput
from pbem.ruleset.testing.leaks import shown
from rules.singularity_trap import RULESET
from rules.singularity_trap.state import State
from tests.rules.singularity_trap.builders import DICE, lines, view

MOST_STEPS = 60


def mailed(state: State, seat: str, sheets: Sequence[str]) -> list[dict[str, Json]]:
    """All that a seat is shown from report to report while its sheets last; the others send empty ones."""
    left, reports, heard = list(sheets), list[dict[str, Json]](), tuple[Event, ...]()
    for _ in range(MOST_STEPS):
        asked = seat in state.awaited
        if asked and not left:
            break
        orders: dict[str, Any] = dict.fromkeys(state.awaited, ())
        if asked:
            orders[seat] = RULESET.parse(view(state, seat, heard), lines(left.pop(0))).orders
        dice = DICE.scoped("turn", state.turn, state.section, state.round)
        state, events = RULESET.resolve(state, TurnInput(orders), dice)
        heard = (*heard, *events)
        if state.told is None or seat in state.told:
            reports.append(shown(RULESET, state, seat, heard))
            heard = ()
    return reports
