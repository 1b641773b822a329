"""Test that the benchmark of the start of commands runs them."""

from __future__ import annotations

import pytest

from bench.startup import IMPORTS, main


@pytest.mark.in_turn
def test_each_command_has_its_time_and_memory(capsys: pytest.CaptureFixture[str]) -> None:
    """Every command succeeds, and has its processor time, the ratio to the three imports and its memory."""
    main(["--runs", "1"])

    rows = [line.rsplit(maxsplit=3) for line in capsys.readouterr().out.splitlines()[1:]]
    assert [row[0] for row in rows][:3] == ["import click", IMPORTS, "pbem --help"]
    assert len(rows) == 9
    assert all(float(figure) > 0 for row in rows for figure in row[1:])
