"""Summary of a turn for the head of a report, from the view alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pbem.ruleset import Loss, SeatName, View
from pbem_rules.bubble_singularity.orders import ORDERS
from pbem_rules.bubble_singularity.sheet import defaults
from pbem_rules.bubble_singularity.state import Rules
from pbem_rules.bubble_singularity.table import NEEDED, Table
from pbem_rules.bubble_singularity.turn import QUIET_ROUNDS
from pbem_rules.bubble_singularity.views import state_of
from pbem_rules.common.summary import LINES, counted, events_of, named, sentence, you_or_seat

# The ways a game ends, short enough for a line.
_ENDS = {
    "markers": "the markers were reached and the round is complete",
    "bag": "a bubble was to be drawn and the bag was empty",
    "standstill": "two rounds passed without a move or a pop",
    "scoreless": "too many turns in a row passed without a score",
    "rounds": "the last of its rounds is complete",
    "left": "all others left",
}

SOON = 3
"""Turns before the end by the option `scoreless`, and rounds before that by `rounds`, from which on it is announced."""


def turn_summary(view: View) -> list[str]:
    """Return sentences on who is awaited, who scored, who leads, and how near the end is."""
    if view["over"]:
        return [*_end(view), *_scored(view), *_ranking(view)][:LINES]
    if view["phase"] == "setup":
        return [*_missed(view), *_setup(view)][:LINES]
    tellers = (_missed, _awaited, _quiet, _unscored, _card_news, _scored, _ranking, _markers, _ripe)
    return [line for tell in tellers for line in tell(view)][:LINES]


def without_orders(view: View) -> str:
    """Return the default that is played for the seat (rulings 23 and 26)."""
    lines = [ORDERS.line(order) for order in defaults(view)]
    if view["phase"] == "setup":
        kept = f", and you keep {view['abilities'][offer[0]]['title']}" if (offer := _me(view)["offer"]) else ""
        return f"Without orders your start is chosen for you{kept}."
    if view["phase"] == "question":
        return f"Without orders this is kept for you: {lines[0].removeprefix('KEEP ')}."
    return f"Without orders this is played for you: {', '.join(lines)}."


def _me(view: View) -> Any:
    return view["players"][view["seat"]]


def _verb(view: View, seats: Iterable[SeatName], one: str, several: str) -> str:
    shown = list(seats)
    return several if len(shown) > 1 or shown == [view["seat"]] else one


def _end(view: View) -> Iterator[str]:
    winners = view["result"]["winners"]
    who = sentence(named([you_or_seat(view, seat) for seat in winners], len(winners)))
    win = "share the win" if len(winners) > 1 else _verb(view, winners, "wins", "win")
    yield f"The game is over: {_ENDS[view['result']['how']]}."
    told = f"{who or 'Nobody'} {win}."
    yield Loss(told) if winners and view["seat"] not in winners else told


def _missed(view: View) -> Iterator[str]:
    """Yield whose sheet was missing, who left, and how many lines of the reader were refused."""
    for event in events_of(view, "missed"):
        if event["who"] == view["seat"]:
            yield Loss("No orders came from you; the game's default was played.")
        else:
            yield f"No orders came from {event['who']}; the game's default was played."
    for event in events_of(view, "left"):
        yield sentence(f"{you_or_seat(view, event['who'])} left the game.")
    if refused := events_of(view, "refused"):
        were = "was" if len(refused) == 1 else "were"
        yield Loss(f"{counted(len(refused), 'order')} of yours {were} not carried out.")


def _setup(view: View) -> Iterator[str]:
    if view["awaited"]:
        card = " and one of two abilities" if view["players"][view["seat"]]["offer"] else ""
        yield f"You choose where to start{card}."
    first = [view["first"]]
    yield sentence(f"{you_or_seat(view, first[0])} {_verb(view, first, 'moves', 'move')} first.")


def _scored(view: View) -> Iterator[str]:
    """Yield points and markers of the turn, and stations taken."""
    scored = events_of(view, "scored")
    for seat in dict.fromkeys(event["who"] for event in scored):
        own = [event for event in scored if event["who"] == seat]
        points, markers = (sum(event[what] for event in own) for what in ("points", "markers"))
        more = f" and {counted(markers, 'marker')}" if markers else ""
        pops = counted(sum(event["pops"] for event in own), "pop")
        chains = f" in {counted(len(own), 'chain')}" if len(own) > 1 else ""
        yield sentence(f"{you_or_seat(view, seat)} scored {counted(points, 'point')}{more} with {pops}{chains}.")
    for event in events_of(view, "controlled"):
        station = event["station"] if event["station"] == "universe" else f"{event['station']} station"
        before = f" from {you_or_seat(view, event['before'])}" if event["before"] else ""
        told = sentence(f"{you_or_seat(view, event['who'])} took the {station}{before}.")
        yield Loss(told) if event["before"] == view["seat"] else told


def _card_news(view: View) -> Iterator[str]:
    """Yield the cards that players got, and the action that is blocked for the reader."""
    titles = view["abilities"]
    for seat, cards in _new_cards(view).items():
        for card in cards:
            verb = _verb(view, [seat], "has", "have")
            yield sentence(f"{you_or_seat(view, seat)} {verb} a new ability: {titles[card]['title']}.")
    if blocked := _me(view)["blocked"]:
        yield Loss(f"You may not {blocked} in your next turn.")


def _new_cards(view: View) -> dict[SeatName, list[str]]:
    """Return the cards that are new to players and still theirs, without those held before and chosen again."""
    new: dict[SeatName, list[str]] = {}
    before: set[str] = set()
    for event in events_of(view, "chosen", "kept"):
        mine = new.setdefault(event["who"], [])
        # "chosen" comes before a choice between a new card and one held, which is not new if it is kept.
        if event["kind"] == "chosen":
            before |= {event["held"]} - set(mine)
        else:
            mine += [card for card in event["what"] if card in view["abilities"] and card not in (*before, *mine)]
    return {seat: [card for card in mine if card in view["players"][seat]["cards"]] for seat, mine in new.items()}


def _awaited(view: View) -> Iterator[str]:
    if view["awaited"]:
        asked = view["phase"] == "question"
        yield "You choose what to keep." if asked else f"{_own(view)} It is your turn."
    elif view["mover"]:
        yield f"{sentence(view['mover'])} is to {'choose' if view['phase'] == 'question' else 'move'}{_then(view)}."


def _then(view: View) -> str:
    """Return who moves before the reader."""
    order, seat = view["order"], view["seat"]
    if seat not in order:
        return ""
    after = (order.index(seat) - order.index(view["mover"])) % len(order)
    between = [order[(order.index(view["mover"]) + step) % len(order)] for step in range(1, after)]
    if view["last_round"] and order.index(seat) < order.index(view["mover"]):
        return "; you have had your last turn"
    return f", then {named([*between, 'you'])}"


def _ranking(view: View) -> Iterator[str]:
    """Yield the totals as they would count now, the best first, without players who left."""
    players = view["players"]
    totals = {seat: players[seat]["total"] for seat in view["seats"] if not players[seat]["out"]}
    if not totals:
        return
    best = max(totals.values())
    first = [seat for seat in totals if totals[seat] == best]
    rest = sorted((seat for seat in totals if seat not in first), key=lambda seat: -totals[seat])
    others = ", ".join(f"{you_or_seat(view, seat)} {totals[seat]}" for seat in rest)
    who = sentence(named([you_or_seat(view, seat) for seat in first], len(first)))
    verb = ("had", "had") if view["over"] else ("leads with", "lead with")
    yield f"{who} {_verb(view, first, *verb)} {counted(best, 'point')}{f'; {others}' if others else ''}."


def _markers(view: View) -> Iterator[str]:
    """Yield how many markers players have, or that the round is the last."""
    rules = Rules(**view["rules"])
    if view["last_round"] or view["round"] == rules.rounds:
        yield "This round is the last."
        return
    if view["round"] + SOON >= rules.rounds > 0:
        yield f"The game ends after round {rules.rounds}; this is round {view['round']}."
    limit = rules.markers_to_end
    held = {seat: number for seat in view["seats"] if (number := view["players"][seat]["markers"])}
    if held:
        told = ", ".join(
            f"{you_or_seat(view, seat)} {held[seat]}" for seat in sorted(held, key=lambda seat: -held[seat])
        )
        yield f"Markers, of {limit} that end the game: {told}."


def _quiet(view: View) -> Iterator[str]:
    players = len(view["order"])
    if view["quiet"] >= players > 0:
        left = QUIET_ROUNDS * players - view["quiet"]
        yield f"Nothing moves or pops: the game ends after {counted(left, 'more turn')} like that."


def _unscored(view: View) -> Iterator[str]:
    """Yield how near the end by the option `scoreless` is (ruling 34)."""
    limit, passed = view["rules"].get("scoreless", 0), view.get("unscored", 0)
    if passed and 0 < limit <= passed + max(SOON, len(view["order"])):
        left = counted(limit - passed, "more turn")
        yield f"No score for {counted(passed, 'turn')}: the game ends after {left} like that."


def _own(view: View) -> str:
    me = _me(view)
    return f"Your Mari is on {me['at']}; you have {counted(sum(me['hand'].values()), 'bubble')}."


def _ripe(view: View) -> Iterator[str]:
    """Yield what would pop in the reader's turn as things lie, and what lacks one bubble."""
    ripe = sorted(Table(state_of(view)).ripe(view["seat"]))
    short = [place for place, space in view["spaces"].items() if len(space["bubbles"]) == NEEDED - 1]
    ready = named(ripe, 6) if ripe and not _me(view)["out"] else ""
    lacking = named(sorted(set(short) - set(ripe)), 6)
    if ready:
        yield f"Ready to pop in your turn: {ready}{f'; one bubble short: {lacking}' if lacking else ''}."
    elif lacking:
        yield f"One bubble short of a pop: {lacking}."
