"""The rows of a report: what its template loops over, prepared from the view once for text and HTML.

A row is a paragraph of facts; a fact is a pair of a label and a text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pbem.ruleset import View
from pbem_rules.common.summary import counted, grouped

LISTED = 120
"""Scanned hexes up to which each is told where it stands; of more, those of most worth are listed at the end."""

WORTH = 3
"""The least resources of a hex that is listed at the end."""

Fact = tuple[str, str]

_BANDS = ("Beside your units", "Two hexes off", "Three hexes off", "Four hexes off", "Five hexes off")


def with_rows(view: View) -> View:
    """Return a view with the rows of its report; those of a player who is out are not used."""
    scanned = sum(map(len, view["scan"]))
    here = scanned <= LISTED
    facts = {
        "units": [*_others(view), *_lost(view)],
        "finds": _finds(view, 1 if here else WORTH),
        "signs": [*_marks(view), *_tracks(view)],
        "crags": _ground("Crags:", view["crags"]),
        "dust": _ground("Dust:", view["dust"]),
    }
    rows = {name: [[fact] for fact in some] for name, some in facts.items()}
    more = {
        "crews": [(f"{q},{r}", [each["unit"] for each in crew]) for (q, r), crew in grouped(view["units"], "q", "r")],
        "bulk": scanned + len(view["contacts"]) + sum(len(each["units"]) for each in view["subservients"]),
        "tallies": [] if here else [*_tallies(view)],
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


def _lost(view: View) -> Iterator[Fact]:
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


def _tracks(view: View) -> Iterator[Fact]:
    near = [row for rows in view["scan"][:3] for row in rows]
    entered = grouped((row for row in near if row[4]), 4)
    tracks = [f"from {ways.replace(' ', ' and ')} to {_spots(rows)}" for ways, rows in entered]
    left = _spots(row for row in near if row[3] and not row[4])
    moved = _spots(row for row in view["scan"][3] if row[3])
    tracks += [f"left, not entered: {left}"] * bool(left) + [f"movement: {moved}"] * bool(moved)
    if tracks:
        yield "Tracks", f"{'; '.join(tracks)}."


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
