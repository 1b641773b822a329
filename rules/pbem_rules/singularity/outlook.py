"""Forecast of a receipt: what a sheet will do, as far as its player's report tells.

All but the opponent's kept replies is open, so the sheet is played on the board
that the view shows, with no reply of the opponent's. A note without an "if" comes
true whatever the opponent sends, but for a game that is over before any stone is
placed (ruling 15).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.ruleset import Finding, Order, TurnInput, View
from pbem_rules.common.negotiation import Draw
from pbem_rules.singularity.events import result_words
from pbem_rules.singularity.orders import Forget, If, Place, written
from pbem_rules.singularity.state import SEATS, Player, Reply, State, opponent
from pbem_rules.singularity.turn import resolve


def findings(view: View, orders: Sequence[Order]) -> Iterator[Finding]:
    """Yield the forecast for the accepted orders of a sheet, as notes on the whole of it."""
    if view["over"]:
        return
    after, _ = resolve(_table(view), TurnInput({view["seat"]: tuple(orders)}))
    stone = next((order.cell for order in orders if isinstance(order, Place)), None)
    other = opponent(view["seat"])
    if after.result is not None:
        condition = _condition(after, view, other)
        words = result_words(after.result.winners, after.result.how)
        yield _note("ends", f"this sheet ends the game{condition}: {words}")
        return
    if view["awaited"] and not stone:
        yield _note("missed", _missed(view, other))
    if stone and view["offer"] == other and not any(isinstance(order, Draw) for order in orders):
        yield _note("declines", f"your stone declines the draw that {other} offers")
    if any(isinstance(order, If | Forget) for order in orders) or (stone and view["kept"]):
        yield _note("keeps", _kept_replies(after, view["seat"], moved=stone is not None))


def _condition(after: State, view: View, other: str) -> str:
    """Return what the opponent must not do for the game to end as a sheet has it; "" if nothing else is asked."""
    assert after.result is not None
    if "resigned" in after.result.how:
        return f", if {other} does not resign too"
    if "agreed" in after.result.how:
        return f", if {other} does not resign"
    # An accepted draw comes before any stone of the turn (ruling 11).
    return f", if {other} does not accept your draw before" if view["offer"] == view["seat"] else ""


def _missed(view: View, other: str) -> str:
    """Return what becomes of a sheet without the stone awaited, if no other comes."""
    misses, limit = view["misses"][view["seat"]] + 1, view["forfeit_after"]
    if 0 < limit <= misses:
        return f"if you send no stone by the deadline, {other} wins: that is {misses} missed in a row"
    lose = f", and {limit} lose the game" if limit else ""
    return f"if you send no stone by the deadline, it counts as missed: {misses} in a row{lose}"


def _table(view: View) -> State:
    """Return the game as the view shows it, without the opponent's kept replies, in which no deadline counts."""
    kept = tuple(Reply(reply["when"], reply["reply"], reply["after"]) for reply in view["kept"])
    players = {seat: Player(kept if seat == view["seat"] else (), view["misses"][seat]) for seat in SEATS}
    return State(
        size=view["size"],
        # A missed deadline is told by `_missed`, with the true limit.
        forfeit_after=0,
        moves=tuple(stone["cell"] for stone in view["moves"]),
        players=players,
        offer=view["offer"],
    )


def _kept_replies(after: State, seat: str, *, moved: bool) -> str:
    """Return the replies that will be kept, and for which stone."""
    lines = [written(reply) for reply in after.players[seat].kept]
    other = opponent(seat)
    stone = f"{other}'s next stone" + (", which may come at once" if moved else "")
    if not lines:
        return f"no reply is kept for {stone}"
    return f"kept for {stone}: {'; '.join(lines[:20])}{'; and more' if lines[20:] else ''}"


def _note(code: str, text: str) -> Finding:
    return Finding(0, "note", code, text)
