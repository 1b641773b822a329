"""Rehearsal of a turn: the result of a sheet if the others in sight stay, and there are no others.

It runs the steps of the turn itself, on a planet that holds nothing but what the report shows. So a forecast
cannot follow other rules than the turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from pbem.ruleset import Dice, Order, SeatName, TurnInput, View
from pbem_rules.common.hexes import Hex, step
from pbem_rules.harvester.atlas import Atlas
from pbem_rules.harvester.orders import Target
from pbem_rules.harvester.planet import DIRECTIONS
from pbem_rules.harvester.play import Play
from pbem_rules.harvester.state import CRAGS, NO_COURSE, NOWHERE, VERSION, State
from pbem_rules.harvester.turn import REHEARSED
from pbem_rules.harvester.units import HARVESTER, NAMES, SLOT, SLOTS

# They decide nothing: lots are drawn between Harvesters that move, and only one does.
_DICE = Dice(b"rehearsal")


class Rehearsal:
    """The orders of a sheet, carried out; `at` gives the places of the reader's surviving units."""

    def __init__(self, atlas: Atlas, orders: Sequence[Order]) -> None:
        aimed = any(isinstance(order, Target) for order in orders)
        state = _state(atlas, None if aimed else next_hex(atlas, orders))
        play = Play(state, TurnInput({state.seats[0]: tuple(orders)}), _DICE)
        for part in REHEARSED:
            part(play)
        planet = atlas.planet
        self.at: dict[str, Hex] = {
            name: (int(planet.q[cell]), int(planet.r[cell]))
            for name, cell in zip(NAMES, play.at[0].tolist(), strict=True)
            if cell != NOWHERE
        }
        self._events = [{"kind": each.kind, **each.data} for each in play.events() if state.seats[0] in each.audience]

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the events of a kind, as a report tells them."""
        return [event for event in self._events if event["kind"] == kind]


def next_hex(atlas: Atlas, orders: Sequence[Order]) -> Hex | None:
    """Return the next hex on the Harvester's way; None if it has no target.

    Views up to version 2 do not always tell it for a line of an earlier turn: then it is None, too.
    """
    home = atlas.view["harvester"]
    target = next((order for order in orders if isinstance(order, Target)), None)
    if target is None and home["target"] is None:
        return None
    if target is None and home.get("ahead"):
        return home["ahead"][0], home["ahead"][1]
    goal = (target.q, target.r) if target else (home["target"][0], home["target"][1])
    ways = atlas.course(atlas.home, goal)
    if target is None and len(set(ways)) > 1:
        return None
    return atlas.named(step(atlas.home, DIRECTIONS[ways[0]]))


def _state(atlas: Atlas, ahead: Hex | None) -> State:
    """Build a state of all that the report shows, the reader first; players without a Harvester in it are out."""
    view, planet = atlas.view, atlas.planet
    seats = _seats(view)
    number = {seat: index for index, seat in enumerate(seats)}
    at = np.full((len(seats), SLOTS), NOWHERE)
    for seat, name, spot in _units(view):
        at[number[seat], SLOT[name]] = _cell(atlas, spot)
    ground = np.zeros(planet.count, np.uint8)
    ground[[_cell(atlas, spot) for spot in atlas.crags]] = CRAGS
    resources = np.zeros(planet.count, np.int64)
    for q, r, *_, amount in view["scan"][0]:
        resources[_cell(atlas, (q, r))] = amount
    return State(
        seats=seats,
        size=view["size"],
        turn=view["turn"],
        drift=0,
        edition=VERSION,
        standoffs=(),
        at=at,
        held=_own(len(seats), view["harvester"]["held"], 0),
        origin=np.zeros(len(seats), np.int64),
        course=_own(len(seats), (_cell(atlas, atlas.home), _cell(atlas, ahead)) if ahead else NO_COURSE, NO_COURSE),
        waiting=np.zeros(len(seats), np.int64),
        build=_own(len(seats), _building(view), (NOWHERE, 0)),
        ruler=np.array([number.get(_ruler(view, seat), NOWHERE) for seat in seats]),
        silent=np.zeros(len(seats), np.int64),
        # A player whose Harvester is not in the report takes no part, but may own units in it.
        left=np.where(at[:, HARVESTER] == NOWHERE, 1, 0),
        resources=resources,
        ground=ground,
        traffic=np.zeros(planet.count, np.uint8),
    )


def _seats(view: View) -> tuple[SeatName, ...]:
    """Return the reader, their rulers and subservients, and the owners of the units in sight."""
    others = (*view["rulers"], *(each["seat"] for each in view["subservients"]))
    return tuple(dict.fromkeys((view["seat"], *others, *(each["owner"] for each in view["contacts"]))))


def _ruler(view: View, seat: SeatName) -> SeatName:
    """Return the direct ruler of a seat as far as the report tells: foes count as free, other friends as the top's."""
    chain: tuple[SeatName, ...] = (view["seat"], *view["rulers"])
    if seat in chain:
        return (*chain, "")[chain.index(seat) + 1]
    below: dict[SeatName, SeatName] = {each["seat"]: each["ruler"] for each in view["subservients"]}
    friends = {each["owner"] for each in view["contacts"] if each["side"] == "friend"}
    return below.get(seat) or (chain[-1] if seat in friends else "")


def _units(view: View) -> Iterator[tuple[SeatName, str, Hex]]:
    """Yield the units that the report shows, by owner and name; those of others get any name of their kind."""
    home = view["harvester"]
    yield view["seat"], NAMES[HARVESTER], (home["q"], home["r"])
    for unit in view["units"]:
        yield view["seat"], unit["unit"], (unit["q"], unit["r"])
    free: dict[SeatName, list[str]] = {}
    for each in view["contacts"]:
        names = free.setdefault(each["owner"], list(NAMES))
        for kind in each["units"]:
            # A report gives units of others by kind, not by number (ruling 12).
            name = next(name for name in names if name[0] == kind)
            names.remove(name)
            yield each["owner"], name, (each["q"], each["r"])


def _building(view: View) -> tuple[int, int]:
    building = view["building"]
    return (SLOT[building["unit"]], building["turns"]) if building else (NOWHERE, 0)


def _own(players: int, value: Any, others: Any) -> Any:
    return np.array([value, *[others] * (players - 1)])


def _cell(atlas: Atlas, spot: Hex) -> int:
    return atlas.planet.offset(*spot)
