"""SVG to PNG, in worker processes: whatever a picture does to its renderer costs that picture only."""

from __future__ import annotations

import hashlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO
from xml.parsers import expat

from pbem.logbook import tell
from pbem.ruleset import Picture

LARGEST_SIDE = 4_000
"""Pixels; a PNG of both sides so long takes 64 MB to draw."""
DEEPEST = 64
"""Levels of nested elements; many thousands overflow the renderer's stack."""
CACHED = 512
"""PNGs kept for pictures that are drawn again, such as a map that all players see alike."""
PATIENCE = 60
"""Seconds a picture may take."""

_FOREIGN = {"image", "script", "foreignobject", "feimage", "style", "a"}
"""Elements that lead out of a picture: to files, to other pages, to code; a style sheet may import another."""


class UnfitPicture(Exception):
    """A picture that is not given to the renderer, and why."""


def check(picture: Picture) -> None:
    """Raises UnfitPicture unless the SVG is well-formed, shallow, of sensible size and without links or scripts.

    The renderer would read any local file that a link names.
    """
    if not (0 < picture.width <= LARGEST_SIDE and 0 < picture.height <= LARGEST_SIDE):
        raise UnfitPicture(f"it is {picture.width} by {picture.height}; each side may have 1 to {LARGEST_SIDE} pixels")
    inspector = _Inspector()
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = inspector.start, inspector.end
    parser.StartDoctypeDeclHandler = parser.ProcessingInstructionHandler = inspector.refuse
    try:
        parser.Parse(picture.svg.encode(), True)
    except expat.ExpatError as error:
        raise UnfitPicture(f"it is not well-formed XML: {error}") from None


class _Inspector:
    """Looks at the elements of an SVG as the parser meets them."""

    def __init__(self) -> None:
        self._depth = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > DEEPEST:
            raise UnfitPicture(f"its elements are nested more than {DEEPEST} deep")
        if _local(name) in _FOREIGN or any(_local(attribute) == "href" for attribute in attributes):
            raise UnfitPicture(f"it has a link, style sheet or script at <{name}>")

    def end(self, _: str) -> None:
        self._depth -= 1

    def refuse(self, *_: object) -> None:
        raise UnfitPicture("it has a document type or processing instruction")


def _local(name: str) -> str:
    return name.rpartition(":")[2].lower()


class Painter:
    """One worker process, started when first needed and again after a crash. For one thread at a time."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def draw(self, svg: str, width: int, height: int) -> bytes | None:
        """The PNG, or None if the worker could not draw it or died of it."""
        job = json.dumps([svg, width, height]).encode() + b"\n"
        try:
            return self._asked(self._running(), job) or None
        except (OSError, EOFError):
            self.close()
            return None

    def close(self) -> None:
        """Ends the process."""
        if self._process is None:
            return
        self._process.kill()
        self._process.communicate()
        self._process = None

    def _asked(self, process: subprocess.Popen[bytes], job: bytes) -> bytes:
        assert process.stdin is not None
        assert process.stdout is not None
        alarm = threading.Timer(PATIENCE, process.kill)
        alarm.daemon = True
        alarm.start()
        try:
            process.stdin.write(job)
            process.stdin.flush()
            return _answer(process.stdout)
        finally:
            alarm.cancel()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is not None:
            self.close()
        if self._process is None:
            script = str(Path(__file__).with_name("painter.py"))
            # -P: else the folder of the script is searched first, and our modules hide others of the same name.
            command = [sys.executable, "-P", script]
            quiet = subprocess.DEVNULL  # a pipe that nobody reads would fill, and stop the worker
            self._process = subprocess.Popen(  # noqa: S603 (our own script, by our own interpreter)
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet
            )
        return self._process


def _answer(stream: IO[bytes]) -> bytes:
    length = stream.read(4)
    if len(length) < 4:
        raise EOFError
    png = stream.read(size := int.from_bytes(length, "big"))
    if len(png) < size:
        raise EOFError
    return png


class Studio:
    """Draws many pictures side by side, each distinct SVG once, and keeps what was drawn last."""

    def __init__(self, painters: int | None = None) -> None:
        self._painters = [Painter() for _ in range(painters or min(4, os.cpu_count() or 1))]
        self._idle: queue.SimpleQueue[Painter] = queue.SimpleQueue()
        for painter in self._painters:
            self._idle.put(painter)
        self._drawn: OrderedDict[str, bytes | None] = OrderedDict()

    def draw(self, pictures: Sequence[Picture]) -> list[bytes | None]:
        """The PNG of each picture; None for one that is unfit or cannot be drawn, which is logged."""
        keys = [_key(picture) for picture in pictures]
        wanted = {key: picture for key, picture in zip(keys, pictures, strict=True) if key not in self._drawn}
        with ThreadPoolExecutor(len(self._painters)) as threads:
            new = dict(zip(wanted, threads.map(self._draw, wanted.values()), strict=True))
        drawn = [new[key] if key in new else self._drawn[key] for key in keys]
        self._keep(zip(keys, drawn, strict=True))
        return drawn

    def close(self) -> None:
        """Ends the worker processes; they start again if needed."""
        for painter in self._painters:
            painter.close()

    def _draw(self, picture: Picture) -> bytes | None:
        try:
            check(picture)
        except UnfitPicture as why:
            tell("picture not drawn", level="warning", picture=picture.name, reason=str(why))
            return None
        painter = self._idle.get()
        try:
            png = painter.draw(picture.svg, picture.width, picture.height)
        finally:
            self._idle.put(painter)
        if png is None:
            tell("picture not drawn", level="warning", picture=picture.name, reason="the renderer failed at it")
        return png

    def _keep(self, drawn: Iterable[tuple[str, bytes | None]]) -> None:
        for key, png in drawn:
            self._drawn[key] = png
            self._drawn.move_to_end(key)
        while len(self._drawn) > CACHED:
            self._drawn.popitem(last=False)


def _key(picture: Picture) -> str:
    return hashlib.sha256(f"{picture.width}x{picture.height}:{picture.svg}".encode()).hexdigest()
