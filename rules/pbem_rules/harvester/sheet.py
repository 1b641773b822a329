"""Order sheets of Harvester: parsing and checking, and the sheet that a report encloses.

Lines are checked against the view that was mailed and the lines above them. What
depends on more, such as who else enters a hex, is decided when the turn is resolved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pbem.ruleset import (
    MOST_REMARKS,
    FieldError,
    Finding,
    Order,
    ParsedOrder,
    ParsedSheet,
    View,
    comment_of,
    join_lines,
    orders_in_remark,
)
from pbem_rules.common.hexes import Hex, step
from pbem_rules.common.summary import counted
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.orders import (
    ORDERS,
    Build,
    Destroy,
    DestroyHarvester,
    Drop,
    Move,
    MoveTo,
    Target,
    TargetHex,
    hex_of,
    payable,
    unit_words,
)
from pbem_rules.harvester.outlook import Outlook
from pbem_rules.harvester.phrases import Phrase, read_phrase, told_route
from pbem_rules.harvester.planet import DIRECTIONS
from pbem_rules.harvester.routes import route_to, written
from pbem_rules.harvester.summary import nearest_field
from pbem_rules.harvester.units import MOVE, NIMBLE, SCANNER, SLOT

LONGEST_LINE = 500
MOST_FINDINGS = 50
"""Longer lines, and lines after so many findings, go to the order parser as typed."""


def parse(view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
    """Parse a sheet, with findings on the lines that are not accepted and a forecast of the rest."""
    sheet = _Sheet(view)
    # All lines are read as phrases first: after so many findings the rest goes to the order parser.
    read = ORDERS.read(view, list(sheet.plain(lines)))
    for entry in read.entries:
        try:
            sheet.take(entry)
        except FieldError as refused:
            sheet.tell(entry.line, "error", refused)
    told = [*read.findings, *sheet.findings]
    if sheet.entries:
        told += Outlook(sheet.atlas, [entry.order for entry in sheet.entries]).findings()
    findings = sorted(told, key=lambda finding: finding.line)
    return ParsedSheet(tuple(sheet.entries), tuple(findings))


@dataclass
class _Sheet:
    """The lines accepted so far. `busy` are the units that have an order, `spent` the resources spent."""

    view: View
    entries: list[ParsedOrder] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    busy: dict[str, int] = field(default_factory=dict)
    once: dict[type[Order], int] = field(default_factory=dict)
    spent: int = 0

    def __post_init__(self) -> None:
        self.atlas = Atlas(self.view)

    def tell(self, line: int, severity: str, told: FieldError, corrected: str = "") -> None:
        """Add a finding."""
        self.findings.append(Finding(line, severity, told.code, told.text, told.hint, corrected))

    def plain(self, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str | Order]]:
        """Yield the lines as orders, or as the order parser reads them; one that is no phrase stays as it was typed."""
        remarks = 0
        # No name here has a blank, so quotes hold nothing together, and a remark begins in them too.
        for number, line in join_lines((number, line.replace('"', "'")) for number, line in lines):
            if len(self.findings) >= MOST_FINDINGS or len(line) > LONGEST_LINE:
                yield number, line
                continue
            phrase = Phrase()
            try:
                phrase = read_phrase(self.atlas, line)
            except FieldError as refused:
                corrected = refused.correct(line)
                self.tell(number, "error", refused, corrected if self._orders(corrected) else "")
            for severity, told in phrase.told:
                self.tell(number, severity, told)
            if comment_of(line) and (remarks := remarks + 1) <= MOST_REMARKS:
                # An order in a remark may be meant to count.
                for told in orders_in_remark(line, self._orders):
                    self.tell(number, "warning", told)
            for plain in phrase.lines:
                yield number, plain

    def _orders(self, text: str) -> list[str] | None:
        """Return the orders that a text would be on a line of its own; None if it is no order."""
        try:
            lines = read_phrase(self.atlas, text).lines
        except FieldError:
            return None
        read = ORDERS.read(self.view, enumerate(lines))
        return None if read.findings else [ORDERS.line(order) for order in read.orders] or None

    def take(self, entry: ParsedOrder) -> None:
        """Accept one more order. Raise FieldError if it is not possible."""
        if self.view["over"]:
            raise FieldError("game-over", "the game is over; no more orders are taken")
        if self.view["harvester"] is None:
            raise FieldError("out", "your Harvester is destroyed; you are out of the game")
        order = self._written_out(entry)
        if isinstance(order, Move):
            self._claim(order.unit, entry.line)
            self._check_move(order, entry.line)
        elif isinstance(order, Destroy):
            self._claim(order.unit, entry.line)
        else:
            self._only(order, entry.line)
            self._check(order, entry.line)
        self.entries.append(entry if order is entry.order else ParsedOrder(entry.line, order))

    def _check(self, order: Order, line: int) -> None:
        """Check an order of the Harvester. Raise FieldError if it is not possible."""
        if isinstance(order, Target):
            self._check_target(order, line)
        elif isinstance(order, Build):
            self._check_build(order)
        elif isinstance(order, Drop):
            self._spend(order, order.amount, f"you drop {order.amount}")
        elif isinstance(order, DestroyHarvester):
            hint = "take the line out to stay in the game"
            self.tell(line, "warning", FieldError("final", "this ends the game for you, and cannot be undone", hint))

    def _written_out(self, entry: ParsedOrder) -> Order:
        """Return the order, or the one that a shorthand stands for. Raise FieldError if there is no route."""
        order = entry.order
        if isinstance(order, TargetHex):
            return Target(*hex_of(order.hex))
        if isinstance(order, MoveTo):
            route = route_to(self.atlas, order.unit, self.atlas.units[order.unit], hex_of(order.hex))
            self.tell(entry.line, "note", told_route(order.unit, route))
            return Move(order.unit, route.way)
        return order

    def _claim(self, unit: str, line: int) -> None:
        if unit in self.busy:
            raise FieldError(
                "has-order", f"line {self.busy[unit]} gives {unit} an order already", "one a unit is taken"
            )
        self.busy[unit] = line

    def _only(self, order: Order, line: int) -> None:
        kind = type(order)
        if kind in self.once:
            word = order.usage.split()[0]
            raise FieldError("only-one", f"line {self.once[kind]} is a {word} already", "one of these a sheet is taken")
        self.once[kind] = line

    def _check_move(self, order: Move, line: int) -> None:
        most = int(MOVE[SLOT[order.unit]])
        if len(order.steps) > most:
            # Another line may order the unit as far as it goes.
            del self.busy[order.unit]
            hint = f"write: MOVE {order.unit} {' '.join(order.steps[:most])}"
            raise FieldError(
                "too-far",
                f"{unit_words(order.unit)} takes {counted(most, 'step')} at the most, not {len(order.steps)}",
                hint,
            )
        if self.atlas.crags and not NIMBLE[SLOT[order.unit]]:
            self._warn_of_crags(line, f"{order.unit}", self._path(order))

    def _path(self, order: Move) -> list[Hex]:
        here, path = self.atlas.units[order.unit], []
        for way in order.steps:
            here = self.atlas.named(step(here, DIRECTIONS[way]))
            path.append(here)
        return path

    def _warn_of_crags(self, line: int, who: str, path: list[Hex]) -> None:
        for spot in path:
            if spot in self.atlas.crags:
                text = f"{who} cannot enter the crags at {written(spot)} and will stop before them"
                self.tell(line, "warning", FieldError("crags", text, "only Soldiers and Scouts enter crags"))
                return

    def _check_target(self, order: Target, line: int) -> None:
        home = self.view["harvester"]
        spot = self.atlas.named((order.q, order.r))
        if is_under_way(home):
            text = f"your Harvester is on its way to {written(home['target'])} and cannot turn aside before it is there"
            raise self._again(order, FieldError("under-way", text, f"it has {counted(home['left'], 'step')} left"))
        if spot == self.atlas.home:
            raise self._again(order, FieldError("there-already", "your Harvester is in that hex now"))
        if spot not in self.atlas.marked:
            raise self._again(
                order, FieldError("no-resource", f"no resource is known at {written(spot)}", self._nearest(spot))
            )
        self._warn_of_crags(line, "your Harvester", self.atlas.line(self.atlas.home, spot))

    def _again(self, order: Order, refused: FieldError) -> FieldError:
        """Return the refusal, after which another line may try again."""
        del self.once[type(order)]
        return refused

    def _nearest(self, spot: Hex) -> str:
        # A Harvester cannot enter crags (ruling 10).
        barred = {self.atlas.home, *self.atlas.crags}
        known = [other for other in self.atlas.marked if other not in barred]
        if not known:
            return "your scanners know of none that it can enter"
        nearest = min(known, key=lambda other: (self.atlas.distance(spot, other), other))
        return f"the nearest your scanners tell of may be at {written(nearest)}"

    def _check_build(self, order: Build) -> None:
        building = self.view["building"]
        if building is not None:
            text = f"your Harvester is rebuilding {unit_words(building['unit'])}, and builds one unit at a time"
            raise self._again(order, FieldError("busy", text, f"it is ready in {counted(building['turns'], 'turn')}"))
        price = int(SCANNER[SLOT[order.unit]])
        self._spend(order, price, f"to rebuild {order.unit} costs {price}")

    def _spend(self, order: Order, amount: int, what: str) -> None:
        """Spend resources. Raise FieldError if there are not as many left."""
        left = self.view["harvester"]["held"] - self.spent
        if amount > left:
            hint = f"write: DROP {left}" if isinstance(order, Drop) and left else ""
            text = f"your Harvester has {counted(left, 'resource')} for it, but {what}"
            raise self._again(order, FieldError("too-dear", text, hint))
        self.spent += amount


def template(view: View) -> list[str]:
    """Return the order sheet that a report encloses, without anything that would be refused.

    Each line becomes an order when its semicolon is removed and the text in angle brackets is filled in.
    """
    home = view["harvester"]
    if view["over"] or home is None:
        return []
    field = nearest_field(view, Atlas(view))
    target = written(field) if field else "<q>,<r>"
    lines = [f"; TARGET {target}"] if not is_under_way(home) and _knows_riches(view) else []
    lines += [f"; MOVE {unit['unit']} <direction>" for unit in view["units"]]
    wanted = payable(view) if view["building"] is None else []
    if wanted:
        lines.append(f"; BUILD {wanted[0] if len(wanted) == 1 else '<unit>'}")
    return [*lines, "; DROP <amount>"] if home["held"] else lines


def is_under_way(home: View) -> bool:
    """Return True if a Harvester has a target that it is not kept from."""
    return home["target"] is not None and not home["waiting"]


def _knows_riches(view: View) -> bool:
    """Return True if scanners tell of any hex with resources except the Harvester's own."""
    atlas = Atlas(view)
    return not set(atlas.marked) <= {atlas.home}


def desk(view: View) -> dict[str, Any]:
    """Return the order form of a page: orders for the units there are, a target where one may be chosen."""
    home = view["harvester"]
    if view["over"] or home is None:
        return ORDERS.desk(view, [])
    units = bool(view["units"])
    useful = {
        MoveTo: units,
        Move: units,
        TargetHex: not is_under_way(home) and _knows_riches(view),
        Build: bool(payable(view)) and view["building"] is None,
        Drop: bool(home["held"]),
        Destroy: units,
        DestroyHarvester: True,
    }
    return ORDERS.desk(view, [order for order, use in useful.items() if use])
