"""The turn in brief: the news that a player would tell a friend, from the player's view alone."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.ruleset import View
from pbem_rules.common.summary import events_of, headline, headlines, listed, sentence, you_or_seat
from pbem_rules.singularity.board import Board
from pbem_rules.singularity.events import reason, result_words
from pbem_rules.singularity.field import field_of
from pbem_rules.singularity.state import SEATS, opponent


def turn_summary(view: View) -> list[str]:
    """Return the news of the turn, the most important first, and who is to place; nothing on what did not happen."""
    return headlines(*([line for tell in tellers for line in tell(view)] for tellers in (_NEWS, _STANDING)))


def without_orders(view: View) -> str:
    """Return that no stone is placed, and when that loses the game."""
    limit = view["forfeit_after"]
    if not limit:
        return "Without orders you place no stone, and the game waits for yours."
    missed = view["misses"][view["seat"]] + 1
    if missed >= limit:
        return "Without a stone of yours by then you lose the game."
    return f"Without orders you place no stone; that would be {missed} in a row, and {limit} lose the game."


def _result(view: View) -> Iterator[str]:
    result = view["result"]
    if result and view["seat"] in result["winners"]:
        yield headline(f"you have won: {reason(result['how'])}.")
    elif result and result["winners"]:
        yield headline(f"you have lost. {sentence(result_words(result['winners'], result['how']))}.", bad=True)
    elif result:
        yield headline(f"{result_words(result['winners'], result['how'])}.")


def _offer(view: View) -> Iterator[str]:
    if view["offer"] and not view["over"]:
        mine = view["offer"] == view["seat"]
        yield headline("your offer of a draw waits for an answer." if mine else f"{view['offer']} offers you a draw.")


def _missed(view: View) -> Iterator[str]:
    """Yield the deadlines missed this turn, and how many in a row lose the game."""
    for event in events_of(view, "missed"):
        limit = f", and {event['limit']} lose the game" if event["limit"] else ""
        told = f"{you_or_seat(view, event['who'])} missed the deadline: {event['misses']} in a row{limit}."
        yield headline(told, bad=event["who"] == view["seat"])


def _stones(view: View) -> Iterator[str]:
    """Yield the stones placed, each player's together."""
    placed = events_of(view, "placed")
    cells = {who: [event["cell"] for event in placed if event["who"] == who] for who in SEATS}
    named = [f"{you_or_seat(view, who)} placed {listed(on)}" for who, on in cells.items() if on]
    counts = [f"{you_or_seat(view, who)} placed {len(on)} stones" for who, on in cells.items() if on]
    if placed:
        yield headline(f"{'; '.join(named)}.", f"{'; '.join(counts)}.")


def _replies(view: View) -> Iterator[str]:
    """Yield what became of kept replies, and of orders that could not be done."""
    for kind, fate in (("answered", "played"), ("past", "laid aside"), ("lapsed", "dropped")):
        number = sum(len(event["lines"]) for event in events_of(view, kind))
        if number:
            yield f"{_counted(number)} of yours {'was' if number == 1 else 'were'} {fate}."
    for event in events_of(view, "refused"):
        yield headline(f"not done: {event['line']}, for {event['why']}.", f"not done: {event['line']}.", bad=True)


def _threats(view: View) -> Iterator[str]:
    """Yield the cells on which one more stone would win, first for the player on move, then for the other."""
    if view["over"]:
        return
    plan, colour = field_of(view["size"]), {seat: number for number, seat in enumerate(SEATS)}
    board = Board(plan, (plan.cells[stone["cell"]] for stone in view["moves"]))
    free = board.free()
    for seat in (view["mover"], opponent(view["mover"])):
        cells = [plan.names[cell] for cell in free if board.wins_at(colour[seat], cell)]
        mine = seat == view["seat"]
        may = "can win now" if seat == view["mover"] else "threaten to win" if mine else "threatens to win"
        if cells:
            who = f"{you_or_seat(view, seat)} {may} on"
            yield headline(f"{who} {listed(cells)}.", f"{who} any of {len(cells)} cells.")


def _to_place(view: View) -> Iterator[str]:
    """Yield whose stone is awaited, and the number of replies kept for it."""
    if view["over"]:
        return
    whose = "yours" if view["mover"] == view["seat"] else f"{view['mover']}'s"
    yield f"Stone {len(view['moves']) + 1} is {whose} to place."
    if view["kept"]:
        yield f"{_counted(len(view['kept']))} of yours {'is' if len(view['kept']) == 1 else 'are'} kept."


def _counted(number: int) -> str:
    return f"{number} {'reply' if number == 1 else 'replies'}"


# Tellers of what happened and what is near, in order.
_NEWS = (_result, _offer, _missed, _threats, _stones, _replies)

# Tellers of what every report has until the end.
_STANDING = (_to_place,)
