"""The Singularity Trap, by Wayne Mathias."""

from pbem_rules.singularity_trap.ruleset import RULESET

__all__ = ["RULESET"]
