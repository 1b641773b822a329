"""The rows of a report: what its template loops over, prepared from the view once for text and HTML.

A row is a paragraph of facts; a fact is a pair of a label and a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

from pbem.ruleset import View
from pbem_rules.common.hexes import Hex, distance, step
from pbem_rules.common.summary import counted, grouped
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.memory import moves
from pbem_rules.harvester.planet import DIRECTIONS
from pbem_rules.harvester.units import MOVE

LISTED = 120
"""Scanned hexes up to which each is told where it stands; of more, those of most worth are listed at the end."""

WORTH = 3
"""The least resources of a hex that is listed at the end."""

ENTERED = 3
"""The last band that tells from where a hex was entered (ruling 9)."""

MOST_STEPS = int(MOVE.max())

Fact = tuple[str, str]

Steps = dict[Hex, set[str]]
"""Hexes that units left or entered, with the directions they came from."""

_BANDS = ("Beside your units", "Two hexes off", "Three hexes off", "Four hexes off", "Five hexes off")


def with_rows(view: View) -> View:
    """Return a view with the rows of its report; those of a player who is out are not used."""
    scanned, own = sum(map(len, view["scan"])), _own_steps(view)
    here = scanned <= LISTED
    facts = {
        "units": [*_others(view), *_foes_out_of_sight(view)],
        "finds": _finds(view, 1 if here else WORTH),
        "signs": [*_marks(view), *_tracks(view, own)],
        "crags": _ground("Crags:", view["crags"]),
        "dust": _ground("Dust:", view["dust"]),
    }
    rows = {name: [[fact] for fact in some] for name, some in facts.items()}
    more = {
        "crews": [(f"{q},{r}", [each["unit"] for each in crew]) for (q, r), crew in grouped(view["units"], "q", "r")],
        "bulk": scanned + len(view["contacts"]) + sum(len(each["units"]) for each in view["subservients"]),
        "tallies": [] if here else [*_tallies(view)],
        "came": [*_newcomers(view, own)],
    }
    return {**view, "rows": {**rows, **more, "here": here, "worth": WORTH}}


def _spots(rows: Iterable[Sequence[Any]]) -> str:
    return ", ".join(f"{row[0]},{row[1]}" for row in rows)


def _others(view: View) -> Iterator[Fact]:
    """Yield units of others as they stand; those of the reader's empire are told there."""
    below = {each["seat"] for each in view["subservients"]}
    for side, crowds in grouped((each for each in view["contacts"] if each["owner"] not in below), "side"):
        owners = [
            f"{owner}'s " + ", ".join(f"{' '.join(each['units'])} at {each['q']},{each['r']}" for each in found)
            for owner, found in grouped(crowds, "owner")
        ]
        yield "Foes in sight:" if side == "foe" else "On your side, but not below you:", f"{'; '.join(owners)}."
    for number, rows in reversed(grouped((row for row in view["scan"][1] if row[5]), 5)):
        yield f"{counted(number, 'unit')} of unknown owner{'s' * (number != 1)}", f"at {_spots(rows)}."


def _foes_out_of_sight(view: View) -> Iterator[Fact]:
    """Yield foes out of sight, where they were seen last."""
    memory, turn = view.get("memory", {}), view["turn"]
    owners = [
        f"{owner}'s " + ", ".join(f"{' '.join(units)} at {q},{r} ({turn - then})" for q, r, _, units, then in found)
        for owner, found in grouped((row for row in memory.get("foes", ()) if row[4] < turn), 2)
    ]
    if owners:
        left_out = memory["left_out"]
        more = f" Forgotten, as they were farther off: {counted(left_out, 'unit')}." if left_out else ""
        yield "Foes seen before (turns ago):", f"{'; '.join(owners)}.{more}"


def _finds(view: View, least: int) -> Iterator[Fact]:
    """Yield the resources of hexes that have at least so many, and those that were counted before."""
    now = [f"{number} at {_spots(rows)}" for number, rows in reversed(grouped(view["scan"][0], 6)) if number >= least]
    if now:
        yield "Resources:", f"{'; '.join(now)}."
    turn = view["turn"]
    older = grouped((row for row in view.get("memory", {}).get("riches", ()) if row[3] < turn), 2)
    before = [
        f"{number} at {', '.join(f'{q},{r} ({turn - then})' for q, r, _, then in rows)}"
        for number, rows in reversed(older)
    ]
    if before:
        yield "Resources counted before (turns ago):", f"{'; '.join(before)}."


def _marks(view: View) -> Iterator[Fact]:
    """Yield the marks of bands 2 to 5."""
    bands = [(band, _spots(row for row in rows if row[2])) for band, rows in enumerate(view["scan"][1:], 2)]
    marks = [f"band {band}: {spots}" for band, spots in bands if spots]
    if marks:
        yield "Harvester or resource,", f"{'; '.join(marks)}."


def _newcomers(view: View, own: Steps) -> Iterator[str]:
    """Yield the foes, and units of unknown owners, that came within two steps of own units in this turn."""
    entered = {
        (q, r): number
        for rows in view["scan"][:2]
        for q, r, _, _, ways, number, *_ in rows
        if number and set(ways.split()) - own.get((q, r), set())
    }
    foes = [each for each in view["contacts"] if each["side"] == "foe" and (each["q"], each["r"]) in entered]
    for owner, found in grouped(foes, "owner"):
        yield f"{owner}'s " + ", ".join(f"{' '.join(each['units'])} at {each['q']},{each['r']}" for each in found)
    # Band 1 tells exactly what is in a hex, band 2 the number alone (ruling 9).
    far = {(row[0], row[1]) for row in view["scan"][1]}
    for (q, r), number in entered.items():
        if (q, r) in far:
            yield f"{counted(number, 'unit')} of unknown owner{'s' * (number != 1)} at {q},{r}"


def _tracks(view: View, own: Steps) -> Iterator[Fact]:
    """Yield the movement that scanners show, without the steps that are certainly of the reader's own units."""
    near = [
        (q, r, " ".join(way for way in entered.split() if way not in own.get((q, r), ())), entered)
        for rows in view["scan"][:3]
        for q, r, _, moved, entered, *_ in rows
        if moved
    ]
    tracks = [
        f"from {ways.replace(' ', ' and ')} to {_spots(rows)}"
        for ways, rows in grouped((row for row in near if row[2]), 2)
    ]
    left = _spots(row for row in near if not row[3] and (row[0], row[1]) not in own)
    moved = _spots(row for row in view["scan"][3] if row[3] and (row[0], row[1]) not in own)
    tracks += [f"left, not entered: {left}"] * bool(left) + [f"movement: {moved}"] * bool(moved)
    if tracks:
        yield "Tracks", f"{'; '.join(tracks)}."


def _own_steps(view: View) -> Steps:
    """Return the hexes that own units left or entered, as far as is certain, with the directions they came from.

    A report remembers where units stood and stand. Of the shortest ways between, those count that scanners bear out,
    and of these the steps that all have in common.
    """
    atlas, entered, found = Atlas(view), _entered(view), dict[Hex, set[str]]()
    for start, end in moves(view).values():
        found.setdefault(start, set())
        away = atlas.planet.named(end[0] - start[0], end[1] - start[1], near=(0, 0))
        ways = _ways(*away) if distance(away, (0, 0)) <= MOST_STEPS else ()
        spots = {offset: atlas.named(step(start, offset)) for way in ways for offset, _ in way}
        # Where scanners do not tell, any direction is borne out.
        borne_out = [way for way in ways if all(name in entered.get(spots[offset], (name,)) for offset, name in way)]
        for offset, name in frozenset.intersection(*borne_out) if borne_out else ():
            found.setdefault(spots[offset], set()).add(name)
    return found


def _entered(view: View) -> dict[Hex, tuple[str, ...]]:
    """Return the directions from which hexes were entered, of all hexes in the bands that tell them."""
    quiet = chain.from_iterable(zip(spots[::2], spots[1::2], strict=True) for spots in view["quiet"][:ENTERED])
    rows = chain.from_iterable(view["scan"][:ENTERED])
    return {**dict.fromkeys(quiet, ()), **{(q, r): tuple(ways.split()) for q, r, _, _, ways, *_ in rows}}


@cache
def _ways(q: int, r: int) -> tuple[frozenset[tuple[Hex, str]], ...]:
    """Return the shortest ways from (0, 0) to a hex: of each the hexes entered, and the direction from which."""
    if (q, r) == (0, 0):
        return (frozenset(),)
    before = {name: step((q, r), direction) for name, direction in DIRECTIONS.items()}
    nearer = [name for name, spot in before.items() if distance(spot, (0, 0)) < distance((q, r), (0, 0))]
    return tuple(way | {((q, r), name)} for name in nearer for way in _ways(*before[name]))


def _ground(label: str, rows: Sequence[Any]) -> list[Fact]:
    return [(label, f"{_spots(rows)}.")] if rows else []


def _tallies(view: View) -> Iterator[str]:
    """Yield the facts of each band as numbers of hexes."""
    for band, (name, rows) in enumerate(zip(_BANDS, view["scan"], strict=True), 1):
        if band == 1:
            words = [f"{_hexes(rows, 6)} with {counted(sum(row[6] for row in rows), 'resource')}"]
        else:
            words = [f"{_hexes(rows, 2)} with a Harvester or resource"]
        words += [f"{_hexes(rows, 5)} with {counted(sum(row[5] for row in rows), 'unit')}"] if band == 2 else []
        words += [f"{_hexes(rows, 3)} with movement"] if band < 5 else []
        yield f"{name} (band {band}): {', '.join(words)}"


def _hexes(rows: Iterable[Sequence[Any]], fact: int) -> str:
    number = sum(bool(row[fact]) for row in rows)
    return f"{number} {'hex' if number == 1 else 'hexes'}"
