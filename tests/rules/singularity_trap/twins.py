"""Twin worlds played on: the mail of one player, turn after turn, who sends the same sheets in both."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.archive.record import turn_dice
from pbem.ruleset import Event, Json, Order, TurnInput
from pbem.testing.leaks import AlternativeState, Leak, Sample, elsewhere_world, own_sheet, render_shown
from pbem.testing.play import SEED, number_lines
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.state import State
from tests.rules.singularity_trap.builders import DICE, lines, view

MOST_STEPS = 60
PROBES = 3
PROBING = ("BUILD", "REPAIR", "HIDE", "FIRE", "TARGET", "TERRAFORM", "ALLY", "DECLARE")
"""Verbs that a player can order without going where worlds differ."""

Told = tuple[State, tuple[Event, ...]]


def reports(state: State, seat: str, sheets: Sequence[str]) -> list[dict[str, Json]]:
    """Return all that a seat is shown from report to report while its sheets last; the others send empty ones."""
    left, told, heard = list(sheets), list[dict[str, Json]](), tuple[Event, ...]()
    for _ in range(MOST_STEPS):
        asked = seat in state.awaited
        if asked and not left:
            break
        orders: dict[str, Any] = dict.fromkeys(state.awaited, ())
        if asked:
            orders[seat] = RULESET.parse(view(state, seat, heard), lines(left.pop(0))).orders
        dice = DICE.within("turn", state.turn, state.section, state.round)
        state, events = RULESET.resolve(state, TurnInput(orders), dice)
        heard = (*heard, *events)
        if state.told is None or seat in state.told:
            told.append(render_shown(RULESET, state, seat, heard, told[-1]["view"] if told else None))
            heard = ()
    return told


def leaks_of_turns(moment: Sample, turns: int) -> Iterator[Leak]:
    """Yield differences in a seat's reports of several turns, in two worlds that differ beyond its ken all the while.

    In both it sends its bot's sheets, and lines that are orders only to find something out.
    """
    ruleset, seat = moment.ruleset, moment.seat
    for _ in range(turns):
        worlds = [elsewhere_world(moment, moment.rnd("twin", number)) for number in range(2)]
        sheet = [*own_sheet(moment, worlds[0]), *_probes(moment, worlds)]
        after = [_resolved(world, moment, sheet) for world in worlds]
        if any(ruleset.standing(state).over for state, _ in after):
            return
        view = moment.view(moment.state, seat)
        ours, theirs = (render_shown(ruleset, state, seat, events, view) for state, events in after)
        yield from moment.leaks("several turns", ours, theirs)
        state, events = _alike(after, seat)
        moment = dataclasses.replace(moment, state=state, events=events, number=moment.number + 1, last={seat: view})


def _probes(moment: Sample, worlds: Sequence[AlternativeState]) -> Iterator[str]:
    """Yield lines of all kinds that need no going there; and fire at ships that there may be in one of the worlds."""
    shows, book = moment.view(moment.state, moment.seat), moment.ruleset.orders
    for verb in (verb for verb in book.verbs if verb.word in PROBING):
        yield from (verb.invent(shows, DICE, "probe", moment.number, number) for number in range(PROBES))
    here, there = (set(world.state.ships) for world in worlds)
    for shooter in filter(_is_armed, shows["ships"]):
        yield from (f"FIRE {shooter['id']} AT {target}" for target in sorted(here ^ there)[:PROBES])


def _is_armed(ship: Mapping[str, Any]) -> bool:
    return not ship["dark"] and any(unit["unit"] == "weapons" and unit["left"] for unit in ship["units"])


def _resolved(world: AlternativeState, moment: Sample, sheet: Sequence[str]) -> Told:
    ruleset, orders = moment.ruleset, dict[str, tuple[Order, ...]]()
    for seat in sorted(ruleset.standing(world.state).awaiting):
        shows = moment.view(world.state, seat)
        written = sheet if seat == moment.seat else world.sheets.get(seat, ())
        orders[seat] = ruleset.parse(shows, number_lines(written)).orders
    state, events = ruleset.resolve(world.state, TurnInput(orders), turn_dice(SEED, moment.number))
    return state, events


def _alike(worlds: Sequence[Told], seat: str) -> Told:
    """Return the first world without the ships in which it differs from the second, none of which the seat has seen."""
    (state, events), (other, _) = worlds
    ships = {key: ship for key, ship in state.ships.items() if ship.owner == seat or other.ships.get(key) == ship}
    return dataclasses.replace(state, ships=ships), events
