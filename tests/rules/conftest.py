"""Choice of the games that their suite examines in full in a usual run: two each day, of the others a part."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbem.games import installed_games
from pbem.testing import RulesetSuite
from tests.sampling import make_sampler

GAMES_A_DAY = 2
SOAK = 25
"""Turns that a game of the day is played for; 100 with `--all`."""

FEW_WATCHED = 8
"""Reports of a game whose day it is not that are searched for secrets."""

LONG = frozenset(
    f"test_{name}"
    for name in (
        *("nothing_players_send_breaks_a_campaign", "no_hash_seed_changes_a_game", "all_that_is_hidden_is_scrambled"),
        *("no_mail_leaks", "every_table_can_be_set_up", "a_wrong_state_is_told_and_no_other_is_played"),
        *("a_line_of_the_form_obeyed_is_that_order", "a_line_of_the_tree_is_taken", "a_need_can_be_met"),
        *("a_line_put_together_on_a_page_is_that_order", "prose_is_an_order_only_where_the_game_says_so"),
    )
)
"""Rules that take seconds, which a game is tried for on its day alone."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the long rules of games whose day it is not."""
    sampler = make_sampler(config)
    if sampler.everything:
        return
    today = sampler.sample(sorted(installed_games()), GAMES_A_DAY)
    left = [item for suite, item in _of_suites(items) if suite.ruleset.key not in today and _name(item) in LONG]
    for suite, _ in _of_suites(items):
        suite.soak_turns = SOAK
        if suite.ruleset.key not in today:
            suite.watched = FEW_WATCHED
    if left and len(left) < len(items):  # what is asked for by its name is run
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


def _of_suites(items: list[pytest.Item]) -> Iterator[tuple[type[RulesetSuite], pytest.Item]]:
    """Yield the tests of suites, each with its class."""
    for item in items:
        suite = getattr(item, "cls", None)
        if suite and issubclass(suite, RulesetSuite):
            yield suite, item


def _name(item: pytest.Item) -> str:
    return item.name.partition("[")[0]
