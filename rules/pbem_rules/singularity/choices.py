"""The words that a page offers for the next order, and what it asks for: the stone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.ruleset import Choice, Need, View
from pbem_rules.singularity.orders import FREE
from pbem_rules.singularity.replies import MAX_KEPT
from pbem_rules.singularity.sheet import leaves_room


def choices(view: View, words: tuple[str, ...]) -> Iterator[Choice]:
    """Yield the words that can follow the beginning of a stone or a reply; the forms of other orders do for them."""
    if view["over"]:
        return
    match words:
        case ():
            if view["awaited"]:
                yield Choice("PLACE")
            if leaves_room(view) and len(view["kept"]) < MAX_KEPT:
                # A branch for each pair of cells would be the board squared, so both are taken from one.
                yield Choice("IF", takes=2, says="their cell, then yours")
        case ("PLACE",) if view["awaited"]:
            yield from (Choice(cell, room="alone") for cell in FREE.samples(view))
        case ("IF",):
            # Replies may share cells with each other, but not with the stone of the same sheet.
            yield from (Choice(cell, room="shared") for cell in FREE.samples(view))


def agenda(view: View) -> Sequence[Need]:  # noqa: ARG001 - the contract gives the view
    """Return the stone, if the reader is on move."""
    return [Need("place", "PLACE", "Your stone", short="Stone", must=True)]
