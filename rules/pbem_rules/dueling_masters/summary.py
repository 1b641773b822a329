"""Headlines of a report, and what happens without orders, from the view alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.ruleset import View
from pbem_rules.common.summary import events_of, headline, headlines, listed, sentence
from pbem_rules.dueling_masters.board import territory
from pbem_rules.dueling_masters.events import ENDS
from pbem_rules.dueling_masters.kinds import ASTEROID, HOME, WORDS
from pbem_rules.dueling_masters.state import opponent

_MISSES = {"incomplete": "left the set-up incomplete", "no-move": "sent no move by the deadline"}

QUIET_NOTICE = 10
"""Turns of each player before the end of a quiet game, from which on both are told of it (ruling 24)."""


def turn_summary(view: View) -> list[str]:
    """Return headlines on what happened, what matters most first, and on the state of the duel."""
    return headlines(*([line for tell in tellers for line in tell(view)] for tellers in (_NEWS, _STANDING)))


def without_orders(view: View) -> str:
    """Return what happens to the seat without orders, in a sentence."""
    if not view["awaited"]:
        return ""
    what = "dice place what your set-up lacks" if view["stage"] == "set-up" else "your move is passed"
    missed, limit = view["misses"][view["seat"]] + 1, view["forfeit_after"]
    if limit and missed >= limit:
        return f"Without orders you lose the game: {missed} missed in a row do."
    count = f"; then you have missed {missed} in a row, and {limit} lose the game" if limit else ""
    return f"Without orders {what}{count}."


def _result(view: View) -> Iterator[str]:
    """Yield who won and why, and where the home planet was."""
    result = view["result"]
    if not result:
        return
    if view["seat"] in result["winners"]:
        yield headline(f"you have won: {ENDS[result['how']]}.")
    else:
        lost = "you have lost. " if result["winners"] else ""
        yield headline(f"{lost}{sentence(result['words'])}.", f"you have lost: {ENDS[result['how']]}.", bad=bool(lost))
    homes = [piece["square"] for piece in view["disclosed"] if piece["kind"] == HOME and piece["fate"] == "stood"]
    if homes:
        yield headline(f"your opponent's {_homes(len(homes))} stood on {listed(homes)}.")


def _homes(number: int) -> str:
    return WORDS[HOME] if number == 1 else f"{WORDS[HOME]}s"


def _setting_up(view: View) -> Iterator[str]:
    """Yield whose set-up is awaited."""
    if view["stage"] != "set-up":
        return
    own, other = view["ready"][view["seat"]], view["ready"][opponent(view["seat"])]
    if not own:
        rows = "A to E" if view["seat"] == "one" else "F to J"
        yield f"Your set-up is awaited, in rows {rows}{'; your opponent has sent theirs' if other else ''}."
        if view["set_up_round"] == 2:
            yield headline("At this deadline dice place what it lacks, and you have missed it.", bad=True)
    elif not other:
        yield "Your set-up is complete; your opponent's is awaited."


def _offer(view: View) -> Iterator[str]:
    if view["offer"] == view["seat"] and not view["over"]:
        yield "Your offer of a draw waits for an answer."
    elif view["offer"]:
        yield "Your opponent offers you a draw."


def _missed(view: View) -> Iterator[str]:
    """Yield the deadlines missed this turn, and how many lose the game."""
    for event in events_of(view, "missed"):
        who = "you" if event["who"] == view["seat"] else "your opponent"
        incomplete = event["stage"] == "incomplete"
        what = _MISSES.get(event["stage"], "missed the deadline")
        count = f"{event['misses']}{' missed' if incomplete else ''} in a row"
        limits = (f", and {event['limit']} lose the game", f", {event['limit']} lose") if event["limit"] else ("",)
        yield headline(*(f"{who} {what}: {count}{limit}." for limit in limits), bad=who == "you")


def _quiet(view: View) -> Iterator[str]:
    """Yield the moves left to a quiet game, from ten turns of each player before its end (ruling 24)."""
    left = 2 * view["quiet_turns"] - view["quiet"]
    if view["stage"] == "play" and view["quiet_turns"] and left <= 2 * QUIET_NOTICE:
        yield headline(
            f"nothing was destroyed in {view['quiet']} moves: after {left} more, the game is drawn.",
            f"{left} more moves without a loss are a draw.",
        )


def _losses(view: View) -> Iterator[str]:
    """Yield what collisions destroyed: every collision destroys something, so that these are the latest losses."""
    if not events_of(view, "collision"):
        return
    own, enemy = view["own_lost"], view["enemy_lost"]
    move = max(loss["move"] for loss in (*own, *enemy))
    lost = [_loss_text(loss, _piece(loss)) for loss in own if loss["move"] == move and not loss["rammed"]]
    killed = [_loss_text(loss, _a_kind(loss["kind"])) for loss in enemy if loss["move"] == move]
    named, counts = (
        "; ".join(f"{who} lost {words(of)}" for who, of in (("you", lost), ("your opponent", killed)) if of)
        for words in (listed, _number)
    )
    yield headline(f"{named}.", f"{counts}.", bad=bool(lost))


def _loss_text(loss: Mapping[str, Any], what: str) -> str:
    return f"{what} on {loss['square']}"


def _piece(loss: Mapping[str, Any]) -> str:
    return f"your {WORDS[loss['kind']]}" if loss["kind"] in (HOME, ASTEROID) else str(loss["name"])


def _a_kind(kind: str) -> str:
    return f"{'an' if kind in ('X', ASTEROID) else 'a'} {WORDS[kind]}"


def _number(of: Sequence[Any]) -> str:
    return f"{len(of)} piece{'s' if len(of) != 1 else ''}"


def _used_up(view: View) -> Iterator[str]:
    """Yield moves that had no effect, and what was rammed."""
    for event in events_of(view, "rammed"):
        yield headline(f"Your {event['piece']} rammed your own asteroid on {event['square']}: both are gone.", bad=True)
    for event in events_of(view, "spent"):
        mine = event["who"] == view["seat"]
        whose = "your" if mine else "your opponent's"
        yield headline(f"{whose} move is used up: the piece ordered had been destroyed.", bad=mine)
    for event in events_of(view, "skipped"):
        yield f"{'You have' if event['who'] == view['seat'] else 'Your opponent has'} no piece that can move."
    for event in events_of(view, "refused"):
        yield headline(f"not done: {event['line']}, for {event['why']}.", f"not done: {event['line']}.", bad=True)


def _departed(view: View) -> Iterator[str]:
    """Yield the square that the opponent's piece departed from, if it is still in transit."""
    flying = {mark["mark"]: mark for mark in view["enemy"] if not mark["standing"]}
    for event in events_of(view, "departed"):
        mark = flying.get(event["mark"])
        if mark:
            left = f"enemy {mark['mark']} left {event['square']}{', ' + _a_kind(mark['kind']) if mark['kind'] else ''}"
            met = [square for square in mark["meets"] if square not in _home_squares(view)]
            yield headline(f"{left}{f'; it may meet you on {listed(met)}' if met else ''}.", f"{left}.")


def _threats(view: View) -> Iterator[str]:
    """Yield the known flights that may go over a home planet of the reader."""
    homes = _home_squares(view)
    marks = [mark for mark in view["enemy"] if not set(homes).isdisjoint(mark["meets"])]
    if marks and not view["over"]:
        squares = [square for square in homes if any(square in mark["meets"] for mark in marks)]
        numbers = listed([str(mark["mark"]) for mark in marks])
        who = f"enem{'y' if len(marks) == 1 else 'ies'} {numbers} may fly over"
        yield headline(
            f"{who} your {_homes(len(squares))} on {listed(squares)}.",
            f"{len(marks)} enemies may fly over your {_homes(len(squares))} on {listed(squares)}.",
        )


def _home_squares(view: View) -> list[str]:
    return [piece["square"] for piece in view["own"] if piece["kind"] == HOME]


def _pieces(view: View) -> Iterator[str]:
    """Yield how many pieces, and home planets, both have left as far as the reader knows."""
    if view["stage"] == "set-up":
        return
    left = {each["kind"]: each["number"] for each in view["enemy_left"]}
    alive = sum(piece["fate"] in ("stood", "in transit") for piece in view["disclosed"])
    other = alive if view["over"] else f"{sum(left.values())} as far as you know"
    yield f"You have {_number(view['own'])} left, your opponent {other}."
    if view["homes"] > 1:
        yield f"Home planets left: you {len(_home_squares(view))}, your opponent {left.get(HOME, 0)}."


def _search(view: View) -> Iterator[str]:
    half = territory(opponent(view["seat"]))
    seen = sum(square in view["scouted"] for square in half)
    if view["stage"] == "play":
        yield f"Your flights have looked at {seen} of the {len(half)} squares of their half."


# Tellers of events and threats, in order.
_NEWS = (_result, _setting_up, _offer, _missed, _losses, _used_up, _threats, _departed)

# Tellers for every report in play.
_STANDING = (_quiet, _pieces, _search)
