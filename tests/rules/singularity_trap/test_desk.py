"""The order form of The Singularity Trap."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.orders import BOOK
from tests.rules.singularity_trap.sample_view import empty_view, fight_view, sample_view


def offered(view: dict[str, Any]) -> set[str]:
    """Return the names of the orders of a form."""
    return {verb["name"] for verb in RULESET.desk(view)["verbs"]}


def form(view: dict[str, Any], order: str, field: str) -> str:
    """Return the form of a field of an order, as text."""
    (verb,) = (each for each in BOOK.verbs if each.name == order)
    return json.dumps(verb.kinds[field].form(view).to_json())


def test_a_whole_turn_offers_all_that_can_be_done() -> None:
    """All orders are offered but impossible declarations, and BUILD without a place, needless where one is chosen."""
    assert {verb.name for verb in BOOK.verbs} - offered(sample_view()) == {
        "declare-faction",
        "declare-empire",
        "build-here",
    }


def test_who_has_no_ships_is_offered_none_to_scrap() -> None:
    """On the first turn there is nothing to scrap, hide or mend, and ships built may move."""
    assert not offered(empty_view()) & {"scrap", "hide", "repair", "repair-ships"}
    assert "move" in offered(empty_view())


def test_a_section_offers_its_own_orders() -> None:
    """A player who is asked to fire is offered that, and to leave."""
    assert offered(fight_view()) == {"fire", "target", "resign"}


def test_who_is_not_asked_may_leave_and_no_more() -> None:
    """RESIGN is taken at any time of players still in the game."""
    assert offered({**sample_view(), "awaited": False}) == {"resign"}
    assert offered({**sample_view(), "awaited": False, "over": True}) == set()


@pytest.mark.parametrize(
    ("order", "field", "ships", "others"),
    [
        ("repair", "ship", {"R251", "R274"}, {"R118"}),
        ("hide", "ships", {"R118"}, {"R251"}),
        ("terraform", "ship", {"R472", "R731", "NEW"}, {"R118"}),
        ("move", "ships", {"R118", "ALL", "NEW"}, set()),
    ],
)
def test_ships_are_offered_for_what_they_can_do(order: str, field: str, ships: set[str], others: set[str]) -> None:
    """Damaged ones to be repaired, lit ones to hide, terraformers to terraform; new ones where they may be named."""
    shown = form(sample_view(), order, field)

    assert {name for name in ships | others if name in shown} == ships


def test_enemies_in_sight_are_offered_and_no_ally() -> None:
    """Ships met later may be typed: the form lets through any id of another player."""
    shown = form(sample_view(), "fire", "targets")

    assert "G101" in shown
    assert "C220" not in shown
    assert "[YGCB][1-9][0-9]{2,3}" in shown


def test_types_are_offered_that_can_be_paid() -> None:
    """On the first turn there are points for no Basestar."""
    assert "Basestar" in form(sample_view(), "build", "type")
    assert "Basestar" not in form(empty_view(), "build", "type")
