"""A ruling: the GM's decisions on one turn, as input of the resolver."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pbem.ruleset import Attachment, Json, SeatName
from pbem_rules.gm_adjudicated.ledgers import LedgerChange, Value
from pbem_rules.gm_adjudicated.state import ReportTexts

_ENCLOSED = ("with_result", "with_file", "with_map")


@dataclass(frozen=True, slots=True)
class Told:
    """The GM's words for one reader, or for all: `result` is told once; a part that is None stays as it was.

    `notes` are for the GM alone. Pictures and files go with a text, or replace it.
    """

    result: str = ""
    file: str | None = None
    map: str | None = None
    notes: str | None = None
    with_result: tuple[Attachment, ...] = ()
    with_file: tuple[Attachment, ...] = ()
    with_map: tuple[Attachment, ...] = ()

    @property
    def says(self) -> bool:
        """True if the reader is told something, in words or by a picture."""
        return bool(self.result or self.with_result)

    def after(self, known: ReportTexts) -> ReportTexts:
        """Return what the reader's reports show from now on."""
        file = (known.file, known.with_file) if self.file is None else (self.file, self.with_file)
        map_ = (known.map, known.with_map) if self.map is None else (self.map, self.with_map)
        return ReportTexts(file[0], map_[0], with_file=file[1], with_map=map_[1])

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> Told:
        """Return the part of a ruling for one reader from its data; raise TypeError on other data."""
        enclosed = {name: tuple(Attachment(**each) for each in data.get(name, ())) for name in _ENCLOSED}
        return cls(**{**data, **enclosed})

    def noted(self, notes: str) -> str:
        """Return the GM's notes from now on."""
        return notes if self.notes is None else self.notes


@dataclass(frozen=True, slots=True)
class Ruling:
    """The decisions on a turn.

    `name` is that of the next turn, "" for its number; `turns` sets the number
    of the last one. `changes` are those of ledgers, in their order. With `over`, the
    reason, the game ends.
    """

    all: Told = Told()
    seats: Mapping[SeatName, Told] = field(default_factory=dict)
    name: str = ""
    scores: Mapping[SeatName, int] = field(default_factory=dict)
    out: tuple[SeatName, ...] = ()
    turns: int | None = None
    winners: tuple[SeatName, ...] = ()
    over: str = ""
    changes: tuple[LedgerChange, ...] = ()

    def dump(self) -> Json:
        """Return the ruling as JSON data."""
        lists = {"out": list(self.out), "winners": list(self.winners), "changes": [list(each) for each in self.changes]}
        return dataclasses.asdict(self) | lists

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> Ruling:
        """Return the ruling of `dump` data; raise KeyError or TypeError on other data."""
        changes = tuple(LedgerChange.load(each) for each in data.get("changes", ()))
        lists = {"out": tuple(data["out"]), "winners": tuple(data["winners"]), "changes": changes}
        seats = {seat: Told.load(told) for seat, told in data["seats"].items()}
        return cls(**{**data, **lists, "all": Told.load(data["all"]), "seats": seats})


def commands_of(ruling: Ruling, turns: int) -> Mapping[str, str]:
    """Return the lines of game.txt that make up a ruling, by their parts; `turns` is the last turn so far."""
    lines = {"LABEL": f"LABEL {ruling.name}"} if ruling.name else {}
    lines |= {f"SCORE {seat}": f"SCORE {seat} {score}" for seat, score in ruling.scores.items()}
    for change in ruling.changes:
        entry = f"SET {change.owner}.{change.name}"
        line = f"{entry} {change.operation} {_value(change.value)}"
        lines[entry] = f"{lines[entry]}\n{line}" if entry in lines else line
    lines |= {f"OUT {seat}": f"OUT {seat}" for seat in ruling.out}
    lines |= {"TURNS": f"TURNS {ruling.turns}"} if ruling.turns not in (None, turns) else {}
    lines |= {"OVER": f"OVER {ruling.over}"} if ruling.over else {}
    return lines | ({"WINNER": f"WINNER {' '.join(ruling.winners)}"} if ruling.winners else {})


def _value(value: Value) -> str:
    if isinstance(value, tuple):
        return ", ".join(f'"{item}"' for item in value) or "[]"
    return str(value) if isinstance(value, int) else f'"{value}"'
