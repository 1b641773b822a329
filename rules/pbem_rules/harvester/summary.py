"""Headlines of a report, and what happens without orders, from the view alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pbem.ruleset import View
from pbem_rules.common.hexes import Hex
from pbem_rules.common.summary import LINES, counted, events_of, headline, headlines, named
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.events import SILENCE_LIMIT
from pbem_rules.harvester.memory import lost_foes
from pbem_rules.harvester.routes import written
from pbem_rules.harvester.units import COMBAT, KIND_NAMES, KINDS, MOST_HELD, MOVE

MOST_STANDING = 3
"""Most lines that each report tells."""

_UNDECIDED = ("won", "lost", "tied")
AHEAD = {
    "crags": "crags are ahead",
    "ruler": "units of a Harvester above yours have the hex ahead",
    "harvester": "another Harvester has the hex ahead",
}
"""Reasons why a unit stopped, by the reason in the event."""


def turn_summary(view: View) -> list[str]:
    """Return the headlines: rule, losses, orders that failed, fights and foes, then the Harvester and the points."""
    atlas = Atlas(view)
    news = [*_end(view), *_rule(view), *_losses(view), *_sheet(view), *_fights(view), *_threats(view, atlas)]
    return headlines(news, _standing(view, atlas, room=LINES - len(news)))


def without_orders(view: View) -> str:
    """Return what happens to units and Harvester without orders, in a sentence."""
    home = view["harvester"]
    if view["over"] or home is None:
        return ""
    stays = "stays where it is" if home["target"] is None else f"goes on to {written(home['target'])}"
    last = view["silent"] + 1 == SILENCE_LIMIT
    silence = f"; it is the {SILENCE_LIMIT}th turn in a row, and all of them destroy themselves" if last else ""
    return f"Without orders your units stay where they are, and your Harvester {stays}{silence}."


def _end(view: View) -> Iterator[str]:
    if not view["over"]:
        return
    winner = view["winner"]
    if winner is None:
        yield "The game is over, and no player has won: no Harvester is left."
    elif winner == view["seat"]:
        yield "You are the One: your Harvester rules all others. The game is over."
    else:
        yield headline(
            f"the game is over: {winner} is the One, and rules all others.", f"{winner} is the One.", bad=True
        )


def _rule(view: View) -> Iterator[str]:
    """Yield who was put above and below the player, and who is gone."""
    you = view["seat"]
    for event in events_of(view, "conquered"):
        told = f"your Harvester was conquered by {event['by']}"
        yield headline(f"{told}, and serves it. You play on.", f"{told}.", bad=True)
    if events_of(view, "freed"):
        yield "You are free: the Harvester above yours is gone."
    for event in events_of(view, "passed"):
        yield headline(
            f"the Harvester that ruled yours is gone; {event['to']} rules it now.", f"{event['to']} rules you now."
        )
    if won := [event["who"] for event in events_of(view, "won-over")]:
        count = f"{counted(len(won), 'Harvester')} won, now below you"
        yield headline(f"{count}: {named(won)}.", f"{count}.")
    if lost := [event["who"] for event in events_of(view, "lost-hold")]:
        count = f"{counted(len(lost), 'Harvester')} lost to others, no longer below you"
        yield headline(f"{count}: {named(lost)}.", f"{count}.", bad=True)
    out = [event["who"] for event in events_of(view, "out")]
    if you in out:
        yield headline("You are out of the game: your Harvester and all its units are gone.", bad=True)
    if gone := [who for who in out if who != you]:
        count = f"out of the game, and no longer below you: {counted(len(gone), 'Harvester')}."
        yield headline(f"out of the game, and no longer below you: {named(gone)}.", count, bad=True)


def _losses(view: View) -> Iterator[str]:
    """Yield the units lost, and to whom."""
    fights = [event for event in events_of(view, "fought") if event["lost"]]
    lost = [unit for event in fights for unit in event["lost"].split()]
    victors = sorted({who for event in fights for who in event["winners"]})
    if lost:
        told = f"you lost {named(lost, 10)}"
        yield headline(*([f"{told} to {named(victors)}."] if victors else []), f"{told}.", bad=True)


def _sheet(view: View) -> Iterator[str]:
    """Yield what was wrong with the player's orders."""
    if view["over"] or view["harvester"] is None:
        return
    if view["silent"]:
        told = f"no orders of yours for {counted(view['silent'], 'turn')}; after {SILENCE_LIMIT} in a row you are out."
        yield headline(told, bad=True)
    if refused := events_of(view, "refused"):
        yield headline(f"{counted(len(refused), 'order')} of yours came to nothing.", bad=True)


def _fights(view: View) -> Iterator[str]:
    fought = events_of(view, "fought")
    if fought:
        outcomes = [event["outcome"] for event in fought]
        told = [
            f"{outcomes.count(outcome)} {word}"
            for outcome, word in zip(_UNDECIDED, ("won", "lost", "undecided"), strict=True)
            if outcome in outcomes
        ]
        enemies = {enemy.split(" ")[0] for event in fought for enemy in event["enemies"].split(", ")}
        counts = f"fights: {', '.join(told)}"
        yield headline(f"{counts}, against {named(sorted(enemies))}.", f"{counts}.")


def _threats(view: View, atlas: Atlas) -> Iterator[str]:
    if not view["over"] and view["harvester"] is not None:
        yield from _foes(view, atlas)
        yield from _threat_out_of_sight(view, atlas)


def _standing(view: View, atlas: Atlas, room: int) -> Iterator[str]:
    """Yield the lines on Harvester and points; in between, if there is room, the nearest hex to gather in."""
    if view["harvester"] is None:
        return
    if not view["over"]:
        yield _harvester(view)
        yield from _nearest(view, atlas) if room >= MOST_STANDING else ()
    yield _points(view)


def _foes(view: View, atlas: Atlas) -> Iterator[str]:
    """Yield the nearest foe by name, and the numbers of foes in sight and of units that scanners only count."""
    foes = [each for each in view["contacts"] if each["side"] == "foe"]
    unknown = {(q, r): number for q, r, _, _, _, number in view["scan"][1] if number}
    if foes:
        near = min(foes, key=lambda each: _reach(atlas, (each["q"], each["r"])))
        spot, units = (near["q"], near["r"]), sum(len(each["units"]) for each in foes)
        told = KIND_NAMES[near["units"][0]] if len(near["units"]) == 1 else counted(len(near["units"]), "unit")
        rest = [f"{counted(units, 'foe')} in sight"] if units > len(near["units"]) else []
        rest += [f"{counted(sum(unknown.values()), 'unit')} of unknown owners"] if unknown else []
        first = f"nearest foe: {near['owner']}'s {told} at {_far(atlas, spot)}"
        alone = f"{counted(units, 'foe')} in sight, the nearest at {_far(atlas, spot)}."
        yield headline(f"{first}{'; ' if rest else ''}{', '.join(rest)}.", f"{first}.", alone)
    elif unknown:
        # All are others': a hex with an own unit is told exactly.
        nearest = _far(atlas, min(unknown, key=lambda spot: _reach(atlas, spot)))
        number = sum(unknown.values())
        yield f"{'A unit' if number == 1 else f'{number} units, the nearest'} of unknown owner at {nearest}."


def _reach(atlas: Atlas, spot: Hex) -> tuple[int, Hex]:
    return atlas.distance(atlas.home, spot), spot


def _far(atlas: Atlas, spot: Hex) -> str:
    return f"{written(spot)}, {counted(atlas.distance(atlas.home, spot), 'step')} off"


def _harvester(view: View) -> str:
    """Return what the Harvester gathered and holds, and where it goes or what stopped it."""
    home = view["harvester"]
    gathered = sum(event["amount"] for event in events_of(view, "gathered"))
    does = [f"gathered {gathered}"] if gathered else []
    does.append(f"holds {home['held']} of {MOST_HELD}")
    stopped = [AHEAD[event["why"]] for event in events_of(view, "blocked") if event["unit"] == "H"]
    whole = f"your Harvester {', '.join(does)}"
    if stopped:
        return headline(f"{whole}; stopped: {stopped[-1]}.", f"{whole}; stopped.")
    return headline(f"{whole} and {_course(home)}.")


def _course(home: dict[str, Any]) -> str:
    if home["target"] is None:
        return "has no target"
    way = written((home["target"][0], home["target"][1]))
    return f"waits on its way to {way}" if home["waiting"] else f"is {counted(home['left'], 'step')} from {way}"


def _nearest(view: View, atlas: Atlas) -> Iterator[str]:
    """Yield a goal for a Harvester without a target."""
    if view["harvester"]["target"] is None and (spot := nearest_field(view, atlas)):
        resources = atlas.marked[spot]
        told = counted(resources, "resource") if resources > 0 else "a Harvester or resource"
        yield f"Nearest to gather: {told} at {_far(atlas, spot)}."


def nearest_field(view: View, atlas: Atlas) -> Hex | None:
    """Return the hex to gather from, of the nearest ones the richest; None without any."""
    known = {(each["q"], each["r"]) for each in view["subservients"]} | {atlas.home}
    known |= {(each["q"], each["r"]) for each in view["contacts"] if "H" in each["units"]}
    # A Harvester cannot enter crags (ruling 10).
    free = [spot for spot in atlas.marked if spot not in known and spot not in atlas.crags]
    return min(free, key=lambda spot: (_reach(atlas, spot)[0], -atlas.marked[spot], spot), default=None)


def _points(view: View) -> str:
    points, below, above = view["points"]["total"], len(view["subservients"]), view["rulers"]
    rule = f"you rule {counted(below, 'Harvester')}" if below else "no Harvester is below you"
    served = f", and {named(above, 2)} {'is' if len(above) == 1 else 'are'} above you" if above else ""
    stand = f"{counted(points, 'point')}{_gain(view)}; {rule}{served}."
    built = [] if view["over"] else [*_building(view)]
    return headline(" ".join([stand, *built]), stand, f"{counted(points, 'point')}{_gain(view)}; {rule}.")


def _gain(view: View) -> str:
    """Return how the points changed since the report before, if it is remembered; "" if they did not."""
    turns = dict(view.get("memory", {}).get("scores", {}).get("turns", ()))
    gain = view["points"]["total"] - turns.get(view["turn"] - 1, view["points"]["total"])
    return f" ({abs(gain)} {'more' if gain > 0 else 'fewer'} than before)" if gain else ""


def _building(view: View) -> Iterator[str]:
    if built := [event["unit"] for event in events_of(view, "built")]:
        yield f"Rebuilt: {named(built)}."
    if view["building"]:
        yield f"{view['building']['unit']} is ready in {counted(view['building']['turns'], 'turn')}."


def _threat_out_of_sight(view: View, atlas: Atlas) -> Iterator[str]:
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
        where = f"{counted(ago, 'turn')} ago at {_far(atlas, spot)}"
        yield headline(
            f"out of sight: {owner}'s {KIND_NAMES[kind]}, {where}.", f"out of sight: a {KIND_NAMES[kind]}, {where}."
        )
