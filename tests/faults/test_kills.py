"""A night's tick is killed, or finds the disk full or the database locked: the ticks that follow make all good."""

from __future__ import annotations

import pytest

from tests.faults.local import LocalNight, Night
from tests.faults.trap import fill_disk, lock_database
from tests.sampling import Sampler

POINTS = {
    "night": {"commit": 20, "file": 70},
    "life": {"commit": 40, "file: before .*/turns/": 10},
    "life_on_postgresql": {"commit": 40},
    "servers": {"commit": 8, "imap": 20, "smtp": 30},
}
"""Each night's kinds of points, and how many there are at the least."""

TAKEN = 1
"""Points of a kind in a usual run."""


@pytest.mark.parametrize(
    ("name", "kind", "least"), [(name, kind, least) for name, kinds in POINTS.items() for kind, least in kinds.items()]
)
def test_a_kill_at_any_point(
    request: pytest.FixtureRequest, sampler: Sampler, name: str, kind: str, least: int
) -> None:
    """Sheets and requests count once, turns run once, and every mail is out to its reader, the same bytes each time."""
    night: Night = request.getfixturevalue(name)
    points = night.points(kind)
    assert len(points) >= least

    assert night.faults(sampler.sample(points, TAKEN)) == {}


def test_a_disk_full_from_any_commit_on(night: LocalNight, sampler: Sampler) -> None:
    """The tick ends without a fault of the program, and the next ones do what it left undone."""
    assert night.faults(sampler.sample(night.points("commit: after"), TAKEN), fill_disk) == {}


def test_a_disk_full_in_the_middle_of_any_file(night: LocalNight, sampler: Sampler) -> None:
    """Half a file is never taken for a whole one, in the archive or among the mails sent."""
    assert night.faults(sampler.sample(night.points("file: in the middle"), TAKEN), fill_disk) == {}


def test_a_database_locked_from_any_commit_on(night: LocalNight, sampler: Sampler) -> None:
    """What cannot be written down is not done, or done again all the same when the lock is gone."""
    assert night.faults(sampler.sample(night.points("commit: after"), TAKEN), lock_database) == {}
