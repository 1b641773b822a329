"""Pictures of a report, as SVG and as drawings that the host can paint without an SVG renderer.

A drawing is a background that many pictures share, and sprites (small pieces of
SVG) and labels placed on it in order. The host paints a background and a sprite
once and sets labels itself, which takes a fraction of the time; the same drawing
can also be written as one self-contained SVG. Positions are whole pixels, so that
a sprite looks the same at every position.

Tap targets are places of a picture that can be tapped on a page. They are not
painted; each lists the words by which orders name what is shown there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

FONT = "DejaVu Sans"
"""The one font family the host brings; a renderer draws no other."""

HALO = 2
"""Pixels that a halo reaches around its letters."""

_UNSAFE = re.compile(r'[&<>"]')
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}

Anchor = Literal["start", "middle", "end"]


def svg_escape(text: str) -> str:
    """Text fit for the inside of an element or a quoted attribute; what XML 1.0 forbids becomes "?"."""
    return _UNSAFE.sub(lambda match: _ENTITIES[match[0]], _NOT_XML.sub("?", text))


def svg_document(width: int, height: int, body: str, title: str) -> str:
    """A whole self-contained picture of `width` × `height` pixels; `title` is what is read out for it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{FONT}"><title>{svg_escape(title)}</title>{body}</svg>'
    )


class Background(NamedTuple):
    """What lies under a drawing, as SVG elements: the same text in as many pictures as can be."""

    body: str
    width: int
    height: int


class Sprite(NamedTuple):
    """SVG elements drawn around (0, 0), within half the width and height to each side; both are even."""

    body: str
    width: int
    height: int


class SpriteInstance(NamedTuple):
    """A sprite with its middle at (x, y)."""

    sprite: Sprite
    x: int
    y: int


class Label(NamedTuple):
    """A line of text on the base line `y`, `size` pixels high, in colours as "#rrggbb"; `halo` "" for none."""

    x: int
    y: int
    text: str
    size: int
    fill: str
    anchor: Anchor = "start"
    bold: bool = False
    halo: str = ""

    @property
    def svg(self) -> str:
        """The text as an SVG element."""
        anchor = "" if self.anchor == "start" else f' text-anchor="{self.anchor}"'
        weight = ' font-weight="bold"' if self.bold else ""
        halo = f' stroke="{self.halo}" stroke-width="{2 * HALO}" stroke-linejoin="round" paint-order="stroke"'
        return (
            f'<text x="{self.x}" y="{self.y}" font-size="{self.size}" fill="{self.fill}"'
            f"{anchor}{weight}{halo if self.halo else ''}>{svg_escape(self.text)}</text>"
        )


Mark = SpriteInstance | Label

Point = tuple[int, int]
"""A place in a picture, in pixels from its upper left corner."""


class TapTarget(NamedTuple):
    """A place on a picture that can be tapped; where spots overlap, the last one is.

    `names` are the words by which orders may mean what is there, what matters most first: "R101", "3,-2". `title` says
    it to a person, on one line; `points` are the corners of its outline.
    """

    names: tuple[str, ...]
    title: str
    points: tuple[Point, ...]

    @property
    def svg(self) -> str:
        """The spot as an SVG element, which is seen if a style sheet paints it."""
        corners = " ".join(f"{x},{y}" for x, y in self.points)
        return (
            f'<polygon data-names="{svg_escape(BETWEEN.join(self.names))}" tabindex="0" role="button" '
            f'aria-label="{svg_escape(self.title)}" points="{corners}"/>'
        )


BETWEEN = "|"
"""Stands between the names of a spot, and in none."""


def box(x: int, y: int, width: int, height: int) -> tuple[Point, ...]:
    """The corners of an upright rectangle whose upper left corner is (x, y)."""
    return (x, y), (x + width, y), (x + width, y + height), (x, y + height)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A ground and the marks on it, lowest first."""

    ground: Background
    marks: tuple[Mark, ...]

    def svg(self, title: str) -> str:
        """The whole as one self-contained picture."""
        body = "".join([self.ground.body, *map(_mark_svg, self.marks)])
        return svg_document(self.ground.width, self.ground.height, body, title)

    def picture(self, name: str, title: str, spots: Iterable[TapTarget] = ()) -> Picture:
        """The drawing as a picture of a report."""
        return Picture(name, title, self.svg(title), self.ground.width, self.ground.height, self, tuple(spots))


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture drawn from a view. `svg` is self-contained: no links, no scripts.

    Text in it uses the font family "DejaVu Sans", the one the host brings.
    `width` and `height` in CSS pixels; `title` is the alternative text. With
    a `drawing`, the host paints that: the same picture, sooner. On a page its
    `spots` can be tapped.
    """

    name: str
    title: str
    svg: str
    width: int
    height: int
    drawing: Drawing | None = None
    spots: tuple[TapTarget, ...] = ()


def interactive_svg(picture: Picture) -> str:
    """The picture for a page: its SVG, and above all else a group "spots" of what can be tapped, as yet unseen."""
    if not picture.spots:
        return picture.svg
    spots = "".join(spot.svg for spot in picture.spots)
    drawn, end, _ = picture.svg.rpartition("</svg>")
    return f'{drawn}<g class="spots" fill="none" pointer-events="all">{spots}</g>{end}'


def draw_line(points: Sequence[tuple[float, float]], *, width: float, **attributes: str) -> SpriteInstance:
    """A line through points, as a stamp as large as it needs to be.

    `width` in pixels; further attributes are of SVG, with dashes for underscores
    (`stroke="#ffffff"`, `fill="none"`). Equal lines are one sprite wherever they
    begin, so long ways are best drawn step by step.
    """
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top, bottom = min(y for _, y in points), max(y for _, y in points)
    x, y = round((left + right) / 2), round((top + bottom) / 2)
    shown = " ".join(f"{px - x:.1f},{py - y:.1f}" for px, py in points)
    extra = "".join(f' {name.replace("_", "-")}="{svg_escape(value)}"' for name, value in attributes.items())
    body = f'<polyline points="{shown}" stroke-width="{width:g}"{extra}/>'
    return SpriteInstance(Sprite(body, _even_size(right - left, width), _even_size(bottom - top, width)), x, y)


def _even_size(length: float, width: float) -> int:
    """An even number of pixels with room for a line of some length, its width, sharp corners and half pixels."""
    return 2 * math.ceil(length / 2 + width + 1)


def _mark_svg(mark: Mark) -> str:
    if isinstance(mark, Label):
        return mark.svg
    return f'<g transform="translate({mark.x} {mark.y})">{mark.sprite.body}</g>'
