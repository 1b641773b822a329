"""Orders written short, expanded into those that are carried out.

Their meaning depends on the rest of the sheet: a ship may be built or repaired
on it before it moves. Everything is found from the mailed view, and the receipt
restates the expanded orders.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pbem.ruleset import Finding, ParsedOrder
from pbem_rules.singularity_trap.courses import Course, Found, Powers, Router
from pbem_rules.singularity_trap.orders import (
    Build,
    BuildHere,
    Move,
    MoveTo,
    OwnPlanet,
    Repair,
    RepairShips,
    View,
)
from pbem_rules.singularity_trap.outlook import Outlook, Prospect, spaces_met
from pbem_rules.singularity_trap.space import Space, board_of


@dataclass
class Written:
    """Expanded entries, and the findings on them."""

    entries: list[ParsedOrder] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def write_yards(view: View, entries: Iterable[ParsedOrder]) -> Written:
    """Return the entries with BUILD and REPAIR expanded, which depend on nothing but the view."""
    written = Written()
    for entry in entries:
        if isinstance(entry.order, BuildHere):
            _build(view, entry.line, entry.order, written)
        elif isinstance(entry.order, RepairShips):
            _repair(view, entry.line, entry.order, written)
        else:
            written.entries.append(entry)
    return written


def _build(view: View, line: int, order: BuildHere, written: Written) -> None:
    mine = OwnPlanet().samples(view)
    if len(mine) == 1:
        written.entries.append(ParsedOrder(line, Build(order.type, mine[0], order.count, order.first)))
        return
    hint = "yours: " + ", ".join(mine[:8]) if mine else "you own none now"
    text = f"where? write AT and one of your planets behind {order.type}"
    written.findings.append(Finding(line, "error", "missing-word", text, hint))


def _repair(view: View, line: int, order: RepairShips, written: Written) -> None:
    damage = {ship["id"]: ship["damage"] for ship in view["ships"]}
    hurt = [name for name in order.ships if damage[name]]
    written.entries += [ParsedOrder(line, Repair(name)) for name in hurt]
    if not hurt:
        written.findings.append(Finding(line, "error", "nothing-damaged", "none of these ships is damaged"))


class Courses:
    """Expansion of MOVE … TO into courses, for the ships that the sheet will have."""

    def __init__(self, view: View, outlook: Outlook) -> None:
        self._view, self._outlook, self._board = view, outlook, board_of(view)
        self._exits = {self._board.at(each["entry"]): self._board.at(each["exit"]) for each in view["charts"]}
        self._dangers = frozenset(map(self._board.at, dangers(view)))
        self._routers: dict[tuple[Space, Powers], Router] = {}

    def write(self, entries: Iterable[ParsedOrder]) -> Written:
        """Return the entries with each MOVE … TO as a MOVE along a course, ships with one course together."""
        written = Written()
        for entry in entries:
            if isinstance(entry.order, MoveTo):
                self._move(entry.line, entry.order, written)
            else:
                written.entries.append(entry)
        return written

    def _move(self, line: int, order: MoveTo, written: Written) -> None:
        target, together = self._board.at(order.place), dict[Course, list[str]]()
        problems: list[Finding] = []
        for name in order.ships:
            if why := self._outlook.missing(name):
                problems.append(Finding(line, "error", "gone", why))
                continue
            ship = self._outlook.ships[name]
            found = self._router(ship).to(target)
            if found is None:
                problems.append(self._unreached(line, ship, target, others=len(order.ships) > 1))
                continue
            # The dangers passed are no part of the order: ships on the same way share a line.
            together.setdefault(dataclasses.replace(found.course, passes=frozenset()), []).append(name)
            written.findings += self._course_notes(line, name, found)
        for course, names in together.items():
            legs = course.legs
            written.entries.append(
                ParsedOrder(line, Move(tuple(names), course.vector or None, course.spaces or None, legs))
            )
        severity = "warning" if together else "error"
        written.findings += [dataclasses.replace(finding, severity=severity) for finding in problems]

    def _router(self, ship: Prospect) -> Router:
        start, powers = self._board.at(ship.space), powers_of(ship)
        if (start, powers) not in self._routers:
            # Enemies where it starts are an encounter (ruling 13), and no danger on the way.
            others = self._dangers - {start}
            self._routers[start, powers] = Router(self._board, start, powers, others, self._exits)
        return self._routers[start, powers]

    def _unreached(self, line: int, ship: Prospect, target: Space, *, others: bool) -> Finding:
        start, name = self._board.at(ship.space), self._board.name
        if start == target:
            hint = f"to count as moving, write: MOVE {ship.name} STAY"
            return Finding(line, "error", "no-course", f"{ship.name} is there already", hint)
        text = f"{ship.name} cannot reach {name(target)} from {ship.space} this turn"
        near = self._router(ship).nearest(target)
        hint = "it cannot move" if near == start else f"the nearest it can reach is {name(near)}"
        corrected = "" if near == start or others else f"MOVE {ship.name} TO {name(near)}"
        return Finding(line, "error", "no-course", text, hint, corrected)

    def _course_notes(self, line: int, ship: str, found: Found) -> Iterator[Finding]:
        course = found.course
        way = " ".join((f"SLIP {course.vector} {course.spaces}" if course.vector else "", *course.legs)).strip()
        yield Finding(line, "note", "course", f"{ship} goes {way}")
        if course.passes:
            text = f"{ship} passes {self._named(course.passes)}, where ships may stop it"
            yield Finding(line, "warning", "course-danger", text, "no course as short passes fewer")
        differing = frozenset().union(*found.others) - course.passes
        if differing:
            text = f"other courses of {ship} as short pass {self._named(differing)}, where ships may be"
            yield Finding(line, "note", "other-courses", text, "to choose yourself, write the vectors")

    def _named(self, spaces: Iterable[Space]) -> str:
        return ", ".join(self._board.name(space) for space in sorted(spaces))


def powers_of(ship: Prospect) -> Powers:
    """Return the abilities of a ship on its way; a dark one does nothing (rulebook, "Ships")."""
    left = {} if ship.dark else ship.left
    return Powers(left.get("drive", 0), bool(left.get("slip")), bool(left.get("jump")))


def dangers(view: View) -> Iterator[str]:
    """Yield the spaces where ships are seen, or marked as unknown, that are no ally's."""
    yield from spaces_met(view)
    yield from view["sensors"]["unknown"]
