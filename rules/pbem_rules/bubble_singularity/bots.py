"""Bots: from a mailed view to the lines of a sheet.

"standard" rehearses moves and actions on the open table and takes the best;
"random" plays anything that is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pbem.ruleset import Bot, Dice, FieldError, Order, SeatName, View
from pbem_rules.bubble_singularity.beginning import wishes
from pbem_rules.bubble_singularity.grid import DIAGONALS, WAYS, around, step
from pbem_rules.bubble_singularity.moving import next_space, path_of
from pbem_rules.bubble_singularity.orders import (
    ORDERS,
    Keep,
    Move,
    Pull,
    Rotate,
    Start,
    UseConvert,
    UseDeploy,
    UseDirector,
    UseFolder,
    UseIgnite,
    UseResearch,
)
from pbem_rules.bubble_singularity.play import Play
from pbem_rules.bubble_singularity.state import COLOURS, State
from pbem_rules.bubble_singularity.table import Table
from pbem_rules.bubble_singularity.turn import QUIET_ROUNDS, rehearse
from pbem_rules.bubble_singularity.views import state_of

Sheet = tuple[Order, ...]

LIKED = (
    *("amplifier", "fusion", "director", "explorer", "folder", "drift"),
    *("cascade", "affinity", "wormhole", "resonance", "attractor", "harvest"),
)
"""Ability cards, those most useful to the bot first."""

TRIED = 420
"""Most moves with an action that are rehearsed; if there are more, the dice choose."""

RESTLESS = 2
"""After a quiet round a bot plays at random in one of so many turns, so that no game stands still."""

LOW = 3
"""Supply of a beginner from which down a bot looks further ahead, so as not to run out of bubbles."""

FORESEEN = 12
"""Number of best sheets whose next turn is looked at."""

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

SUPPLY = 8
"""Value of a bubble in the supply."""

SCARCE = 14
"""The same for beginners, who have no card that brings bubbles out of the bag."""

REFINED = 3
"""Number of best sheets for which uses of abilities and stations are tried too."""


def standard(view: View, dice: Dice) -> list[str]:
    """Play for long chains, markers and a full supply."""
    if view["phase"] != "turn":
        return [ORDERS.line(order) for order in _chosen(view)]
    state, seat = state_of(view), view["seat"]
    beginner = state.rules.beginner
    if not beginner and state.quiet >= len(state.order) and dice.below(RESTLESS, "restless", state.round) == 0:
        return [ORDERS.line(order) for order in dice.pick(list(_sheets(state, seat, dice)), "restless")]
    plain = sorted(_sheets(state, seat, dice), key=lambda sheet: _worth(state, seat, sheet), reverse=True)
    if beginner:
        plain = _foreseen(state, seat, plain[:FORESEEN], dice)
    fine = [refined for sheet in plain[:REFINED] for refined in _refined(state, seat, sheet)]
    best = max([*plain[:1], *fine], key=lambda sheet: _worth(state, seat, sheet))
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


def _sheets(state: State, seat: SeatName, dice: Dice) -> Iterator[Sheet]:
    """Yield moves with an action, `TRIED` of them at the most; without a possible move, actions alone."""
    table = Table(state)
    ends = {Move(ways): path_of(table, seat, ways)[-1] for ways in _paths(table, seat)}
    found = [(move, action) for move, end in ends.items() for action in _actions_at(table, seat, end)]
    if len(found) > TRIED:
        found = dice.shuffle(found, "tried", state.round)[:TRIED]
    yield from found
    if not found:
        here = table.players[seat].at
        assert here is not None
        # A Mari without bubbles, or walled in, only acts (ruling 7).
        stays: list[Sheet] = [(action,) for action in _actions_at(table, seat, here)]
        yield from stays or [()]


def _paths(table: Table, seat: SeatName) -> Iterator[tuple[str, ...]]:
    """Yield ways that the Mari may go; of those that enter the same spaces and end alike, one."""
    here = table.players[seat].at
    assert here is not None
    winds = (*WAYS, *DIAGONALS) if table.has(seat, "drift") else WAYS
    seen: set[tuple[str, ...]] = set()
    growing: list[tuple[tuple[str, ...], str]] = [((), here)]
    while growing:
        ways, at = growing.pop(0)
        for way in winds:
            try:
                path = path_of(table, seat, (*ways, way))
            except FieldError:
                continue
            same = (path[-1], *sorted(path))
            if same not in seen:
                seen.add(same)
                yield (*ways, way)
                growing.append(((*ways, way), next_space(table, seat, at, way)))


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
    """Yield a sheet with each use of an ability or a bonus that the seat has."""
    table = Table(state)
    if table.has(seat, "director"):
        mine = [space for space in table.bubbles if seat in table.bubbles[space]]
        ways = [(space, way) for space in mine for way in WAYS if step(space, way, table.size)]
        yield from ((*sheet, UseDirector(space, way)) for space, way in ways)
    if table.has(seat, "folder"):
        yield from ((*sheet, UseFolder(space, "CW")) for space in table.bubbles)
    if table.control.get("energy") == seat:
        yield from ((*sheet, UseIgnite(space)) for space in table.bubbles)


def _worth(state: State, seat: SeatName, sheet: Sheet) -> int:
    """Return the value of a sheet; -1 if any of it is refused."""
    play = rehearse(state, seat, sheet)
    return -1 if play.refusals else 1_000 + _gained(play) + _value_after(play)


def _foreseen(state: State, seat: SeatName, sheets: Sequence[Sheet], dice: Dice) -> list[Sheet]:
    """Sort sheets by value, with the next turns where the supply is small; similar ones are sorted by lot."""
    turns = AHEAD if len(state.players[seat].hand) <= LOW else 0
    luck = LUCK + QUIET_LUCK * state.quiet + LATE_LUCK * max(0, state.round - LATE)

    def prospect(each: tuple[int, Sheet]) -> int:
        return _prospect(state, seat, each[1], dice, turns) + dice.below(luck, "luck", state.round, each[0])

    return [sheet for _, sheet in sorted(enumerate(sheets), key=prospect, reverse=True)]


def _prospect(state: State, seat: SeatName, sheet: Sheet, dice: Dice, turns: int) -> int:
    """Return the value of a sheet together with the best ones after it, if the others did nothing.

    Only a Mari without bubbles, which has few actions to choose from, is followed for more than one turn.
    """
    play = rehearse(state, seat, sheet)
    # The quiet turns in a row when the seat is to move again, if the others do nothing after a quiet turn.
    quiet = play.quiet + len(play.order) - 1 if play.quiet else 0
    gained = _gained(play) - (STANDSTILL if quiet >= QUIET_ROUNDS * len(state.order) else 0)
    if play.result is not None or not turns:
        return gained + _value_after(play)
    after = replace(play.table.freeze(state), question=None, further=(), pending=0, quiet=quiet)
    bare = not play.table.players[seat].hand
    left = turns - 1 if bare else 0
    most = max(_prospect(after, seat, following, dice, left) for following in _sheets(after, seat, dice))
    return gained + most - DELAY * bare


def _gained(play: Play) -> int:
    """Return the value of points and markers won in a turn."""
    before, after = play.state.players[play.seat], play.table.players[play.seat]
    return 10 * (after.points - before.points) + 70 * (after.markers - before.markers)


def _value_after(play: Play) -> int:
    """Return the value of the position after a turn: cards, bubbles, stations, and pairs that may become chains."""
    hand = play.table.players[play.seat].hand
    loaded = sum(len(found) == 2 for found in play.table.bubbles.values())
    supply = (SCARCE if play.table.rules.beginner else SUPPLY) * len(hand) + 40 * min(len(hand), 2)
    supply += 0 if hand else _gathered(play)
    stations = list(play.table.control.values()).count(play.seat)
    return 9 * sum(chain.nodes for chain in play.chains) + supply + 3 * loaded + 10 * stations


def _gathered(play: Play) -> int:
    """Return a value for a Mari without bubbles: those on its space, and those that it may pull there."""
    here, lying = play.at, play.table.bubbles
    near = 6 * len(lying[here]) + 2 * sum(len(lying[near]) for near in around(here, play.table.size))
    return near - 10 * len(play.table.cards[here].arrows)
