"""Bots: each sees a view and writes the lines of a sheet, as a person does."""

from collections.abc import Mapping

from pbem.ruleset import Bot, Dice
from pbem_rules.singularity_trap.bots.standard import standard_bot
from pbem_rules.singularity_trap.orders import BOOK, View

MOST_LINES = 15


def random_bot(view: View, dice: Dice) -> list[str]:
    """Return up to 15 random lines; it never resigns."""
    lines = (BOOK.invent(view, dice, "line", number) for number in range(dice.roll(MOST_LINES, "lines")))
    return [line for line in lines if not line.startswith("RESIGN")]


BOTS: Mapping[str, Bot] = {"standard": standard_bot, "random": random_bot}
""" "standard" plays to win; "random" writes random lines, for tests."""

__all__ = ["BOTS", "random_bot", "standard_bot"]
