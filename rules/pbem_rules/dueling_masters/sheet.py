"""Order sheets of Dueling Masters: parsing and checking, and the sheet that a report encloses.

Everything is judged by what the reader believes of their own pieces, as the view
shows them; nothing here can know what has become of a piece in transit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbem.ruleset import FieldError, Finding, ParsedOrder, ParsedSheet, View
from pbem_rules.common.negotiation import Draw, Resign, check_draw, sayings
from pbem_rules.dueling_masters.kinds import WORDS, numbers
from pbem_rules.dueling_masters.moves import Fleet, check_time
from pbem_rules.dueling_masters.orders import ORDERS, Move, Ram, RamFirst, Setup
from pbem_rules.dueling_masters.outlook import outlook
from pbem_rules.dueling_masters.placement import check_placement, example, lacking, placed_in
from pbem_rules.dueling_masters.state import opponent

_HOW_TO_MOVE = "write: MOVE <piece> TO <square>"
_NO_MOVE = "the sheet moves nothing, and it is your move: at the deadline it is passed, and counts as missed"
_OFFER_WAITS = "your offer of a draw goes with your move; without one it counts only if your opponent offers one too"
_WHEN = "this takes effect when your opponent's sheet is run, before anything on it"


def parse(view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
    """Parse a sheet, each order checked against the view and the lines above it."""
    read = ORDERS.parse(view, lines)
    sheet = _judged(view, read.entries)
    complete = sheet.sum_up()
    if not view["over"]:
        sheet.findings += outlook(view, [entry.order for entry in sheet.entries], complete=complete)
    findings = sorted([*read.findings, *sheet.findings], key=lambda finding: finding.line)
    return ParsedSheet(tuple(sheet.entries), tuple(findings), complete)


def _judged(view: View, entries: Sequence[ParsedOrder]) -> _Sheet:
    """Return the sheet of the lines that can be accepted together.

    Where a kind's line is refused, its pieces stay where they stand, as they do in
    the turn (ruling 11), and the other lines are checked again with these.
    """
    told: list[Finding] = []
    while True:
        sheet = _Sheet(view, {entry.order.kind for entry in entries if isinstance(entry.order, Setup)})
        errors = list(sheet.refused(entries))
        told += errors
        if not errors:
            sheet.findings += told
            return sheet
        # Without the refused line its kind stands where it stood, which may bar others.
        entries = sheet.entries


@dataclass
class _Sheet:
    """The lines accepted so far. `kinds` are those that the sheet places again."""

    view: View
    kinds: set[str]
    entries: list[ParsedOrder] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    placed: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.placed = {kind: squares for kind, squares in placed_in(self.view).items() if kind not in self.kinds}

    def refused(self, entries: Iterable[ParsedOrder]) -> Iterator[Finding]:
        """Take the orders one after the other, and yield a finding on each that is refused."""
        for entry in entries:
            try:
                self.take(entry)
            except FieldError as refused:
                yield Finding.error(entry.line, refused)

    def take(self, entry: ParsedOrder) -> None:
        """Accept one more order. Raise FieldError if it is not possible."""
        order = entry.order
        if isinstance(order, RamFirst):
            # Another spelling of MOVE … RAM.
            entry = ParsedOrder(entry.line, order := Ram(order.piece, order.square))
        if self.view["over"]:
            raise FieldError("game-over", "the game is over; no more orders are taken")
        ORDERS.check_slot(order, self.entries, "one of these a sheet is taken")
        if isinstance(order, Setup):
            self._set_up(order)
        elif isinstance(order, Move):
            self._check_move(order)
        elif isinstance(order, Draw):
            check_draw(order, other=opponent(self.view["seat"]), offer=self.view["offer"])
        # A resignation may be sent at any time, also by the player who is not to move (ruling 17).
        elif isinstance(order, Resign) and not self.view["awaited"]:
            self.findings.append(Finding(entry.line, "note", "takes-effect", _WHEN, ""))
        self.entries.append(entry)

    def sum_up(self) -> bool:
        """Return True if the sheet does what its seat is asked for; warn if it does not."""
        orders = [entry.order for entry in self.entries]
        if not self.view["awaited"] or any(isinstance(order, Resign) for order in orders) or Draw("ACCEPT") in orders:
            return True
        if self.view["stage"] == "set-up":
            return self._is_placed()
        if any(isinstance(order, Move) for order in orders):
            return True
        self._warn("no-move", _NO_MOVE, _HOW_TO_MOVE)
        if Draw("OFFER") in orders:
            self.findings.append(Finding(0, "note", "offer-waits", _OFFER_WAITS, ""))
        return False

    def _is_placed(self) -> bool:
        missing = lacking(self.placed)
        if missing:
            left = ", ".join(_counted(kind, self.view["homes"]) for kind in missing)
            text = f"your set-up is not complete; still to be placed: {left}"
            self._warn("incomplete", text, "write: SETUP <kind> ...")
            self._warn_of_dice()
        return not missing

    def _warn_of_dice(self) -> None:
        """Tell the player what happens to a set-up that is not complete at its deadline (rulings 1 and 12)."""
        if self.view["set_up_round"] == 1:
            text = "what is not placed at this deadline you are asked for once more; at the second one dice place it"
            self.findings.append(Finding(0, "note", "asked-again", text, ""))
        elif self.view["set_up_round"] == 2:
            text = "this is the second deadline: dice place what is not placed then, and it counts as a missed deadline"
            self._warn("dice", text, "")

    def _warn(self, code: str, text: str, hint: str) -> None:
        self.findings.append(Finding(0, "warning", code, text, hint))

    def _set_up(self, order: Setup) -> None:
        if self.view["stage"] != "set-up":
            raise FieldError("set-up-over", "the game has begun; no more pieces are placed", _HOW_TO_MOVE)
        check_placement(self.placed, order.kind, order.squares, seat=self.view["seat"], homes=self.view["homes"])
        self.placed[order.kind] = order.squares

    def _check_move(self, order: Move) -> None:
        check_time(self.view)
        Fleet.of_view(self.view).check(order.piece, order.square, ram=order.ram)


def _counted(kind: str, homes: int) -> str:
    number = numbers(homes)[kind]
    return f"{number} {WORDS[kind]}{'s' if number > 1 else ''}"


def template(view: View) -> list[str]:
    """Return the order sheet that a report encloses: the set-up as it stands, or an example, or the pieces to move.

    A line that begins with a semicolon becomes an order when that is removed and the text in angle brackets
    is filled in.
    """
    if view["over"]:
        return []
    lines = []
    if view["offer"] == opponent(view["seat"]):
        # On a line each, so that taking away a semicolon chooses one.
        lines += ["; DRAW ACCEPT", "; DRAW DECLINE"]
    if view["stage"] == "set-up":
        return [*lines, *_setup_lines(view)]
    if not view["awaited"]:
        return lines
    fleet = Fleet.of_view(view)
    # A piece that can only ram is offered with RAM.
    lines += [f"; MOVE {piece.name} TO <square>{'' if fleet.moves(piece) else ' RAM'}" for piece in fleet.movable()]
    return lines if view["offer"] else [*lines, "; DRAW OFFER"]


def _setup_lines(view: View) -> Iterator[str]:
    done = placed_in(view)
    # Beside what is placed, squares of the example may be taken.
    shown = done or example(view["seat"], view["homes"])
    for kind, number in numbers(view["homes"]).items():
        squares = " ".join(shown.get(kind, ["<where>"] * number))
        yield f"{'' if kind in done else '; '}SETUP {kind} {squares}"


def desk(view: View) -> dict[str, Any]:
    """Return the order form of a page: the set-up, or the moves there are, and answers about draws."""
    fleet = Fleet.of_view(view)
    pieces = fleet.movable() if view["stage"] == "play" and view["awaited"] else []
    useful = {
        Setup: view["stage"] == "set-up",
        Move: any(fleet.moves(piece) for piece in pieces),
        Ram: (rams := any(fleet.rams(piece) for piece in pieces)),
        RamFirst: rams,
        Draw: bool(sayings(view)),
        Resign: True,
    }
    return ORDERS.desk(view, [order for order, use in useful.items() if use and not view["over"]])
