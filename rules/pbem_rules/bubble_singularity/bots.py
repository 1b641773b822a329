"""Bots: from a mailed view to the lines of a sheet.

"standard" rehearses moves and actions on the open table, and the answers of the next player
to the best of them, and takes the one that leaves it most; "random" plays anything that is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple, TypeVar

from pbem.ruleset import Bot, Dice, Order, SeatName, View
from pbem_rules.bubble_singularity.beginning import wishes
from pbem_rules.bubble_singularity.grid import WAYS, around, step
from pbem_rules.bubble_singularity.kinds import EXTRA, NONE
from pbem_rules.bubble_singularity.moving import default_bubbles, path_of
from pbem_rules.bubble_singularity.orders import (
    ORDERS,
    Bubbles,
    Keep,
    Move,
    Pull,
    Rotate,
    Start,
    UseAttractor,
    UseConvert,
    UseDeploy,
    UseDirector,
    UseFolder,
    UseIgnite,
    UseResearch,
)
from pbem_rules.bubble_singularity.play import Play
from pbem_rules.bubble_singularity.reach import distinct_ways
from pbem_rules.bubble_singularity.scores import total
from pbem_rules.bubble_singularity.scoring import harvested
from pbem_rules.bubble_singularity.state import COLOURS, State
from pbem_rules.bubble_singularity.table import Table
from pbem_rules.bubble_singularity.turn import QUIET_ROUNDS, rehearse_all
from pbem_rules.bubble_singularity.views import state_of

Sheet = tuple[Order, ...]
_Item = TypeVar("_Item")

LIKED = (
    *("director", "affinity", "fusion", "amplifier", "harvest", "wormhole"),
    *("resonance", "drift", "explorer", "attractor", "cascade", "folder"),
)
"""Ability cards, those first with which its games brought the bot most points."""

TRIED = 300
"""Most moves with an action that are rehearsed; if there are more, the dice choose."""

WORK = 550
"""Work after which no more sheets, uses, or answers to the first sheet are rehearsed: each pop counts as 1."""

LIKELY_WORK = 130
"""The same for the answers to each of the other sheets."""

RESTLESS = 2
"""After a quiet round a bot plays at random in one of so many turns, so that no game stands still."""

LOW = 3
"""Supply of a beginner from which down a bot looks further ahead, so as not to run out of bubbles."""

FORESEEN = 12
"""Number of best sheets whose next turn is looked at."""

AHEAD_WORK = 90
"""The same for the sheets that may follow one of these."""

LUCK = 9
"""Random part of a beginner's value, so that no game goes in a circle."""

QUIET_LUCK = 8
"""Growth of that part for each quiet turn: two Maris may pull the same bubbles to and fro."""

LATE = 12
"""Round after which it grows with each further one: chains may stay too short for a marker."""

LATE_LUCK = 4
"""Growth of the random part in each such round."""

AHEAD = 3
"""Own turns that are looked ahead for a Mari without bubbles."""

DELAY = 20
"""Cost of a turn without bubbles: without it an action would be as good later, and be put off for ever."""

STANDSTILL = 200
"""Cost of a turn after which the game may end by standstill."""

MARKER = 20
"""Value of a marker: it is no point, but brings the end nearer."""

SCARCE_MARKER = 70
"""The same for beginners, who seldom win one."""

CARD = 22
"""Value of a pop on a node, which brings an ability card."""

SUPPLY = 8
"""Value of a bubble in the supply."""

SCARCE = 14
"""The same for beginners, who have no card that brings bubbles out of the bag."""

REFINED = 20
"""Number of best sheets for which uses of abilities and stations are tried too."""

USED = 120
"""Most uses that are rehearsed; if there are more, the dice choose."""

ANSWERED = 6
"""Number of best sheets to which answers of the next player are looked for."""

ANSWERS = 100
"""Most answers to the first of them that are rehearsed."""

LIKELY = 40
"""Number of best answers to the first that are tried on the others."""

DENIED = 1.5
"""Value of what the best answer wins, measured by that of what is won oneself: it falls to one of few rivals."""

ENDING = 60
"""Value of being ahead in the last round."""


def standard(view: View, dice: Dice) -> list[str]:
    """Play for long chains, cards and a full supply."""
    if view["phase"] != "turn":
        return [ORDERS.line(order) for order in _chosen(view)]
    state, seat = state_of(view), view["seat"]
    beginner = state.rules.beginner
    if not beginner and state.quiet >= len(state.order) and dice.below(RESTLESS, "restless", state.round) == 0:
        return [ORDERS.line(order) for order in dice.pick(list(_sheets(state, seat, dice)), "restless")]
    plain = _ranked(state, seat, _sheets(state, seat, dice))
    if not plain:
        return []
    if beginner:
        first = _foreseen(state, plain[:FORESEEN], dice)[0]
        best = _ranked(state, seat, [first, *_refined(state, seat, first)])[0].sheet
    else:
        uses = [use for tried in plain[:REFINED] for use in _refined(state, seat, tried.sheet)]
        fine = _ranked(state, seat, _drawn(uses, USED, dice.within("uses", state.round)))
        best = _answered(state, sorted([*plain[:ANSWERED], *fine], key=_by_worth)[:ANSWERED], dice)
    return [ORDERS.line(order) for order in (*best, *_standing_list(state, seat))]


def random(view: View, dice: Dice) -> list[str]:
    """Play at random, with lines that may have no effect."""
    if view["phase"] != "turn":
        return [ORDERS.line(order) for order in _chosen(view)[-1:]]
    luck = dice.within("random", view["round"])
    sheets = list(_sheets(state_of(view), view["seat"], luck))
    lines = [ORDERS.line(order) for order in luck.pick(sheets, "sheet")]
    uses = [verb for verb in ORDERS.verbs if verb.word in ("USE", "SEND", "POP", "SWAP", "DRAW", "BUBBLES")]
    return lines + [luck.pick(uses, "use", count).invent(view, luck, count) for count in range(luck.below(3, "uses"))]


BOTS: Mapping[str, Bot] = {"standard": standard, "random": random}


def _chosen(view: View) -> Sheet:
    """Return the answers to the questions between turns, and the choices of the set-up."""
    asked, me = view["question"], view["players"][view["seat"]]
    if view["phase"] == "setup":
        start = Start(tuple(wishes(view["size"])))
        return (start, Keep((min(me["offer"], key=LIKED.index),))) if me["offer"] else (start,)
    questions = (asked, *view.get("further", ()))
    drawn = (colour for question in questions if question["kind"] == "bubbles" for colour in question["choices"])
    bubbles = sorted(drawn, key=lambda colour: bool(colour != view["seat"]))[:2]
    return (Keep((*bubbles, *(LIKED if any(question["kind"] != "bubbles" for question in questions) else ()))),)


def _standing_list(state: State, seat: SeatName) -> Sheet:
    """Return a KEEP with all cards and colours, best first, unless it is the standing list already."""
    liked = (*LIKED, seat, *(colour for colour in COLOURS if colour != seat))
    return () if state.lists.get(seat) == liked else (Keep(liked),)


def _sheets(state: State, seat: SeatName, dice: Dice, most: int = TRIED) -> Iterator[Sheet]:
    """Yield so many moves with an action at the most; without a possible move, actions alone."""
    table = Table(state)
    here = table.players[seat].at
    assert here is not None
    # A Mari without bubbles, or walled in, only acts (ruling 7).
    ends = distinct_ways(table, seat) or {(): here}
    actions = {end: list(_actions_at(table, seat, end)) for end in {*ends.values()}}
    found = [(ways, action) for ways, end in ends.items() for action in actions[end]]
    for ways, action in _drawn(found, most, dice.within("tried", state.round)):
        yield (Move(ways), action) if ways else (action,)
    if not found:
        yield ()


def _drawn(items: list[_Item], most: int, dice: Dice) -> list[_Item]:
    """Return items, so many at the most; if there are more, they are drawn by lot."""
    if len(items) <= most:
        return items
    return [items.pop(dice.below(len(items), count)) for count in range(most)]


def _actions_at(table: Table, seat: SeatName, here: str) -> Iterator[Order]:
    """Yield the actions that may be chosen on a space; pulling from an empty one is left out."""
    # On the Universe nothing is blocked (ruling 21).
    free = table.players[seat].blocked if table.cards[here].kind != "universe" else ""
    if free != "ROTATE":
        yield from (Rotate("CW"), Rotate("CCW"))
    if free != "PULL":
        for way in WAYS:
            start = step(here, way, table.size)
            if start and table.movable(start, seat):
                yield Pull(way)
    if free != "STATION":
        yield from _station_actions(table, seat, here)


def _station_actions(table: Table, seat: SeatName, here: str) -> Iterator[Order]:
    station = table.station_at(here)
    if station == "research":
        yield UseResearch()
    elif station == "energy":
        foreign = [(space, colour) for space in around(here, table.size) for colour in table.bubbles[space]]
        pairs = [pair for pair in foreign if pair[1] != seat][: min(3, table.bag.count(seat))]
        if pairs:
            yield UseConvert(tuple(word for pair in pairs for word in pair))
    elif station == "defense" and len(table.players[seat].hand) > 4:
        two = sorted((space for space in table.bubbles), key=lambda space: -len(table.bubbles[space]))[:2]
        yield UseDeploy(tuple(word for pair in zip(table.players[seat].hand, two, strict=False) for word in pair))


def _refined(state: State, seat: SeatName, sheet: Sheet) -> Iterator[Sheet]:
    """Yield a sheet with each use of an ability or a bonus that the seat has, and each way to place bubbles by one."""
    table = Table(state)
    if table.has(seat, "director"):
        mine = [space for space in table.bubbles if seat in table.bubbles[space]]
        ways = [(space, way) for space in mine for way in WAYS if step(space, way, table.size)]
        yield from ((*sheet, UseDirector(space, way)) for space, way in ways)
    if table.has(seat, "folder"):
        yield from ((*sheet, UseFolder(space, "CW")) for space in table.bubbles)
    if table.has(seat, "attractor"):
        yield from ((*sheet, UseAttractor(node)) for node in table.nodes)
    if table.control.get("energy") == seat:
        yield from ((*sheet, UseIgnite(space)) for space in table.bubbles)
    if sheet and isinstance(sheet[0], Move):
        path = path_of(table, seat, sheet[0].ways)
        yield from ((sheet[0], Bubbles(words), *sheet[1:]) for words in _placings(table, seat, path))


def _placings(table: Table, seat: SeatName, path: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield what abilities allow to place on a way: where the own colour lies matters to Bubble Fusion alone."""
    plain = tuple(default_bubbles(table, seat, path))
    if table.has(seat, "explorer") and len(path) > 1:
        yield from _bared(plain)
    if table.has(seat, "fusion"):
        yield from _mixed(table, seat, plain)
    if table.has(seat, "resonance"):
        for words in _mixed(table, seat, plain):
            yield from _doubled(words, table.players[seat].hand.count(seat) - words.count(seat))


def _bared(plain: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield ways to leave out a bubble by Efficient Explorer on another space than by default, or at all."""
    words = [word for word in plain if word != NONE]
    for at in range(len(plain)):
        if len(words) == len(plain):
            yield (*plain[:at], NONE, *plain[at + 1 :])
        elif len(words) == len(plain) - 1:
            yield (*words[:at], NONE, *words[at:])


def _mixed(table: Table, seat: SeatName, plain: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield ways to place bubbles of the own colour and others on the spaces on which any are placed."""
    hand = table.players[seat].hand
    choices = [(NONE,) if word == NONE else (seat, "") for word in plain]
    for mask in product(*choices):
        others = [colour for colour in hand if colour != seat]
        if mask.count(seat) <= hand.count(seat) and mask.count("") <= len(others):
            yield tuple(word or others.pop(0) for word in mask)


def _doubled(words: Sequence[str], left: int) -> Iterator[tuple[str, ...]]:
    """Yield ways to add one or two of the bubbles of the own colour that are left, by Bubble Resonance."""
    spaces = [at for at, word in enumerate(words) if word != NONE]
    for one, other in product(spaces, repeat=2):
        if one <= other and left >= len({one, other}):
            yield tuple(word + EXTRA if at in (one, other) else word for at, word in enumerate(words))


class _Tried(NamedTuple):
    """A sheet, its rehearsal and its value."""

    sheet: Sheet
    play: Play
    worth: int


def _by_worth(tried: _Tried) -> int:
    return -tried.worth


def _ranked(state: State, seat: SeatName, sheets: Iterable[Sheet]) -> list[_Tried]:
    """Rehearse sheets, and return those of which nothing is refused, the best first."""
    plays = _rehearsed(state, seat, sheets)
    return sorted((_Tried(sheet, play, _gained(play) + _value_after(play)) for sheet, play in plays), key=_by_worth)


def _rehearsed(state: State, seat: SeatName, sheets: Iterable[Sheet], work: int = WORK) -> Iterator[tuple[Sheet, Play]]:
    """Yield sheets of which nothing is refused with their rehearsals, within some work."""
    for sheet, play in rehearse_all(state, seat, sheets):
        if not play.refusals:
            yield sheet, play
        work -= _work(play)
        if work <= 0:
            return


def _work(play: Play) -> int:
    # Rehearsing a sheet without pops takes as long as two pops on the smallest board, as four on the largest.
    return len(play.table.bubbles) // 6 + len(play.pops)


def _answered(state: State, tried: Sequence[_Tried], dice: Dice) -> Sheet:
    """Return the sheet that is worth most after the best that the next player is found to answer.

    Answers to the first sheet are looked for; of those to the others the likely ones are tried.
    """
    likely: list[Sheet] = []
    best, most = tried[0], -math.inf
    for each in tried:
        later = _later(each.play)
        answer = None
        if later:
            after = replace(each.play.table.freeze(state), question=None, further=(), pending=0, mover=later[0])
            if likely:
                # The answers are tried until one makes the sheet no better than the best so far.
                enough = (each.worth + (ENDING if each.play.in_last_round else 0) - most) / DENIED
                answer = _best_answer(after, later[0], likely, enough)
            else:
                found = _ranked(after, later[0], _sheets(after, later[0], dice, ANSWERS))
                answer = max((other.play for other in found), key=_gained, default=None)
                dangerous = sorted(found[:LIKELY], key=lambda other: -_gained(other.play))
                likely = [other.sheet for other in dangerous]
        worth = each.worth - DENIED * (_gained(answer) if answer else 0) + _outlook(each.play, later, answer)
        if worth > most:
            best, most = each, worth
    return best.sheet


def _best_answer(state: State, seat: SeatName, sheets: Sequence[Sheet], enough: float) -> Play | None:
    """Return the rehearsal of the sheet that wins most, or the first that wins enough."""
    best = None
    for _, play in _rehearsed(state, seat, sheets, LIKELY_WORK):
        if best is None or _gained(play) > _gained(best):
            best = play
            if _gained(best) >= enough:
                break
    return best


def _later(play: Play) -> list[SeatName]:
    """Return the players who are to move after a turn: in the last round those that are left, else all others."""
    at = play.order.index(play.seat)
    return play.order[at + 1 :] + ([] if play.in_last_round else play.order[:at])


def _outlook(play: Play, later: Sequence[SeatName], answer: Play | None) -> int:
    """Return a value for being ahead, or behind, once the game ends; those to move then do as well as the next one."""
    if not play.in_last_round:
        return 0
    after, won = play.table.freeze(play.state), 0
    if answer:
        won = answer.table.players[answer.seat].points - answer.state.players[answer.seat].points
    best = max(total(after, other) + won * (other in later) for other in play.order if other != play.seat)
    return ENDING if total(after, play.seat) > best else -ENDING


def _foreseen(state: State, tried: Sequence[_Tried], dice: Dice) -> list[Sheet]:
    """Sort sheets by value, with the next turns where the supply is small; similar ones are sorted by lot."""
    turns = AHEAD if len(state.players[tried[0].play.seat].hand) <= LOW else 0
    luck = LUCK + QUIET_LUCK * state.quiet + LATE_LUCK * max(0, state.round - LATE)

    def prospect(each: tuple[int, _Tried]) -> int:
        return _prospect(each[1].play, dice, turns, AHEAD_WORK) + dice.below(luck, "luck", state.round, each[0])

    return [found.sheet for _, found in sorted(enumerate(tried), key=prospect, reverse=True)]


def _prospect(play: Play, dice: Dice, turns: int, work: int) -> int:
    """Return the value of a sheet together with the best ones found after it, if the others did nothing.

    Only a Mari without bubbles, which has few actions to choose from, is followed for more than one turn.
    """
    # The quiet turns in a row when the seat is to move again, if the others do nothing after a quiet turn.
    quiet = play.quiet + len(play.order) - 1 if play.quiet else 0
    gained = _gained(play) - (STANDSTILL if quiet >= QUIET_ROUNDS * len(play.order) else 0)
    if play.result is not None or not turns or work <= 0:
        return gained + _value_after(play)
    after = replace(play.table.freeze(play.state), question=None, further=(), pending=0, quiet=quiet)
    bare = not play.table.players[play.seat].hand
    left = turns - 1 if bare else 0
    following = [later for _, later in _rehearsed(after, play.seat, _sheets(after, play.seat, dice), work)]
    share = (work - sum(map(_work, following))) // max(1, len(following))
    most = max((_prospect(later, dice, left, share) for later in following), default=0)
    return gained + most - DELAY * bare


def _gained(play: Play) -> int:
    """Return the value of points and markers won in a turn."""
    before, after = play.state.players[play.seat], play.table.players[play.seat]
    marker = SCARCE_MARKER if play.table.rules.beginner else MARKER
    return 10 * (after.points - before.points) + marker * (after.markers - before.markers)


def _value_after(play: Play) -> int:
    """Return the value of the position after a turn: cards, bubbles, stations, and pairs that may become chains."""
    hand = play.table.players[play.seat].hand
    if play.state.last_round or 0 < play.table.rules.rounds <= play.state.round:
        return 10 * (len(hand) + harvested(play))
    loaded = list(map(len, play.table.bubbles.values())).count(2)
    supply = (SCARCE if play.table.rules.beginner else SUPPLY) * len(hand) + 40 * min(len(hand), 2)
    supply += SUPPLY * harvested(play) + (0 if hand else _gathered(play))
    stations = list(play.table.control.values()).count(play.seat)
    return CARD * sum(chain.nodes for chain in play.chains) + supply + 3 * loaded + 10 * stations


def _gathered(play: Play) -> int:
    """Return a value for a Mari without bubbles: those on its space, and those that it may pull there."""
    here, lying = play.at, play.table.bubbles
    near = 6 * len(lying[here]) + 2 * sum(len(lying[near]) for near in around(here, play.table.size))
    return near - 10 * len(play.table.cards[here].arrows)
