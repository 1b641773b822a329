"""What a GM has enclosed, as a report has it: placed for its templates, attached to its mail, shown on its page."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from markupsafe import Markup

from pbem.report.facts import ReportFacts
from pbem.ruleset.drawing import svg_escape
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Enclosure, View

_ENDINGS = {"image/png": (".png",), "image/jpeg": (".jpg", ".jpeg")}
"""What a program shows that goes by a file's name; an SVG has become a PNG."""


class PlacedEnclosure(NamedTuple):
    """A picture or file as templates see it.

    `name` is that under which it is attached; of a picture, `cid` is its Content-ID. `shown`: it is a picture that
    can be shown; `attached`: it is at hand.
    """

    name: str
    title: str
    caption: str
    width: int
    height: int
    cid: str
    shown: bool
    attached: bool


class SentEnclosure(NamedTuple):
    """A picture or file as a mail has it; `cid` is "" for a file."""

    name: str
    kind: str
    content: bytes
    cid: str


class Enclosures:
    """All that the view of a report names, each content under one name."""

    def __init__(self, ruleset: AnyRuleset, view: View, facts: ReportFacts) -> None:
        self._places = ruleset.enclosures(view)
        self._facts = facts
        self._names: dict[tuple[str, bool], str] = {}
        for each in self._all:
            self._names.setdefault(_key(each), _unused(_file_name(each), self._names.values()))

    @property
    def _all(self) -> Iterator[Enclosure]:
        return (each for enclosed in self._places.values() for each in enclosed)

    def placed(self) -> Mapping[str, Sequence[PlacedEnclosure]]:
        """What templates show, by place."""
        return {place: [*map(self._placed, enclosed)] for place, enclosed in self._places.items()}

    def sent(self) -> Iterator[SentEnclosure]:
        """What goes with the mail."""
        contents, first = self._facts.enclosed, {_key(each): each for each in reversed([*self._all])}
        for key, name in self._names.items():
            each = first[key]
            if each.sha256 in contents:
                yield SentEnclosure(name, each.kind, contents[each.sha256], self._cid(each) if each.shown else "")

    def elements(self) -> dict[str, str]:
        """Each picture as an element for a page, by its Content-ID."""
        contents = self._facts.enclosed
        shown = {self._cid(each): each for each in self._all if each.shown and each.sha256 in contents}
        return {cid: _element(each, contents[each.sha256]) for cid, each in shown.items()}

    def _placed(self, enclosure: Enclosure) -> PlacedEnclosure:
        there = enclosure.sha256 in self._facts.enclosed
        return PlacedEnclosure(
            name=self._names[_key(enclosure)],
            title=enclosure.title,
            caption=enclosure.caption,
            width=enclosure.width,
            height=enclosure.height,
            cid=self._cid(enclosure),
            shown=enclosure.shown and there,
            attached=there,
        )

    def _cid(self, enclosure: Enclosure) -> str:
        return self._facts.content_id(f"enclosed-{enclosure.sha256[:12]}")


def _key(enclosure: Enclosure) -> tuple[str, bool]:
    """A content is sent once: as a picture, as a file, or as both."""
    return enclosure.sha256, enclosure.shown


def _file_name(enclosure: Enclosure) -> str:
    endings = _ENDINGS.get(enclosure.kind, ())
    if not endings or enclosure.name.lower().endswith(endings):
        return enclosure.name
    return f"{PurePosixPath(enclosure.name).stem}{endings[0]}"


def _unused(name: str, taken: Iterable[str]) -> str:
    names, path = set(taken), PurePosixPath(name)
    others = (f"{path.stem}-{number}{path.suffix}" for number in range(2, len(names) + 3))
    return name if name not in names else next(other for other in others if other not in names)


def data_url(kind: str, content: bytes) -> str:
    """A file as a URL that is all of it."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def raster_svg(enclosure: Enclosure, content: bytes) -> tuple[str, str]:
    """A picture of pixels as the inside of an SVG, and the tag that begins that SVG."""
    size = f'width="{enclosure.width}" height="{enclosure.height}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {enclosure.width} {enclosure.height}">'
        f"<title>{svg_escape(enclosure.title)}</title>"
    )
    return f'<image {size} href="{data_url(enclosure.kind, content)}"/>', head


def _element(enclosure: Enclosure, content: bytes) -> str:
    source = data_url(enclosure.kind, content)
    return Markup('<img class="enclosed" src="{}" alt="{}" width="{}" height="{}">').format(
        source, enclosure.title, enclosure.width, enclosure.height
    )
