"""The board as a picture: cards with their arrows, bubbles with letters, Maris, nodes, and the players beside it.

What the last turn did is drawn over it: the Mari's way as a dotted line, and
the pops as numbered bursts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from pbem.ruleset import Picture, View
from rules.bubble_singularity.abilities import ABILITIES
from rules.bubble_singularity.cards import EXPANSION, FLUX, PLAIN, UNIVERSE, UNSTABLE
from rules.bubble_singularity.grid import SHIFTS, spot
from rules.bubble_singularity.state import COLOURS
from rules.kit import svg
from rules.kit.brief import counted

MARGIN, GAP, PANEL = 34, 8, 300
CARD = {4: 128, 5: 116}
"""Pixels along a card's edge, by the size of the board."""

SPACE, INK, FAINT, LINE = "#0b1026", "#eef1ff", "#9aa5d6", "#43508c"
ARROW, NODE, NAME = "#7fe3ff", "#ffd166", "#c9d2ff"
BUBBLES = {"red": "#e5484d", "green": "#2f9e62", "blue": "#3b82f6", "yellow": "#f4d03f"}
DARK = {"red": "#7f1d20", "green": "#12492c", "blue": "#173a78", "yellow": "#77620c"}
LETTERS = {"red": "#ffffff", "green": "#ffffff", "blue": "#ffffff", "yellow": "#2b2300"}
GROUND = {PLAIN: "#1b2450", FLUX: "#12404a", UNSTABLE: "#3a1f55", EXPANSION: "#4a3015", UNIVERSE: "#571545"}
STATION = "#3c4468"


def pictures(view: View) -> tuple[Picture, ...]:
    """The table a view tells of."""
    drawing = _Drawing(view)
    title = _title(view)
    body = "".join(drawing.layers())
    return (
        Picture(
            "board", title, svg.document(drawing.width, drawing.height, body, title), drawing.width, drawing.height
        ),
    )


def _title(view: View) -> str:
    """What the picture shows, for those who cannot see it."""
    maris = [f"{seat} on {at}" for seat in view["seats"] if (at := view["players"][seat]["at"])]
    bubbles = sum(len(space["bubbles"]) for space in view["spaces"].values())
    standing = f"Maris: {', '.join(maris)}" if maris else "no Mari has started"
    return f"Board, {view['label']}: {counted(bubbles, 'bubble')} on it; {standing}"


class _Drawing:
    """A board's measures and its layers, from the ground up."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.edge = CARD[view["size"]]
        self.board = view["size"] * (self.edge + GAP) - GAP
        self.width = 2 * MARGIN + self.board + PANEL
        self.height = 2 * MARGIN + self.board

    def layers(self) -> Iterator[str]:
        """Everything drawn, lowest first."""
        yield svg.rect(0, 0, self.width, self.height, fill=SPACE)
        yield self._stars()
        yield self._coordinates()
        for place, space in self.view["spaces"].items():
            yield self._card(place, space)
        yield self._way()
        for place, space in self.view["spaces"].items():
            yield self._tokens(place, space)
        yield self._bursts()
        yield _Panel(self.view, 2 * MARGIN + self.board, self.height).drawn()

    def corner(self, place: str) -> tuple[float, float]:
        """The upper left corner of a card."""
        x, y = spot(place)
        return MARGIN + x * (self.edge + GAP), MARGIN + y * (self.edge + GAP)

    def middle(self, place: str) -> tuple[float, float]:
        """The middle of a card."""
        x, y = self.corner(place)
        return x + self.edge / 2, y + self.edge / 2

    def _stars(self) -> str:
        """A sky that is always the same."""
        spots = [((7919 * at) % self.width, (104729 * at) % self.height, 0.6 + at % 3 * 0.4) for at in range(1, 130)]
        return svg.group("".join(svg.circle(x, y, r) for x, y, r in spots), fill=FAINT, opacity=0.5)

    def _coordinates(self) -> str:
        labels = []
        for at in range(self.view["size"]):
            middle = MARGIN + at * (self.edge + GAP) + self.edge / 2
            labels.append(svg.text(middle, MARGIN - 12, "ABCDE"[at], size=16, anchor="middle"))
            labels.append(svg.text(MARGIN - 17, middle + 6, str(at + 1), size=16, anchor="middle"))
        return svg.group("".join(labels), fill=FAINT, font_weight="bold")

    def _card(self, place: str, space: View) -> str:
        x, y = self.corner(place)
        ground = GROUND.get(space["kind"], STATION)
        outline = BUBBLES[space["control"]] if space["control"] else LINE
        width = 4 if space["control"] else 1.5
        drawn = svg.rect(x, y, self.edge, self.edge, rx=14, fill=ground, stroke=outline, stroke_width=width)
        if space["node"]:
            drawn += self._node(place)
        drawn += "".join(self._arrow(place, way) for way in space["arrows"])
        return drawn + self._names(place, space)

    def _names(self, place: str, space: View) -> str:
        x, y = self.corner(place)
        drawn = svg.text(x + 9, y + 18, place, size=12, fill=FAINT)
        if space["kind"] != PLAIN:
            drawn += svg.text(x + 9, y + 31, space["kind"].upper(), size=9, fill=NAME, font_weight="bold")
        return drawn

    def _node(self, place: str) -> str:
        """A star of eight points with a halo."""
        x, y = self.middle(place)
        outer = self.edge * 0.39
        points = [
            (x + reach * math.sin(at * math.pi / 8), y - reach * math.cos(at * math.pi / 8))
            for at in range(16)
            for reach in [outer if at % 4 == 0 else outer * 0.72 if at % 2 == 0 else outer * 0.5]
        ]
        halo = svg.circle(x, y, outer * 0.95, fill=NODE, opacity=0.14)
        return halo + svg.polygon(points, fill=NODE, fill_opacity=0.28, stroke=NODE, stroke_width=1.5)

    def _arrow(self, place: str, way: str) -> str:
        """A chevron that points over the card's edge."""
        (x, y), (dx, dy) = self.middle(place), SHIFTS[way]
        reach, wing = self.edge / 2, self.edge * 0.085
        tip = (x + dx * (reach - 4), y + dy * (reach - 4))
        back = (x + dx * (reach - 4 - wing * 1.2), y + dy * (reach - 4 - wing * 1.2))
        points = [(back[0] + dy * wing, back[1] + dx * wing), tip, (back[0] - dy * wing, back[1] - dx * wing)]
        return svg.polygon(points, fill=ARROW, stroke=SPACE, stroke_width=1)

    def _tokens(self, place: str, space: View) -> str:
        x, y = self.middle(place)
        drawn = "".join(self._cluster(x, y - (9 if space["mari"] else 0), space["bubbles"]))
        return drawn + (_mari(x + self.edge * 0.24, y + self.edge * 0.25, space["mari"]) if space["mari"] else "")

    def _cluster(self, x: float, y: float, colours: Sequence[str]) -> Iterator[str]:
        """Bubbles in rows of three, or smaller ones in rows of five where there are many."""
        row = 3 if len(colours) <= 6 else 5
        radius = self.edge * (0.105 if row == 3 else 0.065)
        rows = [colours[at : at + row] for at in range(0, min(len(colours), 25), row)]
        for line, shown in enumerate(rows):
            for at, colour in enumerate(shown):
                cx = x + (at - (len(shown) - 1) / 2) * 2.1 * radius
                cy = y + (line - (len(rows) - 1) / 2) * 2.1 * radius
                yield _bubble(cx, cy, radius, colour)

    def _way(self) -> str:
        """The way of the last move, from its second space on."""
        for event in self.view["events"]:
            if event["kind"] == "moved":
                spots = [self.middle(space) for space, _ in event["path"]]
                drawn = svg.polyline(
                    spots,
                    fill="none",
                    stroke=BUBBLES[event["who"]],
                    stroke_width=5,
                    stroke_dasharray="2 10",
                    stroke_linecap="round",
                    opacity=0.9,
                )
                return drawn if len(spots) > 1 else ""
        return ""

    def _bursts(self) -> str:
        """The numbers of the last pops in the corners of their cards."""
        numbers: dict[str, list[str]] = {}
        for event in self.view["events"]:
            if event["kind"] == "popped":
                numbers.setdefault(event["space"], []).append(str(event["number"]))
        return "".join(self._burst(place, found) for place, found in numbers.items())

    def _burst(self, place: str, found: Sequence[str]) -> str:
        x, y = self.corner(place)
        shown = ",".join(found[:2]) + ("…" if len(found) > 2 else "")
        x, y = x + self.edge - 17, y + 17
        points = [
            (x + reach * math.sin(at * math.pi / 10), y - reach * math.cos(at * math.pi / 10))
            for at in range(20)
            for reach in [17 if at % 2 == 0 else 12]
        ]
        size = 11 if len(shown) < 3 else 9
        burst = svg.polygon(points, fill="#ffffff", stroke="#e5484d", stroke_width=1.5)
        return burst + svg.text(
            x, y + size * 0.36, shown, size=size, anchor="middle", fill="#7f1d20", font_weight="bold"
        )


def _bubble(x: float, y: float, radius: float, colour: str) -> str:
    """A bubble with a highlight and its letter."""
    disc = svg.circle(x, y, radius, fill=BUBBLES[colour], stroke=DARK[colour], stroke_width=max(1, radius / 9))
    shine = svg.circle(x - radius * 0.56, y - radius * 0.58, radius * 0.15, fill="#ffffff", opacity=0.8)
    letter = svg.text(
        x,
        y + radius * 0.42,
        colour[0].upper(),
        size=radius * 1.15,
        anchor="middle",
        fill=LETTERS[colour],
        font_weight="bold",
    )
    return disc + shine + letter


def _mari(x: float, y: float, seat: str) -> str:
    """A Mari: a pawn with a space helmet."""
    colour, dark = BUBBLES[seat], DARK[seat]
    body = f"M{x - 13:.1f},{y + 21:.1f} Q{x - 11:.1f},{y - 2:.1f} {x:.1f},{y - 2:.1f} "
    body += f"Q{x + 11:.1f},{y - 2:.1f} {x + 13:.1f},{y + 21:.1f} Z"
    pawn = svg.path(body, fill=colour, stroke=INK, stroke_width=2)
    head = svg.circle(x, y - 9, 11, fill=colour, stroke=INK, stroke_width=2)
    visor = svg.element("ellipse", cx=x, cy=y - 9, rx=7, ry=5, fill=dark)
    shine = svg.element("ellipse", cx=x - 2.5, cy=y - 11, rx=2, ry=1.2, fill="#ffffff", opacity=0.8)
    letter = svg.text(x, y + 16, seat[0].upper(), size=12, anchor="middle", fill=LETTERS[seat], font_weight="bold")
    return pawn + head + visor + shine + letter


class _Panel:
    """What lies before the players, beside the board."""

    def __init__(self, view: View, left: float, height: float) -> None:
        self.view, self.left, self.height = view, left, height
        self.width = PANEL - 16
        self.each = (height - 2 * MARGIN - 62) / max(4, len(view["seats"]))

    def drawn(self) -> str:
        """All players and the bag."""
        seats = "".join(self._player(at, seat) for at, seat in enumerate(self._seats()))
        return seats + self._bag()

    def _seats(self) -> list[str]:
        return [*self.view["order"], *(seat for seat in self.view["seats"] if seat not in self.view["order"])]

    def _player(self, at: int, seat: str) -> str:
        top, me = MARGIN + at * self.each, self.view["players"][seat]
        moving = seat == self.view["mover"]
        frame = svg.rect(
            self.left,
            top,
            self.width,
            self.each - 8,
            rx=10,
            fill="#141b3d",
            stroke=BUBBLES[seat],
            stroke_width=3 if moving else 1,
        )
        x = self.left + 12
        name = svg.text(x, top + 23, seat + self._state_of(seat), size=16, fill=BUBBLES[seat], font_weight="bold")
        right = self.left + self.width - 12
        total = svg.text(right, top + 23, str(me["total"]), size=18, anchor="end", fill=INK, font_weight="bold")
        line = f"{me['points']} from chains"
        line += f", {me['stations']} for stations" if me["stations"] else ""
        points = svg.text(x, top + 42, line, size=12, fill=FAINT)
        markers = "".join(self._marker(right - 8 - 17 * count, top + 38) for count in range(me["markers"]))
        return frame + name + total + points + markers + self._hand(x, top + 62, me) + self._cards(x, top + 84, me)

    def _state_of(self, seat: str) -> str:
        if self.view["players"][seat]["out"]:
            return " (left)"
        if seat == self.view["mover"]:
            return " moves" if self.view["phase"] == "turn" else " chooses"
        return ""

    def _marker(self, x: float, y: float) -> str:
        points = [
            (x + reach * math.sin(at * math.pi / 5), y - reach * math.cos(at * math.pi / 5))
            for at in range(10)
            for reach in [8 if at % 2 == 0 else 3.4]
        ]
        return svg.polygon(points, fill=NODE, stroke="#7a5b10", stroke_width=0.8)

    def _hand(self, x: float, y: float, me: View) -> str:
        drawn = []
        for at, colour in enumerate(COLOURS):
            drawn.append(_bubble(x + 9 + 58 * at, y, 9, colour))
            drawn.append(svg.text(x + 23 + 58 * at, y + 5, str(me["hand"][colour]), size=14, fill=INK))
        return "".join(drawn)

    def _cards(self, x: float, y: float, me: View) -> str:
        titles = [ABILITIES[card].title for card in me["cards"]]
        if me["blocked"]:
            titles.append(f"{me['blocked']} blocked")
        lines = [", ".join(titles[:2]), ", ".join(titles[2:])]
        return "".join(svg.text(x, y + 7 + 14 * at, line, size=11, fill=NAME) for at, line in enumerate(lines) if line)

    def _bag(self) -> str:
        top = self.height - MARGIN - 46
        drawn = [svg.text(self.left + 12, top + 16, "bag", size=14, fill=FAINT, font_weight="bold")]
        for at, colour in enumerate(COLOURS):
            x = self.left + 60 + 58 * at
            drawn.append(_bubble(x, top + 11, 9, colour))
            drawn.append(svg.text(x + 14, top + 16, str(self.view["bag"][colour]), size=14, fill=INK))
        key = "gold star: node; burst: pop of the last turn; frame: control"
        drawn.append(svg.text(self.left + 12, top + 42, key, size=9, fill=FAINT))
        return "".join(drawn)
