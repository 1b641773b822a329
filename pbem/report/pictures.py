"""Renders pictures to PNG in worker processes, so that a bad picture fails alone."""

from __future__ import annotations

import faulthandler
import functools
import os
import re
from collections import OrderedDict
from collections.abc import Iterable
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers import expat

from pbem.log import event
from pbem.report.pool import WorkerPool
from pbem.ruleset.drawing import Drawing, Label, Picture, svg_document

if TYPE_CHECKING:
    from pbem.report.painter import Canvas

LARGEST_SIDE = 4_000
"""Pixels; drawing a PNG whose sides both have that many takes 64 MB."""
DEEPEST = 64
"""Levels of nested elements; many thousands overflow the renderer's stack."""
CACHED = 64
"""PNGs that are cached, for pictures that are the same for several players."""
PATIENCE = 60
"""Seconds a picture may take."""
MOST_MARKS, LONGEST_LABEL, LARGEST_LETTERS = 20_000, 400, 200
"""Marks of a drawing, signs of a label and pixels of its height."""

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


class PainterProcess:
    """One worker process, forked when first needed and again after a crash. For one thread at a time.

    It keeps backgrounds in `folder`, if there is one: each night has a new process, and painting one takes up to 0.2 s.
    The folder may be emptied at any time.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._worker: WorkerPool | None = None

    def draw(self, picture: Picture) -> bytes | None:
        """Return the PNG, or None if the worker could not draw it or died of it."""
        # Here, so that the next process that is forked need not import its libraries again.
        from pbem.report.painter import Canvas

        try:
            self._worker = self._worker or WorkerPool(1, _start_painter, (Canvas(self._folder),))
            return self._worker.submit(_paint, _content(picture)).result(PATIENCE)
        except (BrokenProcessPool, TimeoutError, OSError):
            self.close()
            return None

    def close(self) -> None:
        """End the process."""
        if self._worker is not None:
            self._worker.close()
        self._worker = None


_Content = Drawing | tuple[str, int, int]
_CANVAS: ContextVar[Canvas] = ContextVar("canvas")


def _content(picture: Picture) -> _Content:
    """Return what is painted of a picture: its drawing, or its SVG with width and height."""
    return picture.drawing or (picture.svg, picture.width, picture.height)


def _start_painter(canvas: Canvas) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the renderer prints where it fails
    faulthandler.disable()  # and a crash costs one picture
    _CANVAS.set(canvas)


def _paint(content: _Content) -> bytes | None:
    from pbem.report.painter import paint

    try:
        return _CANVAS.get().draw(content) if isinstance(content, Drawing) else paint(*content)
    except BaseException:  # noqa: BLE001 - a panic of the renderer is no Exception
        return None


class PictureRenderer:
    """Draws pictures one after the other, each distinct one once, and caches the last ones.

    Backgrounds are kept in `folder`, if there is one.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._painter = PainterProcess(folder)
        self._drawn: OrderedDict[_Content, bytes | None] = OrderedDict()

    def draw(self, pictures: Iterable[Picture]) -> list[bytes | None]:
        """Return the PNG of each picture; None for one that is unfit or cannot be drawn, which is logged."""
        return [self._draw_cached(picture) for picture in pictures]

    def close(self) -> None:
        """End the worker process; it starts again if needed."""
        self._painter.close()

    def _draw_cached(self, picture: Picture) -> bytes | None:
        content = _content(picture)
        if content not in self._drawn:
            self._drawn[content] = self._draw(picture)
        self._drawn.move_to_end(content)
        if len(self._drawn) > CACHED:
            self._drawn.popitem(last=False)
        return self._drawn[content]

    def _draw(self, picture: Picture) -> bytes | None:
        try:
            check_svg(picture)
        except PictureError as why:
            event("picture not drawn", level="warning", picture=picture.name, reason=str(why))
            return None
        png = self._painter.draw(picture)
        if png is None:
            event("picture not drawn", level="warning", picture=picture.name, reason="the renderer failed at it")
        return png


def render_png(picture: Picture) -> bytes | None:
    """Return the PNG of a single picture; None if it is unfit or cannot be drawn, which is logged."""
    with closing(PictureRenderer()) as renderer:
        return renderer.draw([picture])[0]
