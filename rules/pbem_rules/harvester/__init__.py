"""Harvester, by curufea: machines harvest a dead world and conquer each other, thousands on one planet."""

from pbem_rules.harvester.ruleset import Harvester

RULESET = Harvester()

__all__ = ["RULESET", "Harvester"]
