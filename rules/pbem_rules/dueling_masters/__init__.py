"""Dueling Masters of Space-Time, by Stephen M. Cameron: find your opponent's home planet and destroy it."""

from pbem_rules.dueling_masters.ruleset import DuelingMasters

RULESET = DuelingMasters()

__all__ = ["RULESET", "DuelingMasters"]
