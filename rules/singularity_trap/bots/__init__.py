"""Bots: each sees a view and writes the lines of a sheet, as a person does."""

from rules.singularity_trap.bots.fuzz import random_bot
from rules.singularity_trap.bots.standard import standard_bot

__all__ = ["random_bot", "standard_bot"]
