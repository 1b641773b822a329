"""Orders as data: the order form that a page can offer without knowing the game."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from pbem.ruleset import (
    AnyOfPattern,
    ChoicePattern,
    FreePattern,
    IntegerField,
    NumberPattern,
    Order,
    OrderParser,
    Pattern,
    RepeatedPattern,
    SequencePattern,
    canonical_json,
)
from pbem.testing.form_rules import fits
from tests.ruleset.fleet import BOOK, EMPTY_VIEW, VIEW, Hold


def verb(name: str) -> Any:
    """Return the data of one verb of the fleet."""
    return next(each for each in BOOK.desk(VIEW)["verbs"] if each["name"] == name)


def test_a_desk_is_plain_data() -> None:
    """The order form survives JSON, so a page can hold it."""
    desk = BOOK.desk(VIEW)

    assert json.loads(canonical_json(desk)) == desk


def test_a_desk_has_the_parts_of_a_usage() -> None:
    """The parts are words to write, fields to fill in, and groups that may be left out."""
    assert verb("load")["parts"] == [
        {"word": "LOAD"},
        {"field": "cargo", "kind": "iron-corn-coral", "many": False},
        {"optional": [{"word": "AT"}, {"field": "ports", "kind": "port", "many": True}]},
        {"optional": [{"word": "FOR"}, {"field": "owner", "kind": "port", "many": False}]},
    ]


def test_a_desk_tells_of_a_verb_what_the_reference_does() -> None:
    """Usage, help and examples are those of the declaration."""
    assert {**verb("hold"), "parts": None} == {
        "name": "hold",
        "word": "HOLD",
        "also": [],
        "usage": "HOLD",
        "help": "Do nothing.",
        "examples": ["HOLD"],
        "parts": None,
        "slot": "",
        "mark": None,
        "grave": False,
    }


def test_equal_kinds_are_written_once() -> None:
    """The ships of SAIL and of SCRAP are one kind."""
    assert list(BOOK.desk(VIEW)["kinds"]) == ["ship", "port", "iron-corn-coral", "count", "slow-fast"]


@dataclass(frozen=True, slots=True)
class Deal(Order):
    """Deal cards."""

    usage = "DEAL few TO many"
    few: Annotated[int, IntegerField(1, 3)]
    many: Annotated[int, IntegerField(1, 9)]


def test_kinds_with_one_name_that_differ_have_ids_of_their_own() -> None:
    """Ids are made from the names of fields in usages, and numbered from the second on."""
    kinds = OrderParser((Deal,)).desk(VIEW)["kinds"]

    assert {name: kind["form"]["high"] for name, kind in kinds.items()} == {"number": 3, "number-2": 9}


def test_a_game_may_offer_some_orders_alone() -> None:
    """Orders that may not be given now need not be offered."""
    assert [each["name"] for each in BOOK.desk(VIEW, [Hold])["verbs"]] == ["hold"]


def test_a_view_without_names_offers_none() -> None:
    """A field without possible values has an empty choice."""
    assert BOOK.desk(EMPTY_VIEW)["kinds"]["ship"]["form"] == {"type": "choice", "values": []}


FORMS: dict[str, tuple[Pattern, list[str], list[str]]] = {
    "choice": (ChoicePattern(("R101", "red-home")), ["R101", "r101", "RED-HOME"], ["R1", "", "R101 "]),
    "number": (NumberPattern(-2, 9), ["-2", "0", "+9", "9"], ["-3", "10", "", "x", "1.5", "٣"]),
    "several": (RepeatedPattern(ChoicePattern(("A", "B", "C")), "/", 2), ["A/B", "a/b/c"], ["A", "A/", "A,B", ""]),
    "either": (AnyOfPattern((ChoicePattern(("ALL",)), NumberPattern(1, 2))), ["all", "2"], ["3", ""]),
    "in turn": (SequencePattern((ChoicePattern(("red",)), ChoicePattern(("N", "S")))), ["red", "n"], ["E"]),
    "free": (FreePattern(("J1+9",), r"[A-Z][0-9]+\+[0-9]"), ["j1+9", "K10+0"], ["J1", "J1+99"]),
    "any word": (FreePattern(("hello",)), ["anything", ""], []),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_form_fits_its_words_and_no_others(name: str) -> None:
    """The whole word must match the pattern; case does not count."""
    form, good, bad = FORMS[name]

    assert [fits(form.to_json(), word) for word in good + bad] == [True] * len(good) + [False] * len(bad)


@pytest.mark.parametrize("name", FORMS)
def test_a_form_offers_what_fits(name: str) -> None:
    """The words that a pattern offers match it."""
    form, _, _ = FORMS[name]

    assert form.offers()
    assert all(fits(form.to_json(), word) for word in form.offers())


def test_bounds_that_leave_nothing_offer_nothing() -> None:
    """A pattern with empty bounds offers nothing, as for a Harvester without cargo to drop."""
    assert NumberPattern(1, 0).offers() == RepeatedPattern(ChoicePattern(("A",)), "/", 2).offers() == ()


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_json_with_its_type(name: str) -> None:
    """Clients tell patterns apart by their type."""
    form, _, _ = FORMS[name]

    assert json.loads(canonical_json(form.to_json())) == form.to_json()
    assert form.to_json()["type"]
