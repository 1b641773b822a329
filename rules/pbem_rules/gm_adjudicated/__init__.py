"""The Umpire's Pen: any game at all, played by order sheets in free words and decided by its GM."""

from pbem_rules.gm_adjudicated.ruleset import GmAdjudicated

RULESET = GmAdjudicated()

__all__ = ["RULESET", "GmAdjudicated"]
