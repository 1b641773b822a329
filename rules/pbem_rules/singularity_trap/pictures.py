"""The strategic charts: a player's view of The Singularity Trap drawn from above.

Every hex stands for all levels of a column of spaces; its contents are listed
by level, the highest first, and where there is no room for that, in an inset.
The picture that stands in a mail is the reader's own region at a size that
phones show as it is. Frame, scale and legend depend on public things only (the
board, the players, the planets) and on what the reader owns.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pbem.ruleset import Drawing, Label, Mark, Picture, Sprite, SpriteInstance, TapTarget, View, box
from pbem_rules.common.hexes import Hex, centre, distance
from pbem_rules.common.summary import counted, listed, named
from pbem_rules.singularity_trap import tokens
from pbem_rules.singularity_trap.marks import (
    Hop,
    Kind,
    Planet,
    by_cell,
    fights,
    letter,
    marks,
    planets_by_cell,
    ways,
)
from pbem_rules.singularity_trap.marks import (
    Mark as Ships,
)
from pbem_rules.singularity_trap.space import board_of
from pbem_rules.singularity_trap.spots import Contents, blank_spots
from pbem_rules.singularity_trap.tokens import BRIGHT, COLOURS, HIGH, INK, LOW, MUTED, Sheet

PHONE = 374
"""Pixels that a phone shows in a row."""

REACH = 4
"""Hexes of the own region to each side of its middle, as many as a phone has room for."""

MARGIN = 6
"""Pixels above the region, for signs that stand on the corners of its hexes."""

NEAR = 0.46
"""Share of the way between two hexes that is left free beside one with anything in it."""

DOTTED = 11
"""Pixels from dot to dot of a jump."""

LINE, GAP = 17, 2
"""Pixels from level to level, and between signs."""

ROOMS = (50, 40)
"""Pixels for the first and the second line in a hex; what needs more has an inset."""

INSET_WIDTH, FEW, MANY = 176, 3, 7
"""Pixels from inset to inset, and the levels that a low and a tall row of insets has room for."""

TOLD: dict[Kind, str] = {
    "seen": "others' ships",
    "allied": "allies' fleets",
    "unknown": "unknown ships",
    "old": "ships last seen",
}
"""Marks that are counted, by spaces, for readers who do not see the chart."""

SHOWN: dict[Kind, str] = {
    "own": "your ships",
    "dark": "your dark ships",
    "seen": "others' ships",
    "unknown": "unknown ships",
}
"""Marks of the region that are named by their spaces, for readers who do not see it."""

MOST_SPACES = 8
"""Spaces named of each kind; of more it gives the number."""

ALL = "all"
"""The seat of a view without a reader."""


def chart_of_all(view: View) -> Picture:
    """Return the chart of a view that has no reader."""
    scene = _Scene(view)
    held = f"{counted(sum(bool(planet['owner']) for planet in view['planets']), 'planet')} held"
    ships = f", {counted(sum(mark.count for mark in scene.marks), 'ship')}" if scene.marks else ""
    chart, title = _WideMap(scene), f"Chart of the Singularity, {view['label']}: {held}{ships}."
    return chart.drawing().picture("chart", title, chart.map.spots())


def pictures(view: View) -> tuple[Picture, ...]:
    """Return its reader's own region, which is mailed, and the chart of a view."""
    scene = _Scene(view)
    of = f"{view['seat']}, {view['label']}"
    chart, region = _WideMap(scene), _Region(scene)
    return (
        region.drawing().picture("region", region.words(), region.map.spots()),
        chart.drawing().picture("chart", f"Chart of the Singularity for {of}: {scene.words()}.", chart.map.spots()),
    )


class _Sign(NamedTuple):
    """A sign in a line: a sprite, letters on it, or both, and its width."""

    width: int
    sprite: Sprite | None
    letters: str
    fill: str = INK


class _Leg(NamedTuple):
    """A leg of an own ship's way, from hex to hex; `start` is None where that is not known."""

    start: Hex | None
    end: Hex
    jump: bool

    def steps(self) -> list[tuple[Hex, Hex]]:
        """Return each hex of a slip or warp, and the direction to the next; none if that is no straight line."""
        if self.start is None or self.start == self.end or self.jump:
            return []
        (q, r), (to_q, to_r), count = self.start, self.end, distance(self.start, self.end)
        direction = (to_q - q) // count, (to_r - r) // count
        steps = [((q + direction[0] * at, r + direction[1] * at), direction) for at in range(count)]
        return steps if _beside(*steps[-1]) == self.end else []


class _Scene:
    """The board as a view tells of it, hex by hex."""

    def __init__(self, view: View) -> None:
        self.view, self.board = view, board_of(view)
        self.marks = marks(view)
        self.ships = by_cell(self.marks)
        self.planets = planets_by_cell(view, self.board)
        events = view["events"]
        self.fought = {self.cell(space) for space in fights(view)}
        taken = [event for event in events if event["kind"] == "captured" and event["now"]]
        self.taken = {self.cell(event["space"]): event["now"] for event in taken}
        self.contents = Contents(view)
        self.ways = [way for hops in ways(view) if (way := self._way(hops))]

    def cell(self, space: str) -> Hex:
        """Return the board hex of a space."""
        return self.board.at(space)[:2]

    def _way(self, hops: Sequence[Hop]) -> list[_Leg]:
        """Return a way as it is seen from above: legs up and down count only if there are no others."""
        legs = [_Leg(self.cell(hop.start) if hop.start else None, self.cell(hop.end), hop.jump) for hop in hops]
        return [leg for leg in legs if leg.jump or leg.start != leg.end] or legs[-1:]

    def words(self) -> str:
        """Return the contents of the chart in words, for readers who do not see it."""
        view, spaces = self.view, Counter(kind for kind, _ in {(mark.kind, mark.name) for mark in self.marks})
        shown = [f"{words} in {counted(spaces[kind], 'space')}" for kind, words in TOLD.items() if spaces[kind]]
        held = sum(planet["owner"] == view["seat"] for planet in view["planets"])
        happened = [f"fighting at {listed(sorted(fights(view)))}"] if self.fought else []
        own = f"you hold {counted(held, 'planet')} and have {counted(len(view['ships']), 'ship')}"
        return "; ".join([own, *shown, *happened])

    def lines(self, cell: Hex) -> dict[int, list[_Sign]]:
        """Return the contents of a hex: a line a level, the highest first."""
        planets, ships = self.planets.get(cell, {}), self.ships.get(cell, {})
        levels = sorted({*planets, *ships}, reverse=True)
        return {level: _line(level, planets.get(level), ships.get(level, ())) for level in levels}

    def telling(self, cell: Hex, count: int) -> list[int]:
        """Return `count` levels of a hex, the highest first.

        If need be those are left out where nothing but unknown or old ships is marked.
        """
        planets, ships = self.planets.get(cell, {}), self.ships.get(cell, {})

        def weight(level: int) -> tuple[bool, int]:
            return level not in planets and all(mark.kind in ("unknown", "old") for mark in ships[level]), -level

        return sorted(sorted({*planets, *ships}, key=weight)[:count], reverse=True)

    def middle(self) -> Hex:
        """Return the hex around which most of the reader's ships and planets lie, as central to them as can be."""
        # A hex with own ships weighs as much as two own planets.
        own = Counter(cell for cell, levels in self.ships.items() if self._is_own(levels) for _ in (1, 2))
        own.update(self.cell(each["space"]) for each in self.view["planets"] if each["owner"] == self.view["seat"])
        if not own:
            return (0, 0)

        def held(cell: Hex) -> tuple[int, int, Hex]:
            near = {other: count for other, count in own.items() if distance(cell, other) <= REACH}
            return -sum(near.values()), sum(count * distance(cell, other) for other, count in near.items()), cell

        # Farther out a part of the picture would be no board.
        around = tokens.Sheet(self.board.radius, 0, 0, reach=max(0, self.board.radius - REACH)).cells
        return min(around, key=held)

    def _is_own(self, levels: Mapping[int, Sequence[Ships]]) -> bool:
        return any(mark.kind in ("own", "dark") for found in levels.values() for mark in found)


def _beside(cell: Hex, direction: Hex) -> Hex:
    return cell[0] + direction[0], cell[1] + direction[1]


def _line(level: int, planet: Planet | None, found: Sequence[Ships]) -> list[_Sign]:
    tint = HIGH if level > 0 else LOW if level < 0 else BRIGHT
    signs = [_Sign(16, None, f"{level:+d}".replace("-", "−"), tint)]
    if planet is not None:
        signs.append(_planet(planet["colour"], planet["worth"]))
    return signs + [_token(mark) for mark in found]


def _planet(colour: str, worth: int | None) -> _Sign:
    return _Sign(18, tokens.planet(COLOURS[colour]), f"{letter(colour)}{'' if worth is None else worth}")


def _token(mark: Ships) -> _Sign:
    """Return the sign of ships of one kind: shape, letter or number."""
    shade = COLOURS[mark.owner or "gray"]
    sprite = tokens.token(mark.kind, shade)
    if mark.kind == "own":
        return _Sign(18, sprite, str(mark.count))
    if mark.kind == "dark":
        return _Sign(16, sprite, str(mark.count), shade)
    if mark.kind == "seen":
        return _Sign(18, sprite, f"{letter(mark.owner or 'gray')}{mark.count}")
    if mark.kind == "old":
        return _Sign(22, sprite, f"{letter(mark.owner) if mark.owner else '?'}:{mark.age}", shade)
    if mark.kind == "allied":
        return _Sign(16, sprite, letter(mark.owner or "gray"), shade)
    return _Sign(16, sprite, "?")


def _width(line: Sequence[_Sign]) -> int:
    return sum(sign.width for sign in line) + GAP * (len(line) - 1)


def _broken(lines: Iterable[Sequence[_Sign]]) -> list[list[_Sign]]:
    """Return lines as a hex has room for them: each level begins one, and goes on in the next."""
    broken: list[list[_Sign]] = []
    for line in lines:
        broken.append([])
        for sign in line:
            room = ROOMS[min(len(broken), len(ROOMS)) - 1]
            if broken[-1] and _width([*broken[-1], sign]) > room:
                broken.append([])
            broken[-1].append(sign)
    return broken


def _signs(line: Sequence[_Sign], x: int, y: int) -> Iterator[Mark]:
    """Yield a line of signs from `x` on."""
    for sign in line:
        middle = x + sign.width // 2
        if sign.sprite:
            yield SpriteInstance(sign.sprite, middle, y)
        yield Label(middle, y + 4, sign.letters, 11, sign.fill, "middle")
        x += sign.width + GAP


class _Map:
    """A part of the board, with everything on it; `top` is where it begins in its picture."""

    def __init__(self, scene: _Scene, sheet: Sheet, top: int) -> None:
        self.scene, self.sheet, self.top = scene, sheet, top
        shown = [cell for cell in sheet.cells if cell in scene.planets or cell in scene.ships]
        self.lines = {cell: scene.lines(cell) for cell in shown}
        self.columns = sheet.width // INSET_WIDTH
        crowded = [cell for cell, lines in self.lines.items() if len(_broken(lines.values())) > len(ROOMS)]
        kept = sorted(sorted(crowded, key=self._weight)[: max(4, self.columns)])
        self.insets = dict(zip(kept, "abcdefghijklmnop", strict=False))
        self.levels = MANY if any(len(self.lines[cell]) > FEW for cell in kept) else FEW
        self.row = 32 + LINE * self.levels

    @property
    def below(self) -> int:
        """The height of the insets, in pixels."""
        return self.row * math.ceil(len(self.insets) / self.columns)

    def at(self, cell: Hex) -> tuple[int, int]:
        """Return the middle of a hex in the picture."""
        x, y = self.sheet.at(cell)
        return x, y + self.top

    def marks(self) -> Iterator[Mark]:
        """Yield everything on the board and in insets, lowest first."""
        for cell in self.lines:
            if cell in self.scene.planets:
                yield from self._planet_hex(cell)
        yield from self._ways()
        for cell, lines in self.lines.items():
            yield from self._contents(cell, lines)
        yield from self._happened()
        for cell in self.insets:
            yield from self._inset(cell)

    def spots(self) -> Iterator[TapTarget]:
        """Yield the tap targets: each hex, and each level that has a line in an inset."""
        for cell, blank in blank_spots(self.scene.board, self.sheet, self.top).items():
            yield self.scene.contents.hex_spot(cell, blank)
        for cell in self.insets:
            left, top = self._corner(cell)
            for number, level in enumerate(self._levels_with_inset(cell)):
                row = box(left - 8, top + 24 + LINE * number, INSET_WIDTH - 4, LINE)
                yield self.scene.contents.space_spot(cell, level, row)

    def _weight(self, cell: Hex) -> tuple[int, int, Hex]:
        """Return the sort key of hexes: those with own ships first, then those with most levels."""
        ships = self.scene.ships.get(cell, {})
        own = any(mark.kind in ("own", "dark") for found in ships.values() for mark in found)
        return 0 if own else 1, -len(self.lines[cell]), cell

    def _planet_hex(self, cell: Hex) -> Iterator[Mark]:
        """Yield a hex with planets: outlined for their owner, whose letter is in a banner with the hex's name."""
        owners = list(dict.fromkeys(planet["owner"] for planet in self.scene.planets[cell].values() if planet["owner"]))
        x, y = self.at(cell)
        yield SpriteInstance(tokens.planet_hex(self.sheet.edge, COLOURS[owners[0]] if owners else ""), x, y)
        if owners:
            label = f"{''.join(map(letter, owners))} {self.sheet.name(cell)}"
            yield Label(x, y - round(0.43 * self.sheet.edge), label, 11, INK, "middle")

    def _ways(self) -> Iterator[Mark]:
        """Yield the ways of the reader's own ships this turn: slips and warps step by step, jumps dotted."""
        cells = self.sheet.cells
        for cell, direction in dict.fromkeys(step for leg in self._legs() for step in leg.steps()):
            following = _beside(cell, direction)
            if cell in cells or following in cells:
                begin, end = (0.0 if self._is_blank(each) else NEAR for each in (cell, following))
                part = tokens.step(self.sheet.edge, direction, begin, 1 - end)
                yield SpriteInstance(part, *self._between(cell, direction, 0.5))
        for entry, exit_ in sorted({(leg.start, leg.end) for leg in self._legs() if leg.start and leg.jump}):
            if entry in cells and exit_ in cells:
                yield from self._jump(entry, exit_)

    def _legs(self) -> Iterator[_Leg]:
        return itertools.chain.from_iterable(self.scene.ways)

    def _is_blank(self, cell: Hex) -> bool:
        """Return True if a hex has room for a line."""
        return cell in self.sheet.cells and cell not in self.lines

    def _between(self, cell: Hex, direction: Hex, share: float) -> tuple[int, int]:
        """Return a place on the way from the middle of a hex to that of the next one."""
        (x, y), (dx, dy) = self.at(cell), centre(direction, self.sheet.edge)
        return round(x + share * dx), round(y + share * dy)

    def _jump(self, entry: Hex, end: Hex) -> Iterator[Mark]:
        """Yield dots from hex to hex, beside what is in them."""
        (x, y), (to_x, to_y) = self.at(entry), self.at(end)
        length = math.hypot(to_x - x, to_y - y)
        for way in range(math.ceil(self.sheet.edge), int(length - self.sheet.edge), DOTTED):
            yield SpriteInstance(
                tokens.JUMPED, round(x + (to_x - x) * way / length), round(y + (to_y - y) * way / length)
            )

    def _happened(self) -> Iterator[Mark]:
        """Yield signs on the corners of hexes: fighting on the right one, a capture on the left one, arrivals above."""
        edge = round(self.sheet.edge)
        cells = set(self.sheet.cells)
        for cell in sorted(self.scene.fought & cells):
            x, y = self.at(cell)
            yield SpriteInstance(tokens.FOUGHT, x + edge, y)
        for cell, owner in sorted(self.scene.taken.items()):
            if cell in cells:
                x, y = self.at(cell)
                yield SpriteInstance(tokens.captured(COLOURS[owner]), x - edge, y)
        yield from self._arrivals()

    def _arrivals(self) -> Iterator[Mark]:
        """Yield the ends of ways: points of arrows, and a sign above a hex not reached from the one beside it."""
        cells, edge = self.sheet.cells, self.sheet.edge
        ends = [way[-1] for way in self.scene.ways if way[-1].end in cells]
        for cell, direction in dict.fromkeys(leg.steps()[-1] for leg in ends if leg.steps()):
            yield SpriteInstance(tokens.head(direction), *self._between(cell, direction, 0.45))
        for cell in sorted({leg.end for leg in ends if not leg.steps()}):
            x, y = self.at(cell)
            yield SpriteInstance(tokens.ARRIVED, x, y - round(edge))

    def _contents(self, cell: Hex, lines: Mapping[int, Sequence[_Sign]]) -> Iterator[Mark]:
        """Yield the contents of a hex; of a crowded one its planet, or its highest level, and where all is listed."""
        shown = _broken(lines.values())
        if len(shown) > len(ROOMS):
            more = f"see {self.insets[cell]}" if cell in self.insets else "more"
            level = max(self.scene.planets.get(cell) or lines)
            shown = [_broken([lines[level]])[0], [_Sign(40, None, more, BRIGHT)]]
        x, y = self.at(cell)
        y += 4 if len(shown) == 1 else -1
        for at, line in enumerate(shown):
            yield from _signs(line, x - _width(line) // 2, y + (LINE - 1) * at)

    def _corner(self, cell: Hex) -> tuple[int, int]:
        """Return where the inset of a hex begins."""
        row, column = divmod(list(self.insets).index(cell), self.columns)
        return 12 + column * INSET_WIDTH, self.top + self.sheet.height + row * self.row

    def _levels_with_inset(self, cell: Hex) -> list[int]:
        """Return the levels for which the inset of a hex has room."""
        return self.scene.telling(cell, self.levels if len(self.lines[cell]) <= self.levels else self.levels - 1)

    def _inset(self, cell: Hex) -> Iterator[Mark]:
        """Yield the contents of a crowded hex, level by level."""
        left, top = self._corner(cell)
        lines, kept = self.lines[cell], self._levels_with_inset(cell)
        yield Label(left, top + 14, f"{self.insets[cell]}: {self.sheet.name(cell)}", 13, BRIGHT, bold=True)
        for number, level in enumerate(kept):
            yield from _signs(lines[level][: INSET_WIDTH // 20 - 1], left, top + 32 + LINE * number)
        if len(kept) < len(lines):
            words = f"{len(lines) - len(kept)} more levels"
            yield Label(left, top + 36 + LINE * len(kept), words, 12, MUTED)


class _WideMap:
    """The whole board; heading, players and worths are in the corners that a hexagon leaves free."""

    def __init__(self, scene: _Scene) -> None:
        self.view = scene.view
        self.map = _Map(scene, tokens.chart_sheet(scene.board.radius), 0)
        self.right = self.map.sheet.width - 24

    def drawing(self) -> Drawing:
        """Return the chart on its background."""
        ground = tokens.chart_ground(self.map.sheet, self.map.below)
        return Drawing(ground, (*self.map.marks(), *self._heading(), *self._players(), *self._worths()))

    def _heading(self) -> Iterator[Mark]:
        view = self.view
        points = (f"points saved: {view['points']}", f"income {view['income']}, upkeep {view['upkeep']}")
        yield Label(24, 38, "THE SINGULARITY TRAP", 12, MUTED)
        yield Label(24, 66, view["seat"].capitalize(), 22, COLOURS.get(view["seat"], BRIGHT))
        yield Label(24, 88, view["label"], 14, BRIGHT)
        for at, line in enumerate(points if view["seat"] != ALL else ()):
            yield Label(24, 112 + 17 * at, line, 12, MUTED)

    def _players(self) -> Iterator[Mark]:
        yield Label(self.right, 38, "PLANETS HELD", 12, MUTED, "end")
        for at, player in enumerate(self.view["players"]):
            yield from self._player(player, 62 + 19 * at)

    def _player(self, player: Mapping[str, Any], y: int) -> Iterator[Mark]:
        colour = player["colour"]
        shade = COLOURS[colour]
        note = (
            "you" if colour == self.view["seat"] else "ally" if player["ally"] else "" if player["playing"] else "out"
        )
        yield SpriteInstance(tokens.token("seen", shade), self.right - 9, y - 4)
        yield Label(self.right - 9, y, player["letter"], 12, INK, "middle")
        yield Label(self.right - 26, y, str(player["planets"]), 13, BRIGHT, "end")
        yield Label(self.right - 52, y, f"{colour} ({note})" if note else colour, 13, shade, "end")

    def _worths(self) -> Iterator[Mark]:
        """Yield what planets of each colour pay the reader, best first, and what wins."""
        rules, height = self.view["rules"], self.map.sheet.height
        pays = {each["colour"]: each["worth"] for each in self.view["planets"] if each["worth"] is not None}
        order = sorted(pays, key=lambda colour: (-pays[colour], colour))
        if order:
            yield Label(self.right, height - 90, "worth to you", 12, MUTED, "end")
        for at, colour in enumerate(reversed(order)):
            yield from _signs([_planet(colour, pays[colour])], self.right - 18 - 21 * at, height - 72)
        yield Label(self.right, height - 44, f"{rules['planets_to_win']} planets win,", 12, MUTED, "end")
        yield Label(self.right, height - 27, f"held for {counted(rules['turns_to_hold'], 'turn')}", 12, MUTED, "end")


class _Region:
    """The hexes around the reader's ships and planets, as wide as a phone."""

    def __init__(self, scene: _Scene) -> None:
        self.scene = scene
        sheet = tokens.region_sheet(scene.board.radius, scene.middle(), REACH, PHONE)
        self.map = _Map(scene, sheet, MARGIN)

    def drawing(self) -> Drawing:
        """Return the region on its background."""
        ground = tokens.region_ground(self.map.sheet, MARGIN, self.map.below)
        return Drawing(ground, (*self._hexes(), *self.map.marks(), *self._key()))

    def words(self) -> str:
        """Return what the region shows, for readers who do not see it."""
        view, cells = self.scene.view, self.map.sheet.cells
        held = sorted(
            each["space"]
            for each in view["planets"]
            if each["owner"] == view["seat"] and self.scene.cell(each["space"]) in cells
        )
        marks = [mark for mark in self.scene.marks if mark.cell in cells]
        at = {kind: list(dict.fromkeys(mark.name for mark in marks if mark.kind == kind)) for kind in SHOWN}
        fought = sorted(space for space in fights(view) if self.scene.cell(space) in cells)
        told = [("your planets", held), *((words, at[kind]) for kind, words in SHOWN.items()), ("fights", fought)]
        shown = [f"{words} at {named(spaces, MOST_SPACES)}" for words, spaces in told if spaces]
        middle = self.map.sheet.name(self.map.sheet.middle)
        return f"The part around {middle}{': ' if shown else ''}{'; '.join(shown)}."

    def _hexes(self) -> Iterator[Mark]:
        sheet = self.map.sheet
        for cell in sheet.cells:
            yield SpriteInstance(tokens.blank(sheet.edge, tokens.shade_of(cell)), *self.map.at(cell))
        for cell in sheet.cells:
            if any(planet["owner"] for planet in self.map.scene.planets.get(cell, {}).values()):
                continue  # the banner of its owner names it
            x, y = self.map.at(cell)
            yield Label(x, y - round(0.45 * sheet.edge), sheet.name(cell), 11, tokens.FAINT, "middle")

    def _key(self) -> Iterator[Mark]:
        """Yield the meaning of the sign of ships out of sight, in the corner below, if one is there."""
        if any(mark.kind == "old" and mark.cell in self.map.sheet.cells for mark in self.scene.marks):
            y = MARGIN + self.map.sheet.height - 18
            yield from _signs([_Sign(22, tokens.token("old", tokens.FLAT), "x:2", tokens.FLAT)], 6, y)
            yield Label(32, y + 4, "2 turns ago", 12, MUTED)
