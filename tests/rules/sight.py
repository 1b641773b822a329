"""Readability of pictures: the size of letters, and contrasts for different colour vision.

Simulated are protanopia and deuteranopia (Machado, Oliveira and Fernandes, "A
Physiologically-based Model for Simulation of Color Vision Deficiency", 2009,
severity 1.0), and a print in grey. Contrast is that of WCAG 2: 1 to 21.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

from PIL import Image

from pbem.report.pictures import PictureRenderer
from pbem.ruleset import Drawing, Label, Picture, SpriteInstance

Colour = tuple[float, ...]

SMALLEST = 11
"""Pixels of the smallest letters."""

LETTERS, SIGNS = 4.5, 3.0
"""The least contrasts of text, and of shapes with what is around them (WCAG 2.2, 1.4.3 and 1.4.11)."""

SIGHTS: dict[str, tuple[Colour, ...]] = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "grey": ((0.2126, 0.7152, 0.0722),) * 3,
}


def seen(colour: str, sight: str) -> Colour:
    """Return a colour "#rrggbb" in linear RGB, as it is seen with one kind of vision."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    rows = SIGHTS[sight]
    return tuple(
        min(1.0, max(0.0, sum(weight * part for weight, part in zip(row, linear, strict=True)))) for row in rows
    )


def contrast(one: str, other: str) -> float:
    """Return the least contrast of two colours among all kinds of vision."""
    return min(_contrast(seen(one, sight), seen(other, sight)) for sight in SIGHTS)


def _contrast(one: Colour, other: Colour) -> float:
    low, high = sorted(
        sum(w * part for w, part in zip((0.2126, 0.7152, 0.0722), each, strict=True)) for each in (one, other)
    )
    return (high + 0.05) / (low + 0.05)


def small_letters(picture: Picture, least: float = SMALLEST) -> list[str]:
    """Return the texts of a picture whose letters are too small."""
    return [text for text, size in _written(ET.fromstring(picture.svg), 0) if size < least and text.strip()]


def _written(element: ET.Element, size: float) -> Iterator[tuple[str, float]]:
    assert "scale" not in element.get("transform", "") or not list(element.iter("{http://www.w3.org/2000/svg}text"))
    size = float(element.get("font-size", size))
    if element.tag.endswith("}text"):
        yield "".join(element.itertext()), size
    for child in element:
        yield from _written(child, size)


def faint_labels(picture: Picture) -> list[tuple[str, str, str]]:
    """Return the labels with too little contrast to their halo or background: text, colour, background."""
    assert picture.drawing is not None
    below = painted(picture.drawing)
    found = []
    for mark in picture.drawing.marks:
        if isinstance(mark, Label):
            behind = mark.halo or _most(below, mark)
            if contrast(mark.fill, behind) < LETTERS:
                found.append((mark.text, mark.fill, behind))
    return found


def painted(drawing: Drawing) -> Image.Image:
    """Return a drawing without its labels."""
    studio = PictureRenderer()
    stamps = tuple(mark for mark in drawing.marks if isinstance(mark, SpriteInstance))
    (png,) = studio.draw([Drawing(drawing.ground, stamps).picture("bare", "bare")])
    studio.close()
    assert png is not None
    return Image.open(io.BytesIO(png)).convert("RGB")


def _most(image: Image.Image, label: Label) -> str:
    """Return the most frequent colour below a label."""
    wide = round(0.6 * label.size * len(label.text))
    left = label.x - {"start": 0, "middle": wide // 2, "end": wide}[label.anchor]
    box = (max(0, left), max(0, label.y - label.size * 3 // 4), left + wide, label.y)
    colours: Any = image.crop(box).getcolors(image.width * image.height)
    return "#" + bytes(max(colours)[1]).hex()


def outside(picture: Picture) -> list[object]:
    """Return the sprites that the frame of a picture clips."""
    assert picture.drawing is not None
    return [mark for mark in picture.drawing.marks if isinstance(mark, SpriteInstance) and not _inside(mark, picture)]


def _inside(stamp: SpriteInstance, picture: Picture) -> bool:
    half, tall = stamp.sprite.width // 2, stamp.sprite.height // 2
    return half <= stamp.x <= picture.width - half and tall <= stamp.y <= picture.height - tall
