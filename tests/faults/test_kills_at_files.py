"""Test of kills before each change in the folders of a home, and in the middle of each file written."""

from __future__ import annotations

from tests.faults.local import LocalNight
from tests.faults.outcome import faults


def test_a_kill_at_any_file(night: LocalNight) -> None:
    """Inbox, sent mail and archive end as after an undisturbed night."""
    assert sum(name.startswith("file") for name in night.passed) > 70

    assert faults(night.passed, "file", night.after_kill, night.undisturbed) == {}
