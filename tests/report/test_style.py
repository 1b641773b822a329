"""Styles of mails: colours that can be read, on light and on dark ground."""

from __future__ import annotations

import re
from itertools import product

import pytest

from pbem.report.style import CSS, DARK, TOKENS

TEXTS = ("text", "quiet", "link", "good", "bad", "due")
GROUNDS = ("ground", "raised")


def luminance(colour: str) -> float:
    """Return the relative luminance of "#rrggbb" (WCAG 2.2)."""
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize(("text", "ground"), list(product(TEXTS, GROUNDS)))
def test_text_stands_out_from_its_ground(text: str, ground: str) -> None:
    """Each colour of text has a contrast of 4.5 to 1 at least, light and dark (WCAG 1.4.3)."""
    for scheme in ("light", "dark"):
        assert contrast(getattr(TOKENS[text], scheme), getattr(TOKENS[ground], scheme)) >= 4.5


def test_ground_and_text_have_colours_together() -> None:
    """A style that sets the ground sets the text too, so that no program shows grey on grey."""
    grounds = [style for style in CSS.values() if "background" in style]

    assert grounds
    assert [style for style in grounds if not re.search(r"(?<!-)color:", style)] == []


def test_the_style_sheet_is_small_and_of_one_piece() -> None:
    """Gmail drops a style sheet with one faulty rule whole: it has no comments, no variables, and no nested rules."""
    assert len(DARK) <= 1200
    assert not re.search(r"/\*|var\(|<", DARK)
    assert DARK.count("{") == DARK.count("}")
