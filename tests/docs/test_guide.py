"""Tests that follow the guide: readers see what its pages show."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.guide import GUIDE, PAGES, read_page, rewritten
from tests.docs.reference import REFERENCE, reference

LONGEST = 1_900
"""Words that a page may have, with its outputs, to be read in one sitting."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_guide_is_true(name: str, tmp_path: Path) -> None:
    """Every block of a page can be pasted or mailed, and brings what the page shows; … is a part that differs."""
    page = (GUIDE / name).read_text()

    assert rewritten(page, read_page(name, tmp_path)) == page


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_the_guide_is_short(name: str) -> None:
    """A page can be read in one sitting."""
    assert len((GUIDE / name).read_text().split()) <= LONGEST


def test_the_reference_is_made_from_the_code() -> None:
    """The page of commands, house rules and statuses is the output of `python -m tests.docs.reference`."""
    assert REFERENCE.read_text() == reference()
