"""Bots: each sees a view and writes the lines of a sheet, as a person does."""

from collections.abc import Mapping

from pbem.ruleset import Bot
from pbem_rules.singularity_trap.bots.fuzz import random_bot
from pbem_rules.singularity_trap.bots.standard import standard_bot

BOTS: Mapping[str, Bot] = {"standard": standard_bot, "random": random_bot}
""" "standard" plays to win; "random" writes random lines, for tests."""

__all__ = ["BOTS", "random_bot", "standard_bot"]
