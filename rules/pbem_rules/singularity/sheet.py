"""Order sheets of Singularity: reading a sheet, and the sheet that comes with a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import nsmallest
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
    without_comment,
)
from pbem_rules.common.hexes import distance
from pbem_rules.common.negotiation import Draw, Resign, check_draw, sayings
from pbem_rules.singularity import outlook
from pbem_rules.singularity.field import field_of
from pbem_rules.singularity.orders import ORDERS, Forget, If, IfPlace, IfShort, Place, written
from pbem_rules.singularity.phrases import read_phrase
from pbem_rules.singularity.replies import MAX_KEPT, alike, changed, reply_of
from pbem_rules.singularity.state import Reply, opponent

LONGEST_LINE = 500
MOST_FINDINGS = 50
"""A line longer than this, and lines behind so many findings, are left to the order parser, which refuses them."""


def parse(view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
    """Return the orders of a sheet, each checked against the view and the lines above it."""
    sheet = _Sheet(view)
    read = ORDERS.parse(view, list(sheet.plain(lines)))
    # IF lines may be above or below PLACE (rulebook, "Conditional orders"), so the stone is checked before them.
    for entry in sorted(read.entries, key=lambda entry: not isinstance(entry.order, Place)):
        try:
            sheet.take(entry)
        except FieldError as refused:
            sheet.findings.append(Finding.error(entry.line, refused))
    complete = sheet.moves_on()
    if not complete:
        sheet.warn(0, "no-place", "the sheet places no stone, and it is your move", "write: PLACE <cell>")
    told = [*read.findings, *sheet.findings, *outlook.findings(view, sheet.orders)]
    findings = sorted(told, key=lambda finding: finding.line)
    entries = sorted(sheet.entries, key=lambda entry: entry.line)
    return ParsedSheet(tuple(entries), tuple(findings), complete)


@dataclass
class _Sheet:
    """The lines accepted so far."""

    view: View
    entries: list[ParsedOrder] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    kept: list[Reply] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.kept = [Reply(reply["when"], reply["reply"], reply["after"]) for reply in self.view["kept"]]

    def plain(self, lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
        """Yield the lines as the order parser reads them.

        Lines that it reads already, or that are no phrase, stay as they were written.
        """
        remarks = 0
        # No name here has a blank, so quotes hold nothing together, and a remark begins in them too.
        for number, line in join_lines((number, line.replace('"', "'")) for number, line in lines):
            if len(self.findings) >= MOST_FINDINGS or len(line) > LONGEST_LINE:
                yield number, line
                continue
            found: list[str] = []
            try:
                found = self._phrase(line)
            except FieldError as refused:
                self.findings.append(Finding.error(number, refused))
            remarks += bool(comment_of(line))
            for told in orders_in_remark(line, self._orders) if remarks <= MOST_REMARKS else ():
                self.warn(number, told.code, told.text, told.hint)
            yield from ((number, plain) for plain in found)

    def _phrase(self, line: str) -> list[str]:
        """Return the lines that a line without its remark means. Raises FieldError."""
        body = without_comment(line)
        found = read_phrase(self.view, body) if ORDERS.parse(self.view, [(1, body)]).findings else []
        return found or [body]

    def _orders(self, text: str) -> tuple[Order, ...] | None:
        """Return the orders of a text that would be accepted on a line of its own; None if it would not."""
        try:
            read = ORDERS.parse(self.view, list(enumerate(self._phrase(text))))
        except FieldError:
            return None
        return read.orders if read.orders and not read.findings else None

    def take(self, entry: ParsedOrder) -> None:
        """Accept one more order.

        Raises:
            FieldError: If it contradicts the view or an order accepted before.
        """
        order = entry.order
        if isinstance(order, IfPlace | IfShort):
            # Other spellings of IF … THEN.
            order = If(order.when, order.reply, order.after)
        if self.view["over"]:
            raise FieldError("game-over", "the game is over; no more orders are taken")
        if isinstance(order, If):
            self._check_reply(entry.line, order)
        elif not isinstance(order, Forget):
            ORDERS.check_slot(order, self.entries, "only one such line is taken")
        if isinstance(order, Place) and not self.view["awaited"]:
            hint = "write IF <cell> THEN <cell> to answer a stone before you see it"
            raise FieldError("not-your-move", f"it is {self.view['mover']}'s move", hint)
        if isinstance(order, Draw):
            check_draw(order, other=opponent(self.view["seat"]), offer=self.view["offer"])
        self.kept = changed(self.kept, order)
        self.entries.append(ParsedOrder(entry.line, order))

    def moves_on(self) -> bool:
        """Return True if the sheet does what the seat is awaited for: place a stone or end the game."""
        # A sheet without the stone awaited never makes the turn run early (ruling 13).
        ends = any(isinstance(order, Place | Resign) for order in self.orders) or Draw("ACCEPT") in self.orders
        return ends or not self.view["awaited"]

    def warn(self, line: int, code: str, text: str, hint: str = "") -> None:
        """Add a warning on a line that is accepted all the same."""
        self.findings.append(Finding(line, "warning", code, text, hint))

    @property
    def orders(self) -> list[Order]:
        return [entry.order for entry in self.entries]

    def _check_reply(self, line: int, order: If) -> None:
        named = [order.when, order.reply, order.after]
        if len(set(named)) < len(named):
            raise FieldError(
                "same-cell", "a reply must name different cells", "write: IF <their cell> THEN <your cell>"
            )
        for earlier in self.orders:
            if isinstance(earlier, Place) and earlier.cell in (order.when, order.reply):
                raise FieldError("taken", f"your own stone goes to {earlier.cell}")
        replaced = [reply for reply in self.kept if alike(reply, reply_of(order))]
        if len(self.kept) - len(replaced) >= MAX_KEPT:
            raise FieldError("too-many", f"no more than {MAX_KEPT} replies can be kept", "drop some with FORGET")
        for reply in replaced:
            self.warn(line, "replaced", f"this replaces {written(reply)}")


def template(view: View) -> list[str]:
    """Return the sheet that comes with a report, in which nothing is decided yet.

    Each line begins with a semicolon, and is an order once that is taken away; its cells are free ones near the
    middle of the board.
    """
    if view["over"]:
        return []
    lines = ["; DRAW ACCEPT", "; DRAW DECLINE"] if view["offer"] == opponent(view["seat"]) else []
    cells = _middle(view)
    if view["awaited"]:
        lines.append(f"; PLACE {cells.pop(0)}")
    if len(cells) > 1:
        lines.append(f"; IF {cells[0]} THEN {cells[1]}")
    return lines if view["offer"] else [*lines, "; DRAW OFFER"]


def _middle(view: View) -> list[str]:
    """Return three free cells at most, the nearest to the middle first."""
    plan = field_of(view["size"])
    taken = {view["black"], *(stone["cell"] for stone in view["moves"])}
    free = (cell for name, cell in plan.cells.items() if name not in taken)
    near = nsmallest(3, free, key=lambda cell: distance((0, 0), plan.axial[cell]))
    return [plan.names[cell] for cell in near]


def desk(view: View) -> dict[str, Any]:
    """Return the order form: a stone for the player on move, replies while they can matter, and answers on draws."""
    useful = {
        Place: view["awaited"],
        If: leaves_room(view),
        IfShort: leaves_room(view),
        Forget: bool(view["kept"]),
        Draw: bool(sayings(view)),
        Resign: True,
    }
    return ORDERS.desk(view, [order for order, use in useful.items() if use and not view["over"]])


def leaves_room(view: View) -> bool:
    """Return True if a reply can still matter."""
    # The black stone, the opponent's next stone and the reply need a cell each.
    return len(view["moves"]) + 2 < len(field_of(view["size"]).names)
