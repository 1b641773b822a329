"""The reader's board as pictures: for a phone, and larger with its explanation."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pbem.ruleset import (
    Background,
    Drawing,
    Label,
    Mark,
    Picture,
    SeatName,
    Sprite,
    SpriteInstance,
    TapTarget,
    View,
    box,
    draw_line,
)
from pbem_rules.common import svg
from pbem_rules.dueling_masters.board import COLUMNS, HALVES, SQUARES, rows_from_top
from pbem_rules.dueling_masters.kinds import ASTEROID, HOME


class Size(NamedTuple):
    """The pixels of a board: of a square, left of the squares and right, above them, and below."""

    cell: int
    left: int
    top: int
    below: int

    @property
    def side(self) -> int:
        """The pixels of all squares in a row."""
        return self.cell * len(COLUMNS)

    @property
    def width(self) -> int:
        return self.side + 2 * self.left

    @property
    def height(self) -> int:
        return self.side + self.top + self.below


LARGE, PHONE = Size(68, 40, 64, 140), Size(34, 17, 18, 4)

SPACE, OWN_HALF, THEIR_HALF, GRID, BORDER = "#0c1326", "#1d3357", "#2b2440", "#41577f", "#c9a94f"
INK, FAINT, STAR = "#eef2fa", "#aebcd8", "#8fa1c6"
LIGHT, LIGHT_EDGE, DARK_INK = "#f6ecd2", "#b99a52", "#2a2412"
DARK, DARK_EDGE = "#141016", "#ff6b57"
HOME_FILL, ROCK, FLIGHT, BURST, FRESH = "#8fd17a", "#a9a196", "#ffd766", "#ff9a3c", "#ff6b57"


SMALLEST = 11
"""Pixels of the smallest letters."""


def pictures(view: View) -> tuple[Picture, ...]:
    """Return the pictures of the board that a view shows, that for a phone first."""
    large = f"Dueling Masters of Space-Time, {view['label']}: the board of player {view['seat']}"
    return tuple(
        board.drawing().picture(name, title, board.spots())
        for name, title, board in (
            ("phone", _title(view), _Board(view, PHONE)),
            ("board", large, _Board(view, LARGE)),
        )
    )


def _title(view: View) -> str:
    """Return the alternative text of the board: where all known pieces are."""
    own = [_piece_words(piece) for piece in view["own"]]
    things = [f"{told.removeprefix('your ')} {piece['square']}" for told, piece in zip(own, view["own"], strict=True)]
    enemies = [f"{_piece_words(thing).removeprefix('enemy ')} {thing['square']}" for thing in _enemies(view)]
    sides = {"Yours": things, "Your opponent's": enemies}
    told = [f"{side}: {', '.join(pieces)}" for side, pieces in sides.items() if pieces]
    return ". ".join([f"The board in {view['label']}" if told else f"The empty board in {view['label']}", *told])


def _at(seat: SeatName, square: str, size: Size) -> tuple[int, int]:
    """Return the middle of a square on a player's board, in pixels."""
    row, column = rows_from_top(seat).index(square[0]), int(square[1:]) - 1
    return size.left + size.cell * column + size.cell // 2, size.top + size.cell * row + size.cell // 2


# The ground: an empty board, the same in every picture of a player.


@functools.lru_cache(maxsize=4)
def _ground(seat: SeatName, size: Size) -> Background:
    body = svg.rect(0, 0, size.width, size.height, fill=SPACE) + _halves(seat, size) + _grid(seat, size)
    return Background(body + (_key() if size is LARGE else ""), size.width, size.height)


def _halves(seat: SeatName, size: Size) -> str:
    half = size.cell * len(HALVES[seat])
    theirs = svg.rect(size.left, size.top, size.side, half, fill=THEIR_HALF)
    return theirs + svg.rect(size.left, size.top + half, size.side, half, fill=OWN_HALF)


def _grid(seat: SeatName, size: Size) -> str:
    cell, left, top, side = size.cell, size.left, size.top, size.side
    rows, steps, middle = rows_from_top(seat), range(len(COLUMNS) + 1), top + side / 2
    lines = [svg.line(left + cell * at, top, left + cell * at, top + side) for at in steps]
    lines += [svg.line(left, top + cell * at, left + side, top + cell * at) for at in steps]
    letters = max(SMALLEST + 1, round(0.24 * cell))
    names = [
        svg.text(_at(seat, f"{rows[0]}{column}", size)[0], top - 6, str(column), size=letters) for column in COLUMNS
    ]
    for x in (left * 0.5, left * 1.5 + side):
        names += [svg.text(x, _at(seat, f"{row}1", size)[1] + 5, row, size=letters) for row in rows]
    return (
        svg.group("".join(lines), stroke=GRID, stroke_width=1)
        + svg.line(left, middle, left + side, middle, stroke=BORDER, stroke_width=3)
        + svg.group("".join(names), fill=INK, text_anchor="middle")
    )


def _key() -> str:
    """Return the explanation of the signs, in three lines below the board."""
    top = LARGE.top + LARGE.side + 30
    own: View = {"kind": "Z", "name": "Z1", "transit": False}
    signs: list[tuple[list[Mark], str]] = [
        (_own(own, 0, 0, 13), "your ship"),
        (_own({**own, "transit": True}, 0, 0, 13), "in transit to here"),
        (_own({"kind": HOME, "name": HOME, "transit": False}, 0, 0, 13), "your home planet"),
        (_own({"kind": ASTEROID, "name": ASTEROID, "transit": False}, 0, 0, 13), "your asteroid"),
        (_enemy({"mark": 3, "standing": True, "kind": "X"}, 0, 0, 18), "enemy 3, an X"),
        (_enemy({"mark": 3, "standing": False, "kind": None}, 0, 0, 18), "enemy 3 left here"),
        ([SpriteInstance(MET, 0, 0)], "pieces met here"),
        ([SpriteInstance(_frame(20), 0, 0)], "left since your report"),
        (_looked(0, 0, 2), "seen 2 moves ago"),
        ([SpriteInstance(OVER, 0, 0)], "the enemy flew over"),
        ([SpriteInstance(REACH, 0, 0)], "may be bound for here"),
    ]
    return "".join(
        svg.group(
            "".join(map(_drawn, marks)) + svg.text(26, 5, words, size=13, fill=INK),
            transform=f"translate({LARGE.left + 16 + 174 * (at % 4)},{top + 40 * (at // 4)})",
        )
        for at, (marks, words) in enumerate(signs)
    )


def _drawn(mark: Mark) -> str:
    if isinstance(mark, Label):
        return mark.svg
    return svg.group(mark.sprite.body, transform=f"translate({mark.x} {mark.y})")


class _Board:
    """The pieces and signs on a player's board."""

    def __init__(self, view: View, size: Size) -> None:
        self.view, self.size = view, size
        self.things = _by_square([*view["own"], *_enemies(view)])

    def drawing(self) -> Drawing:
        """Return the board on its background."""
        return Drawing(_ground(self.view["seat"], self.size), tuple(self.marks()))

    def at(self, square: str, right: float = 0, down: float = 0) -> tuple[int, int]:
        """Return a place in pixels: the middle of a square, or what lies so many 68ths of it right and down of it."""
        x, y = _at(self.view["seat"], square, self.size)
        return x + round(right * self.size.cell / LARGE.cell), y + round(down * self.size.cell / LARGE.cell)

    def spots(self) -> Iterator[TapTarget]:
        """Yield every square as a target for taps, with what is known of it, and in play the names of own pieces."""
        cell = self.size.cell
        for square in SQUARES:
            here, (x, y) = self.things.get(square, ()), self.at(square)
            own = [thing["name"] for thing in here if "known" in thing and self.view["stage"] == "play"]
            told = ", ".join(map(_piece_words, here)) or "nothing known"
            yield TapTarget((*own, square), f"{square}: {told}", box(x - cell // 2, y - cell // 2, cell, cell))

    def marks(self) -> Iterator[Mark]:
        """Yield all marks on the empty board, lowest first."""
        for square in self.view["latest"]:
            yield SpriteInstance(_frame(self.size.cell - 4), *self.at(square))
        yield from self._known()
        yield from self._flights()
        for square, things in self.things.items():
            yield from self._crowd(square, things)
        for square in sorted({event["square"] for event in self.view["events"] if event["kind"] == "collision"}):
            yield SpriteInstance(MET, *self.at(square, 22, -22))
        if self.size is LARGE:
            moment = self.view["label"][0].upper() + self.view["label"][1:]
            turn = self.view["result"]["words"] if self.view["over"] else _turn(self.view)
            yield Label(self.size.left, 27, f"{moment}: {turn}", 17, INK)

    def _known(self) -> Iterator[Mark]:
        """Draw the squares that judged flights of the reader have passed, and those that enemies did or may reach."""
        for square, move in sorted(self.view["scouted"].items()):
            # On a phone a piece leaves no room for it.
            if self.size is LARGE or square not in self.things:
                yield from _looked(*self.at(square, -25, 25), self.view["move"] - move)
        for square in sorted(self.view["crossed"]):
            yield SpriteInstance(OVER, *self.at(square, 23, 23))
        bound = [
            square for mark in self.view["enemy"] if mark["square"] in self.view["latest"] for square in mark["reach"]
        ]
        for square in sorted(set(bound)):
            yield SpriteInstance(REACH, *self.at(square, -26, -26))

    def _flights(self) -> Iterator[Mark]:
        """Draw the paths of own pieces in transit, dashed, and the known flights of enemies."""
        for piece in self.view["own"]:
            if piece["transit"]:
                points = [self.at(square) for square in [piece["origin"], *piece["path"]]]
                yield draw_line(points, width=2.5, stroke=FLIGHT, fill="none", stroke_dasharray="7 5")
                yield SpriteInstance(DEPARTED, *points[0])
        for mark in self.view["enemy"]:
            if len(mark["course"]) > 1:
                points = [self.at(square) for square in mark["course"]]
                yield draw_line(
                    points, width=2, stroke=DARK_EDGE, fill="none", stroke_dasharray="1 5", stroke_linecap="round"
                )

    def _crowd(self, square: str, things: Sequence[View]) -> Iterator[Mark]:
        """Draw the pieces of a square, smaller if there are many."""
        across = math.ceil(math.sqrt(len(things)))
        pitch = (self.size.cell - 6) / across
        x, y = self.at(square)
        if self.size is PHONE and across > 1:
            yield from _heap(things, x, y)
            return
        for number, thing in enumerate(things):
            row, column = divmod(number, across)
            left, top = x - pitch * (across - 1) / 2, y - pitch * (across - 1) / 2
            draw = _own if "known" in thing else _enemy if "mark" in thing else _disclosed
            yield from draw(thing, round(left + pitch * column), round(top + pitch * row), round(0.41 * pitch))


def _enemies(view: View) -> list[View]:
    """Return the enemy's pieces as the reader knows them; at the end of the game, as they truly are."""
    left = [piece for piece in view["disclosed"] if piece["fate"] in ("stood", "in transit")]
    return left if view["over"] else list(view["enemy"])


def _by_square(things: Iterable[View]) -> dict[str, list[View]]:
    here: dict[str, list[View]] = {}
    for thing in things:
        here.setdefault(thing["square"], []).append(thing)
    return here


def _piece_words(thing: View) -> str:
    """Return a piece in words, as far as the reader knows it."""
    if "known" in thing:
        return f"your {thing['name']}" + (" in transit to here" if thing["transit"] else "")
    if "mark" not in thing:
        return f"enemy {thing['name']}"
    kind = thing["kind"] or (f"perhaps {' or '.join(thing['kinds'])}" if thing["kinds"] else "unknown")
    return f"enemy {thing['mark']}{'' if thing['standing'] else ' left here'}, {kind}"


def _turn(view: View) -> str:
    if view["stage"] == "set-up":
        return "pieces are being placed"
    return "your move" if view["awaited"] else f"player {view['mover']} to move"


# Pieces and signs.


def _own(piece: View, x: int, y: int, radius: int) -> list[Mark]:
    """Draw an own piece: light; a home planet green, an asteroid a rock; in transit with a dashed edge."""
    if piece["kind"] == ASTEROID:
        return [SpriteInstance(_rock(radius, ROCK, LIGHT), x, y)]
    dashes = "4 3" if piece["transit"] else None
    fill, edge = (HOME_FILL, INK) if piece["kind"] == HOME else (LIGHT, LIGHT_EDGE)
    disc = _disc(radius, fill, FLIGHT if dashes else edge, dashes)
    return [SpriteInstance(disc, x, y), _label(x, y, piece["name"].replace(HOME, "H"), radius, DARK_INK)]


def _enemy(mark: View, x: int, y: int, radius: int) -> list[Mark]:
    """Draw an enemy's mark, a dark disc where it stands, a ring where it departed, with its number and kind."""
    disc = SpriteInstance(_disc(radius, DARK, DARK_EDGE, None if mark["standing"] else "2 4"), x, y)
    kind, number = "?" if mark["kind"] is None else mark["kind"][0], str(mark["mark"])
    if radius < SMALLEST + 4:
        return [disc, Label(x, y + 4, kind + number, SMALLEST, INK, "middle", bold=True)]
    size = max(SMALLEST, round(0.52 * radius))
    return [
        disc,
        Label(x, y + round(0.15 * radius), kind, max(SMALLEST, round(0.9 * radius)), INK, "middle", bold=True),
        Label(x, y + round(0.36 * radius + 0.72 * size), number, size, FAINT, "middle"),
    ]


def _disclosed(piece: View, x: int, y: int, radius: int) -> list[Mark]:
    """Draw an enemy's piece after the end of the game: as an own one, but dark."""
    if piece["kind"] == ASTEROID:
        return [SpriteInstance(_rock(radius, DARK, DARK_EDGE), x, y)]
    return [
        SpriteInstance(_disc(radius, DARK, DARK_EDGE, None), x, y),
        _label(x, y, piece["name"].replace(HOME, "H"), radius, INK),
    ]


def _heap(things: Sequence[View], x: int, y: int) -> list[Mark]:
    """Draw several pieces of a square on a phone: the number of each side's, light and dark, or the one's name."""
    own = [thing for thing in things if "known" in thing]
    others = [thing for thing in things if "known" not in thing]
    sides = [(own, LIGHT, LIGHT_EDGE, DARK_INK), (others, DARK, DARK_EDGE, INK)]
    shown = [side for side in sides if side[0]]
    marks: list[Mark] = []
    for at, (pieces, fill, edge, ink) in enumerate(shown):
        left = x + round(15 * (at - (len(shown) - 1) / 2))
        words = f"{len(pieces)}×" if len(shown) == 1 else str(len(pieces))
        marks += [SpriteInstance(_disc(13 if len(shown) == 1 else 8, fill, edge, None), left, y)]
        marks += [Label(left, y + 4, words, SMALLEST + 1, ink, "middle", bold=True)]
    return marks


def _label(x: int, y: int, label: str, radius: int, fill: str) -> Label:
    size = max(SMALLEST, round(radius * (1.05 if len(label) == 1 else 0.85)))
    return Label(x, y + round(0.36 * size), label, size, fill, "middle", bold=True)


def _looked(x: int, y: int, ago: int) -> list[Mark]:
    return [SpriteInstance(CROSS, x, y), Label(x + 7, y + 4, str(ago), SMALLEST, INK)]


@functools.lru_cache(maxsize=64)
def _disc(radius: int, fill: str, edge: str, dashes: str | None) -> Sprite:
    disc = svg.circle(0, 0, radius, fill=fill, stroke=edge, stroke_width=3, stroke_dasharray=dashes)
    return Sprite(disc, 2 * radius + 6, 2 * radius + 6)


@functools.lru_cache(maxsize=16)
def _rock(radius: int, fill: str, edge: str) -> Sprite:
    """Return an uneven lump."""
    reaches = (0.84, 0.98, 0.78, 0.95, 0.88, 0.74, 0.97, 0.8, 0.93)
    points = [
        (radius * reach * math.cos(at * math.tau / 9), radius * reach * math.sin(at * math.tau / 9))
        for at, reach in enumerate(reaches)
    ]
    return Sprite(svg.polygon(points, fill=fill, stroke=edge, stroke_width=1.5), 2 * radius + 4, 2 * radius + 4)


def _star(radius: float) -> list[tuple[float, float]]:
    """Return the corners of a star of eight points."""
    return [
        (reach * math.cos(turn * math.pi / 8), reach * math.sin(turn * math.pi / 8))
        for turn in range(16)
        for reach in [radius if turn % 2 else 0.5 * radius]
    ]


@functools.cache
def _frame(side: int) -> Sprite:
    box = svg.rect(-side / 2, -side / 2, side, side, fill="none", stroke=FRESH, stroke_width=3)
    return Sprite(box, side + 4, side + 4)


MET = Sprite(svg.polygon(_star(13), fill=BURST, stroke=SPACE, stroke_width=1.5), 28, 28)
CROSS = Sprite(svg.path("M-4,-4L4,4M4,-4L-4,4", stroke=STAR, stroke_width=2, fill="none"), 12, 12)
OVER = Sprite(svg.path("M-5,3L0,-4L5,3", stroke=DARK_EDGE, stroke_width=2.4, fill="none"), 16, 12)
REACH = Sprite(svg.circle(0, 0, 3, fill=DARK_EDGE), 8, 8)
DEPARTED = Sprite(svg.circle(0, 0, 5, fill=FLIGHT), 12, 12)
