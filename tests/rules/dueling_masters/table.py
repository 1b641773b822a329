"""Builders of positions and turns: sheets as lines, checked against views that went through JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.ruleset import Dice, Event, ParsedSheet, SeatName, TurnInput, View, canonical_json
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.kinds import ASTEROID, HOME
from pbem_rules.dueling_masters.state import SEATS, Piece, Player, Rules, State

HOMES = {"one": "A10", "two": "J10"}
"""Default squares of home planets."""

SETUPS: Mapping[SeatName, Sequence[str]] = {
    "one": (
        "SETUP HOME B8",
        "SETUP ASTEROID A7 B7 C7 C9 E2 E5 D4",
        "SETUP W C1",
        "SETUP B A1",
        "SETUP X A2 E10",
        "SETUP Y D6 D7",
        "SETUP Z E1 E1 E9 A10",
    ),
    "two": (
        "SETUP HOME I3",
        "SETUP ASTEROID F2 F5 F9 G4 H3 I2 J3",
        "SETUP W F1",
        "SETUP B F10",
        "SETUP X F6 J1",
        "SETUP Y G7 G8",
        "SETUP Z F3 F4 F7 F8",
    ),
}
"""Two complete set-ups; player one's is that of the rulebook."""


def new_game(**options: Any) -> State:
    """Return a game before its set-up, in which player one moves first unless an option says otherwise."""
    return RULESET.setup({"first": "one"} | options, SEATS, Dice(b"test"))


def begun(**options: Any) -> State:
    """Return a game with the set-ups of SETUPS, player one to move."""
    state, _ = turn(new_game(**options), one=SETUPS["one"], two=SETUPS["two"])
    return state


def position(one: str = "", two: str = "", *, mover: SeatName = "one", move: int = 9, **rules: Any) -> State:
    """Build a game with just these pieces: "X1 C2, Z1 E1>A1" stands on C2, and is in transit from E1 to A1.

    A home planet is added on its square in HOMES if none is placed.
    """
    held = Rules(**rules)
    texts = dict(zip(SEATS, (one, two), strict=True))
    players = {seat: Player(tuple(_pieces(seat, text, typed=not held.blind))) for seat, text in texts.items()}
    return State(held, players, move=move, mover=mover)


def _pieces(seat: SeatName, text: str, *, typed: bool) -> Iterator[Piece]:
    words = [word.split() for word in text.split(",") if word.strip()]
    if not any(name.startswith(HOME) for name, _ in words):
        yield Piece(HOME, HOME, HOMES[seat])
    for mark, (name, where) in enumerate(words, 1):
        kind = HOME if name.startswith(HOME) else ASTEROID if name.startswith(ASTEROID) else name[0]
        origin, _, square = where.rpartition(">")
        if origin:
            yield Piece(name, kind, square, transit=True, course=(origin,), typed=typed, mark=mark)
        else:
            yield Piece(name, kind, square)


def with_rules(state: State, **rules: Any) -> State:
    """Return the same position under other rules."""
    return dataclasses.replace(state, rules=dataclasses.replace(state.rules, **rules))


def view(state: State, seat: SeatName, events: Sequence[Event] = ()) -> View:
    """Return a seat's view after a way through JSON."""
    data: View = json.loads(canonical_json(RULESET.view(state, seat, events)))
    return data


def read(state: State, seat: SeatName, *lines: str) -> ParsedSheet:
    """Parse a seat's sheet."""
    return RULESET.parse(view(state, seat), list(enumerate(lines, 1)))


def codes(parsed: ParsedSheet) -> list[tuple[int, str]]:
    """Return line and code of the errors and warnings of a sheet."""
    return [(finding.line, finding.code) for finding in parsed.findings if finding.severity != "note"]


def turn(
    state: State,
    *,
    one: Sequence[str] | None = None,
    two: Sequence[str] | None = None,
    removed: Sequence[SeatName] = (),
) -> tuple[State, tuple[Event, ...]]:
    """Resolve a turn with the sheets given, which must be free of errors.

    An awaited seat without a sheet misses its deadline.
    """
    sheets = {seat: lines for seat, lines in zip(SEATS, (one, two), strict=True) if lines is not None}
    orders = {}
    for seat, lines in sheets.items():
        parsed = read(state, seat, *lines)
        assert not parsed.errors, parsed.errors
        orders[seat] = parsed.orders
    missing = RULESET.standing(state).awaiting - set(sheets) - set(removed)
    sent = TurnInput(orders | dict.fromkeys(missing, ()), frozenset(missing), frozenset(removed))
    return RULESET.resolve(state, sent, Dice(b"test"))


def told(events: Sequence[Event], seat: SeatName, *kinds: str) -> list[dict[str, Any]]:
    """Return the data of a seat's events, of some kinds or of all."""
    heard = [{"kind": event.kind, **event.data} for event in events if seat in event.audience]
    return [event for event in heard if event["kind"] in kinds] if kinds else heard


def meetings(events: Sequence[Event], seat: SeatName) -> list[str]:
    """Return the meetings that a seat hears of: "B1 Z1 Y -+" for its lost Z1 and an enemy Y that stays."""
    signs = {True: "-", False: "+"}
    return [
        f"{event['square']} {event['own']['piece']} {event['enemy']['type']} "
        f"{signs[event['own']['lost']]}{signs[event['enemy']['lost']]}"
        for event in told(events, seat, "collision")
    ]


def lost(state: State, seat: SeatName) -> list[str]:
    """Return the names of a seat's pieces that are lost in truth."""
    return [piece.name for piece in state.players[seat].pieces if piece.loss]


def own(state: State, seat: SeatName, name: str) -> View:
    """Return a piece as its owner believes it to be."""
    return next(piece for piece in view(state, seat)["own"] if piece["name"] == name)
