"""SVG as text: a few elements, for the pictures that games draw from views.

Every function is pure and returns a string. Keyword attributes become XML
attributes with dashes for underscores (`stroke_width` → `stroke-width`, and a
trailing underscore for Python's keywords, `class_` → `class`); None leaves one
out. Values are escaped, so names typed by players cannot break out of a picture.
Nothing here writes links, images or scripts.
"""

from __future__ import annotations

from collections.abc import Iterable

from pbem.ruleset import svg_document, svg_escape

Attribute = str | float | None

document, escape = svg_document, svg_escape


def number(value: float) -> str:
    """Return a number as short as a picture needs: one decimal at most ("3", "-0.5")."""
    shown = f"{value:.1f}".removesuffix(".0")
    return "0" if shown == "-0" else shown


def element(name: str, content: str = "", /, **attrs: Attribute) -> str:
    """Return an element. `content` is SVG and is not escaped."""
    opening = name + "".join(
        f' {_dashed(key)}="{_escaped(value)}"' for key, value in attrs.items() if value is not None
    )
    return f"<{opening}>{content}</{name}>" if content else f"<{opening}/>"


def group(content: str, **attrs: Attribute) -> str:
    """Return elements that share attributes; "" for no content."""
    return element("g", content, **attrs) if content else ""


def polygon(points: str | Iterable[tuple[float, float]], **attrs: Attribute) -> str:
    """Return a closed shape; `points` as pairs, or as SVG's own "x,y x,y" text (see `hexes.corners`)."""
    return element("polygon", points=_points(points), **attrs)


def polyline(points: str | Iterable[tuple[float, float]], **attrs: Attribute) -> str:
    """Return an open line through points."""
    return element("polyline", points=_points(points), **attrs)


def path(d: str, **attrs: Attribute) -> str:
    """Return a path; `d` is SVG's path language from code, never from a player."""
    return element("path", d=d, **attrs)


def circle(x: float, y: float, r: float, **attrs: Attribute) -> str:
    """Return a circle around (x, y)."""
    return element("circle", cx=x, cy=y, r=r, **attrs)


def rect(x: float, y: float, width: float, height: float, **attrs: Attribute) -> str:
    """Return an upright rectangle whose upper left corner is (x, y)."""
    return element("rect", x=x, y=y, width=width, height=height, **attrs)


def line(x1: float, y1: float, x2: float, y2: float, **attrs: Attribute) -> str:
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, **attrs)


def text(x: float, y: float, label: str, *, size: float = 12, anchor: str = "start", **attrs: Attribute) -> str:
    """Return a line of text on the baseline `y`; `anchor` is "start", "middle" or "end"."""
    placed = None if anchor == "start" else anchor
    return element("text", escape(label) or " ", x=x, y=y, font_size=size, text_anchor=placed, **attrs)


def _dashed(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _escaped(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else number(value)


def _points(points: str | Iterable[tuple[float, float]]) -> str:
    return points if isinstance(points, str) else " ".join(f"{number(x)},{number(y)}" for x, y in points)
