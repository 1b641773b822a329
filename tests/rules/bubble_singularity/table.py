"""Builders of tables and turns: sheets as lines, checked against views that went through JSON.

Bubbles are written by their first letters ("rrb"), cards by their arrows and,
if they are not plain, their kind ("NE energy").
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.ruleset import Dice, Event, ParsedSheet, SeatName, TurnInput, View, canonical_json
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.abilities import CATEGORIES, deck
from pbem_rules.bubble_singularity.cards import Card, standard_chart
from pbem_rules.bubble_singularity.grid import side_of, starts
from pbem_rules.bubble_singularity.state import COLOURS, SEATS, Player, Rules, State, in_order

LETTERS = {colour[0]: colour for colour in COLOURS}
SEED = b"test"


def bubbles(letters: str) -> tuple[str, ...]:
    """Return bubbles by their letters."""
    return in_order(LETTERS[letter] for letter in letters)


def lay(
    *,
    blue: str = "C3",
    red: str = "A1",
    hand: str = "bbb",
    lying: Mapping[str, str] | None = None,
    cards: Mapping[str, str] | None = None,
    held: Sequence[str] = (),
    nodes: Sequence[str] = (),
    control: Mapping[str, SeatName] | None = None,
    bag: str = "rrggbbyy",
    others: Mapping[SeatName, Player] | None = None,
    blocked: str = "",
    markers: int = 0,
    points: int = 0,
    **options: Any,
) -> State:
    """Build a table at blue's turn in the first round, with red after blue.

    `blue` and `red` are the spaces of their Maris, `hand` is blue's supply,
    `held` are blue's ability cards.
    """
    rules = Rules(**options)
    chart = standard_chart(rules.size, stations=rules.with_stations)
    chart |= {place: _card(text) for place, text in (cards or {}).items()}
    mine = Player(
        side="N", at=blue, hand=bubbles(hand), cards=tuple(held), blocked=blocked, markers=markers, points=points
    )
    players = {"red": Player(side="S", at=red), "blue": mine, **(others or {})}
    seats = tuple(seat for seat in SEATS if seat in players)
    taken = {card for player in players.values() for card in player.cards}
    return State(
        rules=rules,
        seats=seats,
        first="blue",
        cards=chart,
        nodes=tuple(nodes),
        players={seat: players[seat] for seat in seats},
        bag=bubbles(bag),
        decks={category: tuple(card for card in deck(category) if card not in taken) for category in CATEGORIES},
        bubbles={place: bubbles(letters) for place, letters in (lying or {}).items()},
        control=dict(control or {}),
        order=("blue", *(seat for seat in seats if seat != "blue")),
        mover="blue",
        round=1,
    )


def _card(text: str) -> Card:
    arrows, _, kind = text.partition(" ")
    return Card(arrows, kind or "plain")


@dataclass(frozen=True)
class Played:
    """The result of a turn."""

    state: State
    events: tuple[Event, ...]

    def lying(self, place: str) -> str:
        """Return the letters of the bubbles on a space."""
        return "".join(colour[0] for colour in self.state.bubbles.get(place, ()))

    def hand(self, seat: SeatName = "blue") -> str:
        """Return the letters of a player's supply."""
        return "".join(colour[0] for colour in self.state.players[seat].hand)

    def player(self, seat: SeatName = "blue") -> Player:
        """Return a player."""
        return self.state.players[seat]

    def told(self, kind: str) -> list[dict[str, Any]]:
        """Return the data of all events of a kind."""
        return [dict(event.data) for event in self.events if event.kind == kind]

    @property
    def pops(self) -> list[str]:
        """The spaces of the pops, in order."""
        return [event["space"] for event in self.told("popped")]

    @property
    def scored(self) -> dict[str, Any]:
        """The score of the only chain."""
        (scored,) = self.told("scored")
        return scored


def play(state: State, *lines: str, seat: SeatName | None = None, seed: bytes = SEED) -> Played:
    """Resolve a turn with a sheet that must be free of errors."""
    who = seat or next(iter(RULESET.standing(state).awaiting))
    parsed = read(state, *lines, seat=who)
    assert not parsed.errors, parsed.errors
    return Played(*RULESET.resolve(state, TurnInput({who: parsed.orders}), Dice(seed)))


def miss(state: State, *, kept: Sequence[Any] = ()) -> Played:
    """Resolve a turn without the sheets of those awaited."""
    missing = RULESET.standing(state).awaiting
    orders = {seat: RULESET.defaults(view(state, seat), tuple(kept)) for seat in missing}
    return Played(*RULESET.resolve(state, TurnInput(orders, missing), Dice(SEED)))


def read(state: State, *lines: str, seat: SeatName = "blue") -> ParsedSheet:
    """Parse a seat's sheet."""
    return RULESET.parse(view(state, seat), list(enumerate(lines, 1)))


def codes(parsed: ParsedSheet) -> list[tuple[int, str]]:
    """Return line and code of the errors and warnings of a sheet."""
    return [(found.line, found.code) for found in parsed.findings if found.severity != "note"]


def refused(state: State, *lines: str) -> tuple[str, str]:
    """Return the one error of a sheet of blue's: its code, and its text with the hint."""
    (error,) = read(state, *lines).errors
    return error.code, f"{error.text}; {error.hint}".removesuffix("; ")


def view(state: State, seat: SeatName, events: Sequence[Event] = ()) -> View:
    """Return a seat's view after a way through JSON."""
    data: View = json.loads(canonical_json(RULESET.view(state, seat, events)))
    return data


def new_game(seats: int | Sequence[SeatName] = 2, *, seed: bytes = SEED, **options: Any) -> State:
    """Return a game before any choice."""
    names = SEATS[:seats] if isinstance(seats, int) else seats
    return RULESET.setup(options, names, Dice(seed))


def begun(
    seats: int | Sequence[SeatName] = 2, *, sheets: Mapping[SeatName, Sequence[str]] | None = None, **options: Any
) -> Played:
    """Return a game before its first turn, with the starts and cards that the sheets choose."""
    state = new_game(seats, **options)
    lines = {seat: (sheets or {}).get(seat, ()) for seat in state.seats}
    parsed = {seat: read(state, *lines[seat], seat=seat) for seat in state.seats}
    assert not any(found.errors for found in parsed.values()), parsed
    orders = {seat: found.orders for seat, found in parsed.items()}
    return Played(*RULESET.resolve(state, TurnInput(orders), Dice(SEED)))


def tokens(state: State) -> int:
    """Return the number of all bubbles of a game."""
    held = sum(len(player.hand) for player in state.players.values())
    return len(state.bag) + held + sum(map(len, state.bubbles.values()))


def sides(state: State) -> dict[SeatName, str]:
    """Return the side each player started on, by the place of the Mari."""
    size = state.rules.size
    places = {place for side in starts(size).values() for place in side}
    return {
        seat: side_of(player.at, size) for seat, player in state.players.items() if player.at in places and player.at
    }
