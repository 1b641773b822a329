"""The complete state of a game: frozen, and never mailed. Saves follow from the declarations."""

from collections.abc import Mapping
from dataclasses import dataclass

from pbem.ruleset import SeatName

REACH = 2
"""Caves on either side of a lantern that its owner can reach (rule 2)."""


@dataclass(frozen=True, slots=True)
class Player:
    """A player: the cave of the lantern, and the number of others' lanterns found."""

    cave: int
    score: int = 0
    playing: bool = True


@dataclass(frozen=True, slots=True)
class State:
    """The turn to be played, the last one, the number of caves, and the players."""

    turn: int
    turns: int
    caves: int
    players: Mapping[SeatName, Player]

    @property
    def playing(self) -> frozenset[SeatName]:
        """The seats that were not removed."""
        return frozenset(seat for seat, player in self.players.items() if player.playing)

    @property
    def over(self) -> bool:
        """True if all turns are played, or too few players are left (rule 5)."""
        return self.turn > self.turns or len(self.playing) < 2

    def near(self, cave: int) -> range:
        """Return the caves within reach of one."""
        return range(max(1, cave - REACH), min(self.caves, cave + REACH) + 1)
