"""The views by which lines of `words.txt` are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.ruleset import View
from pbem_rules.singularity import RULESET
from tests.rules.singularity.table import position, turn, view
from tests.rules.wordlist import Reader

MOVE = position("d4 e5 c8 g6")
VIEWS: Mapping[str, Callable[[], View]] = {
    "move": lambda: view(MOVE, "red"),
    "offered": lambda: view(turn(position("d4 e5 c8"), blue=["PLACE g6", "DRAW OFFER"])[0], "red"),
    "kept": lambda: view(
        turn(MOVE, red=["IF e4 THEN e6", "IF e7 THEN e9", "IF e8 THEN c4 AFTER e6"], blue=[])[0],
        "red",
    ),
    "waiting": lambda: view(position("d4 e5 c8"), "red"),
}

READER = Reader(RULESET, VIEWS)
