"""Lines of a GM's files that show a picture or attach a file: their syntax, and the attachments that they name.

`[PICTURE map.png: The coast, as the pilot drew it]` and `[ATTACH rules.pdf]`,
each on a line of its own. A name is that of an attached file, or of one that the
same readers have in their reports already and that need not be attached again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from pbem.ruleset import (
    LARGEST_ENCLOSED,
    LARGEST_OF_TURN,
    MOST_ENCLOSED,
    AttachedFiles,
    Attachment,
    FieldError,
    Finding,
    format_size,
    suggest,
)
from pbem_rules.gm_adjudicated.state import ReportTexts
from pbem_rules.gm_adjudicated.text import one_line

PICTURE, ATTACH = "PICTURE", "ATTACH"
WORDS = (PICTURE, ATTACH)
LONGEST_CAPTION = 300
WRAPPED = 5
"""Lines into which a mail program may have wrapped one."""

NOTHING: AttachedFiles = {}


class ShownAttachment(NamedTuple):
    """A line that shows an attachment: its word, the name, and the caption."""

    word: str
    name: str
    caption: str

    @property
    def text(self) -> str:
        """The line as it is written."""
        return f"[{self.word} {self.name}{': ' if self.caption else ''}{self.caption}]"


def as_line(enclosure: Attachment) -> str:
    """Return the line that shows an attachment again."""
    return ShownAttachment(PICTURE if enclosure.shown else ATTACH, enclosure.name, enclosure.caption).text


def begins(line: str) -> bool:
    """Return True if a line is meant to show an attachment, even if it is misspelt."""
    word, rest = _parted(line)
    return line.startswith("[") and (word in WORDS or (word.isupper() and "." in rest and _slip(word) != ""))


def read_line(line: str) -> ShownAttachment:
    """Parse such a line; raise FieldError saying what is wrong."""
    word, rest = _parted(line)
    if word not in WORDS:
        raise FieldError("unknown-line", f"there is no line [{word[:40]} …]", _slip(word))
    if not line.endswith("]"):
        raise FieldError("unfinished", f"the line begins with [{word} and does not end with ]", "keep it on one line")
    name, _, caption = (one_line(part) for part in rest.removesuffix("]").partition(":"))
    if not name:
        raise FieldError("missing-word", f"expected a name after [{word}, the line ends", f"write: [{word} <name>]")
    if len(caption) > LONGEST_CAPTION:
        raise FieldError(
            "too-long", f"the caption of {name[:80]} has {len(caption)} characters; {LONGEST_CAPTION} are the most"
        )
    return ShownAttachment(word, name, caption)


def unwrapped(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers from 1, joining those that a mail program has wrapped."""
    at = 0
    while at < len(lines):
        rows = _rows(lines[at : at + WRAPPED])
        yield at + 1, " ".join(lines[at : at + rows])
        at += rows


def _rows(lines: Sequence[str]) -> int:
    """Return how many of these lines are one: up to the closing bracket, if no other line begins before it."""
    if begins(lines[0]) and not lines[0].endswith("]"):
        for rows, line in enumerate(lines[1:], start=2):
            if not line or line.startswith(("[", ";")):
                break
            if line.endswith("]"):
                return rows
    return 1


def _parted(line: str) -> tuple[str, str]:
    word, _, rest = line.removeprefix("[").strip().partition(" ")
    return word.upper().rstrip(":]"), rest


def _slip(word: str) -> str:
    hint = suggest(word, WORDS)
    return hint if hint.startswith("did you mean") else ""


@dataclass
class Beside:
    """The attachments of a ruling, and the names that were used so far."""

    brought: AttachedFiles
    named: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._by_key = {_key(name): name for name in self.brought}

    def take(self, line: ShownAttachment, standing: Iterable[Attachment]) -> Attachment | None:
        """Return the attachment that a line names: of those brought, or else of those in the reader's reports already.

        None stands for one that the host has found unfit, and has reported. Raises FieldError.
        """
        known = {_key(each.name): each for each in standing}
        name = self._by_key.get(_key(line.name))
        if name is not None:
            self.named.add(name)
            found = self.brought[name]
            if found is None:
                return None
        elif _key(line.name) in known:
            found = known[_key(line.name)]
        else:
            names = list(dict.fromkeys([*self.brought, *(each.name for each in known.values())]))
            raise FieldError(
                "no-such-file", f"{line.name[:80]!r} does not lie beside the ruling", suggest(line.name, names)
            )
        return _meant(line, found)

    @property
    def unnamed(self) -> list[str]:
        """The attachments that no line shows."""
        return [name for name in self.brought if name not in self.named]

    @property
    def weight(self) -> int:
        """The bytes of all attachments that were brought and named, each content once."""
        named = (found for name, found in self.brought.items() if found and name in self.named)
        return weight(named)


def _key(name: str) -> str:
    return one_line(name).casefold()


def _meant(line: ShownAttachment, found: Attachment) -> Attachment:
    if line.word == ATTACH:
        return replace(found, width=0, height=0, caption=line.caption)
    if not found.kind.startswith("image/"):
        text = f"{found.name[:80]!r} is no picture that could be shown"
        raise FieldError("no-picture", text, f"to send it as a file, write: [{ATTACH} {found.name[:80]}]")
    return replace(found, caption=line.caption)


def weight(enclosed: Iterable[Attachment]) -> int:
    """Return the bytes of pictures and files, each content once, as in a mail."""
    return sum({each.sha256: each.size for each in enclosed}.values())


def check_unnamed(beside: Beside, wanted: Sequence[str]) -> Iterator[tuple[str, Finding]]:
    """Yield an error for each attachment that no reader sees; `wanted` are names that were not found."""
    for name in beside.unnamed:
        hint = suggest(name, wanted) if wanted else ""
        hint = hint if hint.startswith("did you mean") else f"show it by a line such as [{PICTURE} {name}: what it is]"
        text = "this file is named by no line of the ruling: take it out, or tell whose it is"
        yield name, Finding(0, "error", "unnamed-file", text, hint)


def check_readers(readers: Mapping[str, Sequence[Attachment]]) -> Iterator[tuple[str, Finding]]:
    """Yield an error for each file whose reader would get more than a mail takes."""
    for name, enclosed in readers.items():
        total = weight(enclosed)
        if total > LARGEST_ENCLOSED or len(enclosed) > MOST_ENCLOSED:
            text = (
                f"its reader would get {len(enclosed)} pictures and files of {format_size(total)}, with those that "
                "stand "
                f"already and those for all; a mail brings {MOST_ENCLOSED} of {format_size(LARGEST_ENCLOSED)} "
                "at the most"
            )
            yield name, Finding(0, "error", "too-much", text)


def check_turn(beside: Beside) -> Iterator[Finding]:
    """Yield an error if the attachments of a ruling are too large together."""
    if beside.weight > LARGEST_OF_TURN:
        most = format_size(LARGEST_OF_TURN)
        text = f"pictures and files have {format_size(beside.weight)}; a turn takes {most} at the most"
        yield Finding(0, "error", "too-much", text)


def all_of(known: ReportTexts) -> tuple[Attachment, ...]:
    """Return all pictures and files in a reader's reports."""
    return (*known.with_file, *known.with_map)
