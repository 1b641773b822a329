"""Printing: lines for people, in colour and through a pager, JSON for scripts, progress bars and pictures."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pbem.errors import CampaignError, reason_of
from pbem.util import Progress, no_progress

if TYPE_CHECKING:
    from pbem.ruleset.drawing import Picture

_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

_STYLES: tuple[tuple[re.Pattern[str], Mapping[str, Any]], ...] = (
    (re.compile(r"\A\s*+(?:problem|not done)\b", re.IGNORECASE), {"fg": "red"}),
    (re.compile(r"\A\s*+warning\b", re.IGNORECASE), {"fg": "yellow"}),
    (re.compile(r"\A(?:(?:Would do|Done):|[^\s\d|][^|]*:\Z)"), {"bold": True}),
)
"""The style of a line, by how it begins; no line says anything by its colour alone."""


def printable(text: str) -> str:
    """Return a text without control characters: it may come from a stranger's file, and must not steer the terminal."""
    return _CONTROLS.sub("�", text)


def colour(wanted: bool | None) -> bool | None:
    """Return whether output is coloured; None leaves that to whether it goes to a terminal."""
    off = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return False if wanted is None and off else wanted


def _styled(text: str) -> str:
    """Return a text to be printed, each line in the style of its kind."""
    return "\n".join(_style(line) for line in printable(text).split("\n"))


def _style(line: str) -> str:
    return next((click.style(line, **style) for begins, style in _STYLES if begins.match(line)), line)


def print_lines(lines: Iterable[str], *, paged: bool = False) -> None:
    """Print lines; with `paged`, through the pager if they are more than the terminal has."""
    text = "\n".join(map(_styled, lines))
    if not text:
        return
    long = text.count("\n") >= shutil.get_terminal_size().lines
    if paged and long and sys.stdin.isatty() and sys.stdout.isatty():
        click.echo_via_pager(text + "\n")
    else:
        click.echo(text)


def print_error(text: str, *, color: bool | None = None) -> None:
    """Print a problem, a warning or a note on standard error, if that can be written."""
    with suppress(OSError):  # it may be a file on the full disk that is the problem
        click.echo(_styled(text), err=True, color=color)


def drop_unwritten() -> None:
    """Drop what standard output and error hold since it could not be written, as on a full disk.

    Since Python 3.13 it is tried again at the end of the program, whose exit code is then 120, whatever it was.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            with Path(os.devnull).open("w") as nothing:
                os.dup2(nothing.fileno(), stream.fileno())


def print_document(document: Any) -> None:
    click.echo(printable(json.dumps(to_json(document), indent=2, ensure_ascii=False)))


def to_json(value: Any) -> Any:
    """Return facts as JSON has them: records as objects, times as ISO 8601 in UTC, paths as text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(each) for each in value]
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat()
    return str(value) if isinstance(value, Path) else value


@contextmanager
def progress() -> Iterator[Progress]:
    """Yield a progress line on standard error if that is a terminal; elsewhere one that shows nothing."""
    if not sys.stderr.isatty():
        yield no_progress
        return
    line = _ProgressLine()
    try:
        yield line
    finally:
        line.clear()


PATIENCE = 1.0
"""Seconds after which progress is shown."""


class _ProgressLine:
    """A line such as "Rendering reports  120/1000", once the work takes longer than `PATIENCE`; then it is cleared."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._width = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        if time.monotonic() - self._since >= PATIENCE:
            said = f"{stage[:1].upper()}{stage[1:]}  {done}" + (f"/{total}" if total else "")
            click.echo(f"\r{said:<{self._width}}", nl=False, err=True)
            self._width = len(said)

    def clear(self) -> None:
        """Clear the line, if there is one."""
        if self._width:
            click.echo(f"\r{'':<{self._width}}\r", nl=False, err=True)


def check_picture_name(path: Path) -> None:
    """Raise CampaignError if the ending of a name is not that of a picture that can be written."""
    if path.suffix.lower() not in (".svg", ".png"):
        raise CampaignError(f"{path} is neither an SVG nor a PNG: call it like {path.with_suffix('.png')}")


def write_picture(path: Path, picture: Picture) -> None:
    """Write a picture as SVG or PNG, by the ending of the file's name.

    Raises:
        CampaignError: If the ending is another, or the file cannot be written.
    """
    from pbem.report.pictures import render_png

    check_picture_name(path)
    content = picture.svg.encode() if path.suffix.lower() == ".svg" else render_png(picture)
    if content is None:
        raise CampaignError("the picture cannot be painted as PNG here; an SVG can be written")
    try:
        path.write_bytes(content)
    except OSError as error:
        raise CampaignError(f"{path} cannot be written ({reason_of(error)})") from None
