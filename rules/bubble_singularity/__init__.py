"""Bubble Singularity, by Syanmil Izhharuddin: chain reactions of bubbles on cards with arrows."""

from rules.bubble_singularity.ruleset import BubbleSingularity

RULESET = BubbleSingularity()

__all__ = ["RULESET", "BubbleSingularity"]
