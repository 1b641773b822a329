"""Test of kills before and after each commit to SQLite."""

from __future__ import annotations

from tests.faults.local import LocalNight
from tests.faults.outcome import faults


def test_a_kill_at_any_commit(night: LocalNight) -> None:
    """The ticks that follow end as an undisturbed night, and no mail is lost or astray."""
    assert sum(name.startswith("commit") for name in night.passed) > 30

    assert faults(night.passed, "commit", night.after_kill, night.undisturbed) == {}
