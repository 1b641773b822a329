"""Summary of a turn for the head of a report, from the view alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pbem.ruleset import View
from pbem_rules.common.hexes import Hex
from pbem_rules.common.summary import SIGNS, counted, fitted, named
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.events import SILENCE_LIMIT
from pbem_rules.harvester.memory import lost_foes
from pbem_rules.harvester.routes import written
from pbem_rules.harvester.units import COMBAT, KIND_NAMES, KINDS, MOST_HELD, MOVE

Events = list[dict[str, Any]]

_UNDECIDED = ("won", "lost", "tied")
AHEAD = {
    "crags": "crags are ahead",
    "ruler": "units of a Harvester above yours have the hex ahead",
    "harvester": "another Harvester has the hex ahead",
}
"""Reasons why a unit stopped, by the reason in the event."""


def turn_summary(view: View) -> list[str]:
    """Return sentences on gains, losses and threats, on the Harvester, and on rulers and subservients."""
    return fitted([*_end(view), *_rule(view), *_fights(view), *_playing(view)])


def _of(view: View, kind: str) -> Events:
    return [event for event in view["events"] if event["kind"] == kind]


def _end(view: View) -> Iterator[str]:
    if not view["over"]:
        return
    winner = view["winner"]
    if winner is None:
        yield "The game is over, and nobody has won: no Harvester is left."
    elif winner == view["seat"]:
        yield "You are the One: your Harvester rules all others. The game is over."
    else:
        yield f"The game is over: {winner} is the One, and rules all others."


def _rule(view: View) -> Iterator[str]:
    """Yield who was put above and below the player, and who is gone."""
    you = view["seat"]
    for event in _of(view, "conquered"):
        yield f"Your Harvester was conquered by {event['by']}, and serves it. You play on."
    if _of(view, "freed"):
        yield "You are free: the Harvester above yours is gone."
    for event in _of(view, "passed"):
        yield f"The Harvester that ruled yours is gone; {event['to']} rules it now."
    if won := [event["who"] for event in _of(view, "won-over")]:
        yield f"{counted(len(won), 'Harvester')} won, now below you: {named(won)}."
    if lost := [event["who"] for event in _of(view, "lost-hold")]:
        yield f"{counted(len(lost), 'Harvester')} lost to others, no longer below you: {named(lost)}."
    out = [event["who"] for event in _of(view, "out")]
    if you in out:
        yield "You are out of the game: your Harvester and all its units are gone."
    if gone := [who for who in out if who != you]:
        yield f"Out of the game, and no longer below you: {named(gone)}."


def _fights(view: View) -> Iterator[str]:
    fought = _of(view, "fought")
    if fought:
        outcomes = [event["outcome"] for event in fought]
        told = [
            f"{outcomes.count(outcome)} {word}"
            for outcome, word in zip(_UNDECIDED, ("won", "lost", "undecided"), strict=True)
            if outcome in outcomes
        ]
        enemies = {enemy.split(" ")[0] for event in fought for enemy in event["enemies"].split(", ")}
        yield f"Fights: {', '.join(told)}, against {named(sorted(enemies))}."
    if lost := [unit for event in fought for unit in event["lost"].split()]:
        yield f"You lost {named(lost, 10)}."


def _playing(view: View) -> Iterator[str]:
    if view["harvester"] is None:
        return
    atlas = Atlas(view)
    if not view["over"]:
        yield from _sheet(view)
        yield from _foes(view, atlas)
        yield from _unknown(atlas)
        yield from _harvester(view)
        yield from _nearest(view, atlas)
    yield _points(view)
    if not view["over"]:
        yield from _building(view)
        yield from _lost(view, atlas)


def _sheet(view: View) -> Iterator[str]:
    """Yield what was wrong with the player's orders."""
    if view["silent"]:
        yield f"No sheet of yours for {counted(view['silent'], 'turn')}; after {SILENCE_LIMIT} in a row you are out."
    if refused := _of(view, "refused"):
        yield f"{counted(len(refused), 'order')} of yours came to nothing."


def _foes(view: View, atlas: Atlas) -> Iterator[str]:
    """Yield the nearest foe by name, and the number of foes in sight."""
    foes = [each for each in view["contacts"] if each["side"] == "foe"]
    if foes:
        near = min(foes, key=lambda each: _reach(atlas, (each["q"], each["r"])))
        spot, units = (near["q"], near["r"]), sum(len(each["units"]) for each in foes)
        told = KIND_NAMES[near["units"][0]] if len(near["units"]) == 1 else counted(len(near["units"]), "unit")
        more = f"; {counted(units, 'foe')} in sight" if units > len(near["units"]) else ""
        yield f"Nearest foe: {near['owner']}'s {told} at {_far(atlas, spot)}{more}."


def _unknown(atlas: Atlas) -> Iterator[str]:
    """Yield the units that scanners only count: all are others', as a hex with an own unit is told exactly."""
    found = {(q, r): number for q, r, _, _, _, number in atlas.view["scan"][1] if number}
    if found:
        nearest = min(found, key=lambda spot: _reach(atlas, spot))
        is_one = sum(found.values()) == 1
        told = "A unit of unknown owner" if is_one else f"{sum(found.values())} units of unknown owners, the nearest"
        yield f"{told} at {_far(atlas, nearest)}."


def _reach(atlas: Atlas, spot: Hex) -> tuple[int, Hex]:
    return atlas.distance(atlas.home, spot), spot


def _far(atlas: Atlas, spot: Hex) -> str:
    return f"{written(spot)}, {counted(atlas.distance(atlas.home, spot), 'step')} off"


def _harvester(view: View) -> Iterator[str]:
    """Yield what the Harvester gathered and holds, and where it goes or what stopped it."""
    home = view["harvester"]
    gathered = sum(event["amount"] for event in _of(view, "gathered"))
    does = [f"gathered {gathered}"] if gathered else []
    does.append(f"holds {home['held']} of {MOST_HELD}")
    stopped = [AHEAD[event["why"]] for event in _of(view, "blocked") if event["unit"] == "H"]
    goes = f"was stopped: {stopped[-1]}" if stopped else _course(home)
    whole = f"Your Harvester {', '.join(does)} and {goes}."
    yield from [whole] if len(whole) <= SIGNS else [f"Your Harvester {' and '.join(does)}.", f"It {goes}."]


def _course(home: dict[str, Any]) -> str:
    if home["target"] is None:
        return "has no target"
    way = written((home["target"][0], home["target"][1]))
    return f"waits on its way to {way}" if home["waiting"] else f"is {counted(home['left'], 'step')} from {way}"


def _nearest(view: View, atlas: Atlas) -> Iterator[str]:
    """Yield a goal for a Harvester without a target: of the nearest hexes the richest."""
    if view["harvester"]["target"] is not None:
        return
    known = {(each["q"], each["r"]) for each in view["subservients"]} | {atlas.home}
    known |= {(each["q"], each["r"]) for each in view["contacts"] if "H" in each["units"]}
    # A Harvester cannot enter crags (ruling 10).
    free = [spot for spot in atlas.marked if spot not in known and spot not in atlas.crags]
    if free:
        spot = min(free, key=lambda spot: (_reach(atlas, spot)[0], -atlas.marked[spot].resources, spot))
        resources = atlas.marked[spot].resources
        told = counted(resources, "resource") if resources > 0 else "a Harvester or resource"
        yield f"Nearest to gather: {told} at {_far(atlas, spot)}."


def _points(view: View) -> str:
    points, below, above = view["points"], len(view["subservients"]), view["rulers"]
    rule = f"you rule {counted(below, 'Harvester')}" if below else "nobody is below you"
    served = f", and {named(above, 2)} {'is' if len(above) == 1 else 'are'} above you" if above else ""
    return f"{counted(points['total'], 'point')}; {rule}{served}."


def _building(view: View) -> Iterator[str]:
    if built := [event["unit"] for event in _of(view, "built")]:
        yield f"Rebuilt: {named(built)}."
    if view["building"]:
        yield f"{view['building']['unit']} is ready in {counted(view['building']['turns'], 'turn')}."


def _lost(view: View, atlas: Atlas) -> Iterator[str]:
    """Yield the strongest foe out of sight that may come within one turn of the own Harvester."""
    found = [
        (-int(COMBAT[slot]), each.ago, _reach(atlas, each.spot), each.owner, kind)
        for each in lost_foes(view)
        for kind in each.units
        for slot in [KINDS.index(kind)]
        if COMBAT[slot] and atlas.distance(atlas.home, each.spot) <= MOVE[slot] * (each.ago + 1)
    ]
    if found:
        _, ago, (_, spot), owner, kind = min(found)
        yield f"Out of sight: {owner}'s {KIND_NAMES[kind]}, {counted(ago, 'turn')} ago at {_far(atlas, spot)}."
