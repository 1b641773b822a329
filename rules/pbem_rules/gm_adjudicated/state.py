"""The state of a game: what its GM has told each reader, and how it is saved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pbem.ruleset import Attachment, SeatName
from pbem_rules.gm_adjudicated.ledgers import Ledgers

VERSION = 3


@dataclass(frozen=True, slots=True)
class ReportTexts:
    """The texts in every report until the GM changes them: a file and a map, "" for none.

    `with_file` and `with_map` are the pictures and files that go with them.
    """

    file: str = ""
    map: str = ""
    with_file: tuple[Attachment, ...] = ()
    with_map: tuple[Attachment, ...] = ()

    @property
    def has_map(self) -> bool:
        """True if there is a map, as text or as a picture."""
        return bool(self.map or self.with_map)


@dataclass(frozen=True, slots=True)
class Player:
    """The state of one seat. `sheet` are the lines of its last turn; out of the game, it is no longer `playing`.

    `told` is the GM's last result for it, and `notes` are the GM's own about it.
    """

    known: ReportTexts = ReportTexts()
    sheet: tuple[str, ...] = ()
    score: int = 0
    playing: bool = True
    told: str = ""
    notes: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """The end of the game; there may be no winners."""

    winners: tuple[SeatName, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class State:
    """A game before its turn number `turn`.

    `turns` is the number of the last one, 0 while only the GM ends the game;
    `name` is the GM's name of this turn, "" for its number. `shared` is known to
    all, and `told` is the GM's last result for all; `notes` are the GM's own about
    the game as a whole. `verbs` are verb → help. `ledgers` are kept in numbers,
    texts and lists. `usages` are those of verbs with arguments, and `lists` the
    names that their arguments take.
    """

    players: Mapping[SeatName, Player]
    verbs: Mapping[str, str]
    turns: int
    open_scores: bool
    shared: ReportTexts = ReportTexts()
    turn: int = 1
    name: str = ""
    result: Result | None = None
    told: str = ""
    notes: str = ""
    ledgers: Ledgers = field(default_factory=Ledgers)
    usages: Mapping[str, str] = field(default_factory=dict)
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The players' name of this turn."""
        return self.name or f"turn {self.turn}"

    @property
    def awaiting(self) -> frozenset[SeatName]:
        """The seats whose sheets are awaited."""
        return frozenset() if self.result else frozenset(self.playing)

    @property
    def playing(self) -> tuple[SeatName, ...]:
        """The seats still in the game."""
        return tuple(seat for seat, player in self.players.items() if player.playing)
