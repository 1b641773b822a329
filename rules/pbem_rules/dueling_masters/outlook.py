"""Notes of a receipt: what a sheet will do, as far as its player can know.

A note without an "if" comes true whatever the opponent sends, but for a game
that is over before any order is carried out (ruling 25).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.ruleset import Finding, Order, View
from pbem_rules.common.negotiation import Draw, Resign
from pbem_rules.dueling_masters.kinds import ASTEROID, WORDS
from pbem_rules.dueling_masters.moves import Fleet
from pbem_rules.dueling_masters.orders import Move, Setup
from pbem_rules.dueling_masters.state import opponent


def outlook(view: View, orders: Sequence[Order], *, complete: bool) -> Iterator[Finding]:
    """Yield notes on a sheet's orders; `complete` is True if it does all that is asked."""
    # Resignations come first, then draws (ruling 18).
    if Resign() in orders:
        yield _note("ends", "this ends the game: you lose it, if your opponent does not resign too")
    elif Draw("ACCEPT") in orders:
        yield _note("ends", "this ends the game: it is drawn, if your opponent does not resign")
    else:
        yield from _of_draws(view, orders)
        yield from (note for order in orders if isinstance(order, Move) for note in _of_move(view, order))
        if complete and any(isinstance(order, Setup) for order in orders):
            yield _of_setup(view)


def _note(code: str, text: str, hint: str = "") -> Finding:
    return Finding(0, "note", code, text, hint)


def _of_draws(view: View, orders: Sequence[Order]) -> Iterator[Finding]:
    """Yield a note on an offer made or declined; to move instead of answering declines it (ruling 16)."""
    playing_on = any(isinstance(order, Move) for order in orders)
    if Draw("OFFER") in orders and (playing_on or not view["awaited"] or view["stage"] == "set-up"):
        yield _note("offers", "your opponent is offered a draw")
    if Draw("DECLINE") in orders or (playing_on and view["offer"] == opponent(view["seat"])):
        yield _note("declines", "your opponent's offer of a draw is declined")


def _of_move(view: View, order: Move) -> Iterator[Finding]:
    """Yield notes on the announcement, and on the departure or the judgement before it (rulings 4 to 6)."""
    piece = next(piece for piece in view["own"] if piece["name"] == order.piece)
    what = "a piece" if view["blind"] else f"{'an' if piece['kind'] == 'X' else 'a'} {WORDS[piece['kind']]}"
    yield _note("announced", f"your opponent hears that {what} departs from {piece['square']}")
    if piece["transit"]:
        flight = f"{order.piece}'s flight from {piece['origin']} to {piece['square']}, over {', '.join(piece['path'])},"
        # The judgement may win the game, or destroy the asteroid that is to be rammed (rulings 8 and 23).
        rams = ", and rams if an asteroid of yours is still on its way" if order.ram else ""
        going = f"if not, and the game goes on, {_going(order)}{rams}"
        yield _note("judged", f"{flight} is judged first: if it is destroyed, that was your move; {going}")
    elif order.ram:
        yield _note("rams", f"{order.piece} and your own asteroid on {_rammed(view, order)} are both lost")
    else:
        yield _note("departs", f"{_going(order)} from {piece['square']}; what it meets shows when you order it again")


def _going(order: Move) -> str:
    return f"{order.piece} departs for {order.square}"


def _rammed(view: View, order: Move) -> str:
    """Return the square of the asteroid that a fighter flies into: the first on its path."""
    fleet = Fleet.of_view(view)
    found = fleet.first(ASTEROID, fleet.flights(fleet.pieces[order.piece])[order.square])
    assert found is not None
    return found


def _of_setup(view: View) -> Finding:
    first = "you move" if view["mover"] == view["seat"] else "your opponent moves"
    if view["ready"][opponent(view["seat"])]:
        return _note(
            "begins", f"your set-up is complete, and so is your opponent's: the game begins, and {first} first"
        )
    return _note("placed", f"your set-up is complete; when your opponent's is too, the game begins, and {first} first")
