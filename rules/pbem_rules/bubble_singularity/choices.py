"""The words of orders that a page offers one after the other, and what a turn should have orders for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.ruleset import Choice, Need, Purse, View
from pbem_rules.bubble_singularity.asking import KEPT_BUBBLES
from pbem_rules.bubble_singularity.beginning import wishes
from pbem_rules.bubble_singularity.cards import TURNS, UNSTABLE
from pbem_rules.bubble_singularity.grid import WAYS, around, starts, step
from pbem_rules.bubble_singularity.kinds import NONE
from pbem_rules.bubble_singularity.reach import LONGEST, free_stops, steps, stops
from pbem_rules.bubble_singularity.state import COLOURS
from pbem_rules.bubble_singularity.table import Table
from pbem_rules.bubble_singularity.use_choices import TURNED, use_choices
from pbem_rules.bubble_singularity.views import state_of

COVERED, BARE = "covered", "bare"
"""Purses of a holder of Efficient Explorer: the spaces that get a bubble, and the one that may get none (ruling 8)."""


def choices(view: View, words: tuple[str, ...]) -> Iterator[Choice]:
    """Yield the words that can follow the beginning of a line, the one most likely meant first.

    SEND and POP are typed, and so are `none` beside the transit station and the `+` of Bubble Resonance: they hang on
    what the other lines of the sheet do.
    """
    if view["over"] or not view["awaited"]:
        return
    if not words:
        yield from _verbs(view)
    elif words[0] == "START":
        yield from map(Choice, _starts(view))
    elif words[0] == "KEEP":
        yield from _keep_choices(view, words[1:])
    elif words[0] == "SWAP":
        yield from _swapped(view, words[1:])
    elif words[0] == "USE":
        yield from use_choices(view, words[1:])
    # A page asks for thousands of ways, so one that cannot go on is not looked at.
    elif words[0] != "MOVE" or len(words) <= LONGEST:
        yield from _of_turn(view, Table(state_of(view)), words)


def agenda(view: View) -> Sequence[Need]:
    """Return what is asked now: the start, the answers to questions, or the parts of a turn."""
    if view["phase"] == "question":
        return [Need("keep", "KEEP", "What you keep", must=True)]
    return list(_needs_of_start(view) if view["phase"] == "setup" else _needs_of_turn(view))


def purses(view: View) -> Mapping[str, Purse]:
    """Return the bubbles in the supply, colour by colour, as far as a turn is asked for."""
    if view["phase"] != "turn":
        return {}
    table = Table(state_of(view))
    hand = view["players"][view["seat"]]["hand"]
    found = {colour: Purse(hand[colour], colour) for colour in COLOURS if hand[colour]}
    if table.has(view["seat"], "explorer"):
        found[COVERED] = Purse(table.rules.range, "spaces with a bubble")
        found[BARE] = Purse(1, "space without a bubble")
    return found


def _needs_of_start(view: View) -> Iterator[Need]:
    rest = f"By default {', else '.join(wishes(view['size'])[: _rivals(view)])}."
    yield Need("start", "START", "Your start", "best first", short="Start", rest=rest)
    if offer := view["players"][view["seat"]]["offer"]:
        yield Need("keep", "KEEP", "Your ability", "one of two", short="Ability", rest=f"By default {offer[0]}.")


def _needs_of_turn(view: View) -> Iterator[Need]:
    table, seat, here = Table(state_of(view)), view["seat"], view["players"][view["seat"]]["at"]
    verbs = {choice.word for choice in _verbs(view)}
    if moves := "MOVE" in verbs:
        most = table.rules.range + table.has(seat, "explorer")
        yield Need("move", "MOVE", "Your Mari", f"1 to {most} spaces", place=here, short="Move", must=True)
    if "BUBBLES" in verbs:
        yield Need(
            "bubbles",
            "BUBBLES",
            "Bubbles",
            "one for each space",
            short="Bubbles",
            rest="By default your own colour goes last.",
        )
    actions = [verb for verb in ("ROTATE", "PULL") if verb in verbs]
    if actions:
        # With a place, a Mari that moves would be taken to act where it stands before.
        place = "" if moves else here
        yield Need("action", "|".join(actions), "One action", place=place, short="Action", must=True)


def _verbs(view: View) -> Iterator[Choice]:
    if view["phase"] == "setup":
        yield Choice("START", takes=_rivals(view))
    if view["phase"] == "question" or view["players"][view["seat"]]["offer"]:
        yield Choice("KEEP")
    if view["phase"] != "turn":
        return
    table = Table(state_of(view))
    moves = any(steps(table, view["seat"], ()))
    if moves:
        yield Choice("MOVE")
    if moves and table.players[view["seat"]].hand:
        yield Choice("BUBBLES", takes="move")
    for verb in ("ROTATE", "PULL"):
        if free_stops(table, view["seat"], verb):
            yield Choice(verb)
    if any(card.kind == UNSTABLE for card in table.cards.values()):
        yield Choice("SWAP")
    if any(use_choices(view, ())):
        yield Choice("USE")


def _of_turn(view: View, table: Table, words: tuple[str, ...]) -> Iterator[Choice]:
    seat = view["seat"]
    match words:
        case ("MOVE", *ways):
            yield from (Choice(way, place=end, ends=True) for way, end in steps(table, seat, tuple(ways)))
        case ("BUBBLES",):
            yield from _placed(table, seat)
        case ("ROTATE",):
            yield from _turns(table, seat)
        case ("PULL",):
            for stop in free_stops(table, seat, "PULL"):
                yield from (Choice(space, after=stop) for space in around(stop, table.size))


def _placed(table: Table, seat: str) -> Iterator[Choice]:
    """Yield what a space can get, the own colour last, as by default (ruling 4)."""
    explorer = table.has(seat, "explorer")
    hand = table.players[seat].hand
    for colour in sorted(set(hand), key=lambda colour: (colour == seat, COLOURS.index(colour))):
        yield Choice(colour, cost={colour: 1, COVERED: 1} if explorer else {colour: 1})
    if explorer:
        # One space of a move of two or more (ruling 8): so not where a single step may have led.
        far = [space for space, length in stops(table, seat).items() if length > 1]
        yield from (Choice(NONE, after=space, cost={BARE: 1}) for space in sorted(far))


def _turns(table: Table, seat: str) -> Iterator[Choice]:
    if table.players[seat].blocked != "ROTATE":
        yield from (Choice(turn, says=TURNED[turn]) for turn in TURNS)
        return
    for stop in free_stops(table, seat, "ROTATE"):
        yield from (Choice(turn, says=TURNED[turn], after=stop) for turn in TURNS)


def _swapped(view: View, words: tuple[str, ...]) -> Iterator[Choice]:
    if not words:
        yield from (Choice(space) for space, found in view["spaces"].items() if found["kind"] == UNSTABLE)
    elif len(words) == 1:
        for way in WAYS:
            if goal := step(words[0], way, view["size"]):
                yield Choice(way, place=goal)


def _rivals(view: View) -> int:
    """Return the number of starts that are enough: one of them is free, whatever the others get."""
    return sum(not player["out"] for player in view["players"].values())


def _starts(view: View) -> list[str]:
    found = [space for side in starts(view["size"]).values() for space in side]
    return sorted(found, key=wishes(view["size"]).index)


def _keep_choices(view: View, words: tuple[str, ...]) -> Iterator[Choice]:
    """Yield what can be kept next: the answer to one question after the other."""
    questions: list[Any] = [view["question"], *view.get("further", ())]
    offer = view["players"][view["seat"]]["offer"]
    if offer:
        questions = [{"kind": "card", "choices": offer}]
    wanted = [asked for asked in questions for _ in range(KEPT_BUBBLES if asked["kind"] == "bubbles" else 1)]
    if len(words) == len(wanted):
        return
    asked = wanted[len(words)]
    left = list(asked["choices"])
    for word, other in zip(words, wanted, strict=False):
        if other is asked:
            left.remove(word)
    # The two bubbles are one answer.
    last = not any(other is asked for other in wanted[len(words) + 1 :])
    yield from (Choice(word, ends=last) for word in dict.fromkeys(left))
