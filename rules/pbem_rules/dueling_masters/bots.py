"""Bots: from a mailed view to the lines of a sheet.

"standard" hides its home planet aside, behind its fighters, with asteroids along the front.
It searches: it values a move by the squares on which the enemy's home may still
stand, those of the flight that the move has judged and those of the next one if
the piece outlives that, and attacks weaker pieces that it has found.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import cycle, islice
from typing import NamedTuple

from pbem.ruleset import Bot, Dice, View
from pbem_rules.common.negotiation import Draw
from pbem_rules.dueling_masters.board import COLUMNS, HALVES, ROWS, distance, territory
from pbem_rules.dueling_masters.kinds import ASTEROID, FIGHTERS, HOME, dies, numbers
from pbem_rules.dueling_masters.moves import Fleet, Own
from pbem_rules.dueling_masters.orders import ORDERS, Move, Ram, Setup
from pbem_rules.dueling_masters.placement import Placed, arranged, lacking, placed_in
from pbem_rules.dueling_masters.sheet import parse
from pbem_rules.dueling_masters.state import opponent

WORTH: Mapping[str, int] = {kind: worth for worth, kind in enumerate(reversed(FIGHTERS), 2)} | {HOME: 60}
"""The values of pieces: Z 2 … W 6."""

JUDGED, PLANNED, NEXT = 12, 9, 7
"""Values of a square to be searched: on the flight judged now, on the one that begins, and on the one after it."""

FRONT = 0.1
"""Chance of a home planet in the two rows at the front, beside 1 farther back, where dice place it too (ruling 12)."""

BEHIND = 0.15
"""Chance of an asteroid farther back, beside 1 at the front."""

GUARDED = 6
"""Growth of the chance of a home planet beside an asteroid found farther back: asteroids stand there to guard it."""

FRESH = 30
"""Moves after which a searched square counts as unseen again, if home planets move."""

AWAY = (1, 10)
"""Columns to which the fewest lines of flight lead."""

TRIES = 60


def standard(view: View, dice: Dice) -> list[str]:
    """Search for the enemy's home planet, attack what was found, and agree to a draw without hope."""
    if view["stage"] == "set-up":
        return _set_up(view, dice, _walled(view, dice))
    thought = _Thought(view)
    plan = thought.best(dice)
    if plan is None:
        return []
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
    plan = _Thought(view).best(dice)
    return [ORDERS.line(plan.move)] if plan else []


BOTS: Mapping[str, Bot] = {"standard": standard, "random": random}


def _set_up(view: View, dice: Dice, chosen: Placed | None = None) -> list[str]:
    """Complete a set-up at random, around what is placed already or was chosen."""
    done = placed_in(view)
    squares = arranged({**(chosen or {}), **done}, seat=view["seat"], homes=view["homes"], dice=dice.within("bot"))
    return [ORDERS.line(Setup(kind, squares[kind])) for kind in lacking(done)]


def _walled(view: View, dice: Dice) -> Placed:
    """Return squares for a whole set-up: the home planet aside, fighters before it, and asteroids along the front.

    Most of what enters dies at the front, and from there fighters have the longest ways to fly.
    """
    if placed_in(view) or view["homes"] > 1:
        return {}
    front, *behind = sorted(HALVES[view["seat"]], key=lambda row: abs(ROWS.index(row) * 2 - 9))
    row, aside = dice.pick(behind[:2], "row"), dice.pick(AWAY, "column")
    columns = sorted(dice.shuffle(COLUMNS, "wall"), key=lambda column: abs(column - aside) > 1)
    gates = [f"{front}{column}" for column in columns[:3]]
    wall = tuple(f"{front}{column}" for column in columns[3:])
    home = f"{row}{aside}"
    number, each = numbers(1), cycle(gates)
    fighters = {kind: tuple(islice(each, number[kind])) for kind in FIGHTERS}
    return {HOME: (home,), ASTEROID: wall, **fighters}


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
        self.risks = _risks(view)
        self.standing = {mark["square"]: mark["kind"] for mark in view["enemy"] if mark["standing"]}

    def best(self, dice: Dice) -> _Plan | None:
        """Return the move of the highest worth, among equals one by lot; None if no piece can move."""
        moves = sorted(self._moves(), key=lambda move: (move.piece, move.square))
        if not moves:
            return None
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
        return next((moves for moves in choices if moves), [])

    def _worth(self, move: Move) -> float:
        piece = self.fleet.pieces[move.piece]
        if piece.kind not in FIGHTERS or move.ram:
            return 0
        path = self.fleet.flights(piece)[move.square]
        judged = self.pending[move.piece]
        # What other flights are to search already is no gain, and nothing comes after a flight that is not outlived.
        searched = {square for name, way in self.pending.items() if name != move.piece for square in way} | set(judged)
        planned = PLANNED * self._search(set(path) - searched)
        onward = NEXT * self._lives(piece.kind, path) * self._onward(piece, move.square, set(path) | searched)
        later = self._lives(piece.kind, judged) * (planned + onward)
        return JUDGED * self._search(judged) + later + self._strikes(piece, path)

    def _lives(self, kind: str, path: Iterable[str]) -> float:
        """Return how likely a piece of a kind outlives a flight over squares not seen yet."""
        return math.prod(1 - self.risks[kind].get(square, 0) for square in path)

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


def _is_back(square: str) -> bool:
    """Return True if a square is in the three rows at the back of its half."""
    return square[0] in "ABCHIJ"


def _risks(view: View) -> dict[str, dict[str, float]]:
    """Return for each kind how likely a square not seen yet holds what destroys it, by what the enemy has left."""
    seen = {*view["scouted"], *view["crossed"], *(mark["square"] for mark in view["enemy"])}
    unseen = [square for square in territory(opponent(view["seat"])) if square not in seen]
    known = Counter(mark["kind"] for mark in view["enemy"])
    hidden = {each["kind"]: max(0, each["number"] - known[each["kind"]]) for each in view["enemy_left"]}
    weights = {square: BEHIND if _is_back(square) else 1.0 for square in unseen}
    asteroids = hidden.get(ASTEROID, 0) / max(1.0, sum(weights.values()))
    risks: dict[str, dict[str, float]] = {}
    for kind in FIGHTERS:
        stronger = sum(number for other, number in hidden.items() if other in FIGHTERS and dies(kind, other))
        fighters = min(0.9, stronger / max(1, len(unseen)))
        risks[kind] = {
            square: 1 - (1 - min(0.9, asteroids * weight)) * (1 - fighters) for square, weight in weights.items()
        }
    return risks


def _chances(view: View) -> dict[str, float]:
    """Return for each square how likely it holds an enemy home planet, from 0 to 1, by what was searched."""
    own = {piece["square"] for piece in view["own"]}
    if not view["home_moves"]:
        known = own | set(view["scouted"]) | set(view["crossed"]) | {mark["square"] for mark in view["enemy"]}
        guards = [
            each["square"] for each in view["enemy_lost"] if each["kind"] == ASTEROID and _is_back(each["square"])
        ]
        return {
            square: (1.0 if _is_back(square) else FRONT)
            * GUARDED ** sum(distance(square, near) == 1 for near in guards)
            for square in territory(opponent(view["seat"]))
            if square not in known
        }
    # Home planets that move may come to a square after it was searched.
    ages = {square: view["move"] - view["scouted"].get(square, -FRESH) for square in territory(opponent(view["seat"]))}
    return {square: min(age, FRESH) / FRESH for square, age in ages.items() if square not in own}
