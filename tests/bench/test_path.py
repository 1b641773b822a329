"""Bounds of the ways of an order sheet through a tick and of a hold through a command."""

from __future__ import annotations

import re

import pytest

from bench.path import main

BOUNDS = {
    "modules": 76,
    "modules beyond those of an idle tick": 42,
    "functions": 778,
    "frames deep": 25,
    "statements of process_messages": 21,
    "modules of pbem hold": 35,
    "lines of pbem/inbox and pbem/mail": 17_209,
}
"""The most that a plain order sheet, and a hold, may enter. A figure that falls falls here too."""


@pytest.mark.in_turn
def test_no_more_is_entered_than_agreed(capsys: pytest.CaptureFixture[str]) -> None:
    """Each figure is within its bound, and what is entered has a name."""
    main(["--list"])

    rows = re.findall(r"^ *([\d,]+) (\w.*)$", capsys.readouterr().out, re.MULTILINE)
    found = {what: int(figure.replace(",", "")) for figure, what in rows}
    assert found.keys() == BOUNDS.keys()
    assert {what: figure for what, figure in found.items() if figure > BOUNDS[what]} == {}
