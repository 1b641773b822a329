"""Reads the option `ledgers` (ruling 9): an object by seats, or a table with a row for each seat."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pbem.ruleset import Json, SeatName, SetupError, suggest
from pbem_rules.gm_adjudicated.ledgers import (
    GM,
    LARGEST,
    LONGEST_LIST,
    LONGEST_TEXT,
    OWN,
    PUBLIC,
    WORLD,
    Entries,
    Ledgers,
    Value,
)
from pbem_rules.gm_adjudicated.text import one_line

EACH, SEEN = "each", "seen"
"""Keys of a file beside the seats and the world: entries of every seat, and visibility of entries."""

WHO = (PUBLIC, OWN, GM)
MOST_ENTRIES = 60

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,29}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,12}")
_KINDS = {int: "a number", str: "a text", tuple: "a list"}
_SHAPE = "an object of seats, world, each and seen, such as {seen: {gold: own}, red: {gold: 40, ships: [Argo, Swift]}}"


def read_ledgers(data: Json, seats: Sequence[SeatName]) -> Ledgers:
    """Return the ledgers of the option, from an object or from the rows of a table; raise SetupError."""
    if data is None:
        return Ledgers()
    given = _from_rows(data) if isinstance(data, list) else data
    if not isinstance(given, Mapping) or not all(isinstance(part, Mapping) for part in given.values()):
        raise SetupError(f"option ledgers must be {_SHAPE}")
    known = (WORLD, EACH, SEEN, *seats)
    taken = sorted({WORLD, EACH, SEEN} & set(seats))
    if taken:
        raise SetupError(f"a seat cannot be called {taken[0]!r} in a game with ledgers")
    for owner in given:
        if owner not in known:
            raise SetupError(f"option ledgers: there is no seat {owner!r}: {suggest(str(owner), known)}")
    each = given.get(EACH, {})
    owners = {seat: {**each, **given.get(seat, {})} for seat in seats} | {WORLD: given.get(WORLD, {})}
    entries = {owner: _entries(owner, own) for owner, own in owners.items()}
    ledgers = Ledgers(entries, entries, _readers_by_name(given.get(SEEN, {}), entries))
    _check_kinds(ledgers, seats)
    return ledgers


def _entries(owner: str, own: Mapping[str, Json]) -> dict[str, Value]:
    if len(own) > MOST_ENTRIES:
        raise SetupError(f"option ledgers: {owner} has {len(own)} entries; {MOST_ENTRIES} are the most")
    return {_name(owner, name): _value(f"{owner}.{name}", value) for name, value in own.items()}


def _name(owner: str, name: str) -> str:
    word = name.strip().lower()
    if not _NAME.fullmatch(word):
        raise SetupError(
            f"option ledgers: {owner} cannot have {name!r}: use 1 to 30 of a-z, 0-9, _ and -, a letter first"
        )
    return word


def _value(name: str, value: Json) -> Value:
    if isinstance(value, list) and all(isinstance(item, str | int) and not isinstance(item, bool) for item in value):
        items = tuple(one_line(str(item)) for item in value)
        if len(items) <= LONGEST_LIST and all(0 < len(item) <= LONGEST_TEXT for item in items):
            return items
    elif isinstance(value, str) and len(value) <= LONGEST_TEXT:
        return one_line(value)
    elif isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST:
        return value
    raise SetupError(
        f"option ledgers: {name} must be a whole number up to {LARGEST}, a text of up to {LONGEST_TEXT} characters, "
        f"or a list of up to {LONGEST_LIST} such texts"
    )


def _readers_by_name(given: Mapping[str, Json], entries: Mapping[str, Entries]) -> dict[str, str]:
    of_seats = {name for owner, own in entries.items() if owner != WORLD for name in own}
    known = sorted(of_seats | {f"{WORLD}.{name}" for name in entries[WORLD]})
    seen = {}
    for typed, who in given.items():
        name, word = typed.strip().lower(), str(who).strip().lower()
        if name not in known:
            raise SetupError(f"option ledgers: seen names {typed!r}, which is in no ledger: {suggest(name, known)}")
        if word not in WHO or (word == OWN and name not in of_seats):
            raise SetupError(f"option ledgers: {typed} cannot be seen by {who!r}: {suggest(word, WHO)}")
        seen[name] = word
    return seen


def _check_kinds(ledgers: Ledgers, seats: Sequence[SeatName]) -> None:
    """Raise SetupError unless an entry is of the same kind for all seats, so that rulings can give it to others."""
    kinds: dict[str, tuple[type, str]] = {}
    for seat in seats:
        for name, value in ledgers.entries[seat].items():
            kind, first = kinds.setdefault(name, (type(value), seat))
            if kind is not type(value):
                said = f"{name} is {_KINDS[kind]} of {first}, and {_KINDS[type(value)]} of {seat}"
                raise SetupError(f"option ledgers: {said}: make them of one kind")


def _from_rows(rows: Sequence[Json]) -> dict[str, dict[str, Json]]:
    """Convert a table to an object: each row is an owner, each column an entry; an empty cell is no entry.

    The row `seen` says who sees a column, and `world.seen` who sees it of the world.
    """
    if not all(isinstance(row, Mapping) and "seat" in row for row in rows):
        raise SetupError(f"option ledgers must be a table whose first heading is seat, or {_SHAPE}")
    cells = {
        str(row["seat"]).strip().lower(): {name: cell for name, cell in row.items() if name != "seat"} for row in rows
    }
    if len(cells) < len(rows):
        raise SetupError("option ledgers: a seat has two rows in the table")
    of_world = cells.pop(f"{WORLD}.{SEEN}", {})
    seen = cells.pop(SEEN, {}) | {f"{WORLD}.{name}": who for name, who in of_world.items()}
    columns = {name for row in cells.values() for name in row}
    kinds = {name: _kind_of_column([row.get(name, "") for row in cells.values()]) for name in columns}
    table = {owner: {name: kinds[name](cell) for name, cell in row.items() if cell} for owner, row in cells.items()}
    return table | {SEEN: {name: who for name, who in seen.items() if who}}


def _kind_of_column(cells: Sequence[str]) -> Callable[[str], Any]:
    """Return the reader of a column's cells: numbers if all are, lists if any has a |, otherwise texts."""
    if all(_NUMBER.fullmatch(cell) for cell in cells if cell):
        return int
    if any("|" in cell for cell in cells):
        return lambda cell: [item.strip() for item in cell.split("|") if item.strip()]
    return str
