"""Rules in Markdown, beside the module that plays by them."""

from __future__ import annotations

from functools import cached_property
from importlib import resources


class WithRulebook:
    """A game whose rules stand in `rulebook.md`, in the package of its class."""

    @cached_property
    def rulebook(self) -> str:
        """The rules in Markdown; where the order reference belongs stands {{ORDERS}}."""
        package = type(self).__module__.rpartition(".")[0]
        return resources.files(package).joinpath("rulebook.md").read_text(encoding="utf-8")
