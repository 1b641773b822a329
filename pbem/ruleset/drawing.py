"""Pictures of a report, as SVG and as drawings that the host paints without an SVG renderer.

A drawing is a background that many pictures share, and sprites (small pieces of
SVG) and labels placed on it in order. The host paints each background and each
sprite once and sets the labels itself, which takes a fraction of the time; the
same drawing can also be written as one self-contained SVG. Positions are whole
pixels, so that a sprite looks the same at every position.

Tap targets are areas of a picture that can be tapped on a page. They are not
painted; each lists the words by which orders name what the area shows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

FONT = "DejaVu Sans"
"""The only font family that the host has; text in another font is not drawn at all."""

HALO = 2
"""Pixels by which a halo surrounds its letters."""

# Attributes stand in double quotes, so single ones need no escape.
_UNSAFE = re.compile(r'[&<>"]')
# Everything outside of the production Char of XML 1.0 (2.2).
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OPEN = re.compile(r"\A\s*+(?:<\?xml[^>]*+>\s*+)?<svg\b(?![^>]*\bviewBox=)")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}

Anchor = Literal["start", "middle", "end"]


def svg_escape(text: str) -> str:
    """Return text fit for the content of an element or a quoted attribute.

    Characters that XML 1.0 forbids become "?".

    >>> svg_escape('Smith & Sons, "Bakers"')
    'Smith &amp; Sons, &quot;Bakers&quot;'
    """
    return _UNSAFE.sub(lambda match: _ENTITIES[match[0]], _NOT_XML.sub("?", text))


def svg_document(width: int, height: int, body: str, title: str) -> str:
    """Return a self-contained SVG of `width` × `height` pixels.

    `body` is SVG, inserted as it is. `title` is plain text, for screen readers.
    """
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{FONT}"><title>{svg_escape(title)}</title>{body}</svg>'
    )


class Background(NamedTuple):
    """SVG elements below the marks of a drawing, with the size in pixels.

    Use the same text in as many pictures as possible: equal backgrounds are painted once.
    """

    body: str
    width: int
    height: int


class Sprite(NamedTuple):
    """SVG elements drawn around (0, 0), with their size in pixels.

    They stay within half the width and height to each side; both numbers are even.
    """

    body: str
    width: int
    height: int


class SpriteInstance(NamedTuple):
    """A sprite with its middle at (x, y)."""

    sprite: Sprite
    x: int
    y: int


class Label(NamedTuple):
    """A line of text at (x, y), the point on its base line that `anchor` says.

    `size` is the height in pixels; `fill` and `halo` are colours as "#rrggbb", with
    "" for no halo.
    """

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
        """The label as an SVG element."""
        anchor = "" if self.anchor == "start" else f' text-anchor="{self.anchor}"'
        weight = ' font-weight="bold"' if self.bold else ""
        # Half of a stroke lies within the letters, where `paint-order` has the fill cover it.
        halo = f' stroke="{self.halo}" stroke-width="{2 * HALO}" stroke-linejoin="round" paint-order="stroke"'
        return (
            f'<text x="{self.x}" y="{self.y}" font-size="{self.size}" fill="{self.fill}"'
            f"{anchor}{weight}{halo if self.halo else ''}>{svg_escape(self.text)}</text>"
        )


Mark = SpriteInstance | Label

Point = tuple[int, int]
"""A point in a picture: pixels from its upper left corner."""


class TapTarget(NamedTuple):
    """An area of a picture that can be tapped on a page; where areas overlap, the last one counts.

    `names` are the words by which orders may name what the area shows, the most
    important first: "R101", "3,-2". `title` describes it to a person, on one line;
    `points` are the corners of its outline, three or more.
    """

    names: tuple[str, ...]
    title: str
    points: tuple[Point, ...]

    @property
    def svg(self) -> str:
        """The area as an SVG element, visible only if a style sheet paints it."""
        # With a role and a name, and reached by the Tab key, for those who use no pointer (WCAG 2.2, 2.1.1 and 4.1.2).
        corners = " ".join(f"{x},{y}" for x, y in self.points)
        return (
            f'<polygon data-names="{svg_escape(BETWEEN.join(self.names))}" tabindex="0" role="button" '
            f'aria-label="{svg_escape(self.title)}" points="{corners}"/>'
        )


BETWEEN = "|"
"""Separator of the names of a tap target; no name may contain it."""


def box(x: int, y: int, width: int, height: int) -> tuple[Point, ...]:
    """Return the corners of an upright rectangle whose upper left corner is (x, y).

    >>> box(10, 20, 4, 3)
    ((10, 20), (14, 20), (14, 23), (10, 23))
    """
    return (x, y), (x + width, y), (x + width, y + height), (x, y + height)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A background and the marks on it, lowest first."""

    ground: Background
    marks: tuple[Mark, ...]

    def svg(self, title: str) -> str:
        """Return the whole drawing as one self-contained SVG; `title` is the alternative text."""
        marks = (
            mark.svg
            if isinstance(mark, Label)
            else f'<g transform="translate({mark.x} {mark.y})">{mark.sprite.body}</g>'
            for mark in self.marks
        )
        return svg_document(self.ground.width, self.ground.height, "".join([self.ground.body, *marks]), title)

    def picture(self, name: str, title: str, spots: Iterable[TapTarget] = ()) -> Picture:
        """Return the drawing as a picture of a report.

        Args:
            name: Lower-case letters, digits and hyphens; unique within a report, since files are named by it.
            title: The alternative text, on one line.
            spots: The areas that can be tapped on a page.
        """
        return Picture(name, title, self.svg(title), self.ground.width, self.ground.height, self, tuple(spots))


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture drawn from a view.

    `svg` is self-contained: no links, no scripts, and text only in the font family
    `FONT`; without a viewBox it gets that of its size, by which pages move and zoom
    it. `width` and `height` are CSS pixels, `title` is the alternative text. With a
    `drawing` the host paints that instead of the SVG: the same picture, sooner. On a
    page its `spots` can be tapped.
    """

    name: str
    title: str
    svg: str
    width: int
    height: int
    drawing: Drawing | None = None
    spots: tuple[TapTarget, ...] = ()

    def __post_init__(self) -> None:
        """Give the SVG a viewBox, if it has none."""
        boxed = _OPEN.sub(rf'\g<0> viewBox="0 0 {self.width} {self.height}"', self.svg, count=1)
        object.__setattr__(self, "svg", boxed)


def interactive_svg(picture: Picture) -> str:
    """Return the SVG of a picture for a page.

    Its tap targets are a group of the class "spots" on top, invisible until a style
    sheet paints them.
    """
    if not picture.spots:
        return picture.svg
    spots = "".join(spot.svg for spot in picture.spots)
    drawn, end, _ = picture.svg.rpartition("</svg>")
    # pointer-events: elements without a fill could not be tapped otherwise (SVG 2, 15.6).
    return f'{drawn}<g class="spots" fill="none" pointer-events="all">{spots}</g>{end}'


def draw_line(points: Sequence[tuple[float, float]], *, width: float, **attributes: str) -> SpriteInstance:
    """Return a line through points, as a sprite of its own.

    Equal lines are one sprite wherever they begin, so a long route is best drawn step
    by step.

    Args:
        points: Two or more points, in pixels.
        width: The width of the stroke, in pixels.
        attributes: Further SVG attributes, with underscores for hyphens: `stroke="#ffffff"`, `fill="none"`.
    """
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    top, bottom = min(y for _, y in points), max(y for _, y in points)
    x, y = round((left + right) / 2), round((top + bottom) / 2)
    # Rounded, so that equal lines are equal text, and one sprite, whatever the fractions of floats.
    shown = " ".join(f"{px - x:.1f},{py - y:.1f}" for px, py in points)
    extra = "".join(f' {name.replace("_", "-")}="{svg_escape(value)}"' for name, value in attributes.items())
    body = f'<polyline points="{shown}" stroke-width="{width:g}"{extra}/>'
    return SpriteInstance(Sprite(body, _even_size(right - left, width), _even_size(bottom - top, width)), x, y)


def _even_size(length: float, width: float) -> int:
    """Return an even number of pixels with room for a line, its width, sharp corners and half pixels."""
    # Even, so that the middle is a whole pixel, and a sprite looks the same everywhere.
    return 2 * math.ceil(length / 2 + width + 1)
