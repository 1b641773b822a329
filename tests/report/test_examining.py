"""Tests of the check of a GM's attachments: their kind, their size, and their content."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Mapping

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from pbem.report.attachments import _COMMAND as COMMAND
from pbem.report.attachments import MOST_FILES, CheckedAttachment, check_attachments
from pbem.ruleset import MAX_ATTACHMENT_BYTES

SIDES = (60, 40)


def drawn() -> Image.Image:
    """Return a picture with many colours."""
    return Image.effect_mandelbrot(SIDES, (-2, -1.5, 1, 1.5), 50).convert("RGB")


def png() -> bytes:
    """Return a PNG that names its author."""
    written, said = io.BytesIO(), PngInfo()
    said.add_text("Author", "Bob Smith")
    drawn().save(written, "PNG", pnginfo=said)
    return written.getvalue() + b"hidden behind the end"


def jpeg(**options: object) -> bytes:
    """Return a photograph taken sideways, with the camera's name; in several scans if it is `progressive`."""
    written, exif = io.BytesIO(), Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "Camera of Bob"
    drawn().save(written, "JPEG", exif=exif, comment=b"Bob Smith", **options)
    return written.getvalue() + b"hidden behind the end"


def svg(inside: str = '<rect width="80" height="60" fill="red"/>', size: str = 'width="80" height="60"') -> bytes:
    """Return an SVG as drawing programs write it."""
    prolog = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">\n'
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f"{prolog}<svg {spaces} {size}>{inside}</svg>".encode()


def packed(side: int, pixels: bytes, *, more: tuple[tuple[bytes, bytes], ...] = ()) -> bytes:
    """Return a square RGBA PNG with these pixels and additional chunks."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(pixels)), *more, (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*each) for each in chunks)


def moving(second: bytes) -> bytes:
    """Return a PNG of one pixel that is animated."""
    control = struct.pack(">IIIIIHHBB", 0, 1, 1, 0, 0, 1, 10, 0, 0)
    more = ((b"acTL", struct.pack(">II", 1, 0)), (b"fcTL", control), (b"fdAT", b"\0\0\0\1" + zlib.compress(second)))
    return packed(1, bytes(5), more=more)


def pdf(inside: bytes = b"/Type /Catalog", stream: bytes = b"", described: bytes = b"") -> bytes:
    """Return a PDF with something in its catalogue, and a stream that may be packed."""
    body = b"2 0 obj\n<< " + described + b" >>\nstream\n" + stream + b"\nendstream\nendobj\n" if described else b""
    return b"%PDF-1.7\n1 0 obj\n<< " + inside + b" >>\nendobj\n" + body + b"startxref\n9\n%%EOF\n"


def package(*members: tuple[str, bytes]) -> bytes:
    """Return a ZIP file."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members:
            made.writestr(name, content)
    return written.getvalue()


def ods(*members: tuple[str, bytes], content: bytes = b"<office/>") -> bytes:
    """Return a spreadsheet of an office program, with additional parts."""
    kind = b"application/vnd.oasis.opendocument.spreadsheet"
    return package(("mimetype", kind), ("content.xml", content), *members)


def docx(*members: tuple[str, bytes], types: bytes = b"") -> bytes:
    """Return a document of an office program, with additional parts."""
    kind = b"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    return package(("[Content_Types].xml", kind + types), ("word/document.xml", b"<w/>"), *members)


def relation(kind: str, target: str) -> tuple[str, bytes]:
    """Return a part of a document that points outside of it."""
    said = f'<Relationship Id="r1" Type="http://x.org/relationships/{kind}" Target="{target}" TargetMode="External"/>'
    return "word/_rels/document.xml.rels", said.encode()


FILTER = '<filter id="f"><feMorphology operator="dilate" radius="300"/></filter><rect filter="url(#f)"/>'


FIT: Mapping[str, tuple[bytes, str, tuple[int, int]]] = {
    "Die Ku\u0308ste.png": (png(), "image/png", SIDES),
    "photo.JPG": (jpeg(), "image/jpeg", SIDES[::-1]),
    "scans.jpeg": (jpeg(progressive=True), "image/jpeg", SIDES[::-1]),
    "map.svg": (svg(), "image/png", (80, 60)),
    "inkscape.svg": (svg(size='width="21cm" height="10.5cm" viewBox="0 0 210 105"'), "image/png", (794, 397)),
    "boxed.svg": (svg(size='width="100%" height="100%" viewBox="0 0 2400 1200"'), "image/png", (1200, 600)),
    "shaded.svg": (
        svg('<style>rect{fill:red}</style><linearGradient id="a"/><linearGradient xlink:href="#a"/>'),
        "image/png",
        (80, 60),
    ),
    "moving.png": (moving(bytes(5)), "image/png", (1, 1)),
    "labels.svg": (svg('<text style="filter:none">filter: a word</text>'), "image/png", (80, 60)),
    "rules.pdf": (pdf(), "application/pdf", (0, 0)),
    "packed.pdf": (
        pdf(stream=zlib.compress(b"/Type /Page"), described=b"/Type /ObjStm /Filter /FlateDecode"),
        "application/pdf",
        (0, 0),
    ),
    "letter.docx": (
        docx(relation("hyperlink", "https://example.org/")),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        (0, 0),
    ),
    "notes.md": ("# Größe".encode(), "text/markdown", (0, 0)),
    "armies.ods": (
        ods(("Object 1/content.xml", b"<chart/>")),
        "application/vnd.oasis.opendocument.spreadsheet",
        (0, 0),
    ),
}
"""Files that can be sent: content, media type, and the size at which they are shown."""

UNFIT: Mapping[str, tuple[bytes, str]] = {
    "empty.png": (b"", "it is empty"),
    "jpeg.png": (jpeg(), "it is a .jpg file: name it so"),
    "page.png": (b"<html>", "it is no such picture: save it as PNG or JPEG"),
    "cut.png": (png()[:-60], "it is cut off"),
    "cut.jpg": (jpeg()[:-200], "it is cut off"),
    "noise.png": (png()[:60] + b"\x00" * 40 + png()[100:], "it is"),
    "bomb.png": (packed(50_000, b""), "it is 50000 by 50000; each side may have 1 to 4000 pixels"),
    "great.pdf": (b"%PDF-" + b"x" * MAX_ATTACHMENT_BYTES, "it has 2.1 MB; a file may have 2 MB: make it smaller"),
    "swollen.png": (packed(1, bytes(1_000_000)), "it holds more than the pixels of its picture"),
    "frames.png": (moving(bytes(1_000_000)), "it holds more than the pixels of its picture"),
    "few.png": (packed(100, bytes(5)), "it is cut off"),
    "cut.pdf": (pdf()[:40], "it is cut off"),
    "script.pdf": (pdf(b"/OpenAction << /S /JavaScript /JS (app.alert(1)) >>"), "a form or another file (/JavaScript)"),
    "escaped.pdf": (pdf(b"/S /J#61vaScript"), "a form or another file (/JavaScript)"),
    "launch.pdf": (pdf(b"/S /Launch /F (calc)"), "(/Launch): print it to a new PDF"),
    "carrier.pdf": (pdf(b"/Names << /EmbeddedFiles 3 0 R >>"), "(/EmbeddedFiles)"),
    "locked.pdf": (pdf(b"/Encrypt 4 0 R"), "it is locked, so that it cannot be checked"),
    "deep.pdf": (
        pdf(stream=zlib.compress(b"/S /JavaScript"), described=b"/Type /ObjStm /Filter /FlateDecode"),
        "a form or another file (/JavaScript)",
    ),
    "odd.pdf": (
        pdf(stream=b"<~9jqo^~>", described=b"/Type /Obj#53tm /Filter /ASCII85Decode"),
        "it is packed in a way that cannot be checked",
    ),
    "swollen.pdf": (
        pdf(stream=zlib.compress(bytes(65_000_000)), described=b"/Length 9"),
        "it unpacks to more than 64 MB",
    ),
    "only.ods": (b"PK\x03\x04...", "it is damaged, or packed in a way that cannot be checked"),
    "text.ods": (docx(), "it is not what its name says: no .ods file has such parts"),
    "macro.ods": (ods(("Basic/Standard/script.xml", b"<x/>")), "(Basic/Standard/script.xml): save it without"),
    "object.ods": (ods(("Object 1", b"\xd0\xcf\x11")), "(Object 1): save it without"),
    "called.ods": (ods(content=b'<a href="vnd.sun.star.script:x"/>'), "it holds a program, another file or a link"),
    "swollen.ods": (ods(("big.xml", bytes(65_000_000))), "it unpacks to more than 64 MB"),
    "many.ods": (ods(*((f"{number}.xml", b"") for number in range(1_000))), "it consists of 1002 files"),
    "climbing.docx": (docx(("../x", b"")), "one lies outside of it"),
    "macro.docx": (docx(("word/vbaProject.bin", b"x")), "(word/vbaProject.bin): save it without"),
    "named.docx": (docx(types=b"application/vnd.ms-word.document.macroEnabled.main+xml"), "it holds a program"),
    "template.docx": (docx(relation("attachedTemplate", "https://example.org/x.dotm")), "or a link to one"),
    "filter.svg": (svg(FILTER), "what is at <filter> cannot be painted"),
    "blur.svg": (svg('<rect style="fill:red; filter : blur(9px)"/>'), "what is at <rect> cannot be painted"),
    "blurred.svg": (svg('<rect filter="blur(300px)"/>'), "what is at <rect> cannot be painted"),
    "styled.svg": (svg("<style>rect{filter:blur(9px)}</style>"), "what is at <style> cannot be painted"),
    "script.svg": (svg("<script>alert(1)</script>"), "what is at <script> cannot be painted"),
    "file.svg": (svg('<image href="/etc/passwd"/>'), "what is at <image> cannot be painted"),
    "copies.svg": (svg('<use xlink:href="#a"/>'), "what is at <use> cannot be painted"),
    "outside.svg": (svg('<rect xlink:href="http://x.org"/>'), "what is at <rect> cannot be painted"),
    "laughs.svg": (b'<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', "it has a document type"),
    "html.svg": (b"<html/>", "it is no SVG"),
    "endless.svg": (svg(size=""), "it does not say how large it is"),
    "game.exe": (b"MZ", "files that can be sent end in .png, .jpg,"),
    "page.html": (b"<html>", "files that can be sent end in"),
    "latin.md": ("Größe".encode("latin-1"), "it is no text in UTF-8"),
    "no.docx": (b"PDF", "no .docx file begins like that"),
    "a:b.png": (png(), "a name with a colon cannot be written in a ruling"),
    f"{'x' * 80}.png": (png(), "its name has 84 characters; 80 are the most"),
}
"""Files that cannot be sent, and why."""


@pytest.fixture(scope="module")
def examined() -> Mapping[str, CheckedAttachment]:
    """Return the results for all files, checked together."""
    return check_attachments(
        [*((name, each[0]) for name, each in FIT.items()), *((name, each[0]) for name, each in UNFIT.items())]
    )


@pytest.mark.parametrize("name", FIT)
def test_what_is_what_it_says_can_be_sent(examined: Mapping[str, CheckedAttachment], name: str) -> None:
    """A fit file has its name in composed letters, and the size at which it is shown."""
    found = examined[name.replace("u\u0308", "ü")].enclosure

    assert found is not None
    assert (found.kind, (found.width, found.height)) == FIT[name][1:]


@pytest.mark.parametrize("name", UNFIT)
def test_what_is_not_is_refused_with_a_reason(examined: Mapping[str, CheckedAttachment], name: str) -> None:
    """A file that cannot be shown or opened safely is refused with a reason; nothing raises."""
    assert examined[name].enclosure is None
    assert UNFIT[name][1] in examined[name].fault


@pytest.mark.parametrize("name", ["Die Küste.png", "photo.JPG", "scans.jpeg"])
def test_a_picture_keeps_its_pixels_and_loses_its_story(examined: Mapping[str, CheckedAttachment], name: str) -> None:
    """Metadata and trailing bytes are removed; pixels and orientation are kept."""
    raw, content = FIT[name.replace("ü", "u\u0308")][0], examined[name].content

    assert b"Bob" in raw
    assert b"Bob" not in content
    assert b"hidden" not in content
    with Image.open(io.BytesIO(raw)) as before, Image.open(io.BytesIO(content)) as after:
        assert after.tobytes() == before.tobytes()
        assert dict(after.getexif()) == ({} if name.endswith("png") else {0x0112: 6})


def test_letters_of_an_svg_are_painted_in_the_font_there_is() -> None:
    """Text is painted in the bundled font, whichever font the SVG names."""
    text = '<text x="5" y="30" font-size="20" {}>Hello</text>'
    named = ['font-family="Arial"', "style=\"fill:black;font-family:'Times New Roman',serif\"", "font-family='Foo'", ""]
    found = check_attachments((f"{number}.svg", svg(text.format(each))) for number, each in enumerate(named))

    assert len({each.content for each in found.values()}) == 1
    with Image.open(io.BytesIO(found["0.svg"].content)) as painted:
        assert painted.size == (160, 120)
        assert painted.getchannel("A").getbbox() is not None


def test_two_files_of_one_name_are_told_apart_by_nobody() -> None:
    """Two contents of one name are refused; the same content twice is accepted."""
    twice = check_attachments([("a.md", b"one"), ("a.md", b"two"), ("b.md", b"one"), ("folder/b.md", b"one")])

    assert twice["a.md"].fault == "there are two files of this name"
    assert twice["b.md"].enclosure is not None
    assert check_attachments([("map.png", png()), ("map.png", png())])["map.png"].enclosure is not None


LAYERS = svg("<g opacity='.9'>" * 60 + '<rect width="9000" height="9000"/>' + "</g>" * 60, 'width="9000" height="9000"')
"""A picture of few bytes whose layers exceed the memory limit."""

MANY = svg("<g opacity='.9'><rect width='9000' height='9000'/></g>" * 900, 'width="9000" height="9000"')
"""A picture that takes long."""


def test_a_file_beyond_the_limits_is_told_apart_from_those_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files before one that exceeds the limits are accepted; those after it are said to be unchecked."""
    found = check_attachments([("a.md", b"one"), ("b.svg", LAYERS), ("c.md", b"two")])

    assert found["a.md"].enclosure is not None
    assert "or takes too much memory: make it simpler" in found["b.svg"].fault
    assert found["c.md"].fault == "it was not examined, because that ended at b.svg"


def test_many_pictures_have_more_time_than_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit of time grows with the number of files, so that it does not end a ruling with many small ones."""
    monkeypatch.setattr("pbem.report.attachments.SECONDS", 1)
    chart = svg('<rect width="1200" height="900" fill="navy"/>', 'width="1200" height="900"')
    found = check_attachments((f"{number}.svg", chart) for number in range(8))

    assert {each.fault for each in found.values()} == {""}


@pytest.mark.parametrize("limit", ["processor", "clock"])
def test_time_is_limited_for_all_files_together(monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    """Processor time and wall-clock time are limited for all files together."""
    if limit == "processor":
        monkeypatch.setattr("pbem.report.attachments.SECONDS", 1)
        monkeypatch.setattr("pbem.report.attachments.SECONDS_EACH", 0)
    else:
        monkeypatch.setattr("pbem.report.attachments._COMMAND", (COMMAND[0], "-c", "import time; time.sleep(9999)"))
        monkeypatch.setattr("pbem.report.attachments.PATIENCE", 0.01)
    found = check_attachments([("a.svg", MANY), ("b.md", b"two")])

    assert "took too long" in found["a.svg"].fault
    assert found["b.md"].fault == "it was not examined, because that ended at a.svg"


def test_the_number_and_size_of_all_files_are_limited() -> None:
    """Too many files, or too large ones together, are refused unchecked."""
    many = check_attachments((f"{number}.md", b"x") for number in range(MOST_FILES + 1))
    great = check_attachments((f"{number}.md", bytes(MAX_ATTACHMENT_BYTES)) for number in range(9))

    assert {each.fault for each in many.values()} == {"61 files came with this ruling; 60 are the most"}
    assert {each.fault for each in great.values()} == {
        "the files of this ruling have 18 MB together; 16 MB are the most"
    }
