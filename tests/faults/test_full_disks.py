"""The disk is full, or the database locked, from some point of a night's tick on; later there is room again."""

from __future__ import annotations

from tests.faults.local import LocalNight
from tests.faults.outcome import faults


def test_a_disk_full_from_any_commit_on(night: LocalNight) -> None:
    """The tick ends without a fault of the program, and the next ones do what it left undone."""
    assert faults(night.passed, "commit: after", night.after_full_disk, night.undisturbed) == {}


def test_a_disk_full_in_the_middle_of_any_file(night: LocalNight) -> None:
    """Half a file is never taken for a whole one, in the archive or among the mails sent."""
    assert faults(night.passed, "file: in the middle", night.after_full_disk, night.undisturbed) == {}


def test_a_database_locked_from_any_commit_on(night: LocalNight) -> None:
    """What cannot be written down is not done, or done again all the same when the lock is gone."""
    assert faults(night.passed, "commit: after", night.after_lock, night.undisturbed) == {}
