"""The orders that a page offers: the words of each line, what it costs, and what a turn should have orders for.

Every line is one that a sheet may consist of. What hangs on other lines, such as a
move of a ship that is mended first, and vectors written out are left to typing. The
places of moves are bounded by counts, so that a page of any fleet stays small.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pbem.ruleset import Amount, Choice, Need, Purse
from pbem_rules.common.summary import counted
from pbem_rules.singularity_trap.chart import UNITS, closer
from pbem_rules.singularity_trap.courses import Course, Exits, Powers, Router, reach
from pbem_rules.singularity_trap.factions import certain, open_question
from pbem_rules.singularity_trap.orders import (
    BOOK,
    JUMP,
    OwnPlanet,
    View,
    new_name,
    new_number,
    others,
    possible_targets,
)
from pbem_rules.singularity_trap.outlook import Outlook, Prospect, spaces_met
from pbem_rules.singularity_trap.shorthand import dangers, powers_of
from pbem_rules.singularity_trap.space import VECTORS, Space, StarMap, board_of, distance, plus

MOST_BYTES = 62_000
"""Bytes of the tree of words, by the estimates below; the host leaves out a verb beyond 64 kB."""

MOST_OF_VERB = 150_000
"""Bytes of the places of one verb, counted ship by ship: the host asks for at most 30,000 words of a verb."""

REST, OWN, MADE, FOE = 3_000, 150, 340, 50
"""Bytes of all else, of an own ship, of a type that can be built at a planet, and of a target, without places."""

WAY = 32
"""Bytes of the way to a place, if it is drawn as the ship goes, not straight."""

MOST_DRAWN = 3_000
"""Bytes of all places in reach of a ship, if ways to them are drawn."""

MOST_TARGETS = 8
"""Targets of which a ship can be told two."""


def choices(view: View, words: tuple[str, ...]) -> Iterable[Choice | Amount]:
    """Return the words that can follow the beginning of a line."""
    if view["over"] or not view["awaited"]:
        return ()
    if not words:
        verbs = _OF_MADE if _new_ship(view) else _VERBS
        return [Choice(verb) for verb in verbs if any(True for _ in _VERBS[verb](view, (verb,)))]
    return _VERBS[words[0]](view, words) if words[0] in _VERBS else ()


def agenda(view: View) -> Sequence[Need]:
    """Return the ships that the section asks about."""
    return tuple(_NEEDS[view["section"]](view))


def purses(view: View) -> Mapping[str, Purse]:
    """Return the points that can be spent now: those after income and upkeep."""
    if not _asks(view, "economic"):
        return {}
    return {"points": Purse(_outlook(view).purse, "points")}


def view_with(view: View, words: tuple[str, ...]) -> View:
    """Return the view with the ship that a BUILD line makes, as the first of the reader's ships."""
    _, type_name, _, space, _, name = words
    kind = next(each for each in view["rules"]["types"] if each["name"] == type_name)
    ship = {
        "id": name,
        "type": type_name,
        "space": space,
        "dark": False,
        "moved": False,
        "encounter": space in set(spaces_met(view)),
        "damage": 0,
        "units": [{"unit": unit, "left": count, "full": count} for unit, count in kind["units"].items()],
    }
    return {**view, "ships": [ship, *view["ships"]]}


def _asks(view: View, section: str) -> bool:
    return view["section"] in ("turn", section)


def _new_ship(view: View) -> View | None:
    """Return the ship that a line makes, if the view is one with such a ship."""
    first = view["ships"][0] if view["ships"] else None
    return first if first and new_number(first["id"]) is not None else None


def _outlook(view: View) -> Outlook:
    """Return what becomes of the reader's fleet without an order."""
    return Outlook({**view, "ships": view["ships"][1:]} if _new_ship(view) else view, ())


def _fleet(view: View) -> Mapping[str, Prospect]:
    """Return the ships that there will be, by their names; with one that a line makes, that alone."""
    made = _new_ship(view)
    if made:
        # Nothing is paid for it in the movement section.
        return Outlook({**view, "section": "movement", "ships": [made]}, ()).ships
    return {name: ship for name, ship in _outlook(view).ships.items() if not ship.gone}


def _along(lines: Iterable[tuple[str, ...]], words: tuple[str, ...]) -> Iterator[Choice]:
    """Yield the words behind the beginning of a line, of the lines that there are."""
    far = len(words)
    behind = [line[far:] for line in lines if line[:far] == words and len(line) > far]
    for word in dict.fromkeys(line[0] for line in behind):
        rests = [len(line) for line in behind if line[0] == word]
        yield Choice(word, ends=1 in rests and max(rests) > 1)


def _move(view: View, words: tuple[str, ...]) -> Iterable[Choice]:
    match words:
        case (_,):
            return [Choice(ship.name) for ship in _movers(view)] if _asks(view, "movement") else ()
        case (_, _):
            return [Choice("TO")]
        case (_, name, "TO"):
            return _places(view, _fleet(view)[name])
    return ()


def _movers(view: View) -> Iterator[Prospect]:
    """Yield the ships that can move; one in an encounter may get free before movement begins, but not later."""
    for ship in _fleet(view).values():
        if powers_of(ship).drive and not (ship.encounter and view["section"] == "movement"):
            yield ship


def _places(view: View, ship: Prospect) -> Iterator[Choice]:
    """Yield the places that a ship reaches, known planets first, then by levels from its own."""
    chart = _chart(view)
    berth = chart.berth(ship.space, powers_of(ship))
    plan = _planned(chart, *_berths(view, chart), _room(view))
    levels = plan.made if _new_ship(view) else plan.own
    drawn = (berth, levels) in plan.drawn
    enemies = frozenset(map(chart.board.at, dangers(view))) if drawn else frozenset()
    ways = _ways(chart, berth, enemies - {berth.start}) if drawn else {}
    for place in _reached(chart, berth, levels):
        yield Choice(place, path=ways.get(place, ()))


class _Berth(NamedTuple):
    """The place and abilities of a ship: ships with one berth reach the same places."""

    start: Space
    powers: Powers


@dataclass(frozen=True, slots=True)
class _Chart:
    """The board as a player knows it: its planets, and the jumps made."""

    board: StarMap
    planets: frozenset[Space]
    exits: Exits

    def berth(self, space: str, powers: Powers) -> _Berth:
        return _Berth(self.board.at(space), powers)


def _chart(view: View) -> _Chart:
    board = board_of(view)
    exits = tuple((board.at(each["entry"]), board.at(each["exit"])) for each in view["charts"])
    return _Chart(board, frozenset(board.at(planet["space"]) for planet in view["planets"]), exits)


@dataclass(frozen=True, slots=True)
class _Levels:
    """The levels up and down to which ships of the fleet, and those made, are offered places; ways that are drawn.

    With -1 it is planets alone.
    """

    own: int
    made: int
    drawn: frozenset[tuple[_Berth, int]]


def _berths(view: View, chart: _Chart) -> tuple[tuple[_Berth, ...], tuple[_Berth, ...]]:
    """Return the berths of all ships that are there, and of all that can be made."""
    ships = _outlook(view).ships.values()
    own = tuple(chart.berth(ship.space, powers_of(ship)) for ship in ships if not ship.gone)
    if view["section"] != "turn":
        return own, ()
    powers = [
        Powers(units.get("drive", 0), bool(units.get("slip")), bool(units.get("jump")))
        for units in (kind["units"] for kind in _payable(view))
    ]
    return own, tuple(chart.berth(yard, each) for yard in OwnPlanet().samples(view) for each in powers)


def _room(view: View) -> int:
    """Return the bytes that there are for places."""
    made = len(OwnPlanet().samples(view)) * len(_payable(view)) if view["section"] == "turn" else 0
    return MOST_BYTES - REST - OWN * len(view["ships"]) - MADE * made - FOE * len(_foes(view))


@functools.lru_cache(maxsize=8)
def _planned(chart: _Chart, own: tuple[_Berth, ...], made: tuple[_Berth, ...], room: int) -> _Levels:
    """Return a plan that fits: far levels are given up last, those of ships that are only made before others."""
    own_levels = made_levels = 2 * chart.board.levels

    def size(berth: _Berth, levels: int) -> int:
        return _sizes(chart, berth)[levels + 1]

    def distinct() -> set[tuple[_Berth, int]]:
        return {(berth, own_levels) for berth in own} | {(berth, made_levels) for berth in made}

    def left() -> int:
        return room - sum(size(*each) for each in distinct())

    def fits() -> bool:
        verbs = (sum(size(berth, own_levels) for berth in own), sum(size(berth, made_levels) for berth in made))
        return max(verbs) <= MOST_OF_VERB and left() >= 0

    for least_made, least_own in ((1, 3), (0, 1), (-1, -1)):
        while made_levels > least_made and not fits():
            made_levels -= 1
        while own_levels > least_own and not fits():
            own_levels -= 1
    return _Levels(own_levels, made_levels, _drawn(chart, distinct(), left()))


def _drawn(chart: _Chart, offered: Iterable[tuple[_Berth, int]], room: int) -> frozenset[tuple[_Berth, int]]:
    """Return the berths to whose places ways are drawn, those with fewest places first."""
    drawn = set()
    for berth, levels in sorted(offered, key=lambda each: (_sizes(chart, each[0])[each[1] + 1], each)):
        room -= WAY * _sizes(chart, berth)[levels + 1] // 5
        if room < 0:
            break
        # All of a ship's courses are found to draw some.
        if _sizes(chart, berth)[-1] <= MOST_DRAWN:
            drawn.add((berth, levels))
    return frozenset(drawn)


@functools.lru_cache(maxsize=256)
def _sizes(chart: _Chart, berth: _Berth) -> Sequence[int]:
    """Return the bytes of the planets in reach, and of these with all places within 0, 1, 2 … levels."""
    sizes = [0] * (2 * chart.board.levels + 2)
    for space in reach(chart.board, *berth, chart.exits):
        sizes[0 if space in chart.planets else abs(space[2] - berth.start[2]) + 1] += len(chart.board.name(space)) + 1
    return list(itertools.accumulate(sizes))


@functools.lru_cache(maxsize=256)
def _reached(chart: _Chart, berth: _Berth, levels: int) -> Sequence[str]:
    """Return the planets in reach, then the other places within so many levels; if none, those beside the ship."""

    def key(space: Space) -> tuple[bool, int, int, Space]:
        far = distance(space, berth.start)
        return (False, far, 0, space) if space in chart.planets else (True, abs(space[2] - berth.start[2]), far, space)

    spaces = reach(chart.board, *berth, chart.exits)
    near = [space for space in spaces if space in chart.planets or abs(space[2] - berth.start[2]) <= levels]
    beside = (space for space in spaces if distance(space, berth.start) == 1)
    return [chart.board.name(space) for space in sorted(near or beside, key=key)]


@functools.lru_cache(maxsize=64)
def _ways(chart: _Chart, berth: _Berth, enemies: frozenset[Space]) -> Mapping[str, tuple[str, ...]]:
    """Return the places on the way to each place in reach at which the arrow turns."""
    exits = dict(chart.exits)
    router = Router(chart.board, *berth, enemies, exits)
    ways = {}
    for space in reach(chart.board, *berth, chart.exits):
        found = router.to(space)
        turns = _turns(berth.start, found.course, exits) if found else ()
        ways[chart.board.name(space)] = tuple(map(chart.board.name, turns))
    return ways


def _turns(start: Space, course: Course, exits: Mapping[Space, Space]) -> list[Space]:
    """Return the spaces at which a course changes its direction as seen from above."""
    spaces = [start]
    if course.vector:
        spaces.append(plus(start, VECTORS[course.vector], course.spaces))
    for leg in course.legs:
        spaces.append(exits[spaces[-1]] if leg == JUMP else plus(spaces[-1], VECTORS[leg]))
    seen = [spaces[0]]
    for space in spaces[1:]:
        # A step up or down is none from above.
        if space[:2] != seen[-1][:2]:
            seen.append(space)
    return [here for before, here, after in zip(seen, seen[1:], seen[2:], strict=False) if _bends(before, here, after)]


def _bends(before: Space, here: Space, after: Space) -> bool:
    q, r, to_q, to_r = here[0] - before[0], here[1] - before[1], after[0] - here[0], after[1] - here[1]
    return q * to_r != r * to_q or q * to_q + r * to_r < 0


def _fire(view: View, words: tuple[str, ...]) -> Iterator[Choice]:
    if not _asks(view, "combat"):
        return
    match words:
        case (_,):
            yield from (Choice(ship.name) for ship, _ in _armed(view))
        case (_, _):
            yield Choice("AT")
        case (_, name, "AT", *aimed) if len(aimed) < (2 if view["section"] == "combat" else 1):
            ship, targets = next(each for each in _armed(view) if each[0].name == name)
            several = view["section"] == "combat" and ship.shots > 1 and 1 < len(targets) <= MOST_TARGETS
            for target in targets if several or not aimed else ():
                if target["id"] not in aimed:
                    says = f"{target['owner']} {target['type']}"
                    yield Choice(target["id"], says=says, ends=several and not aimed)


def _armed(view: View) -> Iterator[tuple[Prospect, Sequence[View]]]:
    """Yield the ships that may be told to fire, and their targets; in a round of combat, those that they meet."""
    foes = _foes(view)
    for ship in _fleet(view).values():
        met = foes
        if view["section"] == "combat":
            combats = [combat for combat in view["combats"] if ship.name in combat["own"]]
            ids = {enemy["id"] for combat in combats for enemy in combat["enemies"]}
            met = [foe for foe in foes if foe["id"] in ids]
        if met and ship.left["weapons"] and not ship.dark:
            yield ship, met


def _foes(view: View) -> list[View]:
    """Return the ships in sight that are no ally's, those with most weapons first, as by doctrine (ruling 18)."""
    friends = {player["colour"] for player in view["players"] if player["ally"]}
    weapons = {kind["name"]: kind["units"].get("weapons", 0) for kind in view["rules"]["types"]}
    owners = set(others(view)) - friends
    seen = [ship for contact in view["sensors"]["contacts"] for ship in contact["ships"] if ship["owner"] in owners]
    return sorted(seen, key=lambda ship: (-weapons[ship["type"]], int(ship["id"][1:]), ship["id"]))


def _payable(view: View) -> list[View]:
    """Return the types of ships that there are points for."""
    purse = _outlook(view).purse
    return [kind for kind in view["rules"]["types"] if kind["cost"] <= purse]


def _build(view: View, words: tuple[str, ...]) -> Iterator[Choice]:
    yards = OwnPlanet().samples(view)
    if not yards or not _asks(view, "economic"):
        return
    match words:
        case (_,):
            yield from (Choice(kind["name"], cost={"points": kind["cost"]}) for kind in _payable(view))
        case (_, _):
            yield Choice("AT")
        case (_, _, "AT"):
            yield from map(Choice, yards)
        # In a section of its own a ship that is built has no other order on the sheet.
        case (_, _, "AT", _) if view["section"] == "turn":
            yield Choice("AS")
        case (_, _, "AT", _, "AS"):
            yield Choice(new_name(1), makes=True)


def _repair(view: View, words: tuple[str, ...]) -> Iterator[Choice | Amount]:
    if not _asks(view, "economic") or len(words) > 2 or not (purse := _outlook(view).purse):
        return
    hurt = {ship.name: len(ship.damaged(UNITS)) for ship in _fleet(view).values() if ship.damaged(UNITS)}
    match words:
        case (_,):
            yield from map(Choice, hurt)
        case (_, name):
            damage = hurt[name]
            if damage <= purse:
                yield Choice(str(damage), cost={"points": damage}, says="all damage")
            if damage > 1:
                yield Amount(1, min(damage - 1, purse), cost={"points": 1})


def _terraform(view: View, words: tuple[str, ...]) -> Iterator[Choice]:
    if _asks(view, "ecopolitical"):
        lines = ((name, *rest) for name, colours in _workers(view) for rest in (*(("TO", c) for c in colours), ("NO",)))
        yield from _along((("TERRAFORM", *line) for line in lines), words)


def _workers(view: View) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the ships that will terraform where they are, and the next colours of the planet there."""
    own = {planet["space"]: planet["colour"] for planet in view["planets"] if planet["owner"] == view["seat"]}
    moved = {ship["id"] for ship in view["ships"] if ship["moved"]} if view["section"] == "ecopolitical" else set()
    for ship in _fleet(view).values():
        colours = closer(view["seat"], own[ship.space]) if ship.space in own else ()
        if colours and ship.left["terraform"] and not ship.dark and ship.name not in moved:
            yield ship.name, colours


def _ally(view: View, words: tuple[str, ...]) -> Iterator[Choice]:
    if view["rules"]["alliances"] and _asks(view, "ecopolitical"):
        wished = {player["colour"]: player["wish"] for player in view["players"]}
        # What would change a setting comes first.
        answers = {other: ("NO", "YES") if wished[other] else ("YES", "NO") for other in others(view)}
        yield from _along((("ALLY", other, answer) for other in answers for answer in answers[other]), words)


def _target(view: View, words: tuple[str, ...]) -> Iterator[Choice]:
    if _asks(view, "combat"):
        allies = {player["colour"] for player in view["players"] if player["ally"]}
        prey = [each for each in possible_targets(view) if each not in allies]
        pairs = (("TARGET", *pair) for count in (1, 2) for pair in itertools.permutations(prey, count))
        yield from _along(pairs, words)


def _hide(view: View, words: tuple[str, ...]) -> Iterator[Choice]:
    if _asks(view, "economic") and len(words) == 1:
        yield from (Choice(ship.name) for ship in _fleet(view).values() if not ship.dark)


def _scrap(view: View, words: tuple[str, ...]) -> Iterator[Choice]:
    if _asks(view, "economic") and len(words) == 1:
        yield from (Choice(ship["id"]) for ship in view["ships"])


def _declare(view: View, words: tuple[str, ...]) -> Iterator[Choice]:
    if _asks(view, "economic"):
        orders = (*certain(view), *open_question(view))
        yield from _along((tuple(BOOK.line(order).split()) for order in orders), words)


_VERBS: Mapping[str, Callable[[View, tuple[str, ...]], Iterable[Choice | Amount]]] = {
    "MOVE": _move,
    "FIRE": _fire,
    "BUILD": _build,
    "TERRAFORM": _terraform,
    "REPAIR": _repair,
    "ALLY": _ally,
    "TARGET": _target,
    "HIDE": _hide,
    "DECLARE": _declare,
    "SCRAP": _scrap,
}

_OF_MADE = ("MOVE", "FIRE", "TERRAFORM")


def _need(view: View, ship: Prospect, verb: str, says: str, rest: str) -> Need:
    """Return the need of a ship for an order; one that a line makes has no name on the map."""
    title, slot = f"{ship.type} {ship.name}", f"{verb.lower()} {ship.name}"
    place = ship.space if _new_ship(view) else ""
    return Need(slot, f"{verb} {ship.name}", title, says, ship.name, place, rest=rest)


def _moving(view: View) -> Iterator[Need]:
    for ship in _movers(view):
        pinned = ", in an encounter" if ship.encounter else ""
        yield _need(view, ship, "MOVE", f"{ship.space}, drive {ship.left['drive']}{pinned}", "It stays where it is.")


def _mending(view: View) -> Iterator[Need]:
    for ship in _fleet(view).values():
        damage = len(ship.damaged(UNITS))
        if damage:
            yield _need(view, ship, "REPAIR", f"damage {damage}", "It stays damaged.")


def _firing(view: View) -> Iterator[Need]:
    for ship, _ in _armed(view):
        yield _need(view, ship, "FIRE", counted(ship.shots, "shot"), "It fires as TARGET says, or by doctrine.")


def _changing(view: View) -> Iterator[Need]:
    ships = _fleet(view)
    for name, colours in _workers(view):
        rest = f"The planet becomes {colours[0]}."
        yield _need(view, ships[name], "TERRAFORM", f"{ships[name].space}: {' or '.join(colours)}", rest)


_NEEDS: Mapping[str, Callable[[View], Iterable[Need]]] = {
    "turn": _moving,
    "economic": _mending,
    "movement": _moving,
    "combat": _firing,
    "ecopolitical": _changing,
}
