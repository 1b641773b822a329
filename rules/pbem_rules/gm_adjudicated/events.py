"""The events of The Umpire's Pen: every kind, its data, and the seats that hear of it.

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
    """Return an event that all seats hear of."""
    return Event(kind, frozenset(state.players), data)


def private(seat: SeatName, **data: Any) -> Event:
    """Return the GM's words to one seat as an event."""
    return Event("result", frozenset({seat}), data)


def words(text: str, enclosed: Sequence[Attachment]) -> dict[str, Any]:
    """Return the data of the GM's words, with their pictures and files."""
    return {"text": text, **({"enclosed": [each.dump() for each in enclosed]} if enclosed else {})}


def rolled(readers: frozenset[SeatName], roll: Roll, count: int) -> Event:
    """Return the event of a roll in the GM's words; `count` is the number of rolls with its label."""
    return Event("roll", readers, roll.to_json() | {"count": count, "said": roll.describe(count)})
