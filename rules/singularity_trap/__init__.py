"""The Singularity Trap, by Wayne Mathias."""

from rules.singularity_trap.ruleset import RULESET

__all__ = ["RULESET"]
