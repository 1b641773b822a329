"""The choices of a page: which words can follow the beginning of a line, and what this turn should have orders for.

Orders to destroy units and to resign are left to the forms of their fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pbem.ruleset import Amount, Choice, Need, Purse, View
from pbem_rules.common.hexes import Hex
from pbem_rules.common.summary import counted
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.orders import COURSE, OF_UNIT, payable, unit_words
from pbem_rules.harvester.routes import reach, written
from pbem_rules.harvester.sheet import is_under_way
from pbem_rules.harvester.units import COMBAT, HARVESTER, MOVE, NAMES, SCANNER, SLOT
from pbem_rules.harvester.window import WIDEST

HELD = "held"
"""The purse of the resources that the reader's Harvester holds."""


def choices(view: View, words: tuple[str, ...]) -> Iterator[Choice | Amount]:
    """Yield the words that can follow the beginning of a line, places by distance."""
    if view["over"] or view["harvester"] is None:
        return
    match words:
        case ():
            yield from (Choice(verb) for verb in _AFTER if any(_AFTER[verb](view)))
        case (verb,) if verb in _AFTER:
            yield from _AFTER[verb](view)
        case ("MOVE", _):
            yield Choice("TO")
        case ("MOVE", unit, "TO"):
            yield from (_place(path) for _, path in reach(Atlas(view), unit, _spots(view)[unit]))


def _units(view: View) -> Iterator[Choice]:
    yield from map(Choice, _movable(view))


def _goals(view: View) -> Iterator[Choice]:
    atlas = Atlas(view)
    for spot in _targets(view, atlas):
        # Of the way there the chart has the hexes that are scanned.
        yield _place([each for each in atlas.line(atlas.home, spot) if each in atlas.sightings])


def _place(path: Sequence[Hex]) -> Choice:
    """Return the choice of the last hex of a path."""
    *between, there = map(written, path)
    return Choice(there, path=tuple(between))


def _rebuilt(view: View) -> Iterator[Choice]:
    """Yield the lost units that can be paid for; one is built at a time (ruling 6)."""
    for unit in payable(view) if view["building"] is None else ():
        turns = counted(int(COMBAT[SLOT[unit]]), "turn")
        yield Choice(unit, cost={HELD: int(SCANNER[SLOT[unit]])}, says=f"{unit_words(unit)}, {turns}")


def _dropped(view: View) -> Iterator[Amount]:
    if most := view["harvester"]["held"]:
        yield Amount(1, most, cost={HELD: 1})


_AFTER: Mapping[str, Callable[[View], Iterator[Choice | Amount]]] = {
    "MOVE": _units,
    "TARGET": _goals,
    "BUILD": _rebuilt,
    "DROP": _dropped,
}


def agenda(view: View) -> list[Need]:
    """Return the Harvester, if it may be given a target, and each unit that can move."""
    needs = []
    atlas = Atlas(view)
    if _targets(view, atlas):
        says = "kept from its way" if view["harvester"]["target"] else "no target"
        needs.append(Need(COURSE, "TARGET", "Harvester", says, NAMES[HARVESTER], written(atlas.home)))
    for unit in _movable(view):
        steps = counted(int(MOVE[SLOT[unit]]), "step")
        needs.append(Need(OF_UNIT.format(unit=unit), f"MOVE {unit}", unit_words(unit), steps, unit))
    return needs


def purses(view: View) -> dict[str, Purse]:
    return {HELD: Purse(view["harvester"]["held"], "resources")}


def _spots(view: View) -> dict[str, Hex]:
    return {unit["unit"]: (unit["q"], unit["r"]) for unit in view["units"]}


def _movable(view: View) -> list[str]:
    """Return the units that have a place in reach: those that known crags do not shut in."""
    atlas = Atlas(view)
    return [unit for unit, spot in _spots(view).items() if any(reach(atlas, unit, spot))]


def _targets(view: View, atlas: Atlas) -> list[Hex]:
    """Return the hexes on the chart to which the Harvester may be sent, past no known crags, nearest first."""
    if is_under_way(view["harvester"]):
        return []
    far = {spot: atlas.distance(atlas.home, spot) for spot in atlas.marked}
    near = sorted((steps, spot) for spot, steps in far.items() if 0 < steps <= WIDEST)
    return [spot for _, spot in near if atlas.crags.isdisjoint(atlas.line(atlas.home, spot))]
