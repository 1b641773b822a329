"""The scrambler is what the secrecy suite trusts; and secrets are kept in the campaigns that suite does not play."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Iterator, Mapping

import pytest

from pbem.ruleset import Dice, Event, TurnInput
from pbem.ruleset.testing.leaks import Moment, Secrecy, answered_leaks, resolved_leaks, shown_leaks
from rules.singularity_trap import RULESET
from rules.singularity_trap.chart import COLOURS
from rules.singularity_trap.state import Ship, State
from tests.rules.singularity_trap.builders import dark, lines, ship, view, world
from tests.rules.singularity_trap.secrecy import elsewhere, scramble
from tests.rules.singularity_trap.twins import mailed

SECRECY = Secrecy(scramble, elsewhere)
WATCHED = 8


def _moments(pace: str, players: int, steps: int) -> Iterator[Moment]:
    """Some moments of a campaign of bots."""
    dice, seats = Dice(b"secret"), COLOURS[:players]
    state = RULESET.setup({"pace": pace}, seats, dice)
    events: tuple[Event, ...] = ()
    chosen = random.Random(pace).sample(range(steps), WATCHED)
    for step in range(steps):
        if RULESET.standing(state).over:
            return
        if step in chosen:
            yield Moment(RULESET, SECRECY, step, state, events, seats[step % players])
        orders = {}
        for seat, shown in RULESET.views(state, sorted(state.awaited), events):
            sheet = RULESET.bots["standard"](shown, dice.scoped("bot", step, seat))
            orders[seat] = RULESET.parse(shown, lines("\n".join(sheet))).orders
        state, events = RULESET.resolve(state, TurnInput(orders), dice.scoped("turn", step))


@pytest.mark.parametrize(("pace", "players", "steps"), [("turn", 6, 10), ("section", 4, 40)])
def test_nothing_leaks(pace: str, players: int, steps: int) -> None:
    """Six players with alliances, and a campaign by sections, keep their secrets as the suite's three do."""
    leaks = []
    for moment in _moments(pace, players, steps):
        leaks += [*shown_leaks(moment), *answered_leaks(moment), *resolved_leaks(moment)]

    assert leaks == []


def test_the_scrambler_changes_all_that_is_hidden() -> None:
    """Over some worlds everything hidden from red is changed, and nothing that he sees."""
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
    """Far from red ships come and go with orders of their own; near him nothing changes."""
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
    """Red meets two of green's basestars; each has lost three units, which of them green alone knows."""
    fleet = [ship("R101", SITE, multifire=0), ship("G101", SITE, "Basestar", **first),
             ship("G102", SITE, "Basestar", **second), *others]  # fmt: skip
    return dataclasses.replace(
        world(*fleet, seats=COLOURS, pace=pace), section="combat" if pace == "section" else "economic"
    )


@pytest.mark.parametrize("sheet", ["", "TARGET green", "TARGET Basestar", "FIRE R101 AT G999"])
def test_fire_by_doctrine_tells_nothing_of_private_damage(sheet: str) -> None:
    """At whom a ship shoots by itself does not depend on which units its targets have left (rulings 38 and 41)."""
    rounds = [sheet] * 3

    assert mailed(_fight(WEAPON, ARMOUR), "red", rounds) == mailed(_fight(ARMOUR, WEAPON), "red", rounds)
