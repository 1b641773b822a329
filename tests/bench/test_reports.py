"""Test that the benchmark of reports measures each part of rendering one."""

from __future__ import annotations

from dataclasses import asdict

from bench.parts.reported import costs, played
from pbem.bots.match import seat_names
from pbem_rules.singularity import RULESET


def test_every_part_is_measured() -> None:
    """For a game with orders, a map and a form, each part takes time."""
    measured = asdict(costs(RULESET, played(RULESET, seat_names(RULESET, 2), 3), 1))
    assert measured.pop("whole") > 0
    assert min(measured.values()) >= 0
    assert measured["text"] > 0 < measured["html"]
