"""Notes of a receipt: what a rehearsed turn will bring.

All of it is certain unless it says "if": the table lies open, and nothing
before the pops is drawn. Others can but leave; when the last of them does, the
game is over before (ruling 39).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement
from typing import Any

from pbem.ruleset import Finding
from pbem_rules.bubble_singularity.asking import DRAWN_CARDS, RESEARCHED, draws_cards
from pbem_rules.bubble_singularity.events import ENDS
from pbem_rules.bubble_singularity.play import Chain, Play
from pbem_rules.bubble_singularity.scoring import harvested
from pbem_rules.bubble_singularity.state import COLOURS
from pbem_rules.bubble_singularity.table import Table
from pbem_rules.bubble_singularity.turn import how_it_ends


def outlook(play: Play) -> Iterator[Finding]:
    """Yield notes on the move, the action, the pops and their score, and on the end of the game."""
    condition = _LEAVING if _depends_on_leaving(play) else ""
    for event in play.events:
        if event.kind in _ACTS:
            code, text = _ACTS[event.kind](event.data)
            yield Finding(0, "note", code, text + condition)
    if play.research:
        yield Finding(0, "note", "research", "three bubbles are drawn from the bag, and two of them are kept")
    yield Finding(0, "note", "outlook", _pops(play) + condition)
    if play.result is not None:
        yield _ends(play, play.result.how, condition)
        return
    least, most = _left_in_bag(play)
    if harvested(play) > most:
        yield _ends(play, "bag", condition)
        return
    if harvested(play) > least:
        text = "the game ends in this turn if the colours drawn at the research station leave the bag too few bubbles"
        yield Finding(0, "note", "may-end", text)
    # None are drawn once no further turn of the player comes (ruling 14).
    if draws_cards(play):
        yield Finding(0, "note", "cards", _cards(play, condition))
    elif play.pending:
        yield Finding(0, "note", "no-cards", f"no ability cards are drawn{condition}: no further turn of yours comes")
    how = how_it_ends(play)
    if how:
        yield Finding(0, "note", "ends", f"the game ends with this turn{condition}: {ENDS[how]}")


_LEAVING = ", if no player leaves"


def _depends_on_leaving(play: Play) -> bool:
    """Return True if a player who leaves may change the turn: one who controls a station, or owns what one protects.

    Stations are without a controller then, and their bubbles like those of colours without a player (rulings 20, 31).
    """
    others = {*play.order} - {play.seat}
    lying = [each for table in (Table(play.state), play.table) for each in table.bubbles.items()]
    lying += [each for event in play.events if event.kind == "moved" for each in event.data["path"]]
    protected = any(play.table.beside(space, "defense") and others & {*found} for space, found in lying)
    return len(others) > 1 and (protected or bool(others & {*play.state.control.values()}))


def _ends(play: Play, how: str, condition: str) -> Finding:
    # Who leaves returns bubbles to the bag, and the game goes on while two are left (ruling 31).
    condition = _LEAVING if how == "bag" and len(play.order) > 2 else condition
    return Finding(0, "note", "ends", f"the game ends in this turn{condition}: {ENDS[how]}")


def _cards(play: Play, condition: str) -> str:
    """Return how many ability cards are drawn, with those that the decks still hold; these lie open, but for order."""
    wanted, held = DRAWN_CARDS * play.pending, sum(map(len, play.table.decks.values()))
    if held >= wanted:
        drawn = "two ability cards are" if play.pending == 1 else f"{play.pending} times two ability cards are"
        return f"{drawn} drawn of the {held} that the decks hold, and one of two is kept{condition}"
    # Who leaves returns cards to the decks (ruling 31).
    cards = {0: "no ability card is", 1: "one ability card is"}.get(held, f"{held} ability cards are")
    return f"{cards} drawn, for the decks hold {'no more' if held else 'none'}, if no player leaves"


def _left_in_bag(play: Play) -> tuple[int, int]:
    """Return the fewest and the most bubbles that the bag can hold when Energy Harvest draws (ruling 20)."""
    if not play.research:
        return (len(play.table.bag),) * 2
    bag = Counter(play.state.bag)
    wanted = Counter(colour for event in play.events if event.kind == "selected" for colour in event.data["bubbles"])
    # The order of draws is unknown (ruling 32), so all possible colours are counted through.
    draws = map(Counter, combinations_with_replacement(COLOURS, RESEARCHED))
    left = [(bag - drawn - wanted).total() for drawn in draws if drawn <= bag]
    return min(left), max(left)


def _moved(data: Mapping[str, Any]) -> tuple[str, str]:
    steps = ", ".join(f"{space} ({' and '.join(bubbles) or 'nothing'} placed)" for space, bubbles in data["path"])
    return "goes", f"your Mari goes to {steps}"


def _rotated(data: Mapping[str, Any]) -> tuple[str, str]:
    sent = ", ".join(f"{colour} {way} to {space}" for colour, way, space in data["sent"]) or "nothing"
    return "pushes", f"{data['space']} turns {data['turn']} and pushes {sent}"


def _pulled(data: Mapping[str, Any]) -> tuple[str, str]:
    if not data["bubbles"]:
        return "pulls", f"nothing lies on {data['start']} to be pulled to {data['space']}"
    return "pulls", f"{', '.join(data['bubbles'])} pulled from {data['start']} to {data['space']}"


_ACTS = {"moved": _moved, "rotated": _rotated, "pulled": _pulled}


def _pops(play: Play) -> str:
    """Return the chains of a turn in one sentence."""
    scored = [event.data for event in play.events if event.kind == "scored"]
    told = [_told_of_chain(chain, data) for chain, data in zip(play.chains, scored, strict=False)]
    if len(told) > 1:
        return f"{len(told)} chains; " + "; ".join(f"{at}. {text}" for at, text in enumerate(told, 1))
    return told[0] if told else "nothing pops in this turn"


def _told_of_chain(chain: Chain, scored: Mapping[str, Any]) -> str:
    pops = ", ".join(chain.pops)
    markers = f" and {scored['markers']} marker{'s' if scored['markers'] > 1 else ''}" if scored["markers"] else ""
    points = f"{scored['points']} point{'' if scored['points'] == 1 else 's'}"
    return f"pops: {pops}; length {scored['length']}, {points}{markers}"
