"""Test that the benchmark of Harvester measures each part of a player's night."""

from __future__ import annotations

from dataclasses import astuple

from bench.harvester import crowd, night


def test_every_part_is_measured() -> None:
    """With some players, each part takes time."""
    assert min(astuple(night(20, 1))) > 0
    assert crowd(20, 1).total > 0
