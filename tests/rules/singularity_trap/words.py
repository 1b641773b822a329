"""The views by which lines of `words.txt` are read."""

from __future__ import annotations

from pbem.ruleset import View
from pbem_rules.singularity_trap import RULESET
from tests.rules.singularity_trap.builders import dark, ship, view, world
from tests.rules.wordlist import Reader


def mailed() -> View:
    """Return red's view of a fleet of all types, some damaged and one dark, with green ships beside it and an ally."""
    state = world(
        ship("R101", "J10"),
        ship("R102", "J10", "Scout"),
        ship("R103", "J10", "Terraformer"),
        ship("R104", "J13", weapons=0, drive=1, armor=1),
        dark("R105", "J13", "Basestar"),
        ship("R106", "J2+9"),
        ship("G101", "J13", "Scout"),
        ship("G102", "J13"),
        seats=("red", "green", "cyan", "blue"),
        owners={"J10+0": "red"},
        allies=[("red", "cyan")],
        planets_to_win=3,
    )
    return view(state, "red")


READER = Reader(RULESET, {"": mailed})
