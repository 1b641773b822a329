"""Tests of a disk that is full, or a database that is locked, from some point of a night's tick on."""

from __future__ import annotations

from tests.faults.local import LocalNight
from tests.faults.outcome import faults


def test_a_disk_full_from_any_commit_on(night: LocalNight) -> None:
    """The tick ends without an error of the program, and the next ones complete its work."""
    assert faults(night.passed, "commit: after", night.after_full_disk, night.undisturbed) == {}


def test_a_disk_full_in_the_middle_of_any_file(night: LocalNight) -> None:
    """Half a file is never taken for a whole one, in the archive or among sent mails."""
    assert faults(night.passed, "file: in the middle", night.after_full_disk, night.undisturbed) == {}


def test_a_database_locked_from_any_commit_on(night: LocalNight) -> None:
    """Work that cannot be stored is not done, or is done again when the lock is gone."""
    assert faults(night.passed, "commit: after", night.after_lock, night.undisturbed) == {}
