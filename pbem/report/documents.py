"""Check documents before they are sent on: PDF files, and the packages of office programs.

A document is refused if it holds programs, other files, or anything that is not
shown when it is read, and if it unpacks to more than it may: its readers open
it with programs that we do not know. What is locked cannot be checked.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

LARGEST_UNPACKED = 64_000_000
"""Bytes to which a document may unpack."""

MOST_MEMBERS = 1_000
"""Files in a package."""

_OFFICE = "application/vnd.openxmlformats-officedocument"
PACKAGES: Mapping[str, str] = {
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
}
"""Documents that are ZIP files, by the ends of their names, and their media types."""

_BLOCK = 1 << 16
_PDF_TAIL = 1_024
_ESCAPED = re.compile(rb"#([0-9a-fA-F]{2})")
_STREAM = re.compile(rb"stream\r?\n")
_PDF_ACTIVE = re.compile(
    rb"/(JavaScript|Launch|EmbeddedFiles?|RichMedia|Movie|Rendition|XFA|SubmitForm|ImportData|GoToE|Encrypt)(?![A-Za-z])"
)
"""Names that begin a program, another file or a form that is sent (ISO 32000-1, 7.11.4, 12.6.4, 12.7.8, 13)."""

_OBJECTS = re.compile(rb"/ObjStm(?![A-Za-z])")
_OFFICE_ACTIVE = re.compile(
    r"(?:\A|/)(?:vbaProject|vbaData|activeX|embeddings|ctrlProps|macrosheets|externalLinks)", re.I
)
_ODF_ACTIVE = re.compile(r"(?:\A|/)(?:(?:Basic|Scripts|Dialogs)/|Object [^/]*\Z)", re.I)
"""Scripts, and objects of other programs; an object that is a folder is a chart or a table of the same program."""

_MACRO_TYPE = re.compile(rb"macroEnabled|vbaProject|oleObject|activeX", re.I)
_OUTSIDE = re.compile(rb"<Relationship\b(?=[^<>]{0,4000}TargetMode\s*=\s*[\"']External)[^<>]{0,4000}>", re.I)
_SCRIPT_CALL = re.compile(rb"vnd\.sun\.star\.script:|macro:|<(?:\w+:)?dde-|xlink:href\s*=\s*[\"']file:", re.I)


class UnfitDocument(Exception):
    """Raised for a document that cannot be sent; the text says why."""


def check_pdf(raw: bytes) -> None:
    """Raise UnfitDocument unless a PDF is whole, and shows pages and does nothing else."""
    if not raw.startswith(b"%PDF-"):
        raise UnfitDocument("it is not what its name says: no .pdf file begins like that")
    if b"startxref" not in raw or b"%%EOF" not in raw[-_PDF_TAIL:]:
        raise UnfitDocument("it is cut off: no PDF ends like that")
    _check_pdf_names(raw)
    unpacked = 0
    for packed, content in _pdf_streams(raw):
        if packed and not content:
            raise UnfitDocument("it is packed in a way that cannot be checked: print it to a new PDF")
        unpacked += len(content)
        if unpacked > LARGEST_UNPACKED:
            raise UnfitDocument(_grows())
        _check_pdf_names(content)


def _pdf_streams(raw: bytes) -> Iterator[tuple[bool, bytes]]:
    """Yield each stream as it unpacks, b"" if it does not, and whether it may hold objects."""
    before = 0
    for found in _STREAM.finditer(raw):
        # The dictionary of a stream stands right before it; names in it may be spelt with escapes.
        holds_objects = _OBJECTS.search(_unescaped(raw[before : found.start()])) is not None
        before = found.end()
        yield holds_objects, _inflated(raw[found.end() :])


def _inflated(packed: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(packed, LARGEST_UNPACKED + 1)
    except zlib.error:
        return b""


def _check_pdf_names(text: bytes) -> None:
    if found := _PDF_ACTIVE.search(_unescaped(text)):
        name = found[1].decode()
        if name == "Encrypt":
            raise UnfitDocument("it is locked, so that it cannot be checked: save it without a password")
        raise UnfitDocument(f"it holds a program, a form or another file (/{name}): print it to a new PDF")


def _unescaped(text: bytes) -> bytes:
    return _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), text)


def check_package(raw: bytes, ending: str) -> None:
    """Raise UnfitDocument unless a document of an office program is whole, of the kind of its name, and no more."""
    if not raw.startswith(b"PK\x03\x04"):
        raise UnfitDocument(f"it is not what its name says: no {ending} file begins like that")
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as package:
            members = _members(package)
    except (zipfile.BadZipFile, NotImplementedError, EOFError, OSError, zlib.error, ValueError, RuntimeError):
        raise UnfitDocument("it is damaged, or packed in a way that cannot be checked: save it anew") from None
    if ending in (".odt", ".ods"):
        _check_open_document(members, ending)
    else:
        _check_office(members, ending)


def _members(package: zipfile.ZipFile) -> dict[str, bytes]:
    """Return the files in a package, each read to its end, where its checksum is compared."""
    listed = package.infolist()
    if len(listed) > MOST_MEMBERS:
        raise UnfitDocument(f"it consists of {len(listed)} files; {MOST_MEMBERS} are the most")
    members: dict[str, bytes] = {}
    left = LARGEST_UNPACKED
    for each in listed:
        path = PurePosixPath(each.filename)
        if each.flag_bits & 1:
            raise UnfitDocument("it is locked, so that it cannot be checked: save it without a password")
        if path.is_absolute() or ".." in path.parts or "\\" in each.filename or each.filename in members:
            raise UnfitDocument("it is damaged: two of its parts have one name, or one lies outside of it")
        members[each.filename] = _content(package, each, left)
        left -= len(members[each.filename])
    return members


def _content(package: zipfile.ZipFile, member: zipfile.ZipInfo, most: int) -> bytes:
    content = bytearray()
    with package.open(member) as file:
        while block := file.read(_BLOCK):
            content += block
            if len(content) > most:
                raise UnfitDocument(_grows())
    return bytes(content)


def _grows() -> str:
    return f"it unpacks to more than {LARGEST_UNPACKED // 1_000_000} MB: make it smaller"


def _check_open_document(members: Mapping[str, bytes], ending: str) -> None:
    if members.get("mimetype", b"").strip() != PACKAGES[ending].encode() or "content.xml" not in members:
        raise UnfitDocument(f"it is not what its name says: no {ending} file has such parts")
    _check_members(members, _ODF_ACTIVE)
    for name, content in members.items():
        if name.endswith(".xml") and _SCRIPT_CALL.search(content):
            raise UnfitDocument(_active(name))


def _check_office(members: Mapping[str, bytes], ending: str) -> None:
    types = members.get("[Content_Types].xml", b"")
    if PACKAGES[ending].encode() not in types:
        raise UnfitDocument(f"it is not what its name says: no {ending} file has such parts")
    _check_members(members, _OFFICE_ACTIVE)
    if _MACRO_TYPE.search(types):
        raise UnfitDocument(_active("[Content_Types].xml"))
    for name, content in members.items():
        outside = _OUTSIDE.findall(content) if name.endswith(".rels") else []
        if any(b"/hyperlink" not in relation for relation in outside):
            raise UnfitDocument(_active(name))


def _check_members(members: Mapping[str, bytes], active: re.Pattern[str]) -> None:
    if name := next(filter(active.search, members), None):
        raise UnfitDocument(_active(name))


def _active(name: str) -> str:
    return f"it holds a program, another file or a link to one ({name}): save it without, or as PDF"
