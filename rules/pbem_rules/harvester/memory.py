"""Memory of a seat: foes and resources out of sight, and the places of its own units a report before.

It is carried from report to report, from mailed views alone. Ground is not
remembered: a unit that cannot enter crags scans farther than it goes in a turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TypedDict

from pbem.ruleset import Json, SeatName, View, append_score
from pbem_rules.common.hexes import Hex
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.units import KINDS

LASTING = 8
"""Turns after which a sighting is forgotten."""

MOST_FOES, MOST_RICHES = 100, 60
"""Most hexes of foes and of resources that are remembered, those in sight included."""

# Most units of each kind that a player has.
_HAS = Counter(KINDS)

Row = list[Any]


class Memory(TypedDict):
    """The `memory` of a mailed view; that of a seat that is out has `scores` alone.

    `foes` are [q, r, owner, kinds, turn], a letter for each unit, and `riches` [q, r, resources, turn]: as the
    report of that turn showed them, those of this report included. `left_out` counts units out of sight that were
    dropped because too many are nearer. `stand` gives the places of own units, [q, r] by name, and `came` the former
    places of those that have moved since the report before.
    """

    scores: Json
    foes: list[Row]
    left_out: int
    riches: list[Row]
    stand: dict[str, Row]
    came: dict[str, Row]


class LostContact(NamedTuple):
    """Units of a foe that a report showed some turns `ago` and none has shown since."""

    spot: Hex
    owner: SeatName
    units: str
    ago: int


class Riches(NamedTuple):
    """Resources of a hex, counted some turns `ago` and not since."""

    spot: Hex
    resources: int
    ago: int


def carry_memory(view: View, before: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the memory of a view's seat, from the view and the memory of its report before."""
    scores = append_score(before, "points", "turn", view["turn"], view["points"]["total"])
    if view["harvester"] is None:
        return {"scores": scores}
    seen = _Seen(view)
    foes = _nearest(view, [*_in_sight(view), *_out_of_sight(view, before.get("foes", ()), seen)], MOST_FOES)
    riches = [*_counted(view), *(row for row in before.get("riches", ()) if _lies(view, row, seen))]
    stand = _stand(view)
    stood = before.get("stand", {})
    return Memory(
        scores=scores,
        foes=foes.kept,
        left_out=sum(len(row[3]) for row in foes.dropped if row[-1] < view["turn"]),
        riches=_nearest(view, riches, MOST_RICHES).kept,
        stand=stand,
        came={unit: stood[unit] for unit, spot in stand.items() if stood.get(unit, spot) != spot},
    )


def lost_foes(view: View) -> list[LostContact]:
    """Return the units of foes out of sight, those seen last first."""
    rows = _older(view, "foes")
    return [LostContact((q, r), owner, units, view["turn"] - turn) for q, r, owner, units, turn in rows]


def old_riches(view: View) -> list[Riches]:
    """Return the resources that are not counted now, those counted last first."""
    return [Riches((q, r), number, view["turn"] - turn) for q, r, number, turn in _older(view, "riches")]


def moves(view: View) -> dict[str, tuple[Hex, Hex]]:
    """Return the former and the present place of each own unit that has moved since the report before."""
    memory = view.get("memory", {})
    stand = memory.get("stand", {})
    return {unit: ((q, r), (stand[unit][0], stand[unit][1])) for unit, (q, r) in memory.get("came", {}).items()}


def stood(view: View) -> dict[str, Hex]:
    """Return the places of own units in the report of the turn before; nothing if that is not remembered."""
    memory = view.get("memory", {})
    if view["turn"] - 1 not in (turn for turn, _ in memory.get("scores", {"turns": ()})["turns"]):
        return {}
    places = {**memory.get("stand", {}), **memory.get("came", {})}
    return {unit: (q, r) for unit, (q, r) in places.items()}


def _older(view: View, part: str) -> list[Row]:
    rows = [row for row in view.get("memory", {}).get(part, ()) if row[-1] < view["turn"]]
    return sorted(rows, key=lambda row: -row[-1])


class _Seen:
    """The hexes that scanners show now: `clear` ones without a unit, `bare` ones without a mark.

    Units in `exact` ones are contacts. Dust seen from outside is in none of them.
    """

    def __init__(self, view: View) -> None:
        scan = view["scan"]
        quiet = [set(zip(spots[::2], spots[1::2], strict=True)) for spots in view["quiet"]]
        self.exact = quiet[0] | {(row[0], row[1]) for row in scan[0]}
        self.clear = self.exact | quiet[1] | {(row[0], row[1]) for row in scan[1] if not row[5]}
        self.bare = quiet[1].union(*quiet[2:], *([(row[0], row[1]) for row in rows if not row[2]] for rows in scan[1:]))


def _in_sight(view: View) -> Iterator[Row]:
    for each in view["contacts"]:
        if each["side"] == "foe":
            yield [each["q"], each["r"], each["owner"], each["units"], view["turn"]]


def _out_of_sight(view: View, rows: Iterable[Row], seen: _Seen) -> Iterator[Row]:
    """Yield the foes of earlier reports that were neither seen again nor found gone."""
    turn, known, no_foes = view["turn"], _known(view), _no_foes(view)
    newest = sorted(rows, key=lambda row: -row[4])
    for then, group in groupby(newest, key=lambda row: row[4]):
        if turn - then > LASTING:
            return
        kept = []
        for q, r, owner, units, _ in group:
            # Friends are not remembered, and units are forgotten where their hex is seen to be empty.
            if owner not in no_foes and (q, r) not in seen.clear:
                # A player has a fixed number of each kind, so units seen elsewhere may be those remembered.
                left = "".join(kind for kind in units if known[owner, kind] < _HAS[kind])
                # A hex without a mark holds no Harvester (band 5, ruling 9).
                left = left.replace("H", "") if (q, r) in seen.bare else left
                kept += [[q, r, owner, left, then]] if left else []
        yield from kept
        known.update((owner, kind) for _, _, owner, units, _ in kept for kind in units)


def _known(view: View) -> Counter[tuple[SeatName, str]]:
    """Return the number of units by owner and kind that are known elsewhere: in sight, or just destroyed."""
    known = Counter((each["owner"], kind) for each in view["contacts"] for kind in each["units"])
    for event in view["events"]:
        if event["kind"] == "fought" and event["outcome"] == "won":
            for enemy in event["enemies"].split(", "):
                owner, units = enemy.split(" ")
                known.update((owner, kind) for kind in units)
    return known


def _no_foes(view: View) -> set[SeatName]:
    """Return the seats known to be on the reader's side now, or out."""
    friends = {each["owner"] for each in view["contacts"] if each["side"] == "friend"}
    out = {event["who"] for event in view["events"] if event["kind"] == "out"}
    return friends.union(out, view["rulers"], (each["seat"] for each in view["subservients"]))


def _counted(view: View) -> Iterator[Row]:
    for q, r, *_, resources in view["scan"][0]:
        if resources:
            yield [q, r, resources, view["turn"]]


def _lies(view: View, row: Row, seen: _Seen) -> bool:
    """Return True if resources of an earlier report may still lie there, by all that scanners show now."""
    spot = row[0], row[1]
    return view["turn"] - row[3] <= LASTING and spot not in seen.exact and spot not in seen.bare


class _Kept(NamedTuple):
    kept: list[Row]
    dropped: list[Row]


def _nearest(view: View, rows: list[Row], most: int) -> _Kept:
    """Keep at most `most` rows, those nearest to the Harvester."""
    if len(rows) > most:
        atlas = Atlas(view)
        rows.sort(key=lambda row: (atlas.distance((row[0], row[1]), atlas.home), row))
    return _Kept(rows[:most], rows[most:])


def _stand(view: View) -> dict[str, Row]:
    own: Sequence[Mapping[str, Any]] = [{"unit": "H", **view["harvester"]}, *view["units"]]
    return {each["unit"]: [each["q"], each["r"]] for each in own}
