"""Pictures as PNG, painted by the SVG renderer or composed of pieces that it has painted.

To be used only by a process that may die of a picture: a stack that overflows in the
renderer cannot be caught.
"""

from __future__ import annotations

import functools
import hashlib
import io
import math
import re
import zlib
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import resvg_py
from PIL import Image, ImageColor, ImageDraw, ImageFont

from pbem.ruleset.drawing import FONT, HALO, Background, Drawing, Label, Sprite, svg_document

FONTS = Path(__file__).parent / "fonts"
GROUNDS, SPRITES, LETTERINGS = 32, 4096, 8192
"""Backgrounds, sprites and labels that are cached."""

KEPT = 200
"""Backgrounds that are kept as files, some 100 kB each."""

VERSION = resvg_py.__version__
"""Part of their names: another renderer may draw another picture."""

INKS, SHADES = 128, 32
"""Named colours that an 8-bit picture keeps unchanged, and its other colours, which are sampled."""

SAMPLED = 5
"""Step, in pixels and rows, by which they are sampled."""

ALIKE = 12
"""Distance in RGB up to which Pillow may confuse two colours of a palette."""

COMPRESSION = 4
"""Level at which PNG are compressed; level 6 takes twice as long and saves a tenth of the bytes."""

Image.preinit()  # imports what reads and writes PNG: here, and not in each process that is forked later

_INK = re.compile("#[0-9a-fA-F]{6}")
_SHARE_BEFORE = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""Share of a label's length that lies before its point."""


def paint(svg: str, width: int, height: int) -> bytes:
    """Return the PNG of an SVG.

    Width and height are always given: an SVG that names its own could take all memory.
    """
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            height=height,
            dpi=96,  # else lengths in millimetres come out as nothing
            # The renderer silently leaves out text in a font that it does not find.
            skip_system_fonts=True,
            font_files=_font_files() if "<text" in svg else [],
            font_family=FONT,
            sans_serif_family=FONT,
        )
    )


@functools.cache
def _font_files() -> list[str]:
    return [str(path) for path in sorted(FONTS.glob("*.ttf"))]


class Painted(NamedTuple):
    """A piece of a drawing as pixels, with the colours named in its SVG; of a sprite with its coverage (alpha)."""

    image: Image.Image
    inks: frozenset[str]
    cover: Image.Image | None = None


class Lettering(NamedTuple):
    """The shape of a label; `left` and `top` are relative to the start of its base line, `length` is its advance."""

    mask: Image.Image
    left: int
    top: int
    length: float


class Canvas:
    """Composes drawings, and caches their pieces; backgrounds are kept in a folder too, if there is one.

    No cache ever shows: the bytes of a picture depend on its drawing alone.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._painted_ground = functools.lru_cache(GROUNDS)(self._paint_ground)

    def draw(self, drawing: Drawing) -> bytes:
        """Return the PNG of a drawing; raise ValueError if a piece cannot be drawn."""
        ground = self._painted_ground(drawing.ground)
        image, inks = ground.image.copy(), set(ground.inks)
        for mark in drawing.marks:
            if isinstance(mark, Label):
                _draw_label(image, mark)
                inks.update((mark.fill, mark.halo))
            else:
                sprite, (_, width, height) = _paint_sprite(mark.sprite), mark.sprite
                image.paste(sprite.image, (mark.x - width // 2, mark.y - height // 2), sprite.cover)
                inks |= sprite.inks
        # Sorted, so that no byte depends on the order of a set (docs/decisions/0020).
        return _encode_png(_reduce_colours(image, sorted(inks - {""})[:INKS]))

    def _paint_ground(self, ground: Background) -> Painted:
        svg = svg_document(ground.width, ground.height, ground.body, "")
        size = ground.width, ground.height
        if self._folder is None:
            image = _paint_opaque(svg, size)
        else:
            # Named by what is drawn, so that no file is ever out of date.
            name = f"{hashlib.sha256(svg.encode()).hexdigest()}-{VERSION}.ground"
            image = _load_or_paint(self._folder / name, svg, size)
        return Painted(image, _named_colours(svg))


def _load_or_paint(file: Path, svg: str, size: tuple[int, int]) -> Image.Image:
    """Return the pixels of an SVG from its file; if that is missing or damaged, paint it and write the file."""
    with suppress(OSError, zlib.error, ValueError):
        # As bare pixels, which are read in a quarter of the time of a PNG; no more of them than the picture has.
        unpacking = zlib.decompressobj()
        pixels = unpacking.decompress(file.read_bytes(), 3 * size[0] * size[1] + 1)
        if unpacking.eof and not unpacking.unused_data:
            return Image.frombytes("RGB", size, pixels)
    image = _paint_opaque(svg, size)
    # Not renamed into place: by its checksum a file that is half written, or by two at once, counts as damaged.
    with suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(zlib.compress(image.tobytes()))
        by_age = sorted(file.parent.glob("*.ground"), key=lambda each: each.stat().st_mtime)
        for old in by_age[:-KEPT]:
            old.unlink()
    return image


def _paint_opaque(svg: str, size: tuple[int, int]) -> Image.Image:
    return Image.open(io.BytesIO(paint(svg, *size))).convert("RGB")


def _named_colours(svg: str) -> frozenset[str]:
    return frozenset(ink.lower() for ink in _INK.findall(svg))


@functools.lru_cache(maxsize=SPRITES)
def _paint_sprite(sprite: Sprite) -> Painted:
    moved = f'<g transform="translate({sprite.width // 2} {sprite.height // 2})">{sprite.body}</g>'
    svg = svg_document(sprite.width, sprite.height, moved, "")
    image = Image.open(io.BytesIO(paint(svg, sprite.width, sprite.height)))
    return Painted(image.convert("RGB"), _named_colours(svg), image.getchannel("A"))


def _draw_label(image: Image.Image, label: Label) -> None:
    for colour, wider in ((label.halo, HALO), (label.fill, 0)):
        if colour:
            shape = _shape_label(label.text, label.size, label.bold, wider)
            x = label.x - round(_SHARE_BEFORE[label.anchor] * shape.length)
            image.paste(colour, (x + shape.left, label.y + shape.top), shape.mask)


@functools.lru_cache(maxsize=LETTERINGS)
def _shape_label(text: str, size: int, bold: bool, wider: int) -> Lettering:
    """Return the shape of letters, widened by some pixels to each side."""
    shown = "".join(sign if sign.isprintable() else "?" for sign in text)  # much as in the SVG of the drawing
    font = _font(size, bold)
    left, top, right, bottom = (round(edge) for edge in font.getbbox(shown, anchor="ls", stroke_width=wider))
    mask = Image.new("L", (max(1, right - left + 1), max(1, bottom - top + 1)))
    ImageDraw.Draw(mask).text((-left, -top), shown, fill=255, font=font, anchor="ls", stroke_width=wider)
    return Lettering(mask, left, top, font.getlength(shown))


@functools.lru_cache(maxsize=64)
def _font(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    file = FONTS / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")
    return ImageFont.truetype(str(file), size, layout_engine=ImageFont.Layout.BASIC)


def _reduce_colours(image: Image.Image, inks: list[str]) -> Image.Image:
    """Reduce a picture to few colours: the named ones, so that rare ones survive, and the most frequent others."""
    small = image.resize((-(-image.width // SAMPLED), -(-image.height // SAMPLED)), Image.Resampling.NEAREST)
    found = small.quantize(SHADES, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).getpalette()
    named = [ImageColor.getrgb(ink)[:3] for ink in inks]
    parts = iter(found or ())
    others = zip(parts, parts, parts, strict=True)
    # Pillow compares colours by their upper bits: of two similar ones it might take the wrong one.
    kept = [*named, *(other for other in others if all(math.dist(other, ink) > ALIKE for ink in named))]
    palette = Image.new("P", (1, 1))
    palette.putpalette(bytes(part for colour in kept for part in colour))
    return image.quantize(palette=palette, dither=Image.Dither.NONE)


def _encode_png(image: Image.Image) -> bytes:
    written = io.BytesIO()
    image.save(written, "PNG", compress_level=COMPRESSION)
    return written.getvalue()
