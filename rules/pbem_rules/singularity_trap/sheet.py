"""Second reading of a sheet: its orders, checked against what the player knows.

What cannot be done whatever is hidden is an error, and the line is not
accepted; what may fail is a warning. Nothing here sees a state, so a receipt
tells its reader nothing that the report did not. Codes:

| code | meaning |
|---|---|
| not-awaited, wrong-section | no orders, or not such orders, are asked for now |
| gone | the ship is scrapped on this sheet, or is not built by it |
| unpaid, too-dear, too-many, number-taken, points, new-name | points and ships built |
| nothing-damaged, cannot-hide | repair and hide |
| replaced | a later line for the same thing counts |
| course, course-danger, other-courses, no-course | the way of a MOVE … TO |
| no-way, cannot-move, encounter, off-map, unknown-ships, ends | moves |
| no-weapons, not-in-sight, is-ally, not-in-combat | fire |
| cannot-terraform, other-colour, two-colours | terraforming |
| no-alliances, bad-faction, if-allied, resigning | politics |

The consequences of the sheet are told by `forecast`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from pbem.ruleset import Finding, Order, ParsedOrder, ParsedSheet
from pbem_rules.singularity_trap.chart import closer
from pbem_rules.singularity_trap.factions import unfit
from pbem_rules.singularity_trap.forecast import forecast
from pbem_rules.singularity_trap.forecast import leaving as leave_taken
from pbem_rules.singularity_trap.numbering import keep_numbers, renumbered, unpaid
from pbem_rules.singularity_trap.orders import (
    BOOK,
    JUMP,
    Ally,
    DeclareEmpire,
    DeclareFaction,
    Fire,
    LeaveColour,
    Move,
    MoveTo,
    Resign,
    Target,
    Terraform,
    TrapOrder,
    View,
    seen_foes,
)
from pbem_rules.singularity_trap.outlook import Outlook, Prospect, problems
from pbem_rules.singularity_trap.shorthand import Courses, write_yards
from pbem_rules.singularity_trap.space import VECTORS, board_of, plus
from pbem_rules.singularity_trap.understanding import understood


def parse(view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
    """Return the orders that can be carried out as far as the view tells, and all findings, by line."""
    written = list(lines)
    parsed = understood(view, written)
    if not view["awaited"]:
        return _unasked(view, parsed)
    yards = write_yards(view, parsed.entries)
    parsed = ParsedSheet(tuple(yards.entries), (*parsed.findings, *yards.findings))
    entries = keep_numbers(parsed, written)
    misplaced = list(_misplaced(view, entries))
    entries, on_course = _on_course(view, _without(entries, misplaced))
    entries, found = _read(view, entries)
    found = [*parsed.findings, *misplaced, *on_course, *found]
    return ParsedSheet(entries, tuple(sorted(found, key=lambda finding: finding.line)))


def _on_course(view: View, entries: tuple[ParsedOrder, ...]) -> tuple[tuple[ParsedOrder, ...], list[Finding]]:
    """Return the entries with courses expanded, for the ships as the accepted economic orders leave them."""
    if not any(isinstance(entry.order, MoveTo) for entry in entries):
        return entries, []
    settled, _ = _read(view, tuple(entry for entry in entries if not isinstance(entry.order, MoveTo)))
    courses = Courses(view, Outlook(view, settled)).write(entries)
    return tuple(courses.entries), courses.findings


def _unasked(view: View, parsed: ParsedSheet) -> ParsedSheet:
    """Return the resignation on a sheet that was not asked for, and findings on all else (ruling 42)."""
    plays = any(player["playing"] for player in view["players"] if player["colour"] == view["seat"])
    if view["over"] or not plays:
        text = "the game is over" if view["over"] else "no orders are asked of you now"
        return ParsedSheet((), (Finding(0, "error", "not-awaited", text), *parsed.findings))
    leaving = tuple(entry for entry in parsed.entries if isinstance(entry.order, Resign))
    findings = [
        *parsed.findings,
        *(_resigning(entry.line) for entry in leaving),
        *(leave_taken(view) if leaving else ()),
    ]
    if parsed.findings or leaving != parsed.entries or not leaving:
        hint = f"at any time there is {BOOK.line(Resign())}"
        findings.append(Finding(0, "error", "not-awaited", "no orders are asked of you now", hint))
    return ParsedSheet(leaving, tuple(sorted(findings, key=lambda finding: finding.line)))


def _read(view: View, entries: tuple[ParsedOrder, ...]) -> tuple[tuple[ParsedOrder, ...], list[Finding]]:
    """Return the entries that can be accepted, and all findings: on these as if the rest had not been written."""
    refused: list[Finding] = []
    while True:
        # A line that is refused changes what the others come to, so these are read again without it.
        findings = list(_SheetReading(view, entries).findings())
        left = _without(entries, findings)
        if left == entries:
            return entries, [*refused, *findings]
        gone = {entry.line for entry in entries} - {entry.line for entry in left}
        refused += [finding for finding in findings if finding.line in gone and finding.code != "replaced"]
        entries = renumbered(left, unpaid(entries, findings))


def _without(entries: Iterable[ParsedOrder], findings: Iterable[Finding]) -> tuple[ParsedOrder, ...]:
    bad = {finding.line for finding in findings if finding.severity == "error"}
    return tuple(entry for entry in entries if entry.line not in bad)


def _misplaced(view: View, entries: Iterable[ParsedOrder]) -> Iterator[Finding]:
    for entry in entries:
        assert isinstance(entry.order, TrapOrder)
        if view["section"] not in ("turn", entry.order.section) and entry.order.section != "any":
            text = f"that is an order of the {entry.order.section} section; now is the {view['section']} section"
            yield Finding(entry.line, "error", "wrong-section", text)


class _SheetReading:
    """One sheet, read against the outlook that its economic orders give."""

    def __init__(self, view: View, entries: tuple[ParsedOrder, ...]) -> None:
        self.view, self.entries = view, entries
        self.board = board_of(view)
        self.outlook = Outlook(view, entries)
        self.allies = {player["colour"] for player in view["players"] if player["ally"]}
        self.ends: dict[str, str] = {}
        self.moving = self._under_way()

    def _under_way(self) -> set[str]:
        """Return the ships that will move, as far as their player can tell: one that is ordered to and cannot stays."""
        moves = {
            name: entry.order for entry in self.entries if isinstance(entry.order, Move) for name in entry.order.ships
        }
        ships = [self.outlook.ships[name] for name in moves if not self.outlook.missing(name)]
        return {ship.name for ship in ships if not ship.encounter and not _cannot_move(ship, moves[ship.name])}

    def findings(self) -> Iterator[Finding]:
        """Yield all findings of the sheet; of one that resigns, that nothing else on it counts."""
        # The rest of a sheet that resigns does not count (ruling 35).
        leaving = [entry for entry in self.entries if isinstance(entry.order, Resign)]
        if leaving:
            yield from (_resigning(entry.line) for entry in leaving)
            yield from leave_taken(self.view)
            return
        yield from self.outlook.findings
        yield from self._replaced()
        yield from self._contradicting()
        for entry in self.entries:
            checks = _CHECKS.get(type(entry.order))
            if checks:
                yield from checks(self, entry.line, entry.order)
        if self.ends:
            ends = ", ".join(self.ends[name] for name in sorted(self.ends))
            yield Finding(0, "note", "ends", f"moves end, if nothing stops them, at: {ends}")
        yield from forecast(self.view, self.entries, self.outlook, self.moving)

    def _replaced(self) -> Iterator[Finding]:
        """Warn that of two lines for the same thing the later counts (ruling 28)."""
        first: dict[tuple[Any, ...], int] = {}
        for entry in self.entries:
            for subject in _subjects(entry.order):
                if subject in first:
                    text = f"this replaces line {first[subject]} for {subject[1]}"
                    yield Finding(entry.line, "warning", "replaced", text)
                first[subject] = entry.line

    def _contradicting(self) -> Iterator[Finding]:
        """Refuse lines that ask for another colour of a planet than an earlier one (ruling 44)."""
        asked: dict[str, dict[str, tuple[int, str]]] = {}
        for entry in self.entries:
            for space, ship, colour in self._colours(entry.order):
                workers = asked.setdefault(space, {})
                rivals = [said for name, said in workers.items() if name != ship and colour not in ("", said[1])]
                if rivals:
                    line, other = rivals[0]
                    text = (
                        f"line {line} has the planet at {space} changed to {other}, and it cannot become {colour} too"
                    )
                    yield Finding(entry.line, "error", "two-colours", text)
                elif colour:
                    workers[ship] = entry.line, colour
                else:
                    workers.pop(ship, None)

    def _colours(self, order: Order) -> Iterator[tuple[str, str, str]]:
        """Yield space, ship and colour of an order to a terraformer that stays where it is; "" for no colour."""
        if isinstance(order, Terraform | LeaveColour):
            colour = order.colour if isinstance(order, Terraform) else None
            for ship in self.there((order.ship,)):
                if ship.name not in self.moving:
                    yield ship.space, ship.name, colour if colour in self._next_colours(ship.space) else ""

    def _next_colours(self, space: str) -> tuple[str, ...]:
        own = [planet for planet in self.view["planets"] if planet["space"] == space]
        return closer(self.view["seat"], own[0]["colour"]) if own else ()

    def ships(self, line: int, names: tuple[str, ...], code: str, why: Callable[[Prospect], str]) -> Iterator[Finding]:
        """Yield the findings on those ships that will be gone, or for which `why` gives a reason."""
        found = []
        for name in names:
            ship = self.outlook.ships.get(name)
            if ship and ship.unpaid:
                yield Finding(line, "warning", "gone", f"{name} is {ship.unpaid}")
                continue
            missing = self.outlook.missing(name)
            text = missing or why(self.outlook.ships[name])
            if text:
                found.append(("gone" if missing else code, text))
        yield from problems(line, found, of=len(names))

    def there(self, names: Iterable[str]) -> list[Prospect]:
        """Return the ships of an order that will be there."""
        return [self.outlook.ships[name] for name in names if not self.outlook.missing(name)]


def _subjects(order: Order) -> list[tuple[str, str]]:
    """Return the things that an order settles, so that a later one for the same replaces it."""
    if isinstance(order, Move | Fire):
        return [(type(order).__name__, name) for name in order.ships]
    if isinstance(order, Terraform | LeaveColour):
        return [("Terraform", order.ship)]
    if isinstance(order, Ally):
        return [("Ally", order.player)]
    return [("Target", "all ships")] if isinstance(order, Target) else []


def _move(sheet: _SheetReading, line: int, order: Move) -> Iterator[Finding]:
    if not order.vector and not order.legs:
        yield Finding(line, "error", "no-way", "the way is missing", "write vectors, SLIP, JUMP, or STAY")
        return
    yield from sheet.ships(line, order.ships, "cannot-move", lambda ship: _cannot_move(ship, order))
    if not order.vector and not order.powered:
        text = "STAY is a move: such a ship stops nobody and does not terraform; one without a MOVE does"
        yield Finding(line, "warning", "stays", text)
    for ship in sheet.there(order.ships):
        if ship.encounter:
            # Encounters are judged as movement begins (ruling 13): on the sheet of a whole turn one may end before.
            pinned = sheet.view["section"] == "movement"
            text = f"{ship.name} is in an encounter" + ("" if pinned else ": it can move only if that ends before")
            yield Finding(line, "error" if pinned else "warning", "encounter", text)
        end, beyond = _way(sheet, ship, order)
        if beyond == "off-map":
            yield Finding(line, "warning", "off-map", f"{ship.name} would leave the map after {end}, and stops there")
        yield from _met_in_the_dark(sheet, line, ship, end)
        if not ship.encounter and not _cannot_move(ship, order):
            sheet.ends[ship.name] = (
                f"{ship.name} beyond a jump from {end}" if beyond == "jump" else f"{ship.name} {end}"
            )


def _met_in_the_dark(sheet: _SheetReading, line: int, ship: Prospect, end: str) -> Iterator[Finding]:
    """Warn of unknown ships where a ship that was dark, and so blind, is repaired, or where its move leads it."""
    unknown = sheet.view["sensors"]["unknown"]
    if not ship.was_dark or ship.dark or ship.encounter:
        return
    if ship.space in unknown:
        text = f"unknown ships were seen at {ship.space}: {ship.name} can move only if they do not stop it"
        yield Finding(line, "warning", "unknown-ships", text, "a ship that is neither dark nor an ally's stops it")
    elif end in unknown:
        text = f"{ship.name} leaves the dark for {end}, where unknown ships were seen"
        yield Finding(line, "warning", "unknown-ships", text, "it can be seen and fired at there")


def _cannot_move(ship: Prospect, order: Move) -> str:
    """Return the same as `movement.hindrance`, for a ship as it will be."""
    drive = ship.left["drive"]
    if ship.dark:
        return f"{ship.name} hides on this sheet" if ship.hiding else f"{ship.name} is dark"
    if not drive:
        return f"{ship.name} has no drive unit left"
    if order.vector and not ship.left["slip"]:
        return f"{ship.name} has no undamaged slip unit"
    if order.vector and order.reach > drive:
        return f"a slip of {order.reach} is too long: the drive of {ship.name} allows {drive}"
    if JUMP in order.legs and not ship.left["jump"]:
        return f"{ship.name} has no undamaged jump unit"
    if len(order.powered) > drive:
        return f"{ship.name} has drive for {drive} warps and jumps, not {len(order.powered)}"
    return ""


def _way(sheet: _SheetReading, ship: Prospect, order: Move) -> tuple[str, str]:
    """Return where a move leads as far as its player knows: a space, and beyond it "off-map", "jump" or ""."""
    charts = {chart["entry"]: chart["exit"] for chart in sheet.view["charts"]}
    steps = [(order.vector, order.reach)] if order.vector else []
    here = sheet.board.at(ship.space)
    for leg, count in [*steps, *((leg, 1) for leg in order.legs)]:
        if leg == JUMP:
            # The player's charts may not tell where this jump leads.
            if sheet.board.name(here) not in charts:
                return sheet.board.name(here), "jump"
            there = sheet.board.at(charts[sheet.board.name(here)])
        else:
            there = plus(here, VECTORS.get(leg, (0, 0, 0)), count)
        if not sheet.board.has(there):
            return sheet.board.name(here), "off-map"
        here = there
    return sheet.board.name(here), ""


def _fire(sheet: _SheetReading, line: int, order: Fire) -> Iterator[Finding]:
    yield from sheet.ships(line, order.ships, "no-weapons", _cannot_fire)
    owners = {player["letter"]: player["colour"] for player in sheet.view["players"]}
    friends = [name for name in order.targets if owners[name[0]] in sheet.allies]
    found = [("is-ally", f"{name} is a ship of your ally {owners[name[0]]}") for name in friends]
    yield from problems(line, found, of=len(order.targets))
    if sheet.view["section"] == "combat":
        yield from _fire_now(sheet, line, order)
        return
    seen = seen_foes(sheet.view)
    for name in order.targets:
        if name not in seen:
            yield Finding(line, "warning", "not-in-sight", f"{name} is not in sight: it is fired at only if it is met")


def _fire_now(sheet: _SheetReading, line: int, order: Fire) -> Iterator[Finding]:
    for name in order.ships:
        here = [combat for combat in sheet.view["combats"] if name in combat["own"]]
        targets = [ship["id"] for combat in here for ship in combat["enemies"]]
        if not any(target in targets for target in order.targets):
            text = f"none of the targets is in a combat of {name}"
            yield Finding(line, "warning", "not-in-combat", text, "possible: " + ", ".join(targets) if targets else "")


def _cannot_fire(ship: Prospect) -> str:
    if ship.dark:
        return f"{ship.name} is dark"
    return "" if ship.left["weapons"] else f"{ship.name} has no weapon" + (" left" if ship.full["weapons"] else "")


def _target(sheet: _SheetReading, line: int, order: Target) -> Iterator[Finding]:
    for choice in order.choices:
        if choice in sheet.allies:
            yield Finding(line, "warning", "is-ally", f"{choice} is your ally, and allies are never fired at")


def _terraform(sheet: _SheetReading, line: int, order: Terraform | LeaveColour) -> Iterator[Finding]:
    yield from sheet.ships(line, (order.ship,), "cannot-terraform", _cannot_terraform)
    for ship in sheet.there((order.ship,)):
        if ship.name in sheet.moving or _moved(sheet, ship):
            # A ship that is kept from moving works where it is (ruling 44).
            yet = "has moved this turn, so it will not terraform" if _moved(sheet, ship) else _IF_KEPT
            yield Finding(line, "warning", "cannot-terraform", f"{ship.name} {yet}")
        elif isinstance(order, Terraform):
            yield from _terraform_here(sheet, line, order, ship)


_IF_KEPT = "is to move this turn: it terraforms only if it cannot"


def _moved(sheet: _SheetReading, ship: Prospect) -> bool:
    return any(own["moved"] for own in sheet.view["ships"] if own["id"] == ship.name)


def _cannot_terraform(ship: Prospect) -> str:
    if ship.dark:
        return f"{ship.name} is dark"
    return "" if ship.left["terraform"] else f"{ship.name} has no undamaged terraforming unit"


def _terraform_here(sheet: _SheetReading, line: int, order: Terraform, ship: Prospect) -> Iterator[Finding]:
    planet = next((planet for planet in sheet.view["planets"] if planet["space"] == ship.space), None)
    if planet is None or planet["owner"] != sheet.view["seat"]:
        text = f"{ship.name} is not at a planet of yours now"
        yield Finding(line, "error" if planet is None else "warning", "cannot-terraform", text)
        return
    options = closer(sheet.view["seat"], planet["colour"])
    if not options:
        yield Finding(line, "warning", "cannot-terraform", f"the planet at {ship.space} has your colour already")
    elif order.colour and order.colour not in options:
        text = f"the planet at {ship.space} is {planet['colour']}; its next step is {' or '.join(options)}"
        yield Finding(line, "warning", "other-colour", text, f"without a colour it becomes {options[0]}")


def _ally(sheet: _SheetReading, line: int, _order: Ally) -> Iterator[Finding]:
    if not sheet.view["rules"]["alliances"]:
        yield Finding(line, "error", "no-alliances", "there are no alliances in this campaign")


def _declare(sheet: _SheetReading, line: int, order: DeclareFaction | DeclareEmpire) -> Iterator[Finding]:
    first = next(entry.line for entry in sheet.entries if _is_same_faction(entry.order, order))
    why = unfit(sheet.view, order) or (f"line {first} declares it already" if first < line else "")
    if why:
        yield Finding(line, "error", "bad-faction", why)
    elif isinstance(order, DeclareFaction) and len(set(order.players)) > 1:
        text = f"it stands only if {' and '.join(sorted(set(order.players)))} are allied with each other too"
        yield Finding(line, "warning", "if-allied", text)


def _is_same_faction(one: Order, other: DeclareFaction | DeclareEmpire) -> bool:
    return isinstance(one, type(other)) and set(one.players) == set(other.players)


def _resigning(line: int) -> Finding:
    return Finding(line, "warning", "resigning", "you leave the game for good, and nothing else on this sheet counts")


_CHECKS: dict[type[Order], Callable[[_SheetReading, int, Any], Iterator[Finding]]] = {
    Move: _move,
    Fire: _fire,
    Target: _target,
    Terraform: _terraform,
    LeaveColour: _terraform,
    Ally: _ally,
    DeclareFaction: _declare,
    DeclareEmpire: _declare,
}
