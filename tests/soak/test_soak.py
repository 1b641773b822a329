"""Every game is played for a long time through the whole program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rules import RULESETS

TURNS = 100
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("key", [ruleset.key for ruleset in RULESETS])
def test_nothing_players_send_breaks_a_campaign(key: str, tmp_path: Path) -> None:
    """Random legal sheets and garbage, a hundred turns under two hash seeds: no fault, all proved, all alike."""
    running = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "tests.soak.campaigns", key, str(TURNS), tmp_path / seed],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]

    printed = [process.communicate() for process in running]

    assert [process.returncode for process in running] == [0, 0], printed[0][1][-2_000:]
    assert printed[0][0] == printed[1][0]
    assert len(printed[0][0].split()) >= TURNS
