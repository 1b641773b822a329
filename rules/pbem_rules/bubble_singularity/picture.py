"""The board as a picture: cards with arrows, bubbles with letters, Maris and nodes.

The last turn is drawn over the board: the Mari's way as a dotted line, bubbles
that were pulled or sent as arrows, and the pops as numbered bursts. Where there
is no report beside it, the turn in words and the players stand below. Width and
letters are chosen for the screen of a phone.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterator, Sequence

from pbem.ruleset import (
    Background,
    Drawing,
    Label,
    Mark,
    Picture,
    Sprite,
    SpriteInstance,
    TapTarget,
    View,
    box,
    draw_line,
)
from pbem_rules.bubble_singularity.abilities import ABILITIES
from pbem_rules.bubble_singularity.cards import EXPANSION, FLUX, PLAIN, UNIVERSE, UNSTABLE
from pbem_rules.bubble_singularity.grid import SHIFTS, spot
from pbem_rules.bubble_singularity.state import COLOURS
from pbem_rules.common import svg
from pbem_rules.common.summary import counted

WIDTH, MARGIN, TOP, GAP = 560, 34, 44, 8
CARD = {4: 122, 5: 96}
"""Pixels along a card's edge, by the size of the board."""

LETTERS_HIGH = 17
"""Pixels of the smallest letters: eleven where a phone shows the whole width in 374."""

RADIUS = 14
ROW, LINE, BAG = 66, 22, 40
"""Pixels of a player's first two lines, of each further line, and of the bag's."""

SIGNS_IN_LINE = 48
"""Most letters in a line."""

SPACE, PANEL, INK, FAINT, LINE_INK = "#0b1026", "#141b3d", "#eef1ff", "#aab4de", "#5a68a8"
ARROW, NODE, NAME, BURST = "#7fe3ff", "#ffd166", "#c9d2ff", "#7f1d20"
BUBBLES = {"red": "#c62b31", "green": "#1c7443", "blue": "#2560cc", "yellow": "#f4d03f"}
TINTS = {"red": "#ff9a9c", "green": "#5fd39a", "blue": "#8ab8ff", "yellow": "#f4d03f"}
"""Lighter tones, for names and frames on a dark background."""

DARK = {"red": "#6e1518", "green": "#0c3a21", "blue": "#13306b", "yellow": "#77620c"}
LETTERS = {"red": "#ffffff", "green": "#ffffff", "blue": "#ffffff", "yellow": "#2b2300"}
GROUND = {PLAIN: "#1b2450", FLUX: "#12404a", UNSTABLE: "#3a1f55", EXPANSION: "#4a3015", UNIVERSE: "#571545"}
STATION = "#3c4468"


def pictures(view: View) -> tuple[Picture, ...]:
    """Return the picture of the board that a view shows, for reports, which tell of the players themselves."""
    table = _Table(view)
    return (table.board().picture("board", _title(view), table.spots()),)


def table_pictures(view: View) -> tuple[Picture, ...]:
    """Return the picture of the board with the players below it, for pages without a report."""
    table = _Table(view)
    return (table.drawing().picture("board", _title(view), table.spots()),)


def _title(view: View) -> str:
    """Return the alternative text of the picture: what lies where, as far as it can be told in words."""
    size = view["size"]
    lying = [f"{place} {' '.join(space['bubbles'])}" for place, space in view["spaces"].items() if space["bubbles"]]
    maris = [f"{seat} {at}" for seat in view["seats"] if (at := view["players"][seat]["at"])]
    nodes = [place for place, space in view["spaces"].items() if space["node"]]
    parts = {"Bubbles": lying, "Maris": maris, "Nodes": nodes}
    told = [f"{name}: {', '.join(found)}." for name, found in parts.items() if found]
    return " ".join([f"The board of {size} by {size} cards.", *told])


@functools.lru_cache(maxsize=16)
def _ground(size: int, height: int) -> Background:
    """Return the background: a fixed sky, and the coordinates of the board."""
    # Multiples of primes scatter the stars without a random generator: the same picture each time.
    stars = [((7919 * at) % WIDTH, (104729 * at) % height, 0.6 + at % 3 * 0.4) for at in range(1, 90)]
    sky = svg.group("".join(svg.circle(x, y, r) for x, y, r in stars), fill=FAINT, opacity=0.5)
    labels = []
    for at in range(size):
        middle = at * (CARD[size] + GAP) + CARD[size] // 2
        labels.append(svg.text(MARGIN + middle, TOP - 10, "ABCDE"[at], size=19, anchor="middle"))
        labels.append(svg.text(MARGIN - 18, TOP + middle + 7, str(at + 1), size=19, anchor="middle"))
    names = svg.group("".join(labels), fill=FAINT, font_weight="bold")
    return Background(svg.rect(0, 0, WIDTH, height, fill=SPACE) + sky + names, WIDTH, height)


class _Table:
    """Layout of a board, of what lies on it and of the text below it."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.edge = CARD[view["size"]]
        self.bottom = TOP + view["size"] * (self.edge + GAP) + 6
        self.told = _wrapped(_event_words(view))
        self.seats = [*view["order"], *(seat for seat in view["seats"] if seat not in view["order"])]
        self.cards = {seat: _wrapped(_titles(view["players"][seat])) for seat in self.seats}

    def board(self) -> Drawing:
        return Drawing(_ground(self.view["size"], self.bottom), tuple(self._board()))

    def drawing(self) -> Drawing:
        """Return the board with the last turn in words and the players below it."""
        below = LINE * len(self.told) + 14 + sum(map(self._tall, self.seats)) + BAG
        return Drawing(_ground(self.view["size"], self.bottom + below), (*self._board(), *self._below()))

    def _board(self) -> Iterator[Mark]:
        spaces = self.view["spaces"].items()
        for place, space in spaces:
            yield from self._card(place, space)
        yield from self._way()
        for place, space in spaces:
            yield from self._tokens(place, space)
        yield from self._sent()
        yield from self._bursts()

    def _below(self) -> Iterator[Mark]:
        yield from self._words()
        top = self.bottom + LINE * len(self.told) + 14
        for seat in self.seats:
            yield from self._player(seat, top)
            top += self._tall(seat)
        yield from self._bag(top)

    def middle(self, place: str) -> tuple[int, int]:
        """Return the middle of a card, in pixels."""
        x, y = spot(place)
        pitch = self.edge + GAP
        return MARGIN + x * pitch + self.edge // 2, TOP + y * pitch + self.edge // 2

    def spots(self) -> Iterator[TapTarget]:
        """Yield every space as a target for taps, with a description of what lies on it."""
        for place, space in self.view["spaces"].items():
            x, y = self.middle(place)
            corner = x - self.edge // 2, y - self.edge // 2
            yield TapTarget((place,), f"{place}: {', '.join(_lying(space))}", box(*corner, self.edge, self.edge))

    # Cards.

    def _card(self, place: str, space: View) -> Iterator[Mark]:
        x, y = self.middle(place)
        outline = TINTS[space["control"]] if space["control"] else LINE_INK
        yield SpriteInstance(
            _blank(self.edge, GROUND.get(space["kind"], STATION), outline, 4 if space["control"] else 1.5), x, y
        )
        if space["node"]:
            yield SpriteInstance(_node(self.edge), x, y)
        for way in space["arrows"]:
            yield SpriteInstance(_arrow(self.edge, way), x, y)
        left, top = x - self.edge // 2 + 8, y - self.edge // 2
        yield Label(left, top + 21, place, LETTERS_HIGH, FAINT)
        if space["kind"] != PLAIN and _is_full(space):
            yield Label(left + 27, top + 21, space["kind"][:5], LETTERS_HIGH, NAME)
        elif space["kind"] != PLAIN:
            yield Label(x, top + 38, space["kind"], LETTERS_HIGH, NAME, "middle")

    def _tokens(self, place: str, space: View) -> Iterator[Mark]:
        x, y = self.middle(place)
        if not space["mari"]:
            # Room for the name of the card above the bubbles.
            down = 4 if space["kind"] == PLAIN else 11 if _is_full(space) else 16
            yield from self._cluster(x, y + down, space["bubbles"], 3)
        else:
            yield from self._cluster(x - 13, y + 4, space["bubbles"], 2)
            yield from _mari(x + round(self.edge * 0.27), y + round(self.edge * 0.2), space["mari"])

    def _cluster(self, x: int, y: int, colours: Sequence[str], wide: int) -> Iterator[Mark]:
        """Draw bubbles in two rows; if there are many, one of each colour with its number."""
        pitch = 2 * RADIUS + 1
        if len(colours) <= 2 * wide:
            rows = [colours[at : at + wide] for at in range(0, len(colours), wide)]
            for line, shown in enumerate(rows):
                for at, colour in enumerate(shown):
                    left = x + round((at - (len(shown) - 1) / 2) * pitch)
                    yield from _bubble(left, y + round((line - (len(rows) - 1) / 2) * pitch), colour)
            return
        for at, (colour, count) in enumerate(sorted(Counter(colours).items())):
            left, top = x - 26 + 46 * (at % 2), y - 16 + 32 * (at // 2)
            yield from _bubble(left, top, colour)
            yield Label(left + RADIUS + 2, top + 6, str(count), LETTERS_HIGH, INK, bold=True)

    # The last turn.

    def _way(self) -> Iterator[Mark]:
        """Draw the path of the last move, from its second space on."""
        for event in self.view["events"]:
            if event["kind"] == "moved":
                spots = [self.middle(space) for space, _ in event["path"]]
                if len(spots) > 1:
                    yield draw_line(
                        spots,
                        width=5,
                        stroke=TINTS[event["who"]],
                        fill="none",
                        stroke_dasharray="2 10",
                        stroke_linecap="round",
                    )

    def _sent(self) -> Iterator[Mark]:
        """Draw an arrow over the edge of a card for each bubble that a pop sent, and one for bubbles pulled."""
        for event in self.view["events"]:
            if event["kind"] == "popped":
                for colour, _, to in event["sent"]:
                    yield from self._over(event["space"], to, colour)
            elif event["kind"] == "pulled":
                for colour in event["bubbles"][:1]:
                    yield from self._over(event["start"], event["space"], colour)

    def _over(self, start: str, end: str, colour: str) -> Iterator[Mark]:
        (x, y), (dx, dy) = self.middle(start), spot(end)
        dx, dy = dx - spot(start)[0], dy - spot(start)[1]
        # A bubble that goes two spaces crosses two edges; an arrow over one of them would mislead.
        if abs(dx) + abs(dy) == 1:
            half = (self.edge + GAP) // 2
            x, y = x + dx * half + dy * 22, y + dy * half + dx * 22
            yield SpriteInstance(_over(colour, dx, dy), x, y)
            yield Label(
                x - 3 * dx, y - 3 * dy + 6, colour[0].upper(), LETTERS_HIGH, LETTERS[colour], "middle", bold=True
            )

    def _bursts(self) -> Iterator[Mark]:
        """Draw the numbers of the last pops in the corners of their cards."""
        numbers: dict[str, list[str]] = {}
        for event in self.view["events"]:
            if event["kind"] == "popped":
                numbers.setdefault(event["space"], []).append(str(event["number"]))
        for place, found in numbers.items():
            shown = found[0] + ("…" if len(found) > 1 else "")
            x, y = self.middle(place)
            x, y = x + self.edge // 2 - 17, y - self.edge // 2 + 17
            yield SpriteInstance(_burst(), x, y)
            yield Label(x, y + 6, shown, LETTERS_HIGH, BURST, "middle", bold=True)

    def _words(self) -> Iterator[Label]:
        for at, line in enumerate(self.told):
            yield Label(14, self.bottom + 16 + LINE * at, line, LETTERS_HIGH, INK)

    # The players.

    def _tall(self, seat: str) -> int:
        return ROW + LINE * len(self.cards[seat]) + 12

    def _player(self, seat: str, top: int) -> Iterator[Mark]:
        me, moving, tall = self.view["players"][seat], seat == self.view["mover"], self._tall(seat) - 8
        yield SpriteInstance(_frame(tall - tall % 2, TINTS[seat], 3 if moving else 1), WIDTH // 2, top + tall // 2)
        yield Label(26, top + 25, seat + self._state_of(seat), 19, TINTS[seat], bold=True)
        yield Label(WIDTH - 26, top + 25, str(me["total"]), 21, INK, "end", bold=True)
        for count in range(me["markers"]):
            yield SpriteInstance(_marker(), WIDTH - 84 - 19 * count, top + 18)
        for at, colour in enumerate(COLOURS):
            yield from _counted(40 + 62 * at, top + 50, colour, me["hand"][colour])
        points = f"{me['points']} from chains" + (f", {me['stations']} stations" if me["stations"] else "")
        yield Label(WIDTH - 26, top + 56, points, LETTERS_HIGH, FAINT, "end")
        for at, line in enumerate(self.cards[seat]):
            yield Label(26, top + ROW + 16 + LINE * at, line, LETTERS_HIGH, NAME)

    def _state_of(self, seat: str) -> str:
        if self.view["players"][seat]["out"]:
            return " (left)"
        if seat == self.view["mover"]:
            return " moves" if self.view["phase"] == "turn" else " chooses"
        return ""

    def _bag(self, top: int) -> Iterator[Mark]:
        yield Label(26, top + 22, "bag", LETTERS_HIGH, FAINT, bold=True)
        for at, colour in enumerate(COLOURS):
            yield from _counted(84 + 66 * at, top + 16, colour, self.view["bag"][colour])
        yield Label(WIDTH - 26, top + 22, "star on a card: node", LETTERS_HIGH, FAINT, "end")


def _is_full(space: View) -> bool:
    return bool(space["mari"]) or len(space["bubbles"]) > 3


def _lying(space: View) -> Iterator[str]:
    """Yield what a space is and holds, in words."""
    yield f"{space['kind']} card, arrows {' '.join(space['arrows']) or 'none'}"
    if space["node"]:
        yield "a node"
    if space["control"]:
        yield f"controlled by {space['control']}"
    if space["mari"]:
        yield f"{space['mari']}'s Mari"
    bubbles: Counter[str] = Counter(space["bubbles"])
    yield from (counted(count, f"{colour} bubble") for colour, count in sorted(bubbles.items()))


def _titles(me: View) -> list[str]:
    titles = [ABILITIES[card].title for card in me["cards"]]
    return titles + ([f"{me['blocked']} blocked"] if me["blocked"] else [])


def _event_words(view: View) -> list[str]:
    """Return what the last turn did, in order."""
    told, pops = [], []
    for event in view["events"]:
        if event["kind"] == "moved":
            told.append(f"{event['who']} went {'→'.join(space for space, _ in event['path'])}")
        elif event["kind"] == "pulled":
            told.append(f"pulled {event['start']}→{event['space']}")
        elif event["kind"] == "popped":
            pops.append(event["space"])
    return told + ([f"pops in order: {' '.join(pops)}"] if pops else [])


def _wrapped(parts: Sequence[str]) -> list[str]:
    """Join parts by commas in lines of `SIGNS_IN_LINE` letters; a part too long for a line is cut."""
    lines: list[str] = []
    for part in parts:
        part = part if len(part) <= SIGNS_IN_LINE else part[: SIGNS_IN_LINE - 1] + "…"
        if lines and len(lines[-1]) + len(part) + 2 <= SIGNS_IN_LINE:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    return lines


# Sprites.


def _counted(x: int, y: int, colour: str, count: int) -> Iterator[Mark]:
    yield from _bubble(x, y, colour)
    yield Label(x + RADIUS + 4, y + 6, str(count), LETTERS_HIGH, INK)


def _bubble(x: int, y: int, colour: str) -> Iterator[Mark]:
    yield SpriteInstance(_disc(colour), x, y)
    yield Label(x, y + 6, colour[0].upper(), LETTERS_HIGH, LETTERS[colour], "middle", bold=True)


def _mari(x: int, y: int, seat: str) -> Iterator[Mark]:
    yield SpriteInstance(_pawn(seat), x, y)
    yield Label(x, y + 18, seat[0].upper(), LETTERS_HIGH, LETTERS[seat], "middle", bold=True)


@functools.cache
def _disc(colour: str) -> Sprite:
    disc = svg.circle(0, 0, RADIUS - 1, fill=BUBBLES[colour], stroke=INK, stroke_width=1.4)
    return Sprite(disc + svg.circle(-8, -8, 2, fill="#ffffff", opacity=0.8), 2 * RADIUS + 2, 2 * RADIUS + 2)


@functools.cache
def _pawn(seat: str) -> Sprite:
    colour, dark = BUBBLES[seat], DARK[seat]
    body = svg.path("M-14,23 Q-13,-2 0,-2 Q13,-2 14,23 Z", fill=colour, stroke=INK, stroke_width=2)
    head = svg.circle(0, -9, 11, fill=colour, stroke=INK, stroke_width=2)
    visor = svg.element("ellipse", cx=0, cy=-9, rx=7, ry=5, fill=dark)
    shine = svg.element("ellipse", cx=-2.5, cy=-11, rx=2, ry=1.2, fill="#ffffff", opacity=0.8)
    return Sprite(body + head + visor + shine, 32, 50)


@functools.cache
def _blank(edge: int, fill: str, outline: str, width: float) -> Sprite:
    half = edge // 2
    card = svg.rect(-half, -half, edge, edge, rx=12, fill=fill, stroke=outline, stroke_width=width)
    return Sprite(card, edge + 6, edge + 6)


@functools.cache
def _node(edge: int) -> Sprite:
    outer = edge * 0.39
    points = [
        (reach * math.sin(at * math.pi / 8), -reach * math.cos(at * math.pi / 8))
        for at in range(16)
        for reach in [outer if at % 4 == 0 else outer * 0.72 if at % 2 == 0 else outer * 0.5]
    ]
    halo = svg.circle(0, 0, outer * 0.95, fill=NODE, opacity=0.14)
    star = svg.polygon(points, fill=NODE, fill_opacity=0.28, stroke=NODE, stroke_width=1.5)
    return Sprite(halo + star, edge, edge)


@functools.cache
def _arrow(edge: int, way: str) -> Sprite:
    """Return a chevron that points over the card's edge."""
    (dx, dy), reach, wing = SHIFTS[way], edge / 2 - 4, edge * 0.085
    tip, back = (dx * reach, dy * reach), (dx * (reach - wing * 1.2), dy * (reach - wing * 1.2))
    points = [(back[0] + dy * wing, back[1] + dx * wing), tip, (back[0] - dy * wing, back[1] - dx * wing)]
    return Sprite(svg.polygon(points, fill=ARROW, stroke=SPACE, stroke_width=1), edge, edge)


@functools.cache
def _over(colour: str, dx: int, dy: int) -> Sprite:
    """Return a broad arrow in a bubble's colour, with room for its letter."""
    shape = ((-17, -9), (5, -9), (5, -14), (18, 0), (5, 14), (5, 9), (-17, 9))
    points = [(x * dx - y * dy, x * dy + y * dx) for x, y in shape]
    return Sprite(svg.polygon(points, fill=BUBBLES[colour], stroke=INK, stroke_width=1.4), 42, 42)


def _star(rays: int, outer: float, inner: float) -> list[tuple[float, float]]:
    """Return the corners of a star about the origin, its first ray upwards."""
    reaches = [outer, inner] * rays
    angles = [at * math.pi / rays for at in range(2 * rays)]
    return [(reach * math.sin(angle), -reach * math.cos(angle)) for reach, angle in zip(reaches, angles, strict=True)]


@functools.cache
def _burst() -> Sprite:
    return Sprite(svg.polygon(_star(10, 17, 13), fill="#ffffff", stroke="#e5484d", stroke_width=1.5), 38, 38)


@functools.cache
def _marker() -> Sprite:
    return Sprite(svg.polygon(_star(5, 9, 3.8), fill=NODE, stroke="#7a5b10", stroke_width=0.8), 22, 22)


@functools.cache
def _frame(tall: int, outline: str, width: int) -> Sprite:
    half, high = WIDTH // 2 - 14, tall // 2
    box = svg.rect(-half, -high, 2 * half, tall, rx=10, fill=PANEL, stroke=outline, stroke_width=width)
    return Sprite(box, 2 * half + 6, tall + 6)
