"""Judgement of pending paths: delayed and recursive, as the game is meant to be played (rulings 5 and 14)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pbem.ruleset import SeatName
from pbem_rules.dueling_masters.kinds import dies
from pbem_rules.dueling_masters.state import Piece, Rules, opponent


class Named(NamedTuple):
    """A piece of a seat, by its name."""

    seat: SeatName
    name: str


class Meeting(NamedTuple):
    """Two pieces that met on a square."""

    square: str
    pieces: frozenset[Named]


@dataclass
class Judgement:
    """The findings of a judgement: all meetings, and the squares that each judged piece has flown over.

    Positions are those before the judgement; nothing is removed while it goes on (ruling 14).
    """

    rules: Rules
    pieces: Mapping[Named, Piece]
    meetings: set[Meeting] = field(default_factory=set)
    flown: dict[Named, list[str]] = field(default_factory=dict)
    _stopped: set[Named] = field(default_factory=set)

    def judge(self, piece: Named) -> None:
        """Judge the pending path of a piece, and of every piece so met that is in transit too.

        A piece already under judgement counts as standing at its destination.
        """
        if piece in self.flown:
            return
        # Recorded before its path is judged, so that a circle of meetings ends here.
        flown = self.flown[piece] = []
        for square in self.rules.path(self.pieces[piece]):
            flown.append(square)
            met = self._met(piece.seat, square)
            # Several enemies on one square all meet the piece (ruling 5).
            self.meetings |= {Meeting(square, frozenset((piece, enemy))) for enemy in met}
            if self.rules.reached and any(self._dies(piece, enemy) for enemy in met):
                # A piece destroyed on its destination has come there, and is met there (ruling 14).
                if square != self.pieces[piece].square:
                    self._stopped.add(piece)
                return

    def lost(self) -> dict[Named, str]:
        """Return the pieces destroyed, each with the first square, by name, on which one destroyed it."""
        found: dict[Named, str] = {}
        for meeting in sorted(self.meetings, key=lambda meeting: meeting.square):
            one, other = sorted(meeting.pieces)
            for piece, enemy in ((one, other), (other, one)):
                if self._dies(piece, enemy):
                    found.setdefault(piece, meeting.square)
        return found

    def _met(self, seat: SeatName, square: str) -> list[Named]:
        """Return the enemies on a square, each judged in turn; with `reached`, only those that came there."""
        there = [other for other in self._enemies(seat) if self.pieces[other].square == square]
        for other in there:
            self.judge(other)
        return [other for other in there if other not in self._stopped]

    def _enemies(self, seat: SeatName) -> Iterable[Named]:
        return (other for other in self.pieces if other.seat == opponent(seat))

    def _dies(self, piece: Named, other: Named) -> bool:
        return dies(self.pieces[piece].kind, self.pieces[other].kind)
