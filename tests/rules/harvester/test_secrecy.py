"""Secrets on a planet with room for them; the suite for all games is `pbem.testing`.

Leaks are planted here too, to see that the scrambled worlds can find them.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from pbem.ruleset import Dice, Event, SeatName, View
from pbem_rules.common.hexes import Hex
from pbem_rules.harvester import RULESET, Harvester
from pbem_rules.harvester.movement import _March
from pbem_rules.harvester.state import State
from tests.rules.harvester.secrecy import elsewhere, lasting, renumbered, scramble
from tests.rules.harvester.table import cell, new_game, position, turn, view
from tests.rules.twins import reports
from tests.sampling import Sampler

Moment = tuple[State, tuple[Event, ...], SeatName]
Leak = Callable[[State, SeatName, dict[str, Any]], None]
TURNS = 8
WORLDS = 3
TAKEN = 6
"""Moments of a usual run, of 48."""


@functools.cache
def moments(turns: int = TURNS, size: int = 0) -> tuple[Moment, ...]:
    """Return every report of the first turns of a game of bots, on rough ground."""
    state, events = new_game(6, crags=8, dust=8, size=size), ()  # type: State, tuple[Event, ...]
    found: list[Moment] = []
    for _ in range(turns):
        state, events = turn(state, {seat: bot(state, seat, events) for seat in state.seats})
        found += [(state, events, seat) for seat in state.seats]
    return tuple(found)


def bot(state: State, seat: SeatName, events: Sequence[Event] = ()) -> list[str]:
    """Return the sheet of the standard bot."""
    return RULESET.bots["standard"](view(state, seat, events), Dice(b"bot").within(state.turn, seat))


def worlds(moment: Moment) -> Iterator[State]:
    """Yield other worlds that look the same."""
    state, _, seat = moment
    for number in range(WORLDS):
        yield scramble(state, seat, random.Random(f"{state.turn} {seat} {number}"))


def test_reports_are_alike_in_worlds_that_look_alike(sampler: Sampler) -> None:
    """View, text map and picture do not depend on what a seat's scanners and subservients do not tell."""
    for moment in sampler.sample(moments(), TAKEN):
        state, events, seat = moment
        ours = RULESET.view(state, seat, events)
        for world in worlds(moment):
            theirs = RULESET.view(world, seat, events)
            assert theirs == ours
            assert RULESET.text_map(theirs) == RULESET.text_map(ours)
            assert RULESET.pictures(theirs) == RULESET.pictures(ours)


def test_what_happens_elsewhere_is_not_heard(sampler: Sampler) -> None:
    """A turn in which others march, fight and conquer far away reads the same as another such turn."""
    acted = 0
    for state, _, seat in sampler.sample(moments(), TAKEN):
        reports = []
        for number in range(2):
            world, sheets = elsewhere(state, seat, random.Random(f"{state.turn} {seat} {number}"))
            acted += sum(map(len, sheets.values()))
            own = {seat: bot(world, seat)} if view(world, seat)["awaited"] else {}
            after, events = turn(world, {**sheets, **own})
            reports.append(view(after, seat, events) if not after.over else None)
        if None not in reports:
            assert reports[0] == reports[1]
    assert acted > (100 if sampler.everything else 0)


def probed() -> Iterator[list[list[View]]]:
    """Yield reports of several turns in which a seat probes a far mark, in worlds that differ in what makes it.

    They take a planet with room for what stays out of reach for so long.
    """
    for state, _, seat in moments(turns=3, size=17):
        drafts = [lasting(state, seat, random.Random(f"{state.turn} {seat} {number}")) for number in range(WORLDS)]
        yield [list(reports(RULESET, world, seat, sheets)) for world, sheets in filter(None, drafts)]


@pytest.mark.in_turn
def test_an_order_is_no_probe() -> None:
    """A TARGET at a mark brings the same reports, turn after turn, whatever makes that mark (ruling 5)."""
    asked = [seen for seen in probed() if seen]

    assert sum(len(seen[0]) for seen in asked) > 10
    assert all(other == seen[0] for seen in asked for other in seen)


def _index(state: State, seat: SeatName, shown: dict[str, Any]) -> None:
    shown["number"] = state.seats.index(seat)


def _place(state: State, seat: SeatName, shown: dict[str, Any]) -> None:
    shown["cell"] = int(state.at[state.seats.index(seat), 0])


def _total(state: State, seat: SeatName, shown: dict[str, Any]) -> None:
    shown["units"] = int((state.at >= 0).sum())


def _nature_of_marks(state: State, seat: SeatName, shown: dict[str, Any]) -> None:
    shown["riches"] = [_amount(state, seat, shown, row) for row in shown["scan"][4]]


def _amount(state: State, seat: SeatName, shown: dict[str, Any], row: list[int]) -> int:
    home = int(state.at[state.seats.index(seat), 0])
    away = cell(state.size, (row[0] - shown["harvester"]["q"], row[1] - shown["harvester"]["r"]))
    return int(state.resources[(home + away) % state.planet.count])


def _movement_at_five(state: State, seat: SeatName, shown: dict[str, Any]) -> None:
    home = int(state.at[state.seats.index(seat), 0])
    shown["stir"] = [
        int(state.traffic[(home + offset) % state.planet.count]) for offset in state.planet.discs[5].tolist()
    ]


def _order_of_contacts(state: State, seat: SeatName, shown: dict[str, Any]) -> None:
    shown["contacts"].sort(key=lambda contact: state.seats.index(contact["owner"]))


def _sides(state: State, seat: SeatName, shown: dict[str, Any]) -> None:
    for contact in shown["contacts"]:
        contact["under"] = int(state.ruler[state.seats.index(contact["owner"])])


LEAKS: tuple[Leak, ...] = (_index, _place, _total, _nature_of_marks, _movement_at_five, _order_of_contacts, _sides)


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__.strip("_"))
def test_a_planted_leak_is_found(leak: Leak) -> None:
    """Each planted leak shows in some scrambled world."""

    class Leaky(Harvester):
        def view(self, state: State, seat: SeatName, events: Sequence[Event]) -> View:
            shown = {**super().view(state, seat, events)}
            if shown["harvester"]:
                leak(state, seat, shown)
            return shown

    found = any(
        Leaky().view(world, moment[2], moment[1]) != Leaky().view(moment[0], moment[2], moment[1])
        for moment in moments()
        for world in worlds(moment)
    )

    assert found


def test_one_view_is_the_same_as_among_all() -> None:
    """Views made in one pass are those made one by one, for any seats in any order."""
    state, events, _ = moments()[-1]
    wanted = state.seats[::-2]

    assert list(RULESET.views(state, wanted, events)) == [(seat, RULESET.view(state, seat, events)) for seat in wanted]


def test_the_order_of_events_tells_nothing() -> None:
    """With the players in another order on file, each gets the same events in the same order."""
    state, _, _ = moments()[-1]
    mirrored = renumbered(state, random.Random(1))
    assert mirrored.seats != state.seats
    sheets = {seat: bot(state, seat) for seat in state.seats}

    (_, ours), (_, theirs) = turn(state, sheets), turn(mirrored, sheets)

    assert all(heard(ours, seat) == heard(theirs, seat) for seat in state.seats)


STANDOFF = {
    "ann": {"H": (0, 0), "S1": (1, 0), "C1": (-1, 0)},
    "bob": {"H": (3, 0), "S1": (1, 0)},
    "cyd": {"H": (-4, 8)},
    "dan": {"H": (6, -9)},
}
"""Equals are together at 1,0, which was not yet told; ann's Lieutenant is kept out of crags beside them."""


def standoff(far: Mapping[SeatName, Mapping[str, Hex]]) -> State:
    """Build a moment at which ann gets two events in one impulse; `far` are units out of her sight."""
    units = {seat: {**STANDOFF[seat], **far.get(seat, {})} for seat in STANDOFF}
    units["ann"] |= {"L1": (0, -1)}
    return position(units, size=17, crags=[(0, -2)])


UNSEEN: Sequence[Mapping[SeatName, Mapping[str, Hex]]] = (
    {"cyd": {"C1": (-4, 9)}, "dan": {"S1": (-4, 9)}},
    {"dan": {"S1": (-4, 8)}},
)
"""Other units: a Scout falls in a hex shared with an enemy; a Harvester is conquered the same way."""


@pytest.mark.parametrize("far", UNSEEN, ids=["a-loss", "a-conquest"])
def test_an_unseen_loss_does_not_change_the_order_of_a_report(far: Mapping[SeatName, Mapping[str, Hex]]) -> None:
    """Units judged far away before any step do not change the order of a player's events (ruling 12)."""
    orders = {"ann": ["MOVE L1 NW"]}

    (_, ours), (after, theirs) = turn(standoff({}), orders), turn(standoff(far), orders)

    assert (after.at != turn(standoff({}))[0].at).any()
    assert [kind for kind, _ in heard(theirs, "ann")] == ["blocked", "fought"]
    assert heard(ours, "ann") == heard(theirs, "ann")


def test_reports_tell_of_an_impulse_by_units_then_by_places() -> None:
    """Events of the strongest own unit come first, wherever it is, and conquests come last (ruling 12)."""
    units = {"ann": {"G": (5, -1), "S1": (-3, 0), "C1": (2, 0)}, "bob": {"H": (3, 0)}, "cyd": {"C1": (-4, 0)}}
    state = position(units, crags=[(5, -2)], size=17)

    _, events = turn(state, {"ann": ["MOVE C1 E", "MOVE S1 W", "MOVE G NW"]})

    assert [(kind, told.get("unit", told.get("q"))) for kind, told in heard(events, "ann")[:4]] == [
        ("blocked", "G"),
        ("fought", -4),
        ("fought", 3),
        ("won-over", None),
    ]


@pytest.mark.in_turn
def test_the_scrambler_finds_an_order_that_counts_unseen_losses(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scrambled worlds reveal an order of events that depends on unseen judgements."""
    assert len(orders_heard()) == 1

    judge = _March._conquer

    def counted(march: _March) -> None:
        judge(march)
        march.play.impulse += 1

    monkeypatch.setattr(_March, "_conquer", counted)

    assert len(orders_heard()) > 1


def orders_heard() -> set[tuple[str, ...]]:
    """Return the orders of ann's two events, in worlds that differ out of her sight."""
    found = set()
    for number in range(12):
        world, sheets = elsewhere(standoff({}), "ann", random.Random(number))
        _, events = turn(world, {**sheets, "ann": ["MOVE L1 NW"]})
        found.add(tuple(kind for kind, _ in heard(events, "ann")))
    return found


def heard(events: Sequence[Event], seat: SeatName) -> list[Any]:
    """Return a seat's events, in order."""
    return [(event.kind, dict(event.data)) for event in events if seat in event.audience]
