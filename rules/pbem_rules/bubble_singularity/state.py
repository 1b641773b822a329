"""The state of a game."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pbem.ruleset import SeatName
from pbem_rules.bubble_singularity.cards import Card

SEATS: tuple[SeatName, ...] = ("red", "green", "blue", "yellow")
"""The seats, which are the colours of the bubbles too."""

COLOURS = SEATS
OF_EACH_COLOUR = 15
VERSION = 4

BY_MAIL = ("rounds", "bubbles")
"""The options of rulings 36 and 37."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The options of a campaign, and the figures that depend on them.

    With `scoreless` 0 any number of turns may pass without a score (ruling 34), with
    `rounds` 0 any number of rounds (ruling 36); with `bubbles` 0 players begin with
    as many as the source says (ruling 37).
    """

    layout: str = "standard"
    beginner: bool = False
    stations: bool = False
    advanced: bool = False
    scoreless: int = 0
    rounds: int = 0
    bubbles: int = 0

    def as_data(self) -> dict[str, Any]:
        """Return the options for saves and views, without those of rulings 36 and 37 where they change nothing.

        So a game as the source has it is saved, shown and recorded as before there were such options.
        """
        return {name: value for name, value in dataclasses.asdict(self).items() if value or name not in BY_MAIL}

    @property
    def size(self) -> int:
        """Squares along a side of the board."""
        return 5 if self.advanced else 4

    @property
    def with_stations(self) -> bool:
        """True if stations lie on the board (modules 1 and 2)."""
        return self.stations or self.advanced

    @property
    def first_bubbles(self) -> int:
        """Number of bubbles that each player begins with (rulings 3 and 28)."""
        if self.bubbles:
            return self.bubbles
        more = 2 if self.advanced else 1 if self.stations else 0
        return (3 if self.beginner else 5) + more

    @property
    def range(self) -> int:
        """Spaces that a Mari may move at the most."""
        return 4 if self.advanced else 3

    @property
    def markers_to_end(self) -> int:
        """Number of markers of one player that ends the game."""
        return 7 if self.advanced else 5

    @property
    def marker_length(self) -> int:
        """Length from which a chain brings a marker."""
        return 5 if self.advanced else 4

    def points(self, length: int) -> int:
        """Return the points for a chain of a length; on 5×5 each step asks for one more (ruling 30)."""
        # Chains of length 4 or more are worth 10, on 5×5 those of 5 or more (ruling 30).
        level = length - (1 if self.advanced else 0)
        return (0, 1, 3, 6, 10)[max(0, min(level, 4))]


@dataclass(frozen=True, slots=True)
class Player:
    """A player's Mari, supply, cards and score.

    `at` is the space of the Mari, None before the start and after leaving.
    `offer` holds the cards of which the starting ability is chosen; `blocked` is
    the action that the controller of the defense station forbids for the next turn.
    """

    side: str = ""
    at: str | None = None
    hand: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()
    offer: tuple[str, ...] = ()
    points: int = 0
    markers: int = 0
    blocked: str = ""
    out: bool = False


@dataclass(frozen=True, slots=True)
class PendingChoice:
    """A choice that the mover makes before the next player moves.

    `kind` is "card" (keep one of the cards drawn), "replace" (one of the card
    held and the new one) or "bubbles" (two of those drawn); `choices` are in the
    order drawn.
    """

    kind: str
    seat: SeatName
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The winners of a game (several share a win), and the key in `events.ENDS` of how it ended."""

    winners: tuple[SeatName, ...]
    how: str


@dataclass(frozen=True, slots=True)
class State:
    """A game, as it is saved between turns.

    `order` lists the seats still playing, clockwise from the first player; it is
    empty until the Maris have their places. `decks` lie with the top card first.

    `question` and `further` are open questions to the mover. What they are about
    lies on the table, and is counted there, until they are answered. `pending`
    counts the pairs of ability cards that the mover has still to draw, `wish`
    names the decks to draw from, and `liking` what the mover would keep, both as
    far as the mover said. `lists` holds the standing KEEP list of each player
    (ruling 26).

    `quiet` counts the turns in a row in which no Mari moved and nothing popped
    (ruling 24), `unscored` those in which no player won points or markers
    (ruling 34).

    `edition` is the version of the game in which the campaign began; it keeps
    those rules to its end.
    """

    rules: Rules
    seats: tuple[SeatName, ...]
    first: SeatName
    cards: Mapping[str, Card]
    nodes: tuple[str, ...]
    players: Mapping[SeatName, Player]
    bag: tuple[str, ...]
    decks: Mapping[str, tuple[str, ...]]
    bubbles: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    control: Mapping[str, SeatName] = dataclasses.field(default_factory=dict)
    order: tuple[SeatName, ...] = ()
    mover: SeatName | None = None
    round: int = 0
    last_round: bool = False
    quiet: int = 0
    question: PendingChoice | None = None
    pending: int = 0
    wish: tuple[str, ...] = ()
    liking: tuple[str, ...] = ()
    result: Result | None = None
    edition: int = VERSION
    lists: Mapping[SeatName, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    further: tuple[PendingChoice, ...] = ()
    unscored: int = 0

    @property
    def questions(self) -> tuple[PendingChoice, ...]:
        """All open questions, in the order drawn."""
        return () if self.question is None else (self.question, *self.further)

    @property
    def phase(self) -> str:
        """ "setup", "question", "turn" or "over": which orders a sheet may hold."""
        if self.result is not None:
            return "over"
        if not self.order:
            return "setup"
        return "turn" if self.question is None else "question"

    @property
    def awaiting(self) -> frozenset[SeatName]:
        """The seats whose orders are awaited: at the set-up all, then the mover."""
        if self.phase == "over":
            return frozenset()
        # All choose starts and abilities at the same time (ruling 3).
        if self.phase == "setup":
            return frozenset(seat for seat in self.seats if not self.players[seat].out)
        assert self.mover is not None
        return frozenset({self.mover})


def in_order(colours: Iterable[str]) -> tuple[str, ...]:
    """Sort bubbles by colour, the order in which they are stored and shown."""
    return tuple(sorted(colours, key=COLOURS.index))


def counted(colours: Iterable[str]) -> dict[str, int]:
    """Return the number of bubbles of each colour, zeros included."""
    found = Counter(colours)
    return {colour: found[colour] for colour in COLOURS}


def uncounted(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the bubbles of a count, in the order of colours: the inverse of `counted`."""
    return tuple(colour for colour in COLOURS for _ in range(counts[colour]))
