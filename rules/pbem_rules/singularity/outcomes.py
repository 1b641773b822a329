"""Outcomes of the orders of a turn, told from the view of the report on it alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.ruleset import NotDone, Order, View
from pbem_rules.common.negotiation import Draw, Resign
from pbem_rules.common.outcomes import clauses, draw_fate, refusals, refused, resign_fate
from pbem_rules.common.summary import events_of, listed
from pbem_rules.singularity.events import reason
from pbem_rules.singularity.orders import ORDERS, Forget, If, IfPlace, IfShort, Place, written
from pbem_rules.singularity.replies import changed, reply_of
from pbem_rules.singularity.state import Reply

Event = Mapping[str, Any]


_UNREACHED = ("the game ended", "The game ended")


def order_outcomes(view: View, orders: Sequence[Order]) -> list[str]:
    """Return a clause for each of the reader's orders."""
    whys = refusals(view, orders, ORDERS.line)
    return [_fate(_Line(view, order, orders[number + 1 :]), whys[number]) for number, order in enumerate(orders)]


@dataclass(frozen=True)
class _Line:
    """One of the reader's orders in a turn, with those below it, as the report tells of the turn."""

    view: View
    order: Any
    below: Sequence[Order]

    def stones(self, *, own: bool) -> list[Event]:
        """Return the stones that the reader, or else the opponent, placed in this turn, in order."""
        return [event for event in events_of(self.view, "placed") if (event["who"] == self.view["seat"]) == own]

    def tells(self, kind: str, reply: Reply) -> bool:
        """Return True if a kept reply is among those of a kind of events."""
        return any(written(reply) in event["lines"] for event in events_of(self.view, kind))


def _fate(line: _Line, why: str) -> str:
    if why:
        return refused(why)
    told = _TELLERS[type(line.order)](line)
    return NotDone(clauses(told)) if told.startswith(_UNREACHED) else clauses(told)


def _place(line: _Line) -> str:
    """Return the number of the stone, and what followed at once: an answer to it, or the end."""
    stone = next((stone for stone in line.stones(own=True) if stone["cell"] == line.order.cell), None)
    if stone is None:
        return "the game ended before it came to that." if line.view["over"] else ""
    number = stone["number"]
    answer = next((each for each in line.stones(own=False) if each["number"] == number + 1), None)
    if answer:
        return f"it was stone {number}; {answer['who']} answered on {answer['cell']} at once{_end(line, number + 1)}."
    return f"it was stone {number}{_end(line, number)}."


def _end(line: _Line, number: int) -> str:
    """Return how the game ended with a stone; "" if it did not."""
    view = line.view
    if not view["over"] or number < len(view["moves"]):
        return ""
    won = view["seat"] in view["result"]["winners"]
    return f", and you {reason(view['result']['how'])}" if won else f"; {view['result']['words']}"


def _reply(line: _Line) -> str:
    """Return what became of a reply, and why, as far as the board shows it."""
    reply = reply_of(line.order)
    overruled = "" if line.view["over"] else _overruled(line, reply)
    if overruled:
        return overruled
    if line.tells("answered", reply):
        return _played(line, reply)
    if line.tells("past", reply):
        return f"it lapsed{_instead(line, reply)}."
    if line.tells("lapsed", reply):
        return f"it was dropped, for {_blocked(line, reply)}."
    if line.view["over"]:
        return "the game ended without it."
    return "it is kept." if any(kept["line"] == written(reply) for kept in line.view["kept"]) else ""


def _overruled(line: _Line, reply: Reply) -> str:
    """Return which later line of the same sheet took a reply away; "" if none did."""
    kept = [reply]
    for order in line.below:
        kept = changed(kept, order)
        if reply not in kept:
            return f"{ORDERS.line(order)} below {'dropped it' if isinstance(order, Forget) else 'took its place'}."
    return ""


def _played(line: _Line, reply: Reply) -> str:
    number = next(stone["number"] for stone in line.stones(own=True) if stone["cell"] == reply.reply)
    return f"it was played: {reply.reply} is your stone {number}{_end(line, number)}."


def _instead(line: _Line, reply: Reply) -> str:
    """Return where the opponent's stones came, if none of them was the one a reply waited for."""
    cells = [stone["cell"] for stone in line.stones(own=False)]
    return "" if reply.when in cells else f": {line.stones(own=False)[0]['who']} played {listed(cells)}"


def _blocked(line: _Line, reply: Reply) -> str:
    """Return the stone that keeps a reply from being used."""
    stones = {stone["cell"]: stone for stone in line.view["moves"]}
    cell = next(cell for cell in (reply.when, reply.reply, reply.after) if cell in stones)
    return f"{stones[cell]['who']} has a stone on {cell}"


def _forget(line: _Line) -> str:
    number = len(line.view["kept"])
    if line.view["over"]:
        return ""
    return f"{number} {'reply is' if number == 1 else 'replies are'} kept now." if number else "none is kept now."


def _draw(line: _Line) -> str:
    result = line.view["result"]
    return draw_fate(line.view, line.order, agreed=bool(result) and "agreed" in result["how"])


def _resign(line: _Line) -> str:
    return resign_fate(line.view)


_TELLERS: Mapping[type[Order], Callable[[_Line], str]] = {
    Place: _place,
    If: _reply,
    IfPlace: _reply,
    IfShort: _reply,
    Forget: _forget,
    Draw: _draw,
    Resign: _resign,
}
