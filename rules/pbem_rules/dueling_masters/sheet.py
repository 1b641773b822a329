"""Order sheets of Dueling Masters of Space-Time: what a sheet comes to, and the sheet a report brings along.

Everything is judged by what the reader believes of his own pieces, as his view
shows them; nothing here can know what has become of a piece in transit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pbem.ruleset import FieldError, Finding, Order, ParsedOrder, ParsedSheet, View
from pbem_rules.common.negotiation import Draw, Resign, check_draw, sayings
from pbem_rules.dueling_masters.board import HALVES
from pbem_rules.dueling_masters.kinds import CHESSMEN, KINDS, STRENGTH, WORDS, manner, numbers
from pbem_rules.dueling_masters.moves import Fleet, check_time
from pbem_rules.dueling_masters.orders import ORDERS, Move, Ram, Setup
from pbem_rules.dueling_masters.outlook import outlook
from pbem_rules.dueling_masters.placement import check_placement, lacking
from pbem_rules.dueling_masters.state import opponent

_HOW_TO_MOVE = "write: MOVE <piece> TO <square>"
_WHEN = "this takes effect when your opponent's sheet is run, before anything on it"


def parse(view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
    """The orders of a sheet, each checked against the view and the lines above it."""
    read = ORDERS.parse(view, lines)
    sheet = _judged(view, read.entries)
    complete = sheet.sum_up()
    if not view["over"]:
        sheet.findings += outlook(view, [entry.order for entry in sheet.entries], complete=complete)
    findings = sorted([*read.findings, *sheet.findings], key=lambda finding: finding.line)
    return ParsedSheet(tuple(sheet.entries), tuple(findings), complete)


def _judged(view: View, entries: Sequence[ParsedOrder]) -> _Sheet:
    """The sheet of the lines that can be taken together.

    Where a kind's line is refused, its pieces stay where they stand, as they do in
    the turn (ruling 11), and the other lines are judged anew with these.
    """
    told: list[Finding] = []
    while True:
        sheet = _Sheet(view, {entry.order.kind for entry in entries if isinstance(entry.order, Setup)})
        errors = list(sheet.refused(entries))
        told += errors
        if not errors:
            sheet.findings += told
            return sheet
        entries = sheet.entries


def placed(view: View) -> dict[str, tuple[str, ...]]:
    """The squares of the reader's pieces by kind, as far as they are placed."""
    squares = {kind: tuple(piece["square"] for piece in view["own"] if piece["kind"] == kind) for kind in KINDS}
    return {kind: taken for kind, taken in squares.items() if taken}


@dataclass
class _Sheet:
    """The lines taken so far. `kinds` are those that the sheet sets up anew."""

    view: View
    kinds: set[str]
    entries: list[ParsedOrder] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    placed: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.placed = {kind: squares for kind, squares in placed(self.view).items() if kind not in self.kinds}

    def refused(self, entries: Iterable[ParsedOrder]) -> Iterator[Finding]:
        """Take the orders that can be taken, one after the other; what speaks against the others."""
        for entry in entries:
            try:
                self.take(entry)
            except FieldError as refused:
                yield Finding(entry.line, "error", refused.code, refused.text, refused.hint)

    def take(self, entry: ParsedOrder) -> None:
        """Take one more order. Raises FieldError."""
        order = entry.order
        if self.view["over"]:
            raise FieldError("game-over", "the game is over; no more orders are taken")
        self._check_first(order)
        if isinstance(order, Setup):
            self._set_up(order)
        elif isinstance(order, Move):
            self._check_move(order)
        elif isinstance(order, Draw):
            check_draw(order, other=opponent(self.view["seat"]), offer=self.view["offer"])
        elif isinstance(order, Resign) and not self.view["awaited"]:
            self.findings.append(Finding(entry.line, "note", "takes-effect", _WHEN, ""))
        self.entries.append(entry)

    def sum_up(self) -> bool:
        """Whether the sheet does what its seat is asked for; warns if it does not."""
        orders = [entry.order for entry in self.entries]
        if not self.view["awaited"] or any(isinstance(order, Resign) for order in orders) or Draw("ACCEPT") in orders:
            return True
        if self.view["stage"] == "set-up":
            return self._is_placed()
        if any(isinstance(order, Move) for order in orders):
            return True
        self._warn("no-move", "the sheet moves nothing, and it is your move", _HOW_TO_MOVE)
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
        """Tell the player what becomes of a set-up that is not complete at its deadline (rulings 1 and 12)."""
        if self.view["set_up_round"] == 1:
            text = "what is not placed at this deadline you are asked for once more; at the second one dice place it"
            self.findings.append(Finding(0, "note", "asked-again", text, ""))
        elif self.view["set_up_round"] == 2:
            text = "this is the second deadline: dice place what is not placed then, and it counts as a missed deadline"
            self._warn("dice", text, "")

    def _warn(self, code: str, text: str, hint: str) -> None:
        self.findings.append(Finding(0, "warning", code, text, hint))

    def _check_first(self, order: Order) -> None:
        for earlier in self.entries:
            if _slot(earlier.order) == _slot(order):
                line = ORDERS.line(earlier.order)
                raise FieldError(
                    "only-one", f"line {earlier.line} says {line} already", "one of these a sheet is taken"
                )

    def _set_up(self, order: Setup) -> None:
        if self.view["stage"] != "set-up":
            raise FieldError("set-up-over", "the game has begun; no more pieces are placed", _HOW_TO_MOVE)
        check_placement(self.placed, order.kind, order.squares, seat=self.view["seat"], homes=self.view["homes"])
        self.placed[order.kind] = order.squares

    def _check_move(self, order: Move) -> None:
        check_time(self.view)
        Fleet.of_view(self.view).check(order.piece, order.square, ram=order.ram)


def _slot(order: Order) -> tuple[type[Order], str]:
    """What only one line of a sheet may fill."""
    if isinstance(order, Setup):
        return Setup, order.kind
    return Move if isinstance(order, Move) else type(order), ""


def _counted(kind: str, homes: int) -> str:
    number = numbers(homes)[kind]
    return f"{number} {WORDS[kind]}{'s' if number > 1 else ''}"


def template(view: View) -> list[str]:
    """The sheet a report brings along: the set-up as it stands, or the reader's pieces to choose from.

    A line that begins with a semicolon is an order once that is taken away and
    what stands in angles is filled in; remarks begin with a # and stay remarks.
    """
    if view["over"]:
        return []
    lines = []
    if view["offer"] == opponent(view["seat"]):
        lines += ["; DRAW ACCEPT", "; DRAW DECLINE"]
    if view["stage"] == "set-up":
        return [*lines, *_setup_lines(view)]
    if not view["awaited"]:
        return lines
    fleet = Fleet.of_view(view)
    own = {piece["name"]: piece for piece in view["own"]}
    lines.append("# It is your move: take away one semicolon and write a square.")
    lines += [_move_line(view, own[piece.name], ram=not fleet.moves(piece)) for piece in fleet.movable()]
    return lines if view["offer"] else [*lines, "; DRAW OFFER"]


_ROUNDS: Sequence[Sequence[str]] = (
    (),
    (
        "# What a sheet does not place, you are asked for once more; without a sheet,",
        "# dice place it at this deadline.",
    ),
    ("# Second deadline: dice place what is lacking then, and it counts as missed.",),
)
"""Remarks of a form on an incomplete set-up, by its deadline."""


def _setup_lines(view: View) -> Iterator[str]:
    done, rows = placed(view), HALVES[view["seat"]]
    yield f"# Take away the semicolons; for each <where> write a square of rows {rows[0]} to {rows[-1]}."
    yield f"# Strongest first: {' '.join(STRENGTH)}. An asteroid and what meets it both perish."
    if not view["ready"][view["seat"]]:
        yield from _ROUNDS[view["set_up_round"]]
    for kind, number in numbers(view["homes"]).items():
        squares, how = " ".join(done.get(kind, ["<where>"] * number)), _how(view, kind)
        yield f"{'' if kind in done else '; '}SETUP {kind} {squares}{f'  # {how}' if how else ''}"


def _how(view: View, kind: str) -> str:
    """How pieces of a kind move, in a word of chess; "" if they do not."""
    chessman = CHESSMEN.get(manner(kind, home_moves=view["home_moves"]))
    return f"like a {chessman}" if chessman else ""


def _move_line(view: View, piece: View, *, ram: bool) -> str:
    where = f"in transit, {piece['origin']} to {piece['square']}" if piece["transit"] else f"on {piece['square']}"
    order = f"; MOVE {piece['name']} TO <square>{' RAM' if ram else ''}"
    return f"{order:<28} # {_how(view, piece['kind'])}, {where}"


def desk(view: View) -> dict[str, Any]:
    """What a page offers: the set-up, or the moves that there are, and what is said of draws."""
    fleet = Fleet.of_view(view)
    pieces = fleet.movable() if view["stage"] == "play" and view["awaited"] else []
    useful = {
        Setup: view["stage"] == "set-up",
        Move: any(fleet.moves(piece) for piece in pieces),
        Ram: any(fleet.rams(piece) for piece in pieces),
        Draw: bool(sayings(view)),
        Resign: True,
    }
    return ORDERS.desk(view, [order for order, use in useful.items() if use and not view["over"]])
