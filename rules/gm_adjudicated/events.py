"""The events of The Umpire's Pen: every kind, its data, and who hears of it.

A view's `events` list holds `{"kind": …, **data}`. `who` is a seat; `text` is
the GM's, of one line or many.

| kind | data | heard by |
|---|---|---|
| left | who | all |
| unruled | – | all |
| public | text | all |
| result | text | its reader |
| out | who | all |
| ended | winners (there may be none), reason | all |
"""

from __future__ import annotations

from typing import Any

from pbem.ruleset import Event, Seat
from rules.gm_adjudicated.state import State


def public(state: State, kind: str, **data: Any) -> Event:
    """An event that everyone hears of."""
    return Event(kind, frozenset(state.players), data)


def private(seat: Seat, text: str) -> Event:
    """What the GM tells one seat."""
    return Event("result", frozenset({seat}), {"text": text})
