"""Tests of SVG to PNG: drawing, refusals, and the effect of a crash."""

from __future__ import annotations

import io
import json
import os
import resource
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops

from pbem.app import init_home, open_app
from pbem.log import open_log
from pbem.report import painter, pictures
from pbem.report.pictures import PainterProcess, PictureError, PictureRenderer, check_svg, render_png
from pbem.ruleset import Background, Drawing, Label, Mark, Picture, Sprite, SpriteInstance, draw_line
from tests.report.toy import svg

PNG = b"\x89PNG"
DEADLY = "<g>" * 100_000 + "</g>" * 100_000


@pytest.fixture
def studio() -> Iterator[PictureRenderer]:
    """Yield a renderer with one painter, so that all pictures go through the same process."""
    studio = PictureRenderer()
    yield studio
    studio.close()


def picture(text: str, *, width: int = 120, height: int = 40) -> Picture:
    return Picture("map", "The map", text, width, height)


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_labels_are_drawn(studio: PictureRenderer, weight: str) -> None:
    """Text in the bundled family appears in the PNG, in both weights, without any system font."""
    text = svg("Beta 3").replace("<text", f'<text font-weight="{weight}"')

    labelled, bare = studio.draw([picture(text), picture(text.replace("Beta 3", ""))])

    assert labelled is not None
    assert bare is not None
    assert labelled.startswith(PNG)
    assert labelled != bare


def test_bold_is_another_face(studio: PictureRenderer) -> None:
    """Bold labels look different: the bold face is bundled too."""
    text = svg("Beta 3")

    plain, bold = studio.draw([picture(text), picture(text.replace("<text", '<text font-weight="bold"'))])

    assert plain != bold


def test_label_without_family_is_drawn(studio: PictureRenderer) -> None:
    """A label that names no family, or a generic one, gets the bundled font."""
    text = svg("Beta 3").replace(' font-family="DejaVu Sans"', "")

    first, generic, bare = studio.draw(
        [picture(text), picture(svg("Beta 3").replace("DejaVu Sans", "sans-serif")), picture(svg(""))]
    )

    assert first == generic
    assert first != bare


def test_crash_costs_one_picture(studio: PictureRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a picture kills its worker process, the others are drawn all the same."""
    monkeypatch.setattr(pictures, "DEEPEST", 200_000)
    wanted = [picture(svg("one")), picture(svg("two", inside=DEADLY)), picture(svg("three"))]

    first, dead, last = studio.draw(wanted)

    assert first is not None
    assert dead is None
    assert last is not None


def test_broken_svg_costs_one_picture() -> None:
    """An error of the SVG library is no crash: the same process draws the next picture."""
    painter = PainterProcess()

    broken, sound = painter.draw(picture("<svg")), painter.draw(picture(svg("one")))
    painter.close()

    assert broken is None
    assert sound is not None


def test_slow_picture_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture that exceeds the time limit is lost, and no other."""
    painter = PainterProcess()
    monkeypatch.setattr(pictures, "PATIENCE", 0)
    slow = painter.draw(picture(svg("one")))
    monkeypatch.undo()

    sound = painter.draw(picture(svg("one")))
    painter.close()

    assert slow is None
    assert sound is not None


def no_process() -> int:
    """Fail as `os.fork` does where no process can be started."""
    raise BlockingIOError


def test_no_worker_at_all_costs_only_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """If no worker process can be started, reports go out without pictures."""
    monkeypatch.setattr("os.fork", no_process)

    assert PictureRenderer().draw([picture(svg("one"))]) == [None]


def test_png_is_the_same_in_two_runs() -> None:
    """Two renderers, as in two runs of the program, draw the same bytes."""
    one, other = PictureRenderer(), PictureRenderer()

    drawn, again = one.draw([picture(svg("Beta 3"))]), other.draw([picture(svg("Beta 3"))])
    one.close()
    other.close()

    assert drawn == again


def test_pictures_keep_their_places() -> None:
    """Each PNG is returned at the place of its SVG."""
    studio = PictureRenderer()
    wanted = [picture(svg(f"number {count % 3}")) for count in range(7)]

    together, alone = studio.draw(wanted), [studio.draw([each])[0] for each in wanted]
    studio.close()

    assert together == alone
    assert len(set(together)) == 3


def test_same_svg_is_drawn_once(studio: PictureRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture that was drawn before is taken from the cache without a worker."""
    first = studio.draw([picture(svg("one"))])
    studio.close()
    monkeypatch.setattr("os.fork", no_process)

    assert studio.draw([picture(svg("one"))]) == first


def test_cache_is_bounded(studio: PictureRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache evicts the oldest pictures, and draws them again."""
    monkeypatch.setattr(pictures, "CACHED", 1)
    first = studio.draw([picture(svg("one"))])
    studio.draw([picture(svg("two"))])

    assert studio.draw([picture(svg("one"))]) == first


@pytest.mark.parametrize(
    "inside",
    [
        '<image href="/etc/hostname"/>',
        '<use xlink:href="#a" xmlns:xlink="http://www.w3.org/1999/xlink"/>',
        '<rect HREF="x"/>',
        "<script>1</script>",
        "<a>1</a>",
        "<style>@import url(x)</style>",
        "<g>" * 100 + "</g>" * 100,
        "<g>",
        "<?php?>",
    ],
)
def test_unfit_svg_is_refused(inside: str) -> None:
    """Links, scripts, style sheets, deep nesting and malformed XML never reach the renderer."""
    with pytest.raises(PictureError):
        check_svg(picture(svg("one", inside=inside)))


def test_document_type_is_refused() -> None:
    """A document type could define entities that grow without end."""
    with pytest.raises(PictureError, match="document type"):
        check_svg(picture('<!DOCTYPE svg [<!ENTITY a "b">]>' + svg("&a;")))


@pytest.mark.parametrize(("width", "height"), [(0, 10), (10, -1), (99_999, 99_999)])
def test_senseless_size_is_refused(width: int, height: int) -> None:
    """A picture too large to be drawn in reasonable memory is refused."""
    with pytest.raises(PictureError, match="pixels"):
        check_svg(picture(svg("one"), width=width, height=height))


def test_the_word_href_in_a_label_is_no_link() -> None:
    """An escaped name that looks like markup is no link."""
    check_svg(picture(svg('href="x" &lt;image&gt;')))


def test_refused_picture_is_logged(studio: PictureRenderer, tmp_path: Path) -> None:
    """The log says which picture was not drawn and why, and drawing continues."""
    with open_log(tmp_path / "log"):
        assert studio.draw([picture("<svg")]) == [None]

    event = json.loads((tmp_path / "log").read_text())
    assert (event["level"], event["event"], event["picture"]) == ("warning", "picture not drawn", "map")
    assert event["reason"].startswith("it is not well-formed XML")


MEADOW = Background('<rect width="120" height="40" fill="#cceecc"/>', 120, 40)
DISC = Sprite('<circle r="8" fill="#aa2200"/>', 16, 16)


def drawn(*marks: Mark, ground: Background = MEADOW) -> Picture:
    """Return a picture with marks on a meadow."""
    return Drawing(ground, marks).picture("map", "The map")


def pixels(png: bytes | None) -> Image.Image:
    """Return the image in a PNG."""
    assert png is not None
    return Image.open(io.BytesIO(png)).convert("RGB")


def test_a_drawing_is_its_ground_and_what_stands_on_it(studio: PictureRenderer) -> None:
    """Sprites are centred at their places, above earlier ones, in their own colours."""
    disc, over = (
        SpriteInstance(DISC, 30, 20),
        SpriteInstance(Sprite('<rect x="-2" y="-2" width="4" height="4" fill="#0033bb"/>', 4, 4), 30, 20),
    )

    (png,) = studio.draw([drawn(disc, over)])

    shown = pixels(png)
    places = [(80, 20), (24, 20), (30, 20)]
    assert [shown.getpixel(place) for place in places] == [(0xCC, 0xEE, 0xCC), (0xAA, 0x22, 0), (0, 0x33, 0xBB)]


def test_a_drawing_has_eight_bits_a_pixel(studio: PictureRenderer) -> None:
    """A drawing has a palette, which makes it small."""
    (png,) = studio.draw([drawn(SpriteInstance(DISC, 30, 20))])

    assert png is not None
    assert Image.open(io.BytesIO(png)).mode == "P"


@pytest.mark.parametrize(
    ("anchor", "columns"), [("start", range(60, 110)), ("middle", range(35, 85)), ("end", range(10, 61))]
)
def test_labels_stand_where_their_anchor_says(studio: PictureRenderer, anchor: Any, columns: range) -> None:
    """A label begins, is centred or ends at its place, and has no ink elsewhere."""
    bare, labelled = map(pixels, studio.draw([drawn(), drawn(Label(60, 28, "Beta 3", 14, "#000000", anchor))]))

    box = ImageChops.difference(bare, labelled).getbbox()

    assert box is not None
    left, top, right, bottom = box
    assert columns.start <= left < right <= columns.stop
    assert (top > 15, bottom <= 32) == (True, True)


def test_halo_keeps_letters_off_what_is_below(studio: PictureRenderer) -> None:
    """The letters of a label are surrounded by its halo."""
    (png,) = studio.draw([drawn(Label(60, 28, "I", 20, "#000000", "middle", halo="#ffffff"))])

    row = [pixels(png).getpixel((x, 20)) for x in range(50, 70)]
    assert [colour for colour in ((0, 0, 0), (255, 255, 255)) if colour in row] == [(0, 0, 0), (255, 255, 255)]


def test_a_drawing_and_its_svg_look_alike(studio: PictureRenderer) -> None:
    """The SVG of a drawing, painted whole, differs in the edges of its letters alone."""
    way = draw_line([(5, 35), (60, 5), (115, 35)], width=3, stroke="#0033bb", fill="none")
    picture = drawn(way, SpriteInstance(DISC, 30, 20), Label(60, 28, "Beta 3", 14, "#000000", "middle", bold=True))
    whole = Picture("map", "The map", picture.svg, picture.width, picture.height)

    ours, theirs = map(pixels, studio.draw([picture, whole]))

    apart = ImageChops.difference(ours, theirs).convert("L").histogram()
    assert sum(apart[60:]) < 0.03 * 120 * 40


def test_what_was_drawn_before_does_not_show() -> None:
    """A drawing has the same bytes from a fresh worker and from one that has drawn others, in any order."""
    wanted = [drawn(SpriteInstance(DISC, x, 20), Label(x, 20, f"at {x}", 11, "#112233")) for x in (20, 50, 90)]
    studio, other = PictureRenderer(), PictureRenderer()

    forth, back = studio.draw(wanted), other.draw(wanted[::-1])
    studio.close()
    other.close()

    assert forth == back[::-1]
    assert len(set(forth)) == 3


def test_a_new_worker_paints_the_ground_again() -> None:
    """A worker that is new, or has evicted a background, draws on it what was drawn before."""
    painter, wanted = PainterProcess(), drawn(SpriteInstance(DISC, 30, 20))
    first = painter.draw(wanted)
    for number in range(40):
        painter.draw(drawn(ground=MEADOW._replace(body=f'<rect width="{number}" height="9"/>')))
    after_many = painter.draw(wanted)
    painter.close()

    assert first is not None
    assert [after_many, painter.draw(wanted)] == [first, first]
    painter.close()


def kept(folder: Path) -> list[Path]:
    """Return the files of backgrounds in a folder."""
    return sorted(folder.iterdir()) if folder.is_dir() else []


def drawn_anew(folder: Path, wanted: Picture) -> bytes | None:
    """Return a picture drawn by a new worker that keeps backgrounds in a folder."""
    with closing(PainterProcess(folder)) as worker:
        return worker.draw(wanted)


def test_a_background_is_painted_once_for_all_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next worker takes the background from its file, and draws the same picture."""
    first = drawn_anew(tmp_path / "kept", drawn(SpriteInstance(DISC, 30, 20)))
    canvas, wanted = painter.Canvas(tmp_path / "kept"), drawn(SpriteInstance(DISC, 30, 20)).drawing
    painter._paint_sprite(DISC)
    monkeypatch.delattr(painter, "paint")

    assert wanted is not None
    assert canvas.draw(wanted) == first


def test_a_home_keeps_its_backgrounds(tmp_path: Path) -> None:
    """The application keeps them in a folder of the home."""
    init_home(tmp_path, "orders@example.org")
    with open_app(tmp_path, {}) as app:
        app.reporter.paint(drawn())

    assert len(kept(tmp_path / "backgrounds")) == 1


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "damage", ["gone", "empty", "zeros", "cut", "longer", "one bit", "another's", "a bomb", "a folder"]
)
def test_a_damaged_background_is_painted_again(tmp_path: Path, damage: str) -> None:
    """A file that was not written whole, or has changed, does not show, and is replaced."""
    first = drawn_anew(tmp_path, drawn())
    (file,) = kept(tmp_path)
    whole = file.read_bytes()
    file.unlink()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    contents = {"empty": b"", "zeros": bytes(4), "cut": whole[:-1], "longer": whole + b"x", "one bit": flipped}
    contents |= {"another's": zlib.compress(bytes(99)), "a bomb": zlib.compress(bytes(99_000_000))}
    if damage == "a folder":
        file.mkdir()
    elif damage != "gone":
        file.write_bytes(contents[damage])

    again = drawn_anew(tmp_path, drawn())

    assert again == first is not None
    assert damage == "a folder" or file.read_bytes() == whole


def test_a_full_disk_costs_no_picture(tmp_path: Path) -> None:
    """A background that can be written in part only is drawn all the same, now and by the next worker."""
    with closing(PainterProcess(tmp_path)) as worker:
        worker.draw(picture(svg("one")))  # starts it
        (process,) = active_children()
        assert process.pid
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (20, 20))
        first = worker.draw(drawn())
    (file,) = kept(tmp_path)
    short = file.stat().st_size

    assert short == 20
    assert drawn_anew(tmp_path, drawn()) == first is not None
    assert file.stat().st_size > short


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/pbem"])
def test_without_a_folder_pictures_are_drawn(tmp_path: Path, place: str) -> None:
    """A folder that cannot be made costs no picture."""
    (tmp_path / "file").write_text("in the way")

    assert drawn_anew(tmp_path / place, drawn()) == render_png(drawn()) is not None


def test_workers_share_a_folder(tmp_path: Path) -> None:
    """Two workers that paint the same backgrounds at once draw what one draws, and leave whole files."""
    wanted = [drawn(ground=MEADOW._replace(body=f'<circle r="{number}"/>')) for number in range(20)]
    with closing(PictureRenderer()) as alone:
        expected = alone.draw(wanted)
    with (
        closing(PictureRenderer(tmp_path)) as one,
        closing(PictureRenderer(tmp_path)) as other,
        ThreadPoolExecutor() as at_once,
    ):
        found = list(at_once.map(lambda worker: worker.draw(wanted), [one, other]))

    assert found == [expected, expected]
    assert len(kept(tmp_path)) == 20
    with closing(PictureRenderer(tmp_path)) as later:
        assert later.draw(wanted) == expected


def test_the_oldest_backgrounds_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than the limit are kept; other files in the folder stay."""
    monkeypatch.setattr(painter, "KEPT", 3)
    (tmp_path / "mine.txt").write_text("a GM's own")
    canvas = painter.Canvas(tmp_path)
    for number in range(5):
        before = kept(tmp_path)
        canvas.draw(Drawing(Background(f'<circle r="{number}"/>', 9, 9), ()))
        (new,) = set(kept(tmp_path)).difference(before)
        os.utime(new, (number, number))

    mine, left = tmp_path / "mine.txt", kept(tmp_path)
    left.remove(mine)
    assert all(file.name.endswith(f"-{painter.VERSION}.ground") for file in left)
    assert sorted(file.stat().st_mtime for file in left) == [2, 3, 4]


@pytest.mark.parametrize("broken", ["<g", '<g filter="url(#'])
def test_broken_pieces_cost_one_picture(studio: PictureRenderer, broken: str) -> None:
    """A drawing with a broken background or sprite is not drawn; the next one is."""
    wanted = [drawn(SpriteInstance(Sprite(broken, 8, 8), 9, 9)), drawn(ground=MEADOW._replace(body=broken)), drawn()]

    pngs = studio.draw(wanted)

    assert [png is None for png in pngs] == [True, True, False]


@pytest.mark.parametrize(
    "mark",
    [
        SpriteInstance(Sprite('<image href="/etc/hostname"/>', 8, 8), 9, 9),
        SpriteInstance(Sprite("</svg><!--", 8, 8), 9, 9),
        SpriteInstance(DISC._replace(width=9_999), 9, 9),
        SpriteInstance(DISC._replace(width=0), 9, 9),
        Label(9, 9, "x" * 1_000, 12, "#000000"),
        Label(9, 9, "x", 1_000, "#000000"),
    ],
)
def test_unfit_marks_are_refused(mark: Mark) -> None:
    """Each sprite is checked by itself, as it is painted by itself; labels are limited in size."""
    with pytest.raises(PictureError):
        check_svg(drawn(mark))


def test_comments_cannot_hide_a_link_from_the_check() -> None:
    """A link that is commented out in the whole SVG is found in its sprite."""
    marks = [
        SpriteInstance(Sprite(body, 8, 8), 9, 9) for body in ("<!--", '--><image href="/etc/hostname"/><!--', "-->")
    ]

    with pytest.raises(PictureError):
        check_svg(drawn(*marks))


def test_a_drawing_with_too_many_marks_is_refused() -> None:
    """A drawing with more marks than the limit is refused."""
    with pytest.raises(PictureError, match="marks"):
        check_svg(drawn(*[SpriteInstance(DISC, 9, 9)] * 20_001))


def test_names_in_labels_are_text(studio: PictureRenderer) -> None:
    """Markup and control characters in a label are drawn, and escaped in the SVG."""
    picture = drawn(Label(9, 20, "<b>&\x00\n", 12, "#000000"))

    check_svg(picture)
    assert studio.draw([picture]) != [None]
    assert "&lt;b&gt;&amp;?" in picture.svg
