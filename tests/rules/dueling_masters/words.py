"""The views by which lines of `words.txt` are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from pbem.ruleset import View
from pbem_rules.dueling_masters import RULESET
from pbem_rules.dueling_masters.state import State
from tests.rules.dueling_masters.table import new_game, position, view
from tests.rules.wordlist import Reader


def playing() -> State:
    """Build a position with squares in reach of one piece or of several, and with a piece in transit."""
    one = "HOME B8, ASTEROID1 A7, ASTEROID2 C9, W C1, B A1, X1 A2, X2 E10, Y1 D6, Z1 E1, Z2 E1, Z3 E9, Z4 A10>F10"
    return position(one, "HOME I3, Z1 J1, X1 F6")


VIEWS: Mapping[str, Callable[[], View]] = {
    "set-up": lambda: view(new_game(), "one"),
    "play": lambda: view(playing(), "one"),
    "waiting": lambda: view(playing(), "two"),
    "offered": lambda: view(replace(playing(), offer="two"), "one"),
}

READER = Reader(RULESET, VIEWS)
