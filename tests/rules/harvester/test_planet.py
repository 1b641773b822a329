"""The planet and the starting places (rulings 1, 2 and 10)."""

from __future__ import annotations

import numpy as np
import pytest

from pbem.ruleset import Dice, SetupError
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.beginnings import LARGEST_SIZE
from pbem_rules.harvester.planet import planet_of
from pbem_rules.harvester.state import CRAGS, DUST, PLAIN, State
from pbem_rules.harvester.units import KINDS, SLOTS
from tests.rules.harvester.table import DICE, new_game, position, turn


def nearest_pair(state: State) -> int:
    """Return the distance of the two Harvesters nearest to each other."""
    homes = state.at[:, 0]
    apart = state.planet.distance[(homes[:, None] - homes) % state.planet.count]
    return int(apart[~np.eye(len(homes), dtype=bool)].min())


def test_a_planet_for_four_is_ten_hexes_wide() -> None:
    """Four players have a hexagon with 10 hexes on a side: 271 of them."""
    assert (new_game(4).size, new_game(4).planet.count) == (10, 271)


@pytest.mark.parametrize(("players", "size"), [(5, 11), (100, 46), (1000, 142), (10_000, 448)])
def test_more_players_have_a_larger_planet(players: int, size: int) -> None:
    """The planet is the smallest with at least 60 hexes a player."""
    assert new_game(players).size == size
    assert planet_of(size - 1).count < 60 * players <= planet_of(size).count


def test_the_gm_may_choose_the_size() -> None:
    """Option `size` sets the hexes on a side."""
    assert new_game(4, size=17).planet.count == 817


@pytest.mark.parametrize("players", [4, 7, 40, 300])
def test_harvesters_start_apart(players: int) -> None:
    """Harvesters start at least 6 hexes away from each other, around the planet too."""
    for seed in range(3):
        assert nearest_pair(RULESET.setup({}, [str(n) for n in range(players)], Dice(bytes([seed])))) >= 6


def test_the_fullest_planet_still_keeps_them_apart() -> None:
    """A planet takes as many players as fit; for more, the error names the size that would do."""
    assert nearest_pair(new_game(7, size=10)) >= 6
    with pytest.raises(SetupError, match="has room for 7 Harvesters 6 hexes apart, not for 8; size 14 has"):
        new_game(8, size=10)


@pytest.mark.parametrize("size", [1, 9])
def test_no_planet_is_smaller_than_ten(size: int) -> None:
    """The smallest planet has 10 hexes on a side."""
    with pytest.raises(SetupError, match=f"size cannot be {size}: it is 10 to {LARGEST_SIZE}, or 0"):
        new_game(4, size=size)


@pytest.mark.parametrize("seats", [["a", "b", "c"], ["a", "b", "c", "a"], [str(n) for n in range(10_001)]])
def test_the_number_of_players_is_bounded(seats: list[str]) -> None:
    """Four to ten thousand players may play, with names of their own."""
    with pytest.raises(SetupError, match="4 to 10000 players of different names"):
        RULESET.setup({}, seats, DICE)


def test_all_units_start_with_their_harvester() -> None:
    """One General, two Lieutenants, three Soldiers and four Scouts stand in the Harvester's hex."""
    state = new_game()

    assert (state.at == state.at[:, :1]).all()
    assert [KINDS.count(kind) for kind in "HGLSC"] == [1, 1, 2, 3, 4]
    assert state.at.shape == (4, SLOTS)


def test_every_harvester_starts_on_a_resource() -> None:
    """Harvesters start on hexes with resources, however poor the planet is."""
    state = new_game(density=1)

    assert (state.resources[state.at[:, 0]] > 0).all()


def test_one_hex_in_four_holds_resources() -> None:
    """By default a quarter of the hexes hold 1 to 3 resources, each amount equally often."""
    amounts = np.bincount(new_game(1000).resources, minlength=4)

    assert len(amounts) == 4
    assert abs(amounts[1:].sum() / amounts.sum() - 0.25) < 0.02
    assert max(amounts[1:]) - min(amounts[1:]) < amounts[1] // 10


def test_density_is_the_percentage_of_hexes_with_resources() -> None:
    """Option `density` 100 leaves no hex bare."""
    assert (new_game(density=100).resources > 0).all()


def test_resources_drift_up() -> None:
    """Each turn brings option `drift` new resources for every 1,000 hexes; by default one for 200."""
    state = position(size=19, drift=5)

    totals = [int(turn(state, dice=Dice(bytes([seed])))[0].resources.sum()) for seed in range(40)]

    assert state.planet.count == 1027
    assert set(totals) == {5, 6}


def test_nothing_drifts_up_if_the_gm_says_so() -> None:
    """With option `drift` 0 no resources come up."""
    assert turn(position())[0].resources.sum() == 0


def test_ground_is_plain_unless_the_gm_says_otherwise() -> None:
    """Crags and dust are off by default."""
    assert (new_game().ground == PLAIN).all()


def test_crags_and_dust_cover_what_the_options_say() -> None:
    """Options `crags` and `dust` are percentages; Harvesters start on plain ground."""
    state = new_game(1000, crags=20, dust=10)

    assert abs((state.ground == CRAGS).mean() - 0.2) < 0.01
    assert abs((state.ground == DUST).mean() - 0.1) < 0.01
    assert (state.ground[state.at[:, 0]] == PLAIN).all()


def test_another_seed_is_another_world() -> None:
    """Resources and starting places depend on the seed."""
    worlds = [RULESET.setup({}, ("a", "b", "c", "d"), Dice(bytes([seed]))) for seed in range(2)]

    assert not np.array_equal(worlds[0].resources, worlds[1].resources)
    assert not np.array_equal(worlds[0].at, worlds[1].at)
