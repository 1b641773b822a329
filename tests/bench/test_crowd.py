"""Tests that the benchmark of one large campaign measures a night that was really done."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.crowd import ORDERS, crowd, night, start
from pbem.app import init_home, open_app
from pbem.config_values import FILE_NAME
from pbem_rules.harvester import RULESET

LEAST = 4
"""Seats of the smallest game."""


@pytest.mark.in_turn
def test_start_and_night_are_measured_apart() -> None:
    """Start and night are measured in processes of their own, each with its time and peak."""
    found = crowd(LEAST)

    assert set(found) == {"start", "night"}
    assert all(each.cpu > 0 and each.peak > 10 for each in found.values())


def test_a_night_without_letters_is_refused(tmp_path: Path) -> None:
    """A night without messages is refused."""
    (tmp_path / FILE_NAME).write_text(f'address = "{ORDERS}"\npictures = false\n')
    init_home(tmp_path, ORDERS)
    with open_app(tmp_path, {RULESET.key: RULESET}) as app:
        start(app, LEAST)
        with pytest.raises(RuntimeError, match=f"a night for {LEAST} seats did something else"):
            night(app, LEAST)
