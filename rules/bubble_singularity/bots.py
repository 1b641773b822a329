"""Bots: from a mailed view to the lines of a sheet.

"standard" tries out moves and actions on the open table and takes what brings
most; "random" plays anything that is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from pbem.ruleset import Bot, Dice, Order, Refused, Seat, View
from rules.bubble_singularity.beginning import wishes
from rules.bubble_singularity.grid import DIAGONALS, WAYS, around, step
from rules.bubble_singularity.moving import next_space, path_of
from rules.bubble_singularity.orders import (
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
from rules.bubble_singularity.play import Play
from rules.bubble_singularity.state import COLOURS, State
from rules.bubble_singularity.table import Table
from rules.bubble_singularity.turn import rehearse
from rules.bubble_singularity.views import state_of

Sheet = tuple[Order, ...]

LIKED = (
    *("amplifier", "fusion", "director", "explorer", "folder", "drift"),
    *("cascade", "affinity", "wormhole", "resonance", "attractor", "harvest"),
)
"""Ability cards, those first that the bot makes most of."""

TRIED = 420
"""Moves with an action that are tried at the most; the lot decides which, where there are more."""

RESTLESS = 2
"""Every how many turns, by lot, a bot acts anyhow when nothing has come about for a round, so that no table sticks."""

LOW = 3
"""Bubbles of a beginner's supply with which a bot looks a turn further, so as not to be left without any."""

FORESEEN = 12
"""The best sheets of which it looks at the next turn."""

AHEAD = 3
"""Turns of its own that are looked ahead for a Mari without bubbles."""

REFINED = 3
"""The best of them, for which uses of abilities and stations are tried too."""


def standard(view: View, dice: Dice) -> list[str]:
    """Plays for long chains, markers and a full supply."""
    if not view["awaited"]:
        return []
    if view["phase"] != "turn":
        return [ORDERS.line(order) for order in _chosen(view)]
    state, seat = state_of(view), view["seat"]
    if state.quiet >= len(state.order) and dice.below(RESTLESS, "restless", state.round) == 0:
        return [ORDERS.line(order) for order in dice.pick(list(_sheets(state, seat, dice)), "restless")]
    plain = sorted(_sheets(state, seat, dice), key=lambda sheet: _worth(state, seat, sheet), reverse=True)
    if state.rules.beginner and len(state.players[seat].hand) <= LOW:
        plain = sorted(plain[:FORESEEN], key=lambda sheet: _prospect(state, seat, sheet, dice), reverse=True)
    fine = [refined for sheet in plain[:REFINED] for refined in _refined(state, seat, sheet)]
    best = max([*plain[:1], *fine], key=lambda sheet: _worth(state, seat, sheet))
    return [ORDERS.line(order) for order in (*best, *_standing_list(state, seat))]


def random(view: View, dice: Dice) -> list[str]:
    """Plays anywhere, with lines that may come to nothing."""
    if not view["awaited"]:
        return []
    if view["phase"] != "turn":
        return [ORDERS.line(order) for order in _chosen(view)[-1:]]
    luck = dice.scoped("random", view["round"])
    sheets = list(_sheets(state_of(view), view["seat"], luck))
    lines = [ORDERS.line(order) for order in luck.pick(sheets, "sheet")]
    uses = [verb for verb in ORDERS.verbs if verb.word in ("USE", "SEND", "POP", "SWAP", "DRAW", "BUBBLES")]
    return lines + [luck.pick(uses, "use", count).invent(view, luck, count) for count in range(luck.below(3, "uses"))]


BOTS: Mapping[str, Bot] = {"standard": standard, "random": random}


def _chosen(view: View) -> Sheet:
    """The answers to what is asked between turns."""
    asked, me = view["question"], view["players"][view["seat"]]
    if view["phase"] == "setup":
        start = Start(tuple(wishes(view["size"])))
        return (start, Keep((_most_liked(me["offer"]),))) if me["offer"] else (start,)
    questions = (asked, *view.get("further", ()))
    drawn = (colour for question in questions if question["kind"] == "bubbles" for colour in question["choices"])
    bubbles = sorted(drawn, key=lambda colour: bool(colour != view["seat"]))[:2]
    return (Keep((*bubbles, *(LIKED if any(question["kind"] != "bubbles" for question in questions) else ()))),)


def _standing_list(state: State, seat: Seat) -> Sheet:
    """What the bot keeps without being asked: all cards and colours, its own first; written once."""
    liked = (*LIKED, seat, *(colour for colour in COLOURS if colour != seat))
    return () if state.lists.get(seat) == liked else (Keep(liked),)


def _most_liked(cards: Sequence[str]) -> str:
    return min(cards, key=LIKED.index)


def _sheets(state: State, seat: Seat, dice: Dice) -> Iterator[Sheet]:
    """Moves with an action, as many as are to be tried."""
    table = Table(state)
    moves = [Move(ways) for ways in _paths(table, seat)]
    found = [(move, action) for move in moves for action in _actions(table, seat, move)]
    if len(found) > TRIED:
        found = dice.shuffle(found, "tried", state.round)[:TRIED]
    yield from found
    if not found:
        here = table.players[seat].at
        assert here is not None
        yield from ((action,) for action in _actions_at(table, seat, here))


def _paths(table: Table, seat: Seat) -> Iterator[tuple[str, ...]]:
    """Ways the Mari may go; of those that enter the same spaces and end alike, one."""
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
            except Refused:
                continue
            same = (path[-1], *sorted(path))
            if same not in seen:
                seen.add(same)
                yield (*ways, way)
                growing.append(((*ways, way), next_space(table, seat, at, way)))


def _actions(table: Table, seat: Seat, move: Move) -> Iterator[Order]:
    return _actions_at(table, seat, path_of(table, seat, move.ways)[-1])


def _actions_at(table: Table, seat: Seat, here: str) -> Iterator[Order]:
    """The actions that may be chosen on a space; pulling from an empty one is left out."""
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


def _station_actions(table: Table, seat: Seat, here: str) -> Iterator[Order]:
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


def _refined(state: State, seat: Seat, sheet: Sheet) -> Iterator[Sheet]:
    """A sheet with each use of an ability or a bonus that the seat has."""
    table = Table(state)
    if table.has(seat, "director"):
        mine = [space for space in table.bubbles if seat in table.bubbles[space]]
        ways = [(space, way) for space in mine for way in WAYS if step(space, way, table.size)]
        yield from ((*sheet, UseDirector(space, way)) for space, way in ways)
    if table.has(seat, "folder"):
        yield from ((*sheet, UseFolder(space, "CW")) for space in table.bubbles)
    if table.control.get("energy") == seat:
        yield from ((*sheet, UseIgnite(space)) for space in table.bubbles)


def _worth(state: State, seat: Seat, sheet: Sheet) -> int:
    """What a sheet brings: points, markers, cards and bubbles, and pairs of bubbles left for the next chains."""
    play = rehearse(state, seat, sheet)
    if play.refusals:
        return -1
    before, after = state.players[seat], play.table.players[seat]
    gained = 10 * (after.points - before.points) + 70 * (after.markers - before.markers)
    loaded = sum(len(found) == 2 for found in play.table.bubbles.values())
    supply = 8 * len(after.hand) + 40 * min(len(after.hand), 2)
    supply += 0 if after.hand else _gathered(play)
    return (
        1_000
        + gained
        + 9 * sum(chain.nodes for chain in play.chains)
        + supply
        + 3 * loaded
        + 10 * _stations(play, seat)
    )


def _prospect(state: State, seat: Seat, sheet: Sheet, dice: Dice, turns: int = AHEAD) -> int:
    """What a sheet brings together with the best ones after it, if nobody else did anything.

    Only a Mari without bubbles, which has but few acts to choose from, is followed for more than one turn.
    """
    play = rehearse(state, seat, sheet)
    if play.result is not None or not turns:
        return _worth(state, seat, sheet)
    before, mine = state.players[seat], play.table.players[seat]
    gained = 10 * (mine.points - before.points) + 70 * (mine.markers - before.markers)
    after = replace(play.table.freeze(state), question=None, further=(), pending=0)
    left = 0 if mine.hand else turns - 1
    return gained + max(_prospect(after, seat, following, dice, left) for following in _sheets(after, seat, dice))


def _gathered(play: Play) -> int:
    """For a Mari without bubbles, that cannot move any more: those on its space, and those it may pull there."""
    here, lying = play.at, play.table.bubbles
    near = 6 * len(lying[here]) + 2 * sum(len(lying[near]) for near in around(here, play.table.size))
    return near - 10 * len(play.table.cards[here].arrows)


def _stations(play: Play, seat: Seat) -> int:
    return sum(owner == seat for owner in play.table.control.values())
