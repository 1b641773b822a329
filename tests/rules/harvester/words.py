"""The views by which lines of `words.txt` are read."""

from __future__ import annotations

from pbem_rules.harvester import RULESET
from tests.rules.harvester.table import position, view
from tests.rules.wordlist import Reader

STATE = position(
    {
        "ann": {
            "G": (0, 0),
            "L1": (0, 0),
            "S1": (1, 0),
            "S2": (0, 0),
            "S3": (-1, 2),
            "C1": (0, 0),
            "C2": (2, -1),
            "C4": (-2, 0),
        }
    },
    resources={(3, -2): 2, (0, 3): 1},
    crags=[(0, -1)],
    held={"ann": 9},
)
VIEW = view(STATE, "ann")

READER = Reader(RULESET, {"": lambda: VIEW})
