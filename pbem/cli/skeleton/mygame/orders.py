"""The orders: each is declared once, and sheets, receipts, help and random lines for tests follow."""

from dataclasses import dataclass
from typing import Annotated

from pbem.ruleset import NameField, Order, OrderMark, OrderParser

NEAR = NameField("cave", "a cave within reach of your lantern", "3", lambda view: view["near"])


@dataclass(frozen=True, slots=True)
class Hide(Order):
    """Carry your lantern to another cave, before anyone looks."""

    usage = "HIDE IN cave"
    slot = "hide"
    mark = OrderMark("piece", at="cave", label="hide")
    cave: Annotated[str, NEAR]

    def words(self) -> str:
        """Return the order in words, for the receipt."""
        return f"hide the lantern in cave {self.cave}"


@dataclass(frozen=True, slots=True)
class Search(Order):
    """Look for the lanterns of the others in a cave, after all are hidden."""

    usage = "SEARCH cave"
    slot = "search"
    mark = OrderMark("piece", at="cave", label="look")
    cave: Annotated[str, NEAR]

    def words(self) -> str:
        """Return the order in words, for the receipt."""
        return f"search cave {self.cave}"


ORDERS = OrderParser((Hide, Search))
