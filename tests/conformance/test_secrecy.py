"""Nothing mailed to a seat depends on what the seat may not know."""

from __future__ import annotations

import pytest

from pbem.ruleset import AnyRuleset
from tests.conformance import leaks
from tests.conformance.games import secrecy_of
from tests.conformance.play import STANDARD_CAP, Game, games, play, standard
from tests.conformance.secrecy import find_leaks, moments
from tests.conformance.toy import TOY, FogPatrol

MOMENTS = 24
SEARCH = 100

PLANTED = {
    leaks.GlobalCounter: "L1",
    leaks.SortedByNumber: "L1",
    leaks.Total: "L1",
    leaks.Hulls: "L1",
    leaks.FramedPicture: "L1",
    leaks.Telepathy: "L1",
    leaks.Occupied: "L2",
    leaks.SharedStream: "L3",
    leaks.EventNumbers: "L3",
    leaks.Noise: "L3",
}
"""Each planted leak, and the first level that has to find it."""


def test_no_game_leaks(ruleset: AnyRuleset) -> None:
    """Reports, receipts and what becomes of orders are the same in worlds that differ in secrets alone."""
    assert list(find_leaks(games(ruleset.key), secrecy_of(ruleset), count=MOMENTS)) == []


def test_worlds_are_really_scrambled(ruleset: AnyRuleset) -> None:
    """A suite that compared a world with itself would find nothing; only an open game has nothing to scramble."""
    secrecy = secrecy_of(ruleset)
    watched = moments(games(ruleset.key), secrecy, MOMENTS)

    scrambled = [secrecy.scramble(moment.state, moment.seat, moment.rnd()) != moment.state for moment in watched]

    assert any(scrambled) is not secrecy.open


@pytest.mark.parametrize("leaky", PLANTED, ids=lambda leaky: leaky.__name__)
def test_a_planted_leak_is_found(leaky: type[FogPatrol]) -> None:
    """The detector is itself tried: every known mistake is caught, at the level that is there for it."""
    found = find_leaks(_campaigns(leaky()), secrecy_of(TOY), count=SEARCH)

    assert any(leak.level == PLANTED[leaky] for leak in found)


def test_nothing_is_found_where_nothing_was_planted() -> None:
    """The same search through the same game without leaks comes to nothing."""
    assert list(find_leaks(_campaigns(TOY), secrecy_of(TOY), count=SEARCH)) == []


def _campaigns(ruleset: AnyRuleset) -> list[Game]:
    return [play(ruleset, standard, STANDARD_CAP, game=number) for number in range(3)]
