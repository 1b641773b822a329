"""Kept replies of a seat, and their changes by orders, both for resolving turns and for receipts (ruling 7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbem.ruleset import Order
from pbem_rules.singularity.orders import Forget, If
from pbem_rules.singularity.state import Reply

MAX_KEPT = 500
"""Replies a seat may keep at one time."""


def reply_of(order: If) -> Reply:
    """Return the reply that an order asks to be kept."""
    return Reply(order.when, order.reply, order.after)


def changed(kept: Iterable[Reply], order: Order) -> list[Reply]:
    """Return the replies kept after an order.

    FORGET drops replies, IF comes last and replaces its like, other orders change nothing.
    """
    if isinstance(order, Forget):
        return [] if order.when is None else [reply for reply in kept if reply.when != order.when]
    if isinstance(order, If):
        new = reply_of(order)
        others = [reply for reply in kept if not alike(reply, new)]
        # A player may keep up to MAX_KEPT (ruling 7).
        return [*others, new] if len(others) < MAX_KEPT else others
    return list(kept)


def following(kept: Sequence[Reply], cell: str) -> list[Reply]:
    """Return the replies that go on from a stone on a cell: those waiting for it, for their stones, and so on."""
    reached = {cell}
    while True:
        found = [reply for reply in kept if reply.after in reached]
        if reached.issuperset(reply.reply for reply in found):
            return found
        reached |= {reply.reply for reply in found}


def alike(one: Reply, other: Reply) -> bool:
    """Return True if only one of two replies can be kept: they answer the same cell and wait for the same stone."""
    return (one.when, one.after) == (other.when, other.after)
