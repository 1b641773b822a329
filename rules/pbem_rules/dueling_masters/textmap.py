"""The reader's board as text for plain mail, 74 columns wide, the reader's half at the bottom."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.ruleset import View
from pbem_rules.common.textgrid import TextGrid
from pbem_rules.dueling_masters.board import COLUMNS, HALVES, rows_from_top
from pbem_rules.dueling_masters.kinds import ASTEROID

_LEFT, _CELL = 2, 7
_WIDTH = _LEFT + _CELL * len(COLUMNS) + 1
LEGEND = (
    "Z1 yours, ~Z1 in transit to here, * your asteroid, . a flight judged here;",
    "enemy 3: (3?) departed from here, (3X) the same and is an X, [3X] is here",
)


def text_map(view: View) -> str:
    """Return the board with its coordinates, and an explanation of the signs."""
    grid = TextGrid(_WIDTH, 2 + 3 * 10)
    for column in COLUMNS:
        grid.put(_LEFT + _CELL * (column - 1) + _CELL // 2 + 1 - len(str(column)) // 2, 0, str(column))
    rows = rows_from_top(view["seat"])
    own, enemy = _own(view), _enemy(view)
    for number, row in enumerate(rows):
        top = 1 + 3 * number
        grid.put(_LEFT, top, _rule("=" if number == len(HALVES[view["seat"]]) else "-"))
        grid.put(0, top + 1, row)
        for column in COLUMNS:
            x = _LEFT + _CELL * (column - 1)
            square = f"{row}{column}"
            seen = "." if square in view["scouted"] else ""
            for line, signs, word in ((1, own.get(square, [seen]), "own"), (2, enemy.get(square, []), "foes")):
                grid.put(x, top + line, "|" + _fitted(signs, word))
                grid.put(x + _CELL, top + line, "|")
    grid.put(_LEFT, 1 + 3 * len(rows), _rule("-"))
    return "\n".join([*grid.lines(), *LEGEND])


def _own(view: View) -> dict[str, list[str]]:
    """Return the signs of own pieces on each square."""
    signs: dict[str, list[str]] = {}
    for piece in view["own"]:
        sign = "*" if piece["kind"] == ASTEROID else piece["name"]
        signs.setdefault(piece["square"], []).append("~" + sign if piece["transit"] else sign)
    return signs


def _enemy(view: View) -> dict[str, list[str]]:
    """Return the marks of enemy pieces on each square; at the end of the game, the pieces as they truly are."""
    signs: dict[str, list[str]] = {}
    for piece in view["disclosed"]:
        if piece["fate"] in ("stood", "in transit"):
            sign = "*" if piece["kind"] == ASTEROID else piece["name"]
            signs.setdefault(piece["square"], []).append(f"[{sign}]")
    # At the end all pieces are shown (ruling 18).
    if view["over"]:
        return signs
    for mark in view["enemy"]:
        opening, closing = "[]" if mark["standing"] else "()"
        kind = mark["kind"][0] if mark["kind"] else "?"
        signs.setdefault(mark["square"], []).append(f"{opening}{mark['mark']}{kind}{closing}")
    return signs


def _fitted(signs: Sequence[str], word: str) -> str:
    room = _CELL - 1
    joined = "".join(signs)
    return joined.center(room) if len(joined) <= room else f"{len(signs)} {word}".center(room)


def _rule(sign: str) -> str:
    return ("+" + sign * (_CELL - 1)) * len(COLUMNS) + "+"
