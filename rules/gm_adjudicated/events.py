"""The events of The Umpire's Pen: every kind, its data, and who hears of it.

A view's `events` list holds `{"kind": …, **data}`. `who` is a seat; `text` is
the GM's, of one line or many. `said` is a roll in words, the `number`th of `count`.

| kind | data | heard by |
|---|---|---|
| left | who | all |
| unruled | – | all |
| public | text | all |
| result | text | its reader |
| roll | label, dice, number, faces, total, count, said | who reads of it in the GM's words |
| out | who | all |
| ended | winners (there may be none), reason | all |
"""

from __future__ import annotations

from typing import Any

from pbem.ruleset import Event, Roll, Seat
from rules.gm_adjudicated.state import State


def public(state: State, kind: str, **data: Any) -> Event:
    """An event that everyone hears of."""
    return Event(kind, frozenset(state.players), data)


def private(seat: Seat, text: str) -> Event:
    """What the GM tells one seat."""
    return Event("result", frozenset({seat}), {"text": text})


def rolled(readers: frozenset[Seat], roll: Roll, count: int) -> Event:
    """A roll that stands in what the GM tells, one of so many with its label."""
    return Event("roll", readers, roll.to_json() | {"count": count, "said": roll.told(count)})
