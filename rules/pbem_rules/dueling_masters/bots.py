"""Bots: from a mailed view to the lines of a sheet.

"standard" searches: it values a move by the squares on which the enemy's home
may still stand, those of the flight that the move has judged and those of the
next one, prefers to risk cheap ships, and attacks weaker pieces that it has found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.ruleset import Bot, Dice, View
from pbem_rules.common.negotiation import Draw
from pbem_rules.dueling_masters.board import territory
from pbem_rules.dueling_masters.kinds import FIGHTERS, HOME, dies
from pbem_rules.dueling_masters.moves import Fleet, Own
from pbem_rules.dueling_masters.orders import ORDERS, Move, Ram, Setup
from pbem_rules.dueling_masters.placement import arranged, lacking, placed_in
from pbem_rules.dueling_masters.sheet import parse
from pbem_rules.dueling_masters.state import opponent

WORTH: Mapping[str, int] = {kind: worth for worth, kind in enumerate(reversed(FIGHTERS), 2)} | {HOME: 60}
"""The values of pieces: Z 2 … W 6."""

JUDGED, PLANNED, NEXT = 12, 6, 3
"""Values of a square to be searched: on the flight judged now, on the one that begins, and on the one after it."""

FRESH = 30
"""Moves after which a searched square counts as unseen again, if home planets move."""

TRIES = 60


def standard(view: View, dice: Dice) -> list[str]:
    """Search for the enemy's home planet, attack what was found, and agree to a draw without hope."""
    if view["stage"] == "set-up":
        return _set_up(view, dice)
    thought = _Thought(view)
    plan = thought.best(dice)
    # Without anything to gain, a draw ends the game before the campaign drags on.
    if not plan.hopeful and view["offer"] == opponent(view["seat"]):
        return [ORDERS.line(Draw("ACCEPT"))]
    lines = [ORDERS.line(plan.move)]
    return lines if plan.hopeful or view["offer"] else [*lines, ORDERS.line(Draw("OFFER"))]


def random(view: View, dice: Dice) -> list[str]:
    """Move at random: the first invented line that its sheet would accept."""
    if view["stage"] == "set-up":
        return _set_up(view, dice)
    for count in range(TRIES):
        line = ORDERS.invent(view, dice, "random", view["move"], count)
        if any(isinstance(order, Move) for order in parse(view, [(1, line)]).orders):
            return [line]
    return [ORDERS.line(_Thought(view).best(dice).move)]


BOTS: Mapping[str, Bot] = {"standard": standard, "random": random}


def _set_up(view: View, dice: Dice) -> list[str]:
    """Complete a set-up at random, around what is placed already."""
    done = placed_in(view)
    squares = arranged(done, seat=view["seat"], homes=view["homes"], dice=dice.within("bot"))
    return [ORDERS.line(Setup(kind, squares[kind])) for kind in lacking(done)]


class _Plan(NamedTuple):
    """A move, and whether anything is to be gained by it."""

    move: Move
    hopeful: bool


class _Thought:
    """The game as the player to move sees it."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.fleet = Fleet.of_view(view)
        self.pending = {piece["name"]: piece["path"] for piece in view["own"]}
        self.chances = _chances(view)
        self.standing = {mark["square"]: mark["kind"] for mark in view["enemy"] if mark["standing"]}

    def best(self, dice: Dice) -> _Plan:
        """Return the move of the highest worth; among equals one by lot."""
        moves = sorted(self._moves(), key=lambda move: (move.piece, move.square))
        moves = dice.shuffle(moves, "bot", self.view["move"])
        move = max(moves, key=self._worth)
        return _Plan(move, hopeful=self._worth(move) > 0)

    def _moves(self) -> list[Move]:
        """Return moves of fighters; if there are none, of home planets, and if there are none, those that ram."""
        fighters = [piece for piece in self.fleet.pieces.values() if piece.kind in FIGHTERS]
        homes = [piece for piece in self.fleet.pieces.values() if piece.kind == HOME]
        choices: tuple[list[Move], ...] = (
            [Move(piece.name, end) for piece in fighters for end in self.fleet.moves(piece)],
            [Move(piece.name, end) for piece in homes for end in self.fleet.moves(piece)],
            [Ram(piece.name, end) for piece in fighters for end in self.fleet.rams(piece)],
        )
        return next(moves for moves in choices if moves)

    def _worth(self, move: Move) -> float:
        piece = self.fleet.pieces[move.piece]
        if piece.kind not in FIGHTERS or move.ram:
            return 0
        path = self.fleet.flights(piece)[move.square]
        judged = self.pending[move.piece]
        # Strong ships are kept back for enemies already found.
        caution = 1 - WORTH[piece.kind] / 10
        return (
            JUDGED * self._search(judged)
            + PLANNED * caution * self._search(path)
            + NEXT * caution * self._onward(piece, move.square, set(judged) | set(path))
            + self._strikes(piece, path)
        )

    def _search(self, path: Iterable[str]) -> float:
        """Return how many squares of a path may hold an enemy home planet."""
        return sum(self.chances.get(square, 0) for square in path)

    def _onward(self, piece: Own, square: str, seen: set[str]) -> float:
        """Return the most that could be searched from a square, beyond what is seen by then."""
        there = piece._replace(square=square)
        return max((self._search(set(path) - seen) for path in self.fleet.moves(there).values()), default=0)

    def _strikes(self, piece: Own, path: Sequence[str]) -> float:
        """Return the gains and losses against enemies known to stand on a path."""
        worth = 0.0
        for kind in _met(self.standing, path):
            worth += 4 * WORTH[kind] if dies(kind, piece.kind) else 0
            worth -= 5 * WORTH[piece.kind] if dies(piece.kind, kind) else 0
        return worth


def _met(standing: Mapping[str, str], path: Sequence[str]) -> Iterator[str]:
    return (standing[square] for square in path if square in standing)


def _chances(view: View) -> dict[str, float]:
    """Return for each square how likely it holds an enemy home planet, from 0 to 1, by what was searched."""
    own = {piece["square"] for piece in view["own"]}
    if not view["home_moves"]:
        known = own | set(view["scouted"]) | set(view["crossed"]) | {mark["square"] for mark in view["enemy"]}
        return {square: 1.0 for square in territory(opponent(view["seat"])) if square not in known}
    # Home planets that move may come to a square after it was searched.
    ages = {square: view["move"] - view["scouted"].get(square, -FRESH) for square in territory(opponent(view["seat"]))}
    return {square: min(age, FRESH) / FRESH for square, age in ages.items() if square not in own}
