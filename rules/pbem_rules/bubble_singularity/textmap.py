"""The board as text, for plain mail."""

from __future__ import annotations

from pbem.ruleset import View
from pbem_rules.common.textgrid import TextGrid

WIDTH = 76
"""Most columns of a map in a plain mail, where it is indented by two."""

INSIDE, LINES, LEFT = 13, 4, 3
ARROWS = {"N": "^", "E": ">", "S": "v", "W": "<"}
_MIDDLE = 8
_SPOTS = {"N": (_MIDDLE, 0), "E": (INSIDE - 1, 1), "S": (_MIDDLE, LINES - 1), "W": (0, 1)}
_SHORT = {"expansion": "expans.", "unstable": "unstab.", "universe": "univers", "research": "researc"}
_LETTERS = "ABCDE"
KEY = (
    "^ > v <  arrows      *  node      R G B Y  bubbles      [RED]  Mari",
    "A card that is not plain bears its name, and the letter of who controls it.",
)


def text_map(view: View) -> str:
    """Return the board with its coordinates, and a line that explains the signs."""
    size = view["size"]
    grid = TextGrid(WIDTH, size * (LINES + 1) + 2)
    for x in range(size):
        grid.put(LEFT + 1 + x * (INSIDE + 1) + INSIDE // 2, 0, _LETTERS[x])
    for place, space in view["spaces"].items():
        x, y = _LETTERS.index(place[0]), int(place[1]) - 1
        _draw(grid, LEFT + x * (INSIDE + 1), 1 + y * (LINES + 1), place, space)
    for y in range(size):
        grid.put(0, 1 + y * (LINES + 1) + 2, str(y + 1))
    return "\n".join([*grid.lines(), "", *_key(view)])


def _draw(grid: TextGrid, left: int, top: int, place: str, space: View) -> None:
    """Draw one card in its frame, whose upper left corner is given."""
    rule = "+" + "-" * INSIDE + "+"
    grid.put(left, top, rule)
    grid.put(left, top + LINES + 1, rule)
    for row in range(LINES):
        grid.put(left, top + 1 + row, "|" + " " * INSIDE + "|")
    for way in space["arrows"]:
        x, y = _SPOTS[way]
        grid.put(left + 1 + x, top + 1 + y, ARROWS[way])
    grid.put(left + 1, top + 1, place + ("*" if space["node"] else ""))
    shown = "".join(colour[0].upper() for colour in space["bubbles"])
    grid.put(left + 1 + max(1, (INSIDE - len(shown)) // 2), top + 2, shown[: INSIDE - 2])
    if space["mari"]:
        name = f"[{space['mari'].upper()}]"
        grid.put(left + 1 + (INSIDE - len(name)) // 2, top + 3, name)
    _name(grid, left + 1, top + LINES, space)


def _name(grid: TextGrid, left: int, y: int, space: View) -> None:
    if space["kind"] != "plain":
        grid.put(left, y, _SHORT.get(space["kind"]) or space["kind"])
    if space["control"]:
        grid.put(left + INSIDE - 3, y, f"({space['control'][0].upper()})")


def _key(view: View) -> list[str]:
    special = any(space["kind"] != "plain" for space in view["spaces"].values())
    return list(KEY) if special else [KEY[0]]
