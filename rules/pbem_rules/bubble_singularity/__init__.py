"""Bubble Singularity, by Syanmil Izhharuddin: chain reactions of bubbles on cards with arrows."""

from pbem_rules.bubble_singularity.ruleset import BubbleSingularity

RULESET = BubbleSingularity()

__all__ = ["RULESET", "BubbleSingularity"]
