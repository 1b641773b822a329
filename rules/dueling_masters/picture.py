"""The reader's board as a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from pbem.ruleset import Picture, View
from rules.dueling_masters.board import COLUMNS, HALVES, rows_from_top
from rules.dueling_masters.kinds import ASTEROID, HOME
from rules.kit import svg

CELL, LEFT, TOP = 68, 40, 64
SIDE = CELL * len(COLUMNS)
WIDTH, HEIGHT = SIDE + 2 * LEFT, SIDE + TOP + 118

SPACE, OWN_HALF, THEIR_HALF, GRID, BORDER = "#0c1326", "#1d3357", "#2b2440", "#41577f", "#c9a94f"
INK, FAINT, STAR = "#eef2fa", "#9fb0cf", "#6f83ab"
LIGHT, LIGHT_EDGE, DARK_INK = "#f6ecd2", "#b99a52", "#2a2412"
DARK, DARK_EDGE = "#141016", "#ff6b57"
HOME_FILL, ROCK, FLIGHT, BURST, FRESH = "#8fd17a", "#a9a196", "#ffd766", "#ff9a3c", "#ff6b57"


def pictures(view: View) -> tuple[Picture, ...]:
    """The board a view tells of."""
    title = f"Dueling Masters of Space-Time, {view['label']}: the board of player {view['seat']}"
    return (
        Picture("board", title, svg.document(WIDTH, HEIGHT, "".join(_Drawing(view).layers()), title), WIDTH, HEIGHT),
    )


class _Drawing:
    """A board in layers, from the ground up."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.rows = rows_from_top(view["seat"])

    def layers(self) -> Iterator[str]:
        """Everything drawn, lowest first."""
        yield svg.rect(0, 0, WIDTH, HEIGHT, fill=SPACE)
        yield self._halves()
        yield self._scouted()
        yield self._grid()
        yield self._latest()
        yield self._flights()
        yield self._pieces()
        yield self._bursts()
        yield self._head()
        yield _key()

    def at(self, square: str) -> tuple[float, float]:
        """The middle of a square."""
        row, column = self.rows.index(square[0]), int(square[1:]) - 1
        return LEFT + CELL * (column + 0.5), TOP + CELL * (row + 0.5)

    def _halves(self) -> str:
        half = CELL * len(HALVES[self.view["seat"]])
        theirs = svg.rect(LEFT, TOP, SIDE, half, fill=THEIR_HALF)
        return theirs + svg.rect(LEFT, TOP + half, SIDE, half, fill=OWN_HALF)

    def _scouted(self) -> str:
        """A grey cross on each square that a judged flight of the reader's has passed."""
        arm = CELL / 10
        cross = f"m{-arm:.1f},{-arm:.1f}l{2 * arm:.1f},{2 * arm:.1f}m0,{-2 * arm:.1f}l{-2 * arm:.1f},{2 * arm:.1f}"
        middles = (self.at(square) for square in sorted(self.view["scouted"]))
        crosses = "".join(f"M{x:.1f},{y:.1f}{cross}" for x, y in middles)
        return svg.path(crosses, stroke=STAR, stroke_width=2, fill="none") if crosses else ""

    def _grid(self) -> str:
        steps = range(len(COLUMNS) + 1)
        lines = [svg.line(LEFT + CELL * at, TOP, LEFT + CELL * at, TOP + SIDE) for at in steps]
        lines += [svg.line(LEFT, TOP + CELL * at, LEFT + SIDE, TOP + CELL * at) for at in steps]
        middle = TOP + SIDE / 2
        names = [
            svg.text(*_moved(self.at(f"{self.rows[0]}{column}"), 0, -CELL / 2 - 8), str(column), size=15)
            for column in COLUMNS
        ]
        names += [svg.text(LEFT - 18, self.at(f"{row}1")[1] + 6, row, size=17) for row in self.rows]
        names += [svg.text(LEFT + SIDE + 18, self.at(f"{row}1")[1] + 6, row, size=17) for row in self.rows]
        return (
            svg.group("".join(lines), stroke=GRID, stroke_width=1)
            + svg.line(LEFT, middle, LEFT + SIDE, middle, stroke=BORDER, stroke_width=3)
            + svg.group("".join(names), fill=INK, text_anchor="middle")
        )

    def _latest(self) -> str:
        """A frame around each square that an enemy has just departed from."""
        frames = []
        for square in self.view["latest"]:
            x, y = self.at(square)
            frames.append(svg.rect(x - CELL / 2 + 2, y - CELL / 2 + 2, CELL - 4, CELL - 4))
        return svg.group("".join(frames), fill="none", stroke=FRESH, stroke_width=3)

    def _flights(self) -> str:
        """The flight of each own piece in transit, dashed, from where it departed along its path."""
        drawn = []
        for piece in self.view["own"]:
            if piece["transit"]:
                points = [self.at(square) for square in [piece["origin"], *piece["path"]]]
                drawn.append(svg.polyline(points, stroke_dasharray="7 5"))
                drawn.append(svg.circle(*points[0], 5, fill=FLIGHT, stroke="none"))
        return svg.group("".join(drawn), fill="none", stroke=FLIGHT, stroke_width=2.5, stroke_linejoin="round")

    def _pieces(self) -> str:
        """All pieces of each square, smaller where they are many."""
        here: dict[str, list[View]] = {}
        for thing in [*self.view["own"], *_enemies(self.view)]:
            here.setdefault(thing["square"], []).append(thing)
        return "".join(drawn for square, things in here.items() for drawn in self._crowd(square, things))

    def _crowd(self, square: str, things: Sequence[View]) -> Iterator[str]:
        across = math.ceil(math.sqrt(len(things)))
        pitch = (CELL - 6) / across
        x, y = self.at(square)
        for number, thing in enumerate(things):
            column, row = number % across, number // across
            left, top = x - pitch * (across - 1) / 2, y - pitch * (across - 1) / 2
            draw = _own if "known" in thing else _enemy if "mark" in thing else _disclosed
            yield draw(thing, left + pitch * column, top + pitch * row, 0.41 * pitch)

    def _bursts(self) -> str:
        """A star on each square where pieces have just met."""
        squares = {event["square"] for event in self.view["events"] if event["kind"] == "collision"}
        stars = [
            svg.polygon(_star(*_moved(self.at(square), CELL * 0.32, -CELL * 0.32), 13)) for square in sorted(squares)
        ]
        return svg.group("".join(stars), fill=BURST, stroke=SPACE, stroke_width=1.5)

    def _head(self) -> str:
        view = self.view
        moment = view["label"][0].upper() + view["label"][1:]
        turn = view["result"]["words"] if view["over"] else _turn(view)
        return svg.text(LEFT, 27, f"{moment}: {turn}", size=17, fill=INK)


def _enemies(view: View) -> list[View]:
    """The enemy's pieces as the reader has them on his board; at the end of the game, as they truly are."""
    left = [piece for piece in view["disclosed"] if piece["fate"] in ("stood", "in transit")]
    return left if view["over"] else list(view["enemy"])


def _turn(view: View) -> str:
    if view["stage"] == "set-up":
        return "pieces are being placed"
    return "your move" if view["awaited"] else f"player {view['mover']} to move"


def _own(piece: View, x: float, y: float, radius: float) -> str:
    """An own piece: light; a home planet green, an asteroid a rock; in transit with a dashed edge."""
    if piece["kind"] == ASTEROID:
        return svg.polygon(_rock(x, y, radius), fill=ROCK, stroke=LIGHT, stroke_width=1.5)
    dashes = "4 3" if piece["transit"] else None
    fill, edge = (HOME_FILL, INK) if piece["kind"] == HOME else (LIGHT, LIGHT_EDGE)
    disc = svg.circle(
        x, y, radius, fill=fill, stroke=FLIGHT if dashes else edge, stroke_width=3, stroke_dasharray=dashes
    )
    label = piece["name"].replace(HOME, "H")
    return disc + _label(x, y, label, radius, DARK_INK)


def _enemy(mark: View, x: float, y: float, radius: float) -> str:
    """An enemy's mark: a dark disc where it stands, a hollow ring where it departed; its number, and its kind."""
    known = {"fill": DARK} if mark["standing"] else {"fill": DARK, "fill_opacity": "0.45", "stroke_dasharray": "2 4"}
    disc = svg.circle(x, y, radius, stroke=DARK_EDGE, stroke_width=3, **known)
    kind = "?" if mark["kind"] is None else mark["kind"][0]
    number = svg.text(x, y + 0.72 * radius, str(mark["mark"]), size=0.52 * radius, anchor="middle", fill=FAINT)
    return (
        disc
        + svg.text(x, y + 0.2 * radius, kind, size=0.95 * radius, anchor="middle", fill=INK, font_weight="bold")
        + number
    )


def _disclosed(piece: View, x: float, y: float, radius: float) -> str:
    """An enemy's piece when all is told: as an own one, but dark."""
    if piece["kind"] == ASTEROID:
        return svg.polygon(_rock(x, y, radius), fill=DARK, stroke=DARK_EDGE, stroke_width=1.5)
    disc = svg.circle(x, y, radius, fill=DARK, stroke=DARK_EDGE, stroke_width=3)
    return disc + _label(x, y, piece["name"].replace(HOME, "H"), radius, INK)


def _label(x: float, y: float, label: str, radius: float, fill: str) -> str:
    size = radius * (1.05 if len(label) == 1 else 0.85)
    return svg.text(x, y + 0.36 * size, label, size=size, anchor="middle", fill=fill, font_weight="bold")


def _key() -> str:
    """What the signs mean, in two lines below the board."""
    top = TOP + SIDE + 36
    own: View = {"kind": "Z", "name": "Z1", "transit": False}
    signs = [
        (0, 0, _own(own, 0, 0, 13), "your ship"),
        (1, 0, _own({**own, "transit": True}, 0, 0, 13), "in transit to here"),
        (2, 0, _own({"kind": HOME, "name": HOME, "transit": False}, 0, 0, 13), "your home planet"),
        (3, 0, _own({"kind": ASTEROID, "name": ASTEROID, "transit": False}, 0, 0, 13), "your asteroid"),
        (0, 1, _enemy({"mark": 3, "standing": True, "kind": "X"}, 0, 0, 13), "enemy 3, an X"),
        (1, 1, _enemy({"mark": 3, "standing": False, "kind": None}, 0, 0, 13), "enemy 3 left here"),
        (2, 1, svg.polygon(_star(0, 0, 13), fill=BURST), "pieces met here"),
        (3, 1, svg.path("M-7,-7L7,7M7,-7L-7,7", stroke=STAR, stroke_width=2), "you passed here"),
    ]
    return "".join(
        svg.group(
            sign + svg.text(22, 5, words, size=14, fill=INK),
            transform=f"translate({LEFT + 16 + 172 * column},{top + 42 * row})",
        )
        for column, row, sign, words in signs
    )


def _moved(point: tuple[float, float], right: float, down: float) -> tuple[float, float]:
    return point[0] + right, point[1] + down


def _star(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """A star of eight points."""
    return [
        (x + reach * math.cos(turn * math.pi / 8), y + reach * math.sin(turn * math.pi / 8))
        for turn in range(16)
        for reach in [radius if turn % 2 else 0.5 * radius]
    ]


def _rock(x: float, y: float, radius: float) -> list[tuple[float, float]]:
    """An uneven lump."""
    reaches = (0.84, 0.98, 0.78, 0.95, 0.88, 0.74, 0.97, 0.8, 0.93)
    return [
        (x + radius * reach * math.cos(at * math.tau / 9), y + radius * reach * math.sin(at * math.tau / 9))
        for at, reach in enumerate(reaches)
    ]
