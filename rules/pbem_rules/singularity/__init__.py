"""Singularity, by Mark Steere: connect your stones around the black one, or form a Y."""

from pbem_rules.singularity.ruleset import Singularity

RULESET = Singularity()

__all__ = ["RULESET", "Singularity"]
