"""The pictures and files that a mail brings, as any mail program attaches them or puts them into its text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple
from unicodedata import normalize

from pbem.post.cleaning import plain
from pbem.post.incoming import CUT_HEADER, MAX_MAIL, is_read_whole
from pbem.post.mime import Entity, parse_entity, without_envelope
from pbem.post.parts import MAX_DEPTH, MAX_PARTS, TRIFLES
from pbem.post.reading import FOOTER_NAME

_ENDINGS = {"image/png": ".png", "image/jpeg": ".jpg", "image/svg+xml": ".svg", "application/pdf": ".pdf"}
"""Of names for what has none."""


class Attached(NamedTuple):
    """A file of a mail; `inline` ones stand in its text, as pictures do that its writer has pasted there, and logos."""

    name: str
    content: bytes
    inline: bool


def attached_files(raw: bytes) -> list[Attached]:
    """The files of a mail, in its order, but for mails inside it, signatures and footers. Never raises."""
    entity = parse_entity(without_envelope(raw if is_read_whole(raw, len(raw)) else raw[:MAX_MAIL]))
    return [_attached(part, number) for number, part in enumerate(islice(_files(entity), MAX_PARTS), start=1)]


def was_cut(raw: bytes) -> bool:
    """Whether only the beginning of a mail was read, so that files may be missing."""
    return not is_read_whole(raw, len(raw)) or raw.startswith(CUT_HEADER.encode())


def _files(entity: Entity, depth: int = 0) -> Iterator[Entity]:
    kind = entity.content_type
    if kind.startswith("multipart/"):
        parts = islice(entity.children(), 1 if kind == "multipart/signed" else MAX_PARTS)
        if depth < MAX_DEPTH and kind != "multipart/encrypted":
            yield from (file for part in parts for file in _files(part, depth + 1))
    elif kind not in TRIFLES and not kind.startswith("message/") and _is_file(entity, kind):
        yield entity


def _is_file(entity: Entity, kind: str) -> bool:
    if FOOTER_NAME.fullmatch(entity.file_name):
        return False
    return entity.attached or not kind.startswith("text/")


def _attached(entity: Entity, number: int) -> Attached:
    kind, disposition = entity.content_type, entity.first("content-disposition").lstrip().lower()
    name = " ".join(normalize("NFC", plain(entity.file_name)).split()) or f"file-{number}{_ENDINGS.get(kind, '')}"
    inline = kind.startswith("image/") and not disposition.startswith("attachment")
    return Attached(name, entity.content(), inline)
