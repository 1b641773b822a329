"""The state of a game, and how it is saved."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pbem.ruleset import Json, SeatName
from pbem_rules.bubble_singularity.cards import Card

SEATS: tuple[SeatName, ...] = ("red", "green", "blue", "yellow")
"""The seats, which are the colours of the bubbles too."""

COLOURS = SEATS
OF_EACH_COLOUR = 15
VERSION = 4


@dataclass(frozen=True, slots=True)
class Rules:
    """The options of a campaign, and the figures that depend on them; with `scoreless` 0, any number of turns may pass
    in which nobody scores."""

    layout: str = "standard"
    beginner: bool = False
    stations: bool = False
    advanced: bool = False
    scoreless: int = 0

    @property
    def size(self) -> int:
        """Squares along a side of the board."""
        return 5 if self.advanced else 4

    @property
    def with_stations(self) -> bool:
        """Whether stations lie on the board (modules 1 and 2)."""
        return self.stations or self.advanced

    @property
    def first_bubbles(self) -> int:
        """How many bubbles each player begins with."""
        more = 2 if self.advanced else 1 if self.stations else 0
        return (3 if self.beginner else 5) + more

    @property
    def range(self) -> int:
        """How many spaces a Mari may move."""
        return 4 if self.advanced else 3

    @property
    def markers_to_end(self) -> int:
        """How many markers of one player end the game."""
        return 7 if self.advanced else 5

    @property
    def marker_length(self) -> int:
        """How long a chain must be to bring a marker."""
        return 5 if self.advanced else 4

    def points(self, length: int) -> int:
        """What a chain of some length is worth; on 5×5 each length must be one more."""
        level = length - (1 if self.advanced else 0)
        return (0, 1, 3, 6, 10)[max(0, min(level, 4))]


@dataclass(frozen=True, slots=True)
class Player:
    """What lies before a player. `at` is where the Mari stands, None before the start and after leaving.

    `offer` are the cards of which the starting ability is chosen; `blocked` is
    the action a defense station's controller forbids for the next turn.
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
class Question:
    """What the mover is asked before the next player moves.

    `kind` is "card" (keep one of the cards drawn), "replace" (one of the card
    held and the new one) or "bubbles" (two of those drawn); `choices` in the
    order drawn.
    """

    kind: str
    seat: SeatName
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended: the winners (several share a win), and the key of `events.ENDS`."""

    winners: tuple[SeatName, ...]
    how: str


@dataclass(frozen=True, slots=True)
class State:
    """A game.

    `order` are the seats still playing, clockwise from the first player; it is
    empty until the Maris have their places. `pending` counts the pairs of
    ability cards the mover has still to draw. `wish` are the decks they come
    from, and `liking` what the mover would keep, as far as the mover said.
    `lists` are what each player keeps without being asked, by the last KEEP of a
    turn. `quiet` counts the turns in a row in which no Mari moved and nothing popped,
    `unscored` those in which nobody won points or markers.
    `decks` lie with the top card first. `edition` is the version of the game it
    began with, whose rules it keeps to its end: in edition 1 all pops of a turn
    were one chain and stopped after thirty, bubbles of the research station
    were drawn after everything else, no node passed another one, and a KEEP was
    was for its turn alone; up to edition 2 what there was to choose was asked one
    after the other; up to edition 3 a list was followed before the rest of a turn,
    bubbles to choose from were lost when the game ended, and cards were drawn after
    a player's last turn too. `further` is what is asked besides `question`; what is
    to be chosen lies on the table until then, and is counted there.
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
    question: Question | None = None
    pending: int = 0
    wish: tuple[str, ...] = ()
    liking: tuple[str, ...] = ()
    result: Result | None = None
    edition: int = VERSION
    lists: Mapping[SeatName, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    further: tuple[Question, ...] = ()
    unscored: int = 0

    @property
    def questions(self) -> tuple[Question, ...]:
        """All that is asked now, in the order drawn."""
        return () if self.question is None else (self.question, *self.further)

    @property
    def phase(self) -> str:
        """What sheets are for: "setup", "question", "turn" or, at the end, "over"."""
        if self.result is not None:
            return "over"
        if not self.order:
            return "setup"
        return "turn" if self.question is None else "question"

    @property
    def awaiting(self) -> frozenset[SeatName]:
        """The seats asked for orders: at the set-up all, then the mover."""
        if self.phase == "over":
            return frozenset()
        if self.phase == "setup":
            return frozenset(seat for seat in self.seats if not self.players[seat].out)
        assert self.mover is not None
        return frozenset({self.mover})


def in_order(colours: Iterable[str]) -> tuple[str, ...]:
    """Bubbles sorted by colour, as they are stored and shown."""
    return tuple(sorted(colours, key=COLOURS.index))


def counted(colours: Iterable[str]) -> dict[str, int]:
    """How many bubbles there are of each colour."""
    found = Counter(colours)
    return {colour: found[colour] for colour in COLOURS}


def uncounted(counts: Mapping[str, int]) -> tuple[str, ...]:
    """The bubbles of a count."""
    return tuple(colour for colour in COLOURS for _ in range(counts[colour]))


def dump(state: State) -> Json:
    """The state as JSON data."""
    return {
        "rules": dataclasses.asdict(state.rules),
        "seats": list(state.seats),
        "first": state.first,
        "cards": {place: [card.arrows, card.kind] for place, card in state.cards.items()},
        "nodes": list(state.nodes),
        "players": {seat: _dumped(player) for seat, player in state.players.items()},
        "bag": counted(state.bag),
        "decks": {category: list(cards) for category, cards in state.decks.items()},
        "bubbles": {place: list(found) for place, found in state.bubbles.items()},
        "control": dict(state.control),
        "order": list(state.order),
        "mover": state.mover,
        "round": state.round,
        "last_round": state.last_round,
        "quiet": state.quiet,
        "question": state.question and _dumped(state.question),
        "pending": state.pending,
        "wish": list(state.wish),
        "liking": list(state.liking),
        "result": state.result and _dumped(state.result),
        "edition": state.edition,
        "lists": {seat: list(found) for seat, found in state.lists.items()},
        "further": [_dumped(question) for question in state.further],
        "unscored": state.unscored,
    }


def _dumped(record: Player | Question | Result) -> dict[str, Any]:
    """A flat record with its tuples as lists."""
    data = {slot.name: getattr(record, slot.name) for slot in dataclasses.fields(record)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in data.items()}


def read(data: Mapping[str, Any]) -> State:
    """The state from JSON data."""
    return State(
        rules=Rules(**data["rules"]),
        seats=tuple(data["seats"]),
        first=data["first"],
        cards={place: Card(*card) for place, card in data["cards"].items()},
        nodes=tuple(data["nodes"]),
        players={seat: Player(**_tupled(player)) for seat, player in data["players"].items()},
        bag=uncounted(data["bag"]),
        decks={category: tuple(cards) for category, cards in data["decks"].items()},
        bubbles={place: tuple(found) for place, found in data["bubbles"].items()},
        control=dict(data["control"]),
        order=tuple(data["order"]),
        mover=data["mover"],
        round=data["round"],
        last_round=data["last_round"],
        quiet=data["quiet"],
        question=data["question"] and Question(**_tupled(data["question"])),
        pending=data["pending"],
        wish=tuple(data["wish"]),
        liking=tuple(data["liking"]),
        result=data["result"] and Result(**_tupled(data["result"])),
        edition=data["edition"],
        lists={seat: tuple(found) for seat, found in data["lists"].items()},
        further=tuple(Question(**_tupled(question)) for question in data["further"]),
        unscored=data["unscored"],
    )


def from_version_1(data: Mapping[str, Any]) -> Json:
    """A save of version 1, whose campaigns keep its rules."""
    return {**data, "edition": 1, "lists": {}}


def from_version_2(data: Mapping[str, Any]) -> Json:
    """A save of version 2, in which there is one question at most."""
    return {**data, "further": []}


def from_version_3(data: Mapping[str, Any]) -> Json:
    """Return a save of version 3, in which no option counts turns without a score, as one of version 4."""
    return {**data, "rules": {**data["rules"], "scoreless": 0}, "unscored": 0}


def _tupled(record: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in record.items()}
