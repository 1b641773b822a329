"""What a GM encloses is looked at before it is sent on: what it is, how large it is, and what must not be in it."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Mapping

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from pbem.report.examining import Examined, examine
from pbem.ruleset import LARGEST_ENCLOSURE

SIDES = (60, 40)


def drawn() -> Image.Image:
    """A picture with many colours."""
    return Image.effect_mandelbrot(SIDES, (-2, -1.5, 1, 1.5), 50).convert("RGB")


def png() -> bytes:
    """One that says who drew it."""
    written, said = io.BytesIO(), PngInfo()
    said.add_text("Author", "Bob Smith")
    drawn().save(written, "PNG", pnginfo=said)
    return written.getvalue() + b"hidden behind the end"


def jpeg(**options: object) -> bytes:
    """A photograph taken on its side, which says with what; and that in several scans if it is `progressive`."""
    written, exif = io.BytesIO(), Image.Exif()
    exif[0x0112], exif[0x010F] = 6, "Camera of Bob"
    drawn().save(written, "JPEG", exif=exif, comment=b"Bob Smith", **options)
    return written.getvalue() + b"hidden behind the end"


def svg(inside: str = '<rect width="80" height="60" fill="red"/>', size: str = 'width="80" height="60"') -> bytes:
    """An SVG as drawing programs write one."""
    prolog = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">\n'
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f"{prolog}<svg {spaces} {size}>{inside}</svg>".encode()


def bomb() -> bytes:
    """A PNG of few bytes that would take 10 GB to read."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 50_000, 50_000, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


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
    "rules.pdf": (b"%PDF-1.7 ...", "application/pdf", (0, 0)),
    "notes.md": ("# Größe".encode(), "text/markdown", (0, 0)),
    "armies.ods": (b"PK\x03\x04...", "application/vnd.oasis.opendocument.spreadsheet", (0, 0)),
}
"""What can be sent: what it is, and how large it is shown."""

UNFIT: Mapping[str, tuple[bytes, str]] = {
    "empty.png": (b"", "it is empty"),
    "jpeg.png": (jpeg(), "it is a .jpg file: name it so"),
    "page.png": (b"<html>", "it is no such picture: save it as PNG or JPEG"),
    "cut.png": (png()[:-60], "it is cut off"),
    "cut.jpg": (jpeg()[:-200], "it is cut off"),
    "noise.png": (png()[:60] + b"\x00" * 40 + png()[100:], "it is"),
    "bomb.png": (bomb(), "it is 50000 by 50000; each side may have 1 to 4000 pixels"),
    "great.pdf": (b"%PDF-" + b"x" * LARGEST_ENCLOSURE, "it has 2.1 MB; a file may have 2 MB: make it smaller"),
    "script.svg": (svg("<script>alert(1)</script>"), "what is at <script> cannot be painted"),
    "file.svg": (svg('<image href="/etc/passwd"/>'), "what is at <image> cannot be painted"),
    "copies.svg": (svg('<use xlink:href="#a"/>'), "what is at <use> cannot be painted"),
    "outside.svg": (svg('<rect xlink:href="http://x.org"/>'), "what is at <rect> cannot be painted"),
    "laughs.svg": (b'<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', "it has a document type"),
    "html.svg": (b"<html/>", "it is no SVG"),
    "endless.svg": (svg(size=""), "it does not say how large it is"),
    "letter.txt": (b"Dear Bob", "a .txt file is read as a part of the ruling: to send it to players, call it .md"),
    "game.exe": (b"MZ", "files that can be sent end in .png, .jpg,"),
    "page.html": (b"<html>", "files that can be sent end in"),
    "latin.md": ("Größe".encode("latin-1"), "it is no text in UTF-8"),
    "no.docx": (b"PDF", "no .docx file begins like that"),
    "a:b.png": (png(), "a name with a colon cannot be written in a ruling"),
    f"{'x' * 80}.png": (png(), "its name has 84 characters; 80 are the most"),
}
"""What cannot be sent, and why."""


@pytest.fixture(scope="module")
def examined() -> Mapping[str, Examined]:
    """All of it, looked at together."""
    return examine(
        [*((name, each[0]) for name, each in FIT.items()), *((name, each[0]) for name, each in UNFIT.items())]
    )


@pytest.mark.parametrize("name", FIT)
def test_what_is_what_it_says_can_be_sent(examined: Mapping[str, Examined], name: str) -> None:
    """By its name in composed letters, with the size at which it is shown."""
    found = examined[name.replace("u\u0308", "ü")].enclosure

    assert found is not None
    assert (found.kind, (found.width, found.height)) == FIT[name][1:]


@pytest.mark.parametrize("name", UNFIT)
def test_what_is_not_is_refused_with_a_reason(examined: Mapping[str, Examined], name: str) -> None:
    """Nothing else than what can be shown or opened safely is sent on; nothing raises."""
    assert examined[name].enclosure is None
    assert UNFIT[name][1] in examined[name].fault


@pytest.mark.parametrize("name", ["Die Küste.png", "photo.JPG", "scans.jpeg"])
def test_a_picture_keeps_its_pixels_and_loses_its_story(examined: Mapping[str, Examined], name: str) -> None:
    """What says by whom and with what it was made is gone, and what hangs behind it; which side is up is kept."""
    raw, content = FIT[name.replace("ü", "u\u0308")][0], examined[name].content

    assert b"Bob" in raw
    assert b"Bob" not in content
    assert b"hidden" not in content
    with Image.open(io.BytesIO(raw)) as before, Image.open(io.BytesIO(content)) as after:
        assert after.tobytes() == before.tobytes()
        assert dict(after.getexif()) == ({} if name.endswith("png") else {0x0112: 6})


def test_letters_of_an_svg_are_painted_in_the_font_there_is() -> None:
    """Whatever font it names: else they would be left out without a word."""
    text = '<text x="5" y="30" font-size="20" {}>Hello</text>'
    named = ['font-family="Arial"', "style=\"fill:black;font-family:'Times New Roman',serif\"", "font-family='Foo'", ""]
    found = examine((f"{number}.svg", svg(text.format(each))) for number, each in enumerate(named))

    assert len({each.content for each in found.values()}) == 1
    with Image.open(io.BytesIO(found["0.svg"].content)) as painted:
        assert painted.size == (160, 120)
        assert painted.getchannel("A").getbbox() is not None


def test_two_files_of_one_name_are_told_apart_by_nobody() -> None:
    """A name stands for one content; the same content twice is no matter."""
    twice = examine([("a.md", b"one"), ("a.md", b"two"), ("b.md", b"one"), ("folder/b.md", b"one")])

    assert twice["a.md"].fault == "there are two files of this name"
    assert twice["b.md"].enclosure is not None
