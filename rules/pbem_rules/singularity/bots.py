"""Bots: from a mailed view to the lines of a sheet.

"standard" wins and blocks where one stone does it, and else takes the cell that
wins most often against the reply that hurts it most, when the rest of the board
is filled by lot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pbem.ruleset import Bot, Dice, View
from pbem_rules.singularity.board import Board
from pbem_rules.singularity.field import field_of
from pbem_rules.singularity.fills import draw, starts, wins
from pbem_rules.singularity.orders import ORDERS, Forget, If, Place
from pbem_rules.singularity.state import SEATS

WORK = 20_000_000
"""Boards filled by lot for one move, times their cells and starts: a tenth of a second on boards of usual sizes."""

FOLLOWED = 4_000
"""Cells of which groups are followed from places of the ring; on large boards only from some places, by lot."""

PAIRS = 2_400
"""Cells with a reply that are looked at: every reply to the most promising cells."""


def standard(view: View, dice: Dice) -> list[str]:
    """Play to win, and keep replies for what is connected."""
    thought = _Thought(view)
    cell = thought.best(dice)
    # An old reply must not answer a new danger.
    lines = [ORDERS.line(Forget())] if view["kept"] else []
    lines.append(ORDERS.line(Place(thought.name(cell))))
    return lines + [ORDERS.line(reply) for reply in thought.replies(cell)]


def random(view: View, dice: Dice) -> list[str]:
    """Play anywhere, and now and then keep a reply at random."""
    board = _board(view)
    turn = len(view["moves"])
    cells = [board.field.names[cell] for cell in dice.shuffle(board.free(), "random", turn)]
    lines = [ORDERS.line(Place(cells[0]))]
    if len(cells) > 2 and dice.chance(1, 4, "random", turn, "if"):
        lines.append(ORDERS.line(If(cells[1], cells[2])))
    return lines


BOTS: Mapping[str, Bot] = {"standard": standard, "random": random}


def _board(view: View) -> Board:
    plan = field_of(view["size"])
    return Board(plan, [plan.cells[stone["cell"]] for stone in view["moves"]])


class _Thought:
    """A position as the seat on move sees it."""

    def __init__(self, view: View) -> None:
        self.board = _board(view)
        self.own = SEATS.index(view["seat"])
        self.free = self.board.free()

    def name(self, cell: int) -> str:
        return self.board.field.names[cell]

    def best(self, dice: Dice) -> int:
        """Return the cell to play: one that wins, else one that blocks, else the most promising one."""
        for colour in (self.own, 1 - self.own):
            if found := _wins(self.board, colour):
                return found[0]
        worth = self._worth(dice)
        return max(worth, key=lambda cell: (worth[cell], -cell))

    def replies(self, cell: int) -> Iterator[If]:
        """Yield replies to keep after placing on a cell: second ways to win, and both cells of bridges."""
        after = self.board.copy()
        if after.place(self.own, cell):
            return
        found = _wins(after, self.own)
        pairs = (
            list(zip(found, found[1:] + found[:1], strict=True)) if len(found) > 1 else _bridges(after, self.own, cell)
        )
        for theirs, mine in pairs:
            if _holds(after, self.own, theirs, mine):
                yield If(self.name(theirs), self.name(mine))

    def _worth(self, dice: Dice) -> dict[int, float]:
        """Return how often having each of the best cells goes with winning, whatever cell the opponent takes then."""
        cells = len(self.board.field.axial)
        places = dice.shuffle(starts(self.board.field), "starts", len(self.free))[: max(2, FOLLOWED // cells)]
        boards = 8 * max(32, WORK // cells // self.board.field.half // 8)
        everywhere = (1 << boards) - 1
        key = dice.below(1 << 64, "lots", len(self.free)).to_bytes(8, "big")
        drawn = draw(key, self.free, boards)
        owned = [drawn.get(cell, everywhere * (self.board.colour(cell) == self.own)) for cell in range(cells)]
        won = wins(self.board.field, owned, places)
        promising = sorted(self.free, key=lambda cell: -(owned[cell] & won).bit_count())[
            : max(4, PAIRS // len(self.free))
        ]
        return {cell: self._least(cell, drawn, won) for cell in promising}

    def _least(self, cell: int, drawn: Mapping[int, int], won: int) -> float:
        """Return how often having a cell goes with winning, if the opponent has the cell that hurts most."""
        had = drawn[cell]
        replies = (had & ~boards for other, boards in drawn.items() if other != cell)
        return min(((theirs & won).bit_count() / theirs.bit_count() for theirs in replies if theirs), default=1.0)


def _wins(board: Board, colour: int) -> list[int]:
    return [cell for cell in board.free() if board.wins_at(colour, cell)]


def _bridges(board: Board, colour: int, cell: int) -> list[tuple[int, int]]:
    """Return the pairs of free cells, either way round, that join a stone to another of its colour two steps away."""
    plan = board.field
    sides = plan.near[cell]
    pairs = []
    for one in sides:
        for two in sides:
            beyond = [far for far in plan.near[one] if far in plan.near[two] and far != cell]
            open_pair = two in plan.near[one] and board.is_free(one) and board.is_free(two)
            if open_pair and any(board.colour(far) == colour for far in beyond):
                pairs.append((one, two))
    return pairs


def _holds(board: Board, colour: int, theirs: int, mine: int) -> bool:
    """Return True if the reply leaves the opponent no winning stone after theirs."""
    after = board.copy()
    if after.place(1 - colour, theirs):
        return False
    return after.place(colour, mine) or not _wins(after, 1 - colour)
