"""The chart without a reader, for pages that all may see."""

from __future__ import annotations

from pbem_rules.singularity_trap import RULESET
from tests.rules.singularity_trap.builders import dark, ship, view, world


def test_strangers_see_planets_and_no_ships() -> None:
    """Owners of planets are public (rulebook, "Who knows what"); nothing else that moves is."""
    with_ships = world(ship("R101", "J5+0"), ship("C202", "K7+3"))
    shown, empty = (RULESET.public_view({"red": view(state, "red")}) for state in (with_ships, world()))

    assert shown == empty
    assert (shown.scores["red"], shown.of) == (1, "planets")


def test_together_views_show_every_ship() -> None:
    """Ships that others do not see, and dark ones, are shown too: each is in its own player's view."""
    state = world(ship("R101", "J5+0"), dark("C202", "K7+3"), ship("C203", "K7+3"))
    shown = RULESET.full_view({seat: view(state, seat) for seat in ("red", "cyan")})

    (chart,) = shown.pictures
    assert "3 ships" in chart.title
    names = {name for spot in chart.spots for name in spot.names}
    assert {"R101", "C202", "C203"} <= names
