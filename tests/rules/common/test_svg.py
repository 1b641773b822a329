"""Tests of SVG as text: escaping, attributes and the document element."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from pbem.ruleset import FONT
from pbem_rules.common import svg


def test_text_cannot_break_out_of_its_element() -> None:
    """A name with markup in it is drawn as the characters that were typed."""
    drawn = svg.text(1, 2, '</text><script>&"')

    assert ET.fromstring(drawn).text == '</text><script>&"'


def test_attributes_are_escaped_and_dashed() -> None:
    """Underscores become dashes, a trailing one is dropped, None leaves an attribute out."""
    drawn = svg.element("g", stroke_width=2, class_='a"<b', fill=None)

    assert drawn == '<g stroke-width="2" class="a&quot;&lt;b"/>'


@pytest.mark.parametrize("bad", ["\x00", "\x1b", "\ud800", "\uffff"])
def test_characters_that_xml_forbids_are_replaced(bad: str) -> None:
    """No typed character makes a picture that is not well-formed."""
    assert ET.fromstring(svg.text(0, 0, f"a{bad}b")).text == "a?b"


@pytest.mark.parametrize(("value", "shown"), [(3, "3"), (2.0, "2"), (0.25, "0.2"), (-0.04, "0"), (-1.55, "-1.6")])
def test_numbers_are_short(value: float, shown: str) -> None:
    """A coordinate has one decimal at most, and no minus before zero."""
    assert svg.number(value) == shown


def test_a_document_names_its_size_font_and_title() -> None:
    """A document has its size, its font, and a title for screen readers."""
    root = ET.fromstring(svg.document(40, 30, svg.circle(5, 5, 2), "Map of <red>"))

    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("40", "30", "0 0 40 30")
    assert root.get("font-family") == FONT
    assert root[0].text == "Map of <red>"


def test_shapes_take_points_as_pairs_or_as_text() -> None:
    """Points may be pairs of numbers or what `hexes.corners` returns."""
    assert svg.polygon([(0, 0), (1.5, 2)]) == '<polygon points="0,0 1.5,2"/>'
    assert svg.polyline("0,0 3,4", fill="none") == '<polyline points="0,0 3,4" fill="none"/>'


def test_an_empty_group_is_nothing() -> None:
    """A group without content is left out."""
    assert svg.group("", fill="red") == ""
    assert svg.group(svg.line(0, 0, 1, 1), fill="red") == '<g fill="red"><line x1="0" y1="0" x2="1" y2="1"/></g>'
