"""Outcome of each order of a turn, from the report's view alone.

The clause on a move says where the unit is, or was lost; it says why the unit stopped only
where that is certain, as the event of a fight does not name the units that were in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from pbem.ruleset import InPart, NotDone, Order, View
from pbem_rules.common.hexes import Hex, step
from pbem_rules.common.summary import counted, named
from pbem_rules.harvester.memory import stood
from pbem_rules.harvester.orders import ORDERS, Build, Destroy, DestroyHarvester, Drop, Move, Target
from pbem_rules.harvester.planet import DIRECTIONS, planet_of
from pbem_rules.harvester.routes import written
from pbem_rules.harvester.summary import AHEAD
from pbem_rules.harvester.units import HARVESTER, NAMES, SCANNER, SLOT

Happening = Mapping[str, Any]
"""An event of a view."""

MOST_NAMES = 2
H = NAMES[HARVESTER]


def order_outcomes(view: View, orders: Sequence[Order]) -> list[str]:
    """Return a clause for each order; "" where the view does not tell what came of it."""
    turn = _Turn(view)
    tell = _tell if view["harvester"] else _tell_of_the_gone
    return [tell(order, turn) for order in orders]


class _Turn:
    """A view's facts of the turn before it, indexed for many orders."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.kinds: dict[str, list[Happening]] = {}
        for event in view["events"]:
            self.kinds.setdefault(event["kind"], []).append(event)
        self.spots: dict[str, Hex] = {each["unit"]: (each["q"], each["r"]) for each in view["units"]}
        self.blocked = {event["unit"]: event for event in self.of("blocked")}
        self.refused = {event["line"]: event["why"] for event in self.of("refused")}

    def of(self, kind: str) -> Sequence[Happening]:
        return self.kinds.get(kind, ())

    def first(self, kind: str) -> Happening | None:
        """Return the first event of a kind, for kinds that occur once at the most."""
        return next(iter(self.of(kind)), None)

    @cached_property
    def stood(self) -> Mapping[str, Hex]:
        """Places of own units before the turn, as far as they are remembered."""
        return stood(self.view)

    @cached_property
    def fights(self) -> dict[str, list[Happening]]:
        found: dict[str, list[Happening]] = {"won": [], "lost": [], "tied": []}
        for event in self.of("fought"):
            found[event["outcome"]].append(event)
        return found

    @cached_property
    def losses(self) -> dict[str, Happening]:
        """The fight in which each lost unit fell."""
        return {unit: event for event in self.fights["lost"] for unit in event["lost"].split()}

    @cached_property
    def won(self) -> dict[Hex, list[Happening]]:
        """The fights won, by hex, without those on borders."""
        found: dict[Hex, list[Happening]] = {}
        for event in self.fights["won"]:
            # A fight on a border was won in neither hex.
            if not event["border"]:
                found.setdefault(_spot(event), []).append(event)
        return found

    @cached_property
    def conquered(self) -> frozenset[str]:
        """Seats whose Harvesters came below the reader's in this turn, and are still there."""
        below = {each["seat"] for each in self.view["subservients"]}
        return frozenset(event["who"] for event in self.of("won-over") if event["who"] in below)


def _tell(order: Order, turn: _Turn) -> str:
    why = turn.refused.get(ORDERS.line(order)) if turn.refused else None
    return NotDone(why) if why else _TELLERS[type(order)](order, turn)


def _tell_of_the_gone(order: Order, turn: _Turn) -> str:
    """Return the outcome of an order of a player who is out: players go out before anything else is done."""
    why = next((event["why"] for event in turn.of("out") if event["who"] == turn.view["seat"]), "")
    if isinstance(order, DestroyHarvester):
        return "you are out of the game" if why == "order" else ""
    return NotDone("you were out of the game by then") if why else ""


# -- moves


def _move(order: Move, turn: _Turn) -> str:
    spot = turn.spots.get(order.unit)
    if spot is None:
        return _loss(turn.losses.get(order.unit))
    blocked = turn.blocked.get(order.unit)
    if blocked:
        return _stopped(order.unit, f"stopped at {written(spot)}: {AHEAD[blocked['why']]}", turn)
    fight = _undecided(order, spot, turn)
    if fight:
        what = f"stopped at {written(spot)}: the fight against {_enemies([fight])} {_place(fight)} was undecided"
        return _stopped(order.unit, what, turn)
    return f"at {written(spot)}{_victory(spot, turn)}"


def _stopped(unit: str, what: str, turn: _Turn) -> str:
    """Return what stopped a unit, as the outcome of an order not done if it has not moved at all."""
    return NotDone(what) if turn.stood.get(unit) == turn.spots[unit] else InPart(what)


def _loss(fight: Happening | None) -> str:
    if fight is None:
        return ""
    victors = named(fight["winners"], MOST_NAMES)
    return NotDone(f"lost {_place(fight)} to {victors}: {fight['strength']} against {fight['best']}")


def _victory(spot: Hex, turn: _Turn) -> str:
    """Return what was won in the hex where a unit is."""
    won = turn.won.get(spot)
    if not won:
        return ""
    whose = [who for fight in won for who, units in _sides(fight) if H in units and who in turn.conquered]
    conquest = f", and {named(whose, MOST_NAMES)} {'is' if len(whose) == 1 else 'are'} below you now" if whose else ""
    return f", where you won against {_enemies(won)}{conquest}"


def _undecided(order: Move, spot: Hex, turn: _Turn) -> Happening | None:
    """Return the undecided fight in which a unit was held up.

    That is certain for a unit that nothing else stopped, that is not where its steps
    lead, and that has such a fight just ahead of it.
    """
    ties = turn.fights["tied"]
    start = turn.stood.get(order.unit) if ties else None
    if start is None:
        return None
    # Events of fights do not name the units in them: a unit short of its goal is matched by place and impulse.
    path = _path(order, start, turn)
    if path[-1] == spot:
        return None
    for impulse, way in enumerate(order.steps, 1):
        if path[impulse - 1] == spot:
            for tie in ties:
                ahead = (spot, way) if tie["border"] else (path[impulse], None)
                if tie["impulse"] == impulse and (_spot(tie), tie["border"]) == ahead:
                    return tie
    return None


def _path(order: Move, start: Hex, turn: _Turn) -> list[Hex]:
    """Return the hexes to which the steps of an order lead, with the start before them."""
    planet, path = planet_of(turn.view["size"]), [start]
    for way in order.steps:
        path.append(planet.named(*step(path[-1], DIRECTIONS[way]), near=(0, 0)))
    return path


def _spot(event: Happening) -> Hex:
    return event["q"], event["r"]


def _place(fight: Happening) -> str:
    border = f"the border {fight['border']} of " if fight["border"] else ""
    return f"at {border}{written(_spot(fight))}"


def _sides(fight: Happening) -> Iterator[tuple[str, str]]:
    """Yield the enemies of a fight, and the kinds of their units."""
    for enemy in fight["enemies"].split(", "):
        owner, units = enemy.split(" ")
        yield owner, units


def _enemies(fights: Sequence[Happening]) -> str:
    return named(list(dict.fromkeys(who for fight in fights for who, _ in _sides(fight))), MOST_NAMES)


# -- the Harvester


def _target(_: Target, turn: _Turn) -> str:
    home, gathered = turn.view["harvester"], turn.first("gathered")
    spot, gain = written((home["q"], home["r"])), f" and gathered {gathered['amount']}" if gathered else ""
    blocked = turn.blocked.get(H)
    if turn.first("arrived"):
        return f"got there{gain or ', and gathered nothing'}"
    if turn.first("nothing-there"):
        return InPart(f"at {spot}{gain}: scanners show that nothing is to be gathered at the target, so it has none")
    if blocked or home["waiting"]:
        why = AHEAD[blocked["why"]] if blocked else "a fight held it up"
        return InPart(f"waits at {spot}{gain}: {why}")
    return f"at {spot}{gain}, {counted(home['left'], 'step')} from its target"


def _build(order: Build, turn: _Turn) -> str:
    built, building = turn.first("built"), turn.view["building"]
    cost = f"cost {counted(int(SCANNER[SLOT[order.unit]]), 'resource')}"
    if built and built["unit"] == order.unit:
        return f"{cost}; it stands at {written(_spot(built))}"
    if building and building["unit"] == order.unit:
        return f"{cost}; ready in {counted(building['turns'], 'turn')}"
    return ""


def _drop(_: Drop, turn: _Turn) -> str:
    dropped, gathered, home = turn.first("dropped"), turn.first("gathered"), turn.view["harvester"]
    if dropped is None:
        return ""
    again = f"; stayed, and gathered {gathered['amount']} there" if gathered and _spot(home) == _spot(dropped) else ""
    return f"at {written(_spot(dropped))}{again}"


# -- the end of units


def _destroy(order: Destroy, turn: _Turn) -> str:
    for event in turn.of("scrapped"):
        if event["unit"] == order.unit:
            return f"left {counted(event['left'], 'resource')} at {written(_spot(event))}"
    return ""


# Tellers of each order; with DESTROY HARVESTER its player is out.
_TELLERS: Mapping[type[Order], Callable[[Any, _Turn], str]] = {
    Move: _move,
    Target: _target,
    Build: _build,
    Drop: _drop,
    Destroy: _destroy,
}
