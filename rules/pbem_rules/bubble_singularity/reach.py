"""Ways of the Mari, for pages and bots, and the spaces where they end."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from pbem.ruleset import FieldError, SeatName
from pbem_rules.bubble_singularity.cards import UNIVERSE
from pbem_rules.bubble_singularity.grid import DIAGONALS, WAYS
from pbem_rules.bubble_singularity.moving import furthest, needs_bubble, next_space, path_of, spared
from pbem_rules.bubble_singularity.table import Table

LONGEST = 4
"""Most spaces of a way that a page offers; a fifth, by Efficient Explorer on 5 by 5, is typed."""


def steps(table: Table, seat: SeatName, ways: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the ways that can follow others, each with the space that it leads to."""
    if len(ways) >= LONGEST:
        return
    for way in _winds(table, seat):
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


def distinct_ways(table: Table, seat: SeatName) -> dict[tuple[str, ...], str]:
    """Return ways with the space where each ends; of those that enter the same spaces and end alike, the first."""
    start, held, most = table.players[seat].at, len(table.players[seat].hand), furthest(table, seat)
    assert start is not None
    onward = cache(lambda space: list(_onward(table, seat, space)))
    # A number with a digit for each space counts how often a way enters it, in whatever order.
    digit = {space: 8**at for at, space in enumerate(table.bubbles)}
    seen: set[tuple[str, int]] = set()
    growing: list[tuple[tuple[str, ...], str, int, int]] = [((), start, 0, 0)]
    for ways, here, entered, paid in growing:
        if len(ways) == most:
            break
        left = held + spared(table, seat, len(ways) + 1) - paid
        for way, space, cost in onward(here):
            same = (space, entered + digit[space])
            if cost <= left and same not in seen:
                seen.add(same)
                growing.append(((*ways, way), *same, paid + cost))
    return {ways: end for ways, end, _, _ in growing[1:]}


def _onward(table: Table, seat: SeatName, here: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the ways that a Mari may go from a space, each with the space that it leads to and the bubbles it costs."""
    for way in _winds(table, seat):
        try:
            space = next_space(table, seat, here, way)
        except FieldError:
            continue
        yield way, space, needs_bubble(table, space)


def _winds(table: Table, seat: SeatName) -> tuple[str, ...]:
    return (*WAYS, *DIAGONALS) if table.has(seat, "drift") else WAYS
