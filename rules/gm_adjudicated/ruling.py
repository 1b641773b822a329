"""A ruling: all that a GM decides about one turn, as the resolver is given it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pbem.ruleset import Json, Seat
from rules.gm_adjudicated.ledgers import Change
from rules.gm_adjudicated.state import Known


@dataclass(frozen=True, slots=True)
class Told:
    """What a GM writes for one reader, or for all: `result` is told once; of the rest, None leaves it as it was.

    `notes` are for himself.
    """

    result: str = ""
    file: str | None = None
    map: str | None = None
    notes: str | None = None

    def after(self, known: Known) -> Known:
        """What the reader has before him from now on."""
        return Known(known.file if self.file is None else self.file, known.map if self.map is None else self.map)

    def noted(self, notes: str) -> str:
        """What the GM keeps for himself from now on."""
        return notes if self.notes is None else self.notes


@dataclass(frozen=True, slots=True)
class Ruling:
    """What comes of a turn.

    `name` is that of the next turn, "" for its number; `turns` sets the number
    of the last one. `changes` are of ledgers, in their order. With `over`, the
    reason, the game ends.
    """

    all: Told = Told()
    seats: Mapping[Seat, Told] = field(default_factory=dict)
    name: str = ""
    scores: Mapping[Seat, int] = field(default_factory=dict)
    out: tuple[Seat, ...] = ()
    turns: int | None = None
    winners: tuple[Seat, ...] = ()
    over: str = ""
    changes: tuple[Change, ...] = ()

    def dump(self) -> Json:
        """The ruling as JSON data."""
        lists = {"out": list(self.out), "winners": list(self.winners), "changes": [list(each) for each in self.changes]}
        return dataclasses.asdict(self) | lists

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> Ruling:
        """The ruling of `dump` data. Raises KeyError or TypeError on other data."""
        changes = tuple(Change.load(each) for each in data.get("changes", ()))
        lists = {"out": tuple(data["out"]), "winners": tuple(data["winners"]), "changes": changes}
        seats = {seat: Told(**told) for seat, told in data["seats"].items()}
        return cls(**{**data, **lists, "all": Told(**data["all"]), "seats": seats})
