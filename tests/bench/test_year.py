"""Test that the benchmark of a year's disk space finds the stored data."""

from __future__ import annotations

import pytest

from bench.year import year


@pytest.mark.in_turn
def test_a_year_is_reckoned_from_what_was_kept() -> None:
    """Texts of reports are in the database and in the archive, pictures in the archive alone; all take whole blocks."""
    found = year("singularity", 2, turns=4)

    assert 0 < found.parts["report.files"] < found.parts["turns/…/reports/*.png"] / 2
    assert found.parts["turns/…/reports/*.png"] > found.parts["turns/…/reports/*.txt"] > 0
    assert 0 < found.parts["outgoing.raw"] < found.parts["report.files"]
    assert found.archive > sum(size for name, size in found.parts.items() if name.startswith("turns/"))
    assert found.database > sum(size for name, size in found.parts.items() if not name.startswith("turns/"))
