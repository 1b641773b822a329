"""Choice of the game for which a usual run tries each long rule of the suites: another one each day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import pytest

from pbem.testing import RulesetSuite
from tests.sampling import make_sampler

SOAK = 12
"""Turns that a game is played for; 100 with `--all`."""

WATCHED = 6
"""Reports of a game that are searched for secrets; 24 with `--all`."""

LONG = frozenset(
    f"test_{name}"
    for name in (
        *("nothing_players_send_breaks_a_campaign", "no_hash_seed_changes_a_game", "all_that_is_hidden_is_scrambled"),
        *("no_mail_leaks", "every_table_can_be_set_up", "a_wrong_state_is_told_and_no_other_is_played"),
        *("a_line_of_the_form_obeyed_is_that_order", "a_line_of_the_tree_is_taken", "a_need_can_be_met"),
        *("a_line_put_together_on_a_page_is_that_order", "prose_is_an_order_only_where_the_game_says_so"),
        *("no_game_leaks", "orders_that_share_a_line_are_not_lost", "an_order_that_is_taken_back_is_not_given"),
        *("a_page_has_the_verbs_that_choices_offers", "a_place_of_the_tree_can_be_tapped"),
        *("a_hint_typed_in_is_taken", "a_state_of_the_game_can_be_played_on_from"),
    )
)
"""Rules that take seconds; on one day, one game is tried for each of them."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the long rules of games whose day it is not: neighbours among the rules have different games."""
    sampler = make_sampler(config)
    if sampler.everything:
        return
    tried: dict[str, list[pytest.Item]] = defaultdict(list)
    for suite, item in _of_suites(items):
        suite.soak_turns, suite.watched = SOAK, WATCHED
        if _name(item) in LONG:
            tried[_name(item)].append(item)
    left = []
    for place, name in enumerate(sorted(tried)):
        games = sorted({item.path for item in tried[name]})
        left += [item for item in tried[name] if item.path != games[(sampler.seed + place) % len(games)]]
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
