"""Worlds and turns for tests, in a line or two each."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.ruleset import Dice, Event, Finding, Order, TurnInput, View
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.chart import COLOURS, UNITS, standard_chart
from pbem_rules.singularity_trap.orders import BOOK
from pbem_rules.singularity_trap.space import Space
from pbem_rules.singularity_trap.state import Faction, Player, Ship, State, pair

DICE = Dice(b"the dice of the tests")
BOARD = standard_chart().board
RICH = 500


def at(space: str) -> Space:
    """Return the space of a name."""
    found = BOARD.read(space)
    assert found is not None, space
    return found


def ship(key: str, space: str, kind: str = "Cruiser", **left: int) -> Ship:
    """Return a ship, owned by the player of its letter, undamaged but for the units given."""
    owner = next(colour for colour in COLOURS if colour[0] == key[0].lower())
    units = dict(zip(UNITS, standard_chart().type_by_name[kind].units, strict=True)) | left
    return Ship(key, owner, kind, at(space), tuple(units[unit] for unit in UNITS))


def dark(key: str, space: str, kind: str = "Cruiser") -> Ship:
    """Return a ship gone dark."""
    return ship(key, space, kind, system=0)


def world(
    *ships: Ship,
    seats: Sequence[str] = ("red", "green", "cyan"),
    points: int = RICH,
    owners: Mapping[str, str | None] | None = None,
    colours: Mapping[str, str] | None = None,
    allies: Sequence[tuple[str, str]] = (),
    factions: Sequence[Faction] = (),
    **options: Any,
) -> State:
    """Return a running campaign: first-turn planets but for those given by space, and these ships."""
    state = RULESET.setup(options, seats, DICE)
    planets = dict(state.planets)
    for name, owner in (owners or {}).items():
        planets[at(name)] = dataclasses.replace(planets[at(name)], owner=owner)
    for name, colour in (colours or {}).items():
        planets[at(name)] = dataclasses.replace(planets[at(name)], colour=colour)
    return dataclasses.replace(
        state,
        ships={each.id: each for each in ships},
        planets=planets,
        players={seat: _player(seat, points, ships, allies) for seat in state.seats},
        allies=frozenset(pair(a, b) for a, b in allies),
        factions=tuple(factions),
    )


def _player(seat: str, points: int, ships: Sequence[Ship], allies: Sequence[tuple[str, str]]) -> Player:
    numbers = tuple(each.number for each in ships if each.owner == seat)
    wishes = tuple(other for other in COLOURS if (seat, other) in allies or (other, seat) in allies)
    return Player(seat, points, numbers=numbers, wishes=wishes)


def given(state: State, count: int, seat: str) -> State:
    """Return the state with a player owning the first `count` planets of the chart that are no other player's home."""
    free = [site.space for site in state.chart.sites if site.home in (None, seat)]
    planets = dict(state.planets)
    for space in free[:count]:
        planets[space] = dataclasses.replace(planets[space], owner=seat)
    return dataclasses.replace(state, planets=planets)


@dataclass(frozen=True)
class Played:
    """A state after a turn, and the events of the turn."""

    state: State
    events: tuple[Event, ...]

    def told(self, kind: str, seat: str | None = None) -> list[dict[str, Any]]:
        """Return the data of all events of a kind, or of those that one player hears of."""
        return [
            dict(event.data) for event in self.events if event.kind == kind and (not seat or seat in event.audience)
        ]

    def ship(self, key: str) -> Ship:
        """Return a ship after the turn."""
        return self.state.ships[key]

    def owner(self, space: str) -> str | None:
        """Return the owner of a planet after the turn."""
        return self.state.planets[at(space)].owner

    def colour(self, space: str) -> str:
        """Return a planet's colour after the turn."""
        return self.state.planets[at(space)].colour

    def points(self, seat: str) -> int:
        """Return a player's points after the turn."""
        return self.state.players[seat].points


def play(
    state: State, *, dice: Dice = DICE, missing: Sequence[str] = (), removed: Sequence[str] = (), **sheets: str
) -> Played:
    """Play a turn, or a section, with a sheet by seat; its lines are parted by " / " or line breaks.

    The lines are only read, not checked against the view, so that it is the
    resolver that has to cope with what cannot be done.
    """
    orders = {seat: read(state, seat, sheets.get(seat, "")) for seat in state.awaited}
    turn = TurnInput(orders, missing=frozenset(missing), removed=frozenset(removed))
    return Played(*RULESET.resolve(state, turn, dice.within("turn", state.turn, state.section, state.round)))


def read(state: State, seat: str, sheet: str) -> tuple[Order, ...]:
    """Return the orders of a sheet all of whose lines are well written."""
    parsed = BOOK.parse(view(state, seat), lines(sheet))
    assert not parsed.findings, parsed.findings
    return parsed.orders


def lines(sheet: str) -> list[tuple[int, str]]:
    """Return the numbered lines of a sheet written in one string."""
    return list(enumerate(sheet.replace(" / ", "\n").splitlines(), 1))


def view(state: State, seat: str, events: Sequence[Event] = ()) -> View:
    """Return a seat's view."""
    return RULESET.view(state, seat, events)


def findings(state: State, seat: str, sheet: str) -> list[Finding]:
    """Return the findings of a receipt on a sheet, notes left out."""
    return [each for each in RULESET.parse(view(state, seat), lines(sheet)).findings if each.severity != "note"]


def codes(state: State, seat: str, sheet: str) -> list[tuple[int, str, str]]:
    """Return line, severity and code of the findings on a sheet, notes left out."""
    return [(each.line, each.severity, each.code) for each in findings(state, seat, sheet)]


def reported(state: State) -> set[str]:
    """Return the seats that get a report now."""
    told = RULESET.standing(state).told
    return set(state.seats if told is None else told)
