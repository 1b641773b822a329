"""Ways of the Mari that a page can offer, and the spaces where they end."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.ruleset import FieldError, SeatName
from pbem_rules.bubble_singularity.cards import UNIVERSE
from pbem_rules.bubble_singularity.grid import DIAGONALS, WAYS
from pbem_rules.bubble_singularity.moving import path_of
from pbem_rules.bubble_singularity.table import Table

LONGEST = 4
"""Most spaces of a way that a page offers; a fifth, by Efficient Explorer on 5 by 5, is typed."""


def steps(table: Table, seat: SeatName, ways: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the ways that can follow others, each with the space that it leads to."""
    if len(ways) >= LONGEST:
        return
    for way in (*WAYS, *(DIAGONALS if table.has(seat, "drift") else ())):
        try:
            yield way, path_of(table, seat, (*ways, way))[-1]
        except FieldError:
            continue


def stops(table: Table, seat: SeatName) -> dict[str, int]:
    """Return the spaces where a move can end, with the fewest steps to each; the Mari's own if it cannot move."""
    found: dict[str, int] = {}
    # Ways of one length to one space differ in the spaces beside the transit station, which cost no bubble (ruling 8).
    growing: dict[tuple[str, int], tuple[str, ...]] = {("", 0): ()}
    for length in range(1, LONGEST + 1):
        growing = {
            (space, free + table.beside(space, "transit")): (*ways, way)
            for (_, free), ways in growing.items()
            for way, space in steps(table, seat, ways)
        }
        for space, _ in growing:
            found.setdefault(space, length)
    here = table.players[seat].at
    assert here is not None
    return found or {here: 0}


def free_stops(table: Table, seat: SeatName, action: str) -> list[str]:
    """Return the spaces where an action of the page may be chosen: blocked, only on the Universe (ruling 21)."""
    blocked = table.players[seat].blocked == action
    found = [space for space in stops(table, seat) if not blocked or table.cards[space].kind == UNIVERSE]
    return sorted(found, key=lambda space: (space[1], space[0]))
