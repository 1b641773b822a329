"""Pictures for a page, with areas that can be tapped."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from pbem.report.pictures import check_svg
from pbem.ruleset import Background, Drawing, Picture, TapTarget, box, interactive_svg

SEA = Drawing(Background('<rect width="40" height="30"/>', 40, 30), ())
SPOT = TapTarget(("R101", "3,-2"), 'R101 & "Kite"', box(2, 3, 10, 20))


def test_spots_stand_above_a_live_picture() -> None:
    """Tap targets are the last group of a picture, with names for clients, a title to be read out, and corners."""
    *_, group = ET.fromstring(interactive_svg(SEA.picture("sea", "The sea", [SPOT])))

    (polygon,) = group
    assert group.attrib == {"class": "spots", "fill": "none", "pointer-events": "all"}
    assert polygon.attrib == {
        "data-names": "R101|3,-2",
        "tabindex": "0",
        "role": "button",
        "aria-label": 'R101 & "Kite"',
        "points": "2,3 12,3 12,23 2,23",
    }


def test_a_picture_is_painted_without_its_spots() -> None:
    """A picture mailed as PNG has no tap targets."""
    with_spots, without = SEA.picture("sea", "The sea", [SPOT]), SEA.picture("sea", "The sea")

    assert with_spots.svg == without.svg == interactive_svg(without)


def test_a_live_picture_is_as_sound_as_the_picture() -> None:
    """The picture is well-formed and has no links, whatever names and titles contain."""
    spot = TapTarget(("<script>", "a'b"), '"><a href="x">', box(0, 0, 1, 1))
    picture = SEA.picture("sea", "The sea", [spot])

    check_svg(Picture("sea", "The sea", interactive_svg(picture), 40, 30))


def test_a_picture_without_a_view_box_gets_that_of_its_size() -> None:
    """Pages move and zoom a picture by its viewBox; one that it has stays."""
    plain = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect/></svg>'

    made = ET.fromstring(Picture("sea", "The sea", plain, 40, 30).svg)
    kept = ET.fromstring(Picture("sea", "The sea", plain.replace("width", 'viewBox="0 0 4 3" width', 1), 40, 30).svg)

    assert made.attrib["viewBox"] == "0 0 40 30"
    assert kept.attrib["viewBox"] == "0 0 4 3"
