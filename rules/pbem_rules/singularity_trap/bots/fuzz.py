"""A bot that writes random lines of all kinds, for tests."""

from __future__ import annotations

from pbem.ruleset import Dice
from pbem_rules.singularity_trap.orders import BOOK, View

MOST_LINES = 15


def random_bot(view: View, dice: Dice) -> list[str]:
    """Return up to 15 random lines; it never resigns."""
    lines = (BOOK.invent(view, dice, "line", number) for number in range(dice.roll(MOST_LINES, "lines")))
    return [line for line in lines if not line.startswith("RESIGN")]
