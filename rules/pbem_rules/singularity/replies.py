"""A seat's kept replies, and how orders change them: for resolving turns and for receipts alike (ruling 7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbem.ruleset import Order
from pbem_rules.singularity.orders import Forget, If
from pbem_rules.singularity.state import Reply

MAX_KEPT = 500
"""Replies a seat may keep at one time."""


def reply_of(order: If) -> Reply:
    """What an order asks to be kept."""
    return Reply(order.when, order.reply, order.after)


def changed(kept: Iterable[Reply], order: Order) -> list[Reply]:
    """What is kept after an order: FORGET drops, IF comes last in place of its like; other orders change nothing."""
    if isinstance(order, Forget):
        return [] if order.when is None else [reply for reply in kept if reply.when != order.when]
    if isinstance(order, If):
        new = reply_of(order)
        others = [reply for reply in kept if not alike(reply, new)]
        return [*others, new] if len(others) < MAX_KEPT else others
    return list(kept)


def following(kept: Sequence[Reply], cell: str) -> list[Reply]:
    """The replies that go on from a stone on a cell: those that wait for it, for the stones of these, and so on."""
    reached = {cell}
    while True:
        found = [reply for reply in kept if reply.after in reached]
        if reached.issuperset(reply.reply for reply in found):
            return found
        reached |= {reply.reply for reply in found}


def alike(one: Reply, other: Reply) -> bool:
    """Whether two replies answer the same cell and wait for the same stone, so that only one of them can be kept."""
    return (one.when, one.after) == (other.when, other.after)
