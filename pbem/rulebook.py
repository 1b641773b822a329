"""A game's rulebook, as the ruleset's package brings it, with the order reference made from its declarations."""

from __future__ import annotations

from importlib import resources

from pbem.ruleset import AnyRuleset

FILE = "rulebook.md"
ORDERS = "{{ORDERS}}"
"""Stands in a rulebook for the order reference."""


def rulebook(ruleset: AnyRuleset) -> str:
    """The rulebook in Markdown; the bare order reference for a game that brings none."""
    package = type(ruleset).__module__.rpartition(".")[0]
    file = resources.files(package) / FILE
    if not file.is_file():
        return f"# {ruleset.title}\n\nBy {ruleset.designer}: {ruleset.summary}.\n\n{ruleset.orders.reference()}\n"
    return file.read_text("utf-8").replace(ORDERS, ruleset.orders.reference())
