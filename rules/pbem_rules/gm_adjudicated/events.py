"""The events of The Umpire's Pen: every kind, its data, and who hears of it.

A view's `events` list holds `{"kind": …, **data}`. `who` is a seat; `text` is
the GM's, of one line or many, and `enclosed` the data of pictures and files that
go with it, if there are any. `said` is a roll in words, the `number`th of `count`.

| kind | data | heard by |
|---|---|---|
| left | who | all |
| unruled | – | all |
| public | text, enclosed | all |
| result | text, enclosed | its reader |
| roll | label, dice, number, faces, total, count, said | who reads of it in the GM's words |
| out | who | all |
| ended | winners (there may be none), reason | all |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.ruleset import Attachment, Event, Roll, SeatName
from pbem_rules.gm_adjudicated.state import State


def public(state: State, kind: str, **data: Any) -> Event:
    """An event that everyone hears of."""
    return Event(kind, frozenset(state.players), data)


def private(seat: SeatName, **data: Any) -> Event:
    """What the GM tells one seat."""
    return Event("result", frozenset({seat}), data)


def words(text: str, enclosed: Sequence[Attachment]) -> dict[str, Any]:
    """The data of what the GM tells, with what goes with it."""
    return {"text": text, **({"enclosed": [each.dump() for each in enclosed]} if enclosed else {})}


def rolled(readers: frozenset[SeatName], roll: Roll, count: int) -> Event:
    """A roll that stands in what the GM tells, one of so many with its label."""
    return Event("roll", readers, roll.to_json() | {"count": count, "said": roll.told(count)})
