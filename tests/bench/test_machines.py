"""The bench of several machines compares what they made."""

from __future__ import annotations

from pathlib import Path

from bench.cores import crowd
from bench.machines import compared, settle


def test_both_ways_are_timed_and_give_the_same(postgres_url: str, tmp_path: Path) -> None:
    """A crowd's reports take some time with one worker and with two."""
    one, two = compared(settle(tmp_path, postgres_url, pictures=False), crowd(60), 1)

    assert min(one, two) > 0
