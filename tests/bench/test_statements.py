"""The measurement of statements built once measures both ways."""

from __future__ import annotations

import pytest

from bench.statements import main


def test_each_query_has_a_time_for_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    """Every line names a query, with the time of the statement built once and of the one built each time."""
    main(["--times", "20"])

    rows = [line.rsplit(maxsplit=2) for line in capsys.readouterr().out.splitlines()[2:]]
    assert [name for name, *_ in rows] == ["two columns", "two aggregates", "a whole row"]
    assert all(int(time) > 0 for _, *times in rows for time in times)
