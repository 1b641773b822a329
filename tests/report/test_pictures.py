"""SVG to PNG: what is drawn, what is refused, and what a crash costs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.logbook import open_log
from pbem.report import pictures
from pbem.report.pictures import Painter, Studio, UnfitPicture, check
from pbem.ruleset import Picture
from tests.report.toy import svg

PNG = b"\x89PNG"
DEADLY = "<g>" * 100_000 + "</g>" * 100_000


@pytest.fixture
def studio() -> Iterator[Studio]:
    """A studio with one painter, so that all pictures go through the same process."""
    studio = Studio(painters=1)
    yield studio
    studio.close()


def picture(text: str, *, width: int = 120, height: int = 40) -> Picture:
    return Picture("map", "The map", text, width, height)


@pytest.mark.parametrize("weight", ["normal", "bold"])
def test_labels_are_drawn(studio: Studio, weight: str) -> None:
    """Text in the bundled family appears in the PNG, in both weights, without any font of the system."""
    text = svg("Beta 3").replace("<text", f'<text font-weight="{weight}"')

    labelled, bare = studio.draw([picture(text), picture(text.replace("Beta 3", ""))])

    assert labelled is not None
    assert bare is not None
    assert labelled.startswith(PNG)
    assert labelled != bare


def test_bold_is_another_face(studio: Studio) -> None:
    """Bold labels look different: the bold face is bundled too."""
    text = svg("Beta 3")

    plain, bold = studio.draw([picture(text), picture(text.replace("<text", '<text font-weight="bold"'))])

    assert plain != bold


def test_label_without_family_is_drawn(studio: Studio) -> None:
    """A label that names no family, or a generic one, gets the bundled font."""
    text = svg("Beta 3").replace(' font-family="DejaVu Sans"', "")

    first, generic, bare = studio.draw(
        [picture(text), picture(svg("Beta 3").replace("DejaVu Sans", "sans-serif")), picture(svg(""))]
    )

    assert first == generic
    assert first != bare


def test_crash_costs_one_picture(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a picture kills its worker process, the others are drawn all the same."""
    monkeypatch.setattr(pictures, "DEEPEST", 200_000)
    wanted = [picture(svg("one")), picture(svg("two", inside=DEADLY)), picture(svg("three"))]

    first, dead, last = studio.draw(wanted)

    assert first is not None
    assert dead is None
    assert last is not None


def test_broken_svg_costs_one_picture() -> None:
    """A renderer's error is no crash: the same process draws the next picture."""
    painter = Painter()

    broken, sound = painter.draw("<svg", 10, 10), painter.draw(svg("one"), 120, 40)
    painter.close()

    assert broken is None
    assert sound is not None


def test_slow_picture_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A picture that takes longer than the patience allows costs itself only."""
    painter = Painter()
    monkeypatch.setattr(pictures, "PATIENCE", 0)
    slow = painter.draw(svg("one"), 120, 40)
    monkeypatch.undo()

    sound = painter.draw(svg("one"), 120, 40)
    painter.close()

    assert slow is None
    assert sound is not None


def test_no_worker_at_all_costs_only_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where worker processes cannot be started, reports go out without pictures."""
    monkeypatch.setattr("sys.executable", "/nowhere/python")

    assert Studio(painters=1).draw([picture(svg("one"))]) == [None]


def test_png_is_the_same_in_two_runs() -> None:
    """Two studios, as in two runs of the program, draw the same bytes."""
    one, other = Studio(painters=1), Studio(painters=2)

    drawn, again = one.draw([picture(svg("Beta 3"))]), other.draw([picture(svg("Beta 3"))])
    one.close()
    other.close()

    assert drawn == again


def test_pictures_keep_their_places() -> None:
    """Of many pictures drawn side by side, each PNG comes back in the place of its SVG."""
    studio = Studio(painters=2)
    wanted = [picture(svg(f"number {count % 3}")) for count in range(7)]

    together, alone = studio.draw(wanted), [studio.draw([each])[0] for each in wanted]
    studio.close()

    assert together == alone
    assert len(set(together)) == 3


def test_same_svg_is_drawn_once(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was drawn before is taken from the cache: no worker is asked again."""
    first = studio.draw([picture(svg("one"))])
    studio.close()
    monkeypatch.setattr("sys.executable", "/nowhere/python")

    assert studio.draw([picture(svg("one"))]) == first


def test_cache_is_bounded(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache forgets the oldest pictures, and draws those again."""
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
    with pytest.raises(UnfitPicture):
        check(picture(svg("one", inside=inside)))


def test_document_type_is_refused() -> None:
    """A document type could define entities that grow without end."""
    with pytest.raises(UnfitPicture, match="document type"):
        check(picture('<!DOCTYPE svg [<!ENTITY a "b">]>' + svg("&a;")))


@pytest.mark.parametrize(("width", "height"), [(0, 10), (10, -1), (99_999, 99_999)])
def test_senseless_size_is_refused(width: int, height: int) -> None:
    """A picture too large to be drawn in reasonable memory is refused."""
    with pytest.raises(UnfitPicture, match="pixels"):
        check(picture(svg("one"), width=width, height=height))


def test_the_word_href_in_a_label_is_no_link() -> None:
    """A name that looks like markup, escaped as it must be, spoils nobody's picture."""
    check(picture(svg('href="x" &lt;image&gt;')))


def test_refused_picture_is_logged(studio: Studio, tmp_path: Path) -> None:
    """The house's log says which picture was not drawn and why; the studio goes on."""
    with open_log(tmp_path / "log"):
        assert studio.draw([picture("<svg")]) == [None]

    event = json.loads((tmp_path / "log").read_text())
    assert (event["level"], event["event"], event["picture"]) == ("warning", "picture not drawn", "map")
    assert event["reason"].startswith("it is not well-formed XML")
