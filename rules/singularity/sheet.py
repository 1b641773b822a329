"""Order sheets of Singularity: what a sheet comes to, and the sheet a report brings along."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pbem.ruleset import Entry, Finding, Order, Parsed, Refused, View
from rules.kit.parley import Draw, Resign, check_draw
from rules.singularity.field import field_of
from rules.singularity.orders import ORDERS, Forget, If, Place, written
from rules.singularity.replies import MAX_KEPT, alike, changed, reply_of
from rules.singularity.state import Reply, opponent


def parse(view: View, lines: Iterable[tuple[int, str]]) -> Parsed:
    """The orders of a sheet, each checked against the view and the lines above it, but the stone before all replies."""
    read = ORDERS.parse(view, lines)
    sheet = _Sheet(view)
    for entry in sorted(read.entries, key=lambda entry: not isinstance(entry.order, Place)):
        try:
            sheet.take(entry)
        except Refused as refused:
            sheet.findings.append(Finding(entry.line, "error", refused.code, refused.text, refused.hint))
    complete = sheet.moves_on()
    if not complete:
        sheet.warn(0, "no-place", "the sheet places no stone, and it is your move", "write: PLACE <cell>")
    findings = sorted([*read.findings, *sheet.findings], key=lambda finding: finding.line)
    entries = sorted(sheet.entries, key=lambda entry: entry.line)
    return Parsed(tuple(entries), tuple(findings), complete)


@dataclass
class _Sheet:
    """The lines taken so far."""

    view: View
    entries: list[Entry] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    kept: list[Reply] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.kept = [Reply(reply["when"], reply["reply"], reply["after"]) for reply in self.view["kept"]]

    def take(self, entry: Entry) -> None:
        """Take one more order. Raises Refused."""
        order = entry.order
        if self.view["over"]:
            raise Refused("game-over", "the game is over; no more orders are taken")
        if isinstance(order, If):
            self._check_reply(entry.line, order)
        elif not isinstance(order, Forget):
            self._check_first(order)
        if isinstance(order, Place):
            self._check_place(order)
        elif isinstance(order, Draw):
            check_draw(order, other=opponent(self.view["seat"]), offer=self.view["offer"])
        self.kept = changed(self.kept, order)
        self.entries.append(entry)

    def moves_on(self) -> bool:
        """Whether the sheet does what the seat is awaited for: place a stone or end the game."""
        ends = any(isinstance(order, Place | Resign) for order in self._orders) or Draw("ACCEPT") in self._orders
        return ends or not self.view["awaited"]

    def warn(self, line: int, code: str, text: str, hint: str = "") -> None:
        """Tell something of a line that is taken all the same."""
        self.findings.append(Finding(line, "warning", code, text, hint))

    @property
    def _orders(self) -> list[Order]:
        return [entry.order for entry in self.entries]

    def _check_first(self, order: Order) -> None:
        for earlier in self.entries:
            if type(earlier.order) is type(order):
                line = ORDERS.line(earlier.order)
                raise Refused("only-one", f"line {earlier.line} says {line} already", "only one such line is taken")

    def _check_place(self, order: Place) -> None:
        if not self.view["awaited"]:
            hint = "write IF <cell> THEN <cell> to answer a stone before you see it"
            raise Refused("not-your-move", f"it is {self.view['mover']}'s move", hint)

    def _check_reply(self, line: int, order: If) -> None:
        named = [order.when, order.reply, order.after]
        if len(set(named)) < len(named):
            raise Refused("same-cell", "a reply must name different cells", "write: IF <their cell> THEN <your cell>")
        for earlier in self._orders:
            if isinstance(earlier, Place) and earlier.cell in (order.when, order.reply):
                raise Refused("taken", f"your own stone goes to {earlier.cell}")
        replaced = [reply for reply in self.kept if alike(reply, reply_of(order))]
        if len(self.kept) - len(replaced) >= MAX_KEPT:
            raise Refused("too-many", f"no more than {MAX_KEPT} replies can be kept", "drop some with FORGET")
        for reply in replaced:
            self.warn(line, "replaced", f"this replaces {written(reply)}")


def template(view: View) -> list[str]:
    """The sheet a report brings along: nothing of it is decided yet.

    A line that begins with a semicolon is an order once that is taken away and
    what stands in angles is filled in; remarks begin with a # and stay remarks.
    """
    if view["over"]:
        return []
    lines = [f"# kept, no need to repeat: {reply['line']}" for reply in view["kept"]]
    if view["offer"] == opponent(view["seat"]):
        lines += ["; DRAW ACCEPT", "; DRAW DECLINE"]
    if view["awaited"]:
        lines.append("# It is your move: take away the semicolon and write a cell.")
        lines.append("; PLACE <cell>")
    if len(view["moves"]) + 2 < len(field_of(view["size"]).names):
        lines.append("; IF <cell> THEN <cell>  # a reply to your opponent's next stone")
    return lines if view["offer"] else [*lines, "; DRAW OFFER"]
