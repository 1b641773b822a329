"""Attachments of a GM in a report: checked, placed in templates, attached to mail, shown on pages.

Files come from outside, so they are checked in another process, with a limit of
memory and number, and of time by their number, for all files of a ruling. A PNG or JPEG is decoded to
its last pixel and freed of metadata. An SVG, which may hold scripts and refer to
files, is rendered and goes on as a PNG. Of documents only formats without
programs in them are accepted.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from unicodedata import normalize

from markupsafe import Markup

from pbem.report.facts import ReportFacts
from pbem.ruleset.drawing import svg_escape
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import LARGEST_OF_TURN, MAX_ATTACHMENT_BYTES, Attachment, View, format_size
from pbem.text import count_noun

# Endings of pictures, for programs that go by them; an SVG has become a PNG.
_ENDINGS = {"image/png": (".png",), "image/jpeg": (".jpg", ".jpeg")}


class PlacedAttachment(NamedTuple):
    """A picture or file as templates see it.

    `name` is the name under which it is attached, `cid` the Content-ID of a picture.
    `shown`: it is a picture that can be shown; `attached`: its content is available.
    """

    name: str
    title: str
    caption: str
    width: int
    height: int
    cid: str
    shown: bool
    attached: bool


class MailAttachment(NamedTuple):
    """A picture or file as a mail has it; `cid` is "" for a file."""

    name: str
    kind: str
    content: bytes
    cid: str


class Attachments:
    """The attachments that the view of a report names, each content under one name."""

    def __init__(self, ruleset: AnyRuleset, view: View, facts: ReportFacts) -> None:
        self._places = ruleset.enclosures(view)
        self._facts = facts
        self._names: dict[tuple[str, bool], str] = {}
        for each in self._all:
            self._names.setdefault(_content_key(each), _unique_name(_file_name(each), self._names.values()))

    @property
    def _all(self) -> Iterator[Attachment]:
        return (each for enclosed in self._places.values() for each in enclosed)

    def by_place(self) -> Mapping[str, Sequence[PlacedAttachment]]:
        """Return the attachments for templates, by place."""
        return {place: [*map(self._place, enclosed)] for place, enclosed in self._places.items()}

    def mail_parts(self) -> Iterator[MailAttachment]:
        contents, first = self._facts.enclosed, {_content_key(each): each for each in reversed([*self._all])}
        for key, name in self._names.items():
            each = first[key]
            if each.sha256 in contents:
                yield MailAttachment(name, each.kind, contents[each.sha256], self._cid(each) if each.shown else "")

    @property
    def shown(self) -> Mapping[str, Attachment]:
        """The pictures by their Content-IDs."""
        return {self._cid(each): each for each in self._all if each.shown and each.sha256 in self._facts.enclosed}

    def elements(self) -> dict[str, str]:
        """Return each picture as an element for a page, by its Content-ID."""
        contents = self._facts.enclosed
        tag = Markup('<img class="enclosed" src="{}" alt="{}" width="{}" height="{}">')
        return {
            cid: tag.format(data_url(each.kind, contents[each.sha256]), each.title, each.width, each.height)
            for cid, each in self.shown.items()
        }

    def _place(self, enclosure: Attachment) -> PlacedAttachment:
        there = enclosure.sha256 in self._facts.enclosed
        return PlacedAttachment(
            name=self._names[_content_key(enclosure)],
            title=enclosure.title,
            caption=enclosure.caption,
            width=enclosure.width,
            height=enclosure.height,
            cid=self._cid(enclosure),
            shown=enclosure.shown and there,
            attached=there,
        )

    def _cid(self, enclosure: Attachment) -> str:
        return self._facts.attachment_id(enclosure.sha256)


def _content_key(enclosure: Attachment) -> tuple[str, bool]:
    """Return the key of a content, which is sent once as a picture, as a file, or as both."""
    return enclosure.sha256, enclosure.shown


def _file_name(enclosure: Attachment) -> str:
    endings = _ENDINGS.get(enclosure.kind, ())
    if not endings or enclosure.name.lower().endswith(endings):
        return enclosure.name
    return f"{PurePosixPath(enclosure.name).stem}{endings[0]}"


def _unique_name(name: str, taken: Iterable[str]) -> str:
    names, path = set(taken), PurePosixPath(name)
    others = (f"{path.stem}-{number}{path.suffix}" for number in range(2, len(names) + 3))
    return name if name not in names else next(other for other in others if other not in names)


def data_url(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def raster_svg(enclosure: Attachment, content: bytes) -> tuple[str, str]:
    """Return a raster picture as the content of an SVG, and the opening tag of that SVG."""
    size = f'width="{enclosure.width}" height="{enclosure.height}"'
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {enclosure.width} {enclosure.height}">'
        f"<title>{svg_escape(enclosure.title)}</title>"
    )
    return f'<image {size} href="{data_url(enclosure.kind, content)}"/>', head


LONGEST_NAME = 80

MOST_FILES = 60
"""Files of one ruling."""

SECONDS, SECONDS_EACH = 20, 2
"""Processor time for the files of a ruling, and that for each of them besides: an SVG may take half a second."""

PATIENCE = 300
"""Seconds of wall-clock time for the same: on a busy machine other processes take their share."""

MEMORY = 1 << 30
"""Bytes of the process; painting an SVG of the largest size takes 170 MB."""

_COMMAND = (sys.executable, "-P", "-m", "pbem.report.attachment_checker", str(MEMORY))
# Environment variables that the process gets; others may hold passwords.
_INHERITED = ("LD_LIBRARY_PATH",)

_SLOW = "examining it took too long ({} have {} seconds together): make it simpler, or save it as PNG"
_LOST = "it cannot be examined, since it is damaged or takes too much memory: make it simpler, or save it as PNG"


class CheckedAttachment(NamedTuple):
    """A picture or file that can be sent, and its bytes; or no `enclosure`, and the `fault` for which it cannot."""

    enclosure: Attachment | None
    content: bytes = b""
    fault: str = ""


def check_attachments(files: Iterable[tuple[str, bytes]]) -> dict[str, CheckedAttachment]:
    """Check the files that came with a ruling; return the results by name.

    This may take as long as its limits allow: call it without a lock or transaction.
    """
    brought: dict[str, bytes] = {}
    faults: dict[str, str] = {}
    for name, raw in ((plain_name(name), raw) for name, raw in files):
        if brought.setdefault(name, raw) != raw:
            faults[name] = "there are two files of this name"
        elif fault := _find_fault(name, raw):
            faults[name] = fault
    fit = {name: raw for name, raw in brought.items() if name not in faults}
    # What names and sizes refuse is not given to the process, which has one limit of time for all files.
    if over := _exceeded_limit(fit):
        faults |= dict.fromkeys(fit, over)
        fit = {}
    found = _examine(fit) if fit else {}
    return {name: found.get(name) or CheckedAttachment(None, fault=faults[name]) for name in brought}


def plain_name(name: str) -> str:
    """Return a file's name on one line, in composed letters, without the folders that some programs write before it."""
    # macOS decomposes the letters of file names; a ruling that names the file is typed in composed ones.
    name = PurePosixPath(normalize("NFC", name).replace("\\", "/")).name
    # Brackets would end the line of a ruling that names the file: [PICTURE name: caption].
    name = " ".join("".join(sign if sign.isprintable() else " " for sign in name).split()).strip("[]")
    return name or "file"


def _find_fault(name: str, raw: bytes) -> str:
    """Return why a file cannot be sent, whatever its content; "" if its content decides."""
    if len(name) > LONGEST_NAME:
        return f"its name has {len(name)} characters; {LONGEST_NAME} are the most"
    if ":" in name:
        return "a name with a colon cannot be written in a ruling: name it otherwise"
    if not raw:
        return "it is empty"
    if len(raw) > MAX_ATTACHMENT_BYTES:
        return f"it has {format_size(len(raw))}; a file may have {format_size(MAX_ATTACHMENT_BYTES)}: make it smaller"
    return ""


def _exceeded_limit(files: Mapping[str, bytes]) -> str:
    if len(files) > MOST_FILES:
        return f"{len(files)} files came with this ruling; {MOST_FILES} are the most"
    size = sum(map(len, files.values()))
    if size > LARGEST_OF_TURN:
        return (
            f"the files of this ruling have {format_size(size)} together; {format_size(LARGEST_OF_TURN)} are the most"
        )
    return ""


def _examine(files: Mapping[str, bytes]) -> dict[str, CheckedAttachment]:
    answers, fault = _run_checker(files)
    # The process may have ended early: the file after the last answer is the one that it could not check.
    found = {name: _checked_attachment(name, answer) for name, answer in zip(files, answers, strict=False)}
    left = [name for name in files if name not in found]
    for name in left:
        why = fault if name == left[0] else f"it was not examined, because that ended at {left[0]}"
        found[name] = CheckedAttachment(None, fault=why)
    return found


def _run_checker(files: Mapping[str, bytes]) -> tuple[list[dict[str, Any]], str]:
    """Return the answers for the first files, and why there is none for the next."""
    asked = "".join(f"{json.dumps([name, base64.b64encode(raw).decode()])}\n" for name, raw in files.items())
    environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])  # -P leaves out the current folder
    seconds = SECONDS + SECONDS_EACH * len(files)
    slow = _SLOW.format(count_noun(len(files), "file"), seconds)
    try:
        done = subprocess.run(  # noqa: S603 (our own module, by our own interpreter)
            (*_COMMAND, str(seconds)),
            input=asked.encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            timeout=PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return _parse_answers(late.stdout or b""), slow
    # SIGXCPU comes at the soft limit of processor time, SIGKILL a second later at the hard one.
    return _parse_answers(done.stdout), slow if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL) else _LOST


def _parse_answers(output: bytes) -> list[dict[str, Any]]:
    """Return the answers that are complete."""
    # The process may have been ended within a line.
    return [json.loads(line) for line in output.splitlines(keepends=True) if line.endswith(b"\n")]


def _checked_attachment(name: str, answer: Mapping[str, Any]) -> CheckedAttachment:
    if fault := answer.get("fault"):
        return CheckedAttachment(None, fault=str(fault))
    content = base64.b64decode(answer["content"])
    hash_ = hashlib.sha256(content).hexdigest()
    size = (int(answer["width"]), int(answer["height"]))
    return CheckedAttachment(Attachment(name, str(answer["kind"]), hash_, len(content), *size), content)
