"""Renders pictures to PNG in worker processes, so that a bad picture fails alone."""

from __future__ import annotations

import functools
import hashlib
import json
import re
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import IO, Any, NamedTuple
from xml.parsers import expat

from pbem.log import event
from pbem.ruleset.drawing import HALO, Background, Drawing, Label, Mark, Picture, Sprite, SpriteInstance, svg_document

LARGEST_SIDE = 4_000
"""Pixels; drawing a PNG whose sides both have that many takes 64 MB."""
DEEPEST = 64
"""Levels of nested elements; many thousands overflow the renderer's stack."""
CACHED = 512
"""PNGs that are cached, for pictures that are the same for several players."""
PATIENCE = 60
"""Seconds a picture may take."""
MOST_MARKS, LONGEST_LABEL, LARGEST_LETTERS = 20_000, 400, 200
"""Marks of a drawing, signs of a label and pixels of its height."""
UNTOLD = 0xFFFFFFFF
"""The answer of a worker that does not have the background of a drawing; see painter.py."""

# Elements that lead out of a picture: to files, to other pages, to code; a style sheet may import another.
_FOREIGN = {"image", "script", "foreignobject", "feimage", "style", "a"}

# Elements refused in an SVG that is only painted: links and styles do no harm there, but copies of copies may fill all
# memory, and a filter of few bytes may take minutes.
_UNPAINTED = {"image", "script", "foreignobject", "feimage", "use", "filter"}

# A filter in a style sheet: as a function it needs no element of its own.
_FILTERED = re.compile(r"(?<![\w-])filter\s*+:\s*+(?!none\b)", re.IGNORECASE)

# Characters of a text that are checked again with the next ones: the parser delivers texts in pieces.
_LONGEST_STYLE = 40


class PictureError(Exception):
    """Raised for a picture that must not reach the renderer; the text says why."""


def check_svg(picture: Picture) -> None:
    """Raise PictureError unless an SVG is well-formed, shallow, of sensible size and without links or scripts.

    The renderer would read any local file that a link names.
    """
    check_size(picture.width, picture.height)
    if picture.drawing is None:
        _check_svg(picture.svg)
    else:
        _check_drawing(picture.drawing)


def check_painted(svg: str) -> tuple[str, str, str]:
    """Check an SVG that is only painted, so that what never reaches a browser may stay in it.

    Returns:
        Its width, height and viewBox as written in it, "" for what is missing.

    Raises:
        PictureError: If the painter must not get it.
    """
    inspector = _Inspector(painted=True)
    _inspect(svg, inspector)
    if _local_name(inspector.first[0]) != "svg":
        raise PictureError("it is no SVG")
    width, height, box = (inspector.first[1].get(name, "") for name in ("width", "height", "viewBox"))
    return width, height, box


def check_size(width: int, height: int) -> None:
    """Raise PictureError for a picture that is empty or too large."""
    if not (0 < width <= LARGEST_SIDE and 0 < height <= LARGEST_SIDE):
        raise PictureError(f"it is {width} by {height}; each side may have 1 to {LARGEST_SIDE} pixels")


def _check_drawing(drawing: Drawing) -> None:
    """Check each piece by itself, since it is painted by itself."""
    if len(drawing.marks) > MOST_MARKS:
        raise PictureError(f"it has {len(drawing.marks)} marks; {MOST_MARKS} are the most")
    # Not the drawing as a whole: between pieces that open and close a comment a link would not be found (decision 20).
    _check_piece(drawing.ground.body, drawing.ground.width, drawing.ground.height)
    for mark in drawing.marks:
        if isinstance(mark, Label):
            if not (0 < mark.size <= LARGEST_LETTERS and len(mark.text) <= LONGEST_LABEL):
                raise PictureError(f"a label has {len(mark.text)} signs of {mark.size} pixels")
        else:
            _check_piece(*mark.sprite)


@functools.lru_cache(maxsize=4096)
def _check_piece(body: str, width: int, height: int) -> None:
    check_size(width, height)
    _check_svg(svg_document(width, height, body, ""))


def _check_svg(svg: str) -> None:
    _inspect(svg, _Inspector())


def _inspect(svg: str, inspector: _Inspector) -> None:
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = inspector.start, inspector.end
    parser.CharacterDataHandler = inspector.text
    parser.StartDoctypeDeclHandler = parser.ProcessingInstructionHandler = inspector.refuse
    try:
        parser.Parse(svg.encode(), True)
    except expat.ExpatError as error:
        raise PictureError(f"it is not well-formed XML: {error}") from None


class _Inspector:
    """Checks the elements of an SVG as the parser meets them; fewer are refused in one that is only `painted`."""

    def __init__(self, *, painted: bool = False) -> None:
        self._depth = 0
        self._painted = painted
        self._in_style, self._text = False, ""
        self.first: tuple[str, dict[str, str]] = ("", {})

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self.first = self.first if self.first[0] else (name, attributes)
        if self._depth > DEEPEST:
            raise PictureError(f"its elements are nested more than {DEEPEST} deep")
        foreign = _UNPAINTED if self._painted else _FOREIGN
        if _local_name(name) in foreign or any(map(self._leads_out, attributes.items())) or self._acts(attributes):
            raise PictureError(self._refusal(name))
        if self._painted and any(_is_filter(*each) for each in attributes.items()):
            raise PictureError(self._refusal(name))

        self._in_style = _local_name(name) == "style"

    def text(self, text: str) -> None:
        if not (self._painted and self._in_style):
            return
        self._text = self._text[-_LONGEST_STYLE:] + text
        if _FILTERED.search(self._text):
            raise PictureError(self._refusal("style"))

    def _refusal(self, name: str) -> str:
        if self._painted:
            return f"what is at <{name}> cannot be painted (links, copies, scripts, pictures, filters): save it as PNG"
        return f"it has a link, style sheet or script at <{name}>"

    def _leads_out(self, attribute: tuple[str, str]) -> bool:
        """Return True if an attribute is a link; a painted picture may link its own elements, such as gradients."""
        name, value = attribute
        return _local_name(name) == "href" and not (self._painted and value.startswith("#"))

    def _acts(self, attributes: dict[str, str]) -> bool:
        """Return True if an attribute is a script, which would run where the picture is a page of its own."""
        return not self._painted and any(_local_name(name).startswith("on") for name in attributes)

    def end(self, _: str) -> None:
        self._depth -= 1

    def refuse(self, *_: object) -> None:  # entities of a document type could grow without end
        raise PictureError("it has a document type or processing instruction")


def _is_filter(name: str, value: str) -> bool:
    """Return True if an attribute applies a filter."""
    if _local_name(name) == "filter":
        return value.strip().lower() != "none"
    return _local_name(name) == "style" and _FILTERED.search(value) is not None


def _local_name(name: str) -> str:
    return name.rpartition(":")[2].lower()


class PaintJob(NamedTuple):
    """A request to the painter: the line of the job, and the line that sends its background; see painter.py."""

    line: bytes
    ground: bytes = b""


def job_of(picture: Picture) -> PaintJob:
    """Return the job of painting a picture."""
    if picture.drawing is None:
        return PaintJob(_encode_line({"whole": [picture.svg, picture.width, picture.height]}))
    key, ground = _ground_line(picture.drawing.ground)
    sprites: dict[Sprite, int] = {}
    marks = [_mark_data(mark, sprites) for mark in picture.drawing.marks]
    return PaintJob(_encode_line({"on": key, "marks": marks, "sprites": list(map(_sprite_data, sprites))}), ground)


class PainterProcess:
    """One worker process, started when first needed and again after a crash. For one thread at a time.

    It keeps backgrounds in `folder`, if there is one; see painter.py.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def draw(self, job: PaintJob) -> bytes | None:
        """Return the PNG, or None if the worker could not draw it or died of it."""
        try:
            png = self._request(job.line)
            if png is None:
                self._request(job.ground)
                png = self._request(job.line)
        except (OSError, EOFError):
            self.close()
            return None
        return png or None

    def close(self) -> None:
        """End the process."""
        if self._process is None:
            return
        self._process.kill()
        self._process.communicate()  # reaps it, and closes its pipes
        self._process = None

    def _request(self, line: bytes) -> bytes | None:
        """Send a line; return the answer: b"" if it cannot be drawn, None if the background must be sent first."""
        process = self._ensure_running()
        assert process.stdin is not None
        assert process.stdout is not None
        # Reading from a pipe has no time limit; it ends when the worker is killed.
        alarm = threading.Timer(PATIENCE, process.kill)
        alarm.daemon = True
        alarm.start()
        try:
            process.stdin.write(line)
            process.stdin.flush()
            return _read_answer(process.stdout)
        finally:
            alarm.cancel()

    def _ensure_running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self.close()
        if self._process is None:
            script = str(Path(__file__).with_name("painter.py"))
            # -P: otherwise the script's folder is searched first, and our modules hide others of the same name.
            command = [sys.executable, "-P", script, *([str(self._folder)] if self._folder else [])]
            quiet = subprocess.DEVNULL  # a pipe that is not read would fill, and stop the worker
            self._process = subprocess.Popen(  # noqa: S603 (our own script, by our own interpreter)
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet
            )
        return self._process


def _read_answer(stream: IO[bytes]) -> bytes | None:
    length = stream.read(4)
    if len(length) < 4:
        raise EOFError
    if (size := int.from_bytes(length, "big")) == UNTOLD:
        return None
    png = stream.read(size)
    if len(png) < size:
        raise EOFError
    return png


class PictureRenderer:
    """Draws pictures one after the other, each distinct one once, and caches the last ones.

    Backgrounds are kept in `folder`, if there is one.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._painter = PainterProcess(folder)
        self._drawn: OrderedDict[str, bytes | None] = OrderedDict()

    def draw(self, pictures: Iterable[Picture]) -> list[bytes | None]:
        """Return the PNG of each picture; None for one that is unfit or cannot be drawn, which is logged."""
        return [self._draw_cached(picture) for picture in pictures]

    def close(self) -> None:
        """End the worker process; it starts again if needed."""
        self._painter.close()

    def _draw_cached(self, picture: Picture) -> bytes | None:
        job = job_of(picture)
        key = hashlib.sha256(job.line).hexdigest()
        if key not in self._drawn:
            self._drawn[key] = self._draw(picture, job)
        self._drawn.move_to_end(key)
        if len(self._drawn) > CACHED:
            self._drawn.popitem(last=False)
        return self._drawn[key]

    def _draw(self, picture: Picture, job: PaintJob) -> bytes | None:
        try:
            check_svg(picture)
        except PictureError as why:
            event("picture not drawn", level="warning", picture=picture.name, reason=str(why))
            return None
        png = self._painter.draw(job)
        if png is None:
            event("picture not drawn", level="warning", picture=picture.name, reason="the renderer failed at it")
        return png


def render_png(picture: Picture) -> bytes | None:
    """Return the PNG of a single picture; None if it is unfit or cannot be drawn, which is logged."""
    with closing(PictureRenderer()) as renderer:
        return renderer.draw([picture])[0]


@functools.lru_cache(maxsize=32)
def _ground_line(ground: Background) -> tuple[str, bytes]:
    """Return the key of a background, and the line that sends it to a worker."""
    svg = svg_document(ground.width, ground.height, ground.body, "")
    key = hashlib.sha256(svg.encode()).hexdigest()
    return key, _encode_line({"ground": key, "svg": [svg, ground.width, ground.height]})


@functools.lru_cache(maxsize=4096)
def _sprite_data(sprite: Sprite) -> list[Any]:
    moved = f'<g transform="translate({sprite.width // 2} {sprite.height // 2})">{sprite.body}</g>'
    return [svg_document(sprite.width, sprite.height, moved, ""), sprite.width, sprite.height]


def _mark_data(mark: Mark, sprites: dict[Sprite, int]) -> list[Any]:
    """Return a mark as a worker takes it; a new sprite is added to `sprites`."""
    if isinstance(mark, SpriteInstance):
        return [sprites.setdefault(mark.sprite, len(sprites)), mark.x, mark.y]
    text = "".join(sign if sign.isprintable() else "?" for sign in mark.text)  # much as in the SVG of the drawing
    return [mark.x, mark.y, text, mark.size, mark.anchor, mark.fill, mark.halo, mark.bold, HALO]


def _encode_line(job: dict[str, Any]) -> bytes:
    return json.dumps(job).encode() + b"\n"
