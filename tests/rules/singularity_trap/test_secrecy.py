"""The scrambler, which the secrecy suite trusts; and secrets in campaigns that the suite does not play."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Mapping

import pytest

from pbem.ruleset import Dice, Event, TurnInput
from pbem.testing.leaks import Sample, SecrecySpec, answered_leaks, resolved_leaks, shown_leaks
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.chart import COLOURS
from pbem_rules.singularity_trap.orders import Fire
from pbem_rules.singularity_trap.ruleset import SingularityTrap
from pbem_rules.singularity_trap.state import Ship, State
from tests.rules.singularity_trap.builders import dark, lines, ship, view, world
from tests.rules.singularity_trap.secrecy import elsewhere, scramble
from tests.rules.singularity_trap.twins import leaks_of_turns, reports

SECRECY = SecrecySpec(scramble, elsewhere)
WATCHED = 8


def _moments(pace: str, players: int, steps: int) -> Iterator[Sample]:
    """Yield some moments of a campaign of bots."""
    dice, seats = Dice(b"secret"), COLOURS[:players]
    state = RULESET.setup({"pace": pace}, seats, dice)
    events: tuple[Event, ...] = ()
    chosen = random.Random(pace).sample(range(steps), WATCHED)
    for step in range(steps):
        if RULESET.standing(state).over:
            return
        if step in chosen:
            yield Sample(RULESET, SECRECY, step, state, events, seats[step % players])
        orders = {}
        for seat, shown in RULESET.views(state, sorted(state.awaited), events):
            sheet = RULESET.bots["standard"](shown, dice.within("bot", step, seat))
            orders[seat] = RULESET.parse(shown, lines("\n".join(sheet))).orders
        state, events = RULESET.resolve(state, TurnInput(orders), dice.within("turn", step))


@pytest.mark.in_turn
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("pace", "players", "steps"), [("turn", 6, 10), ("section", 4, 40)])
def test_nothing_leaks(pace: str, players: int, steps: int) -> None:
    """Six players with alliances, and a campaign by sections, keep their secrets as the suite's three do."""
    leaks = []
    for moment in _moments(pace, players, steps):
        leaks += [*shown_leaks(moment), *answered_leaks(moment), *resolved_leaks(moment)]

    assert leaks == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("pace", "players", "steps"), [("turn", 4, 12), ("section", 4, 40)])
def test_no_order_is_a_probe(pace: str, players: int, steps: int) -> None:
    """A player who sends the same sheets, turn after turn, reads the same, whatever others do elsewhere."""
    moments = list(_moments(pace, players, steps))[::2]

    assert [leak for moment in moments for leak in leaks_of_turns(moment, 3)] == []


class _Telltale(SingularityTrap):
    """The game, but that it says of a FIRE order whether there is such a ship at all."""

    def resolve(self, state: State, turn: TurnInput, dice: Dice) -> tuple[State, tuple[Event, ...]]:
        after, events = RULESET.resolve(state, turn, dice)
        fire = [(seat, order) for seat, orders in turn.orders.items() for order in orders if isinstance(order, Fire)]
        vain = [(seat, order) for seat, order in fire if not after.ships.keys() & set(order.targets)]
        line, why = RULESET.orders.line, "there is no such ship"
        told = [Event("refused", frozenset({seat}), {"line": line(order), "why": why}) for seat, order in vain]
        return after, (*events, *told)


def test_an_order_that_answers_is_found() -> None:
    """A resolver that tells a player whether a ship exists, out of the player's sight, is caught."""
    moments = [dataclasses.replace(moment, ruleset=_Telltale()) for moment in _moments("turn", 3, 8)]

    assert any(leak for moment in moments[:4] for leak in leaks_of_turns(moment, 1))


def test_hidden_rounds_are_not_counted() -> None:
    """Players elsewhere learn neither how many are asked for rounds of a combat, nor how often (ruling 37)."""
    few = [ship("G101", FAR), ship("C101", FAR), ship("C102", FAR)]
    many = [ship(key, FAR, "Basestar", multifire=0) for key in ("G101", "G102", "C101", "C102", "B101", "B102")]
    sheets = ["MOVE R101 N", "ALLY green YES", "BUILD Scout AT J1+9", "MOVE R101 S", "", "REPAIR R101"]

    worlds = [world(ship("R101", "J10"), *fleet, seats=COLOURS, pace="section") for fleet in (few, many)]
    here, there = (reports(dataclasses.replace(each, section="movement"), "red", sheets) for each in worlds)

    assert here == there
    assert here[0]["view"]["section"] == "combat"


def test_the_scrambler_changes_all_that_is_hidden() -> None:
    """Over some worlds everything hidden from red is changed, and nothing that red sees."""
    seen = ship("G101", "J10", weapons=1, armor=1)
    state = world(ship("R101", "J10"), seen, ship("G102", "J11"), dark("C101", "J10"), ship("C102", "A19+9"),
                  ship("Y101", "C12+3"), seats=COLOURS, allies=[("red", "yellow"), ("green", "cyan")])  # fmt: skip

    worlds = [scramble(state, "red", random.Random(number)) for number in range(20)]

    assert all(view(each, "red") == view(state, "red") for each in worlds)
    assert len({each.ships["G101"].left for each in worlds}) > 1
    assert not any(all(key in each.ships for each in worlds) for key in ("G102", "C101", "C102", "Y101"))
    assert len({each.players["green"] for each in worlds}) == len(worlds)
    assert len({each.allies for each in worlds}) > 1


def test_the_world_elsewhere_is_far_and_busy() -> None:
    """Far from red ships come and go with orders of their own; near red nothing changes."""
    state = world(ship("R101", "J2+8"), ship("G101", "J3+8"), ship("C102", "A19-9"), ship("G102", "B19-8"))

    worlds = [elsewhere(state, "red", random.Random(number)) for number in range(20)]

    assert all(each.ships["G101"] == state.ships["G101"] for each, _ in worlds)
    assert len({tuple(sorted(each.ships)) for each, _ in worlds}) > 10
    assert any(line.startswith("MOVE") for _, sheets in worlds for sheet in sheets.values() for line in sheet)


def test_between_rounds_the_scrambler_moves_what_sensors_showed() -> None:
    """Marks and allied fleets are hidden until combat is over, so other worlds have them elsewhere (ruling 39)."""
    fleet = [ship("R101", "J10"), ship("G101", "J10"), ship("G102", "J11"), ship("C101", "A19+9")]
    state = dataclasses.replace(world(*fleet, pace="section", allies=[("red", "cyan")]), section="combat", round=1)

    worlds = [scramble(state, "red", random.Random(number)) for number in range(20)]

    assert all(view(each, "red") == view(state, "red") for each in worlds)
    for space in (ship("G102", "J11").space, ship("C101", "A19+9").space):
        assert not all(any(each.space == space and not each.dark for each in other.ships.values()) for other in worlds)


SITE = "J12+5"
FAR = "C12+3"
WEAPON = {"weapons": 3, "armor": 5, "multifire": 0}
ARMOUR = {"weapons": 5, "armor": 3, "multifire": 0}


def _fight(first: Mapping[str, int], second: Mapping[str, int], *others: Ship, pace: str = "section") -> State:
    """Return a fight of red with two of green's basestars; only green knows which three units each has lost."""
    fleet = [ship("R101", SITE, multifire=0), ship("G101", SITE, "Basestar", **first),
             ship("G102", SITE, "Basestar", **second), *others]  # fmt: skip
    return dataclasses.replace(
        world(*fleet, seats=COLOURS, pace=pace), section="combat" if pace == "section" else "economic"
    )


@pytest.mark.parametrize("sheet", ["", "TARGET green", "TARGET Basestar", "FIRE R101 AT G999"])
def test_fire_by_doctrine_tells_nothing_of_private_damage(sheet: str) -> None:
    """The targets of a ship without orders do not depend on which units these have left (rulings 38 and 41)."""
    rounds = [sheet] * 3

    assert reports(_fight(WEAPON, ARMOUR), "red", rounds) == reports(_fight(ARMOUR, WEAPON), "red", rounds)
