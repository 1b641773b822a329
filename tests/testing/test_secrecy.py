"""The leak detector is tested with leaks planted in a game that has none."""

from __future__ import annotations

import pytest

from pbem.ruleset import AnyRuleset
from pbem.testing.leaks import find_leaks
from pbem.testing.play import STANDARD_CAP, Game, play, standard
from tests.testing import leaks
from tests.testing.secrecy import SECRECY
from tests.testing.toy import TOY, FogPatrol

SEARCH = 100

PLANTED = {
    leaks.GlobalCounter: "L1",
    leaks.SortedByNumber: "L1",
    leaks.Total: "L1",
    leaks.Hulls: "L1",
    leaks.FramedPicture: "L1",
    leaks.Telepathy: "L1",
    leaks.Clairvoyance: "L1",
    leaks.GuidedInFog: "L1",
    leaks.TappedInFog: "L1",
    leaks.PeekingHeadline: "L1",
    leaks.PeekingMap: "L1",
    leaks.PeekingReminder: "L1",
    leaks.PeekingSite: "L1",
    leaks.PeekingMemory: "L1",
    leaks.Occupied: "L2",
    leaks.PeekingBot: "L2",
    leaks.PeekingDefaults: "L2",
    leaks.SharedStream: "L3",
    leaks.EventNumbers: "L3",
    leaks.Noise: "L3",
    leaks.PeekingOutcome: "L3",
}
"""Each planted leak, and the first level that has to find it."""


@pytest.mark.sampled(7)
@pytest.mark.parametrize("leaky", PLANTED, ids=lambda leaky: leaky.__name__)
def test_a_planted_leak_is_found(leaky: type[FogPatrol]) -> None:
    """Every planted mistake is found, at the level meant for it."""
    found = find_leaks(_campaigns(leaky()), SECRECY, count=SEARCH)

    assert any(leak.level == PLANTED[leaky] for leak in found)


def test_nothing_is_found_where_nothing_was_planted() -> None:
    """The same search finds no leak in the game without planted ones."""
    # A quarter of it: that takes long, and the suite on this game makes the same search on other samples.
    assert list(find_leaks(_campaigns(TOY), SECRECY, count=SEARCH // 4)) == []


def _campaigns(ruleset: AnyRuleset) -> list[Game]:
    return [play(ruleset, standard, STANDARD_CAP, game=number) for number in range(3)]
