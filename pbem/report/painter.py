"""Worker process that draws pictures: jobs on standard input, PNG on standard output.

Run as a script. It imports nothing of this program, so that it starts quickly,
and a bad picture that kills it harms nothing else. A job is one line of JSON; an
answer is the length of the PNG in four bytes, big-endian, and the PNG itself.
Length 0 says that the picture could not be drawn.

A job is {"whole": [svg, width, height]} or a drawing, {"on": key, "sprites":
[[svg, width, height], …], "marks": […]}, where a mark is [sprite, x, y] with the
number of a sprite, or a label as `_draw_label` takes it. A worker that does not have
the background of that key (it is new, or has evicted it) answers the length
UNTOLD; it then gets {"ground": key, "svg": [svg, width, height]}, answers 0, and
gets the job again. The cache never shows: a picture depends on its job and its
background alone.

The argument is a folder where backgrounds are kept as files for the next
process, since each night has a new one. Keys are hashes of what is drawn, so no
file is ever out of date; one that is missing or damaged is painted and written
again. The folder may be emptied at any time.
"""

from __future__ import annotations

import functools
import io
import json
import math
import re
import sys
import zlib
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import resvg_py
from PIL import Image, ImageColor, ImageDraw, ImageFont

FONTS = Path(__file__).parent / "fonts"
FAMILY = "DejaVu Sans"
UNTOLD = 0xFFFFFFFF
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

COMPRESSION = 2
"""Level at which PNG are compressed; level 5 takes twice as long and saves a seventh of the bytes."""

_INK = re.compile("#[0-9a-fA-F]{6}")


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
            font_family=FAMILY,
            sans_serif_family=FAMILY,
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


class Letters(NamedTuple):
    """The key of a label's shape; `halo` is the number of pixels by which it is widened."""

    text: str
    size: int
    bold: bool
    halo: int


class Lettering(NamedTuple):
    """The shape of a label; `left` and `top` are relative to the start of its base line, `length` is its advance."""

    mask: Image.Image
    left: int
    top: int
    length: float


class Canvas:
    """Composes drawings on the backgrounds that it has been sent, which it keeps in a folder if there is one."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._grounds: OrderedDict[str, Painted] = OrderedDict()

    def tell(self, key: str, svg: str, width: int, height: int) -> None:
        """Paint and store a background; raise ValueError if it cannot be drawn."""
        size = width, height
        image = (
            _load_or_paint(self._folder / f"{key}-{VERSION}.ground", svg, size)
            if self._folder
            else _paint_opaque(svg, size)
        )
        self._grounds[key] = Painted(image, _named_colours(svg))
        while len(self._grounds) > GROUNDS:
            self._grounds.popitem(last=False)

    def draw(self, key: str, sprites: list[list[Any]], marks: list[list[Any]]) -> bytes:
        """Return the PNG of a drawing.

        Raises:
            KeyError: If the background is not known.
            ValueError: If a piece cannot be drawn.
        """
        self._grounds.move_to_end(key)
        ground, painted = self._grounds[key], [_paint_sprite(*sprite) for sprite in sprites]
        image, fills = ground.image.copy(), {""}
        for mark in marks:
            if len(mark) == 3:
                number, x, y = mark
                sprite = painted[number]
                image.paste(sprite.image, (x - sprite.image.width // 2, y - sprite.image.height // 2), sprite.cover)
            else:
                _draw_label(image, *mark)
                fills.update(mark[5:7])  # the colours of letters and halo
        inks = ground.inks.union(fills - {""}, *(sprite.inks for sprite in painted))
        # Sorted, so that no byte depends on the order of a set (docs/decisions/0020).
        return _encode_png(_reduce_colours(image, sorted(inks)[:INKS]))


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
def _paint_sprite(svg: str, width: int, height: int) -> Painted:
    image = Image.open(io.BytesIO(paint(svg, width, height)))
    return Painted(image.convert("RGB"), _named_colours(svg), image.getchannel("A"))


def _draw_label(
    image: Image.Image, x: int, y: int, text: str, size: int, anchor: str, fill: str, halo: str, bold: bool, reach: int
) -> None:
    for colour, wider in ((halo, reach), (fill, 0)):
        if colour:
            shape = _shape_label(Letters(text, size, bold, wider))
            shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
            image.paste(colour, (x - round(shift * shape.length) + shape.left, y + shape.top), shape.mask)


@functools.lru_cache(maxsize=LETTERINGS)
def _shape_label(letters: Letters) -> Lettering:
    font = _font(letters.size, letters.bold)
    left, top, right, bottom = (
        round(edge) for edge in font.getbbox(letters.text, anchor="ls", stroke_width=letters.halo)
    )
    mask = Image.new("L", (max(1, right - left + 1), max(1, bottom - top + 1)))
    ImageDraw.Draw(mask).text((-left, -top), letters.text, fill=255, font=font, anchor="ls", stroke_width=letters.halo)
    return Lettering(mask, left, top, font.getlength(letters.text))


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


def _answer(canvas: Canvas, line: bytes) -> bytes:
    """Return the answer to a job, with its length."""
    try:
        png = _run_job(canvas, json.loads(line))
    except KeyError:  # the background was never sent to this process, or was evicted
        return UNTOLD.to_bytes(4, "big")
    except (ValueError, OSError):
        png = b""
    return len(png).to_bytes(4, "big") + png


def _run_job(canvas: Canvas, job: dict[str, Any]) -> bytes:
    if "whole" in job:
        return paint(*job["whole"])
    if "ground" in job:
        canvas.tell(job["ground"], *job["svg"])
        return b""
    return canvas.draw(job["on"], job["sprites"], job["marks"])


def main() -> None:
    """Draw until standard input ends."""
    canvas = Canvas(Path(sys.argv[1]) if sys.argv[1:] else None)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(_answer(canvas, line))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
