"""Bots: from a mailed view to the lines of a sheet.

"standard" wins and blocks where one stone does it, and else takes the cell
that most often goes with winning when the rest of the board is filled by lot.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping

from pbem.ruleset import Bot, Dice, View
from pbem_rules.singularity.board import Board
from pbem_rules.singularity.field import field_of
from pbem_rules.singularity.orders import ORDERS, Forget, If, Place
from pbem_rules.singularity.state import SEATS

STONES = 40_000
"""Stones placed in thought for one move: less than a tenth of a second on every board."""

_KEY_BYTES = 4


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
            wins = _wins(self.board, colour)
            if wins:
                return wins[0]
        worth = self._worth(dice)
        return max(self.free, key=lambda cell: (worth[cell], -cell))

    def replies(self, cell: int) -> Iterator[If]:
        """Yield replies to keep after placing on a cell: second ways to win, and both cells of bridges."""
        after = self.board.copy()
        if after.place(self.own, cell):
            return
        wins = _wins(after, self.own)
        pairs = list(zip(wins, wins[1:] + wins[:1], strict=True)) if len(wins) > 1 else _bridges(after, self.own, cell)
        for theirs, mine in pairs:
            if _holds(after, self.own, theirs, mine):
                yield If(self.name(theirs), self.name(mine))

    def _worth(self, dice: Dice) -> dict[int, float]:
        """Return how often having each free cell went with winning, when the free cells were shared out by lot."""
        share = (len(self.free) + 1) // 2
        # From 1, as a cell may never be drawn.
        had, won = Counter(self.free), Counter[int]()
        for cells in self._lots(dice, share):
            had.update(cells)
            if self.board.copy().place(self.own, *cells):
                won.update(cells)
        return {cell: won[cell] / had[cell] for cell in self.free}

    def _lots(self, dice: Dice, share: int) -> Iterator[list[int]]:
        """Yield random shares of the free cells."""
        key = dice.below(1 << 64, "lots", len(self.free)).to_bytes(8, "big")
        for lot in range(STONES // share):
            drawn = hashlib.shake_256(key + lot.to_bytes(4, "big")).digest(_KEY_BYTES * len(self.free))
            lots = sorted(zip(memoryview(drawn).cast("I"), self.free, strict=True))
            yield [cell for _, cell in lots[:share]]


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
