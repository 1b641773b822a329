"""A game's rulebook as players read it: the ruleset's text, with the order reference made from its declarations."""

from __future__ import annotations

from pbem.ruleset import AnyRuleset

ORDERS = "{{ORDERS}}"
"""Stands in a rulebook where the order reference goes."""


def rulebook(ruleset: AnyRuleset) -> str:
    """The rulebook in Markdown."""
    return ruleset.rulebook.replace(ORDERS, ruleset.orders.reference())
