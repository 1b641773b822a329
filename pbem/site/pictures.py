"""Pictures of pages: boards as SVG files, and the picture that a link to a page shows elsewhere."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from pbem.report.pictures import PictureError, check_svg
from pbem.ruleset.drawing import FONT, Picture, svg_document, svg_escape
from pbem.text import cut_at_word

SHARE_WIDTH, SHARE_HEIGHT = 1200, 630
"""The size in pixels that sites which preview links expect (Open Graph)."""

_GROUND, _INK, _QUIET, _EDGE = "#f4f5f6", "#1d2125", "#50585f", "#b9c0c6"
_MARGIN, _TEXT = 48, 440
_LINE, _MOST_LINES = 15, 4
_ROOT = re.compile(r"\A\s*+(?:<\?xml[^>]*+>\s*+)?<svg\b[^>]*+>")
_BOX = re.compile(r'\bviewBox="([^"<>]*+)"')


@dataclass(frozen=True, slots=True)
class BoardFile:
    """A picture as a file of the site: its place from the root, alternative text and size."""

    place: str
    title: str
    width: int
    height: int


def is_safe_picture(picture: Picture) -> bool:
    """Return True if a picture can stand on a page or be a file of its own."""
    try:
        check_svg(picture)
    except PictureError:
        return False
    return True


def first_safe(pictures: Iterable[Picture]) -> Picture | None:
    """Return the first picture that can be shown."""
    return next(filter(is_safe_picture, pictures), None)


def title_picture(title: str, line: str) -> Picture:
    """Return a picture of words alone, for a game that draws none."""
    text = (
        f'<rect width="600" height="400" fill="{_GROUND}"/>'
        f'<rect x="24" y="24" width="552" height="352" fill="none" stroke="{_EDGE}" stroke-width="2"/>'
        f'<text x="300" y="196" font-size="34" font-weight="bold" fill="{_INK}" text-anchor="middle">'
        f"{svg_escape(cut_at_word(title, 26))}</text>"
        f'<text x="300" y="240" font-size="20" fill="{_QUIET}" text-anchor="middle">'
        f"{svg_escape(cut_at_word(line, 48))}</text>"
    )
    return Picture("title", title, svg_document(600, 400, text, title), 600, 400)


def share_picture(title: str, line: str, board: Picture) -> Picture:
    """Return the picture of a link: the title of a page, a line below it, and a board beside them."""
    room = (SHARE_WIDTH - _TEXT - 3 * _MARGIN, SHARE_HEIGHT - 2 * _MARGIN)
    scale = min(room[0] / board.width, room[1] / board.height)
    width, height = round(board.width * scale), round(board.height * scale)
    x = _TEXT + 2 * _MARGIN + (room[0] - width) // 2
    y = (SHARE_HEIGHT - height) // 2
    lines = _break_title(title)
    top = SHARE_HEIGHT // 2 - 30 * (len(lines) - 1)
    words = "".join(
        f'<text x="{_MARGIN}" y="{top + 60 * at}" font-size="48" font-weight="bold" fill="{_INK}">'
        f"{svg_escape(each)}</text>"
        for at, each in enumerate(lines)
    )
    body = (
        f'<rect width="{SHARE_WIDTH}" height="{SHARE_HEIGHT}" fill="{_GROUND}"/>{words}'
        f'<text x="{_MARGIN}" y="{top + 60 * len(lines)}" font-size="26" fill="{_QUIET}">'
        f"{svg_escape(cut_at_word(line, 30))}</text>"
        f'<rect x="{x - 1}" y="{y - 1}" width="{width + 2}" height="{height + 2}" fill="#ffffff" stroke="{_EDGE}"/>'
        f"{_place_board(board, x, y, width, height)}"
    )
    svg = svg_document(SHARE_WIDTH, SHARE_HEIGHT, body, title)
    return Picture("share", title, svg, SHARE_WIDTH, SHARE_HEIGHT)


def key_of(picture: Picture) -> str:
    """Return a short hash of what a picture shows."""
    return hashlib.sha256(picture.svg.encode()).hexdigest()[:12]


def _place_board(board: Picture, x: int, y: int, width: int, height: int) -> str:
    """Return the SVG of a board, which was checked, as an element at a place."""
    head = _ROOT.match(board.svg)
    box = _BOX.search(head[0]) if head else None
    if head is None or box is None:
        return ""
    place = f'x="{x}" y="{y}" width="{width}" height="{height}" {box[0]} font-family="{FONT}"'
    return f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" {place}>{board.svg[head.end() :]}'


def _break_title(title: str) -> list[str]:
    """Return a title in lines of a share picture."""
    lines = [""]
    for word in " ".join(title.split()).split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) <= _LINE or not lines[-1]:
            lines[-1] = longer[: _LINE + 2]
        else:
            lines.append(word[: _LINE + 2])
    return lines[:_MOST_LINES]
