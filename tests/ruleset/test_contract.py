"""The value types of the interface: options, events, views in bulk, canonical JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.ruleset import (
    Event,
    Option,
    RulesetError,
    SaveError,
    SeatName,
    SetupError,
    TurnInput,
    View,
    canonical_json,
    events_for,
    iter_views,
    json_sha256,
)
from pbem.testing.play import standard_game
from tests.testing.toy import TOY, FogPatrol

PLANETS = Option("planets", "int", 12, "planets to win", low=1, high=37)
FAST = Option("fast", "bool", False, "play faster")
PACE = Option("pace", "choice", "turn", "what a sheet covers", choices=("turn", "section"))
ROUNDS = Option("rounds", "choice", "usual", "rounds to play, usual is 15", choices=("usual", "none", "30"))
CHART = Option("chart", "file", None, "another chart of ships")


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        (PLANETS, 12, "planets to win: 12"),
        (PLANETS, 20, "planets to win: 20 (usually 12)"),
        (FAST, True, "play faster: yes (usually no)"),
        (PACE, "turn", "what a sheet covers: turn"),
        (ROUNDS, "30", "rounds to play, usual is 15: 30"),
        (CHART, None, ""),
        (CHART, {"ships": [1]}, "another chart of ships: your GM has given another"),
    ],
)
def test_an_option_is_told_to_players(option: Option, value: object, told: str) -> None:
    """Players are told the value of their campaign, and the default where it differs."""
    assert option.describe(value) == told


@pytest.mark.parametrize(
    ("option", "typed", "value"),
    [
        (PLANETS, "1", 1),
        (PLANETS, " 37 ", 37),
        (FAST, "yes", True),
        (FAST, "On", True),
        (FAST, "TRUE", True),
        (FAST, "0", False),
        (FAST, "no", False),
        (PACE, "Section", "section"),
        (CHART, "charts/big.json", "charts/big.json"),
    ],
)
def test_an_option_is_read_as_a_gm_types_it(option: Option, typed: str, value: object) -> None:
    """Case and blanks around a value make no difference."""
    assert option.read(typed) == value


@pytest.mark.parametrize(
    ("option", "typed", "allowed"),
    [
        (PLANETS, "0", "a whole number from 1 to 37"),
        (PLANETS, "38", "a whole number from 1 to 37"),
        (PLANETS, "many", "a whole number from 1 to 37"),
        (PLANETS, "", "a whole number from 1 to 37"),
        (PLANETS, "9" * 5_000, "a whole number from 1 to 37"),
        (FAST, "perhaps", "yes or no"),
        (PACE, "year", "one of turn, section"),
    ],
)
def test_a_value_that_cannot_be_is_refused_with_those_that_can(option: Option, typed: str, allowed: str) -> None:
    """The error names the option, the allowed values and its help."""
    with pytest.raises(SetupError, match=f"option {option.name} cannot be .* it is {allowed}"):
        option.read(typed)


def test_a_file_option_says_so() -> None:
    """The help of a file option asks for a path, and names the formats that are read."""
    assert CHART.allowed == "the path of a file (JSON, YAML or CSV)"


def test_events_are_heard_by_their_audience_alone() -> None:
    """A view's events are those of its seat, in order, without audience or number."""
    events = (
        Event("moved", frozenset({"red"}), {"ship": "R1"}),
        Event("heard", frozenset({"red", "blue"})),
        Event("sunk", frozenset({"blue"}), {"ship": "B1"}),
    )

    assert events_for(events, "red") == [{"kind": "moved", "ship": "R1"}, {"kind": "heard"}]
    assert events_for(events, "green") == []


def test_views_are_made_one_by_one_or_in_bulk() -> None:
    """A ruleset with a bulk form is called once for all seats; others once for each."""
    state = standard_game(TOY).first
    seats = state.seats

    class Bulk(FogPatrol):
        def views(
            self, state: Any, seats: Sequence[SeatName], events: Sequence[Event]
        ) -> Iterator[tuple[SeatName, View]]:
            for seat in seats:
                yield seat, {"seat": seat, "bulk": True}

    assert dict(iter_views(TOY, state, seats, ())) == {seat: TOY.view(state, seat, ()) for seat in seats}
    assert dict(iter_views(Bulk(), state, seats, ())) == {seat: {"seat": seat, "bulk": True} for seat in seats}


def test_nobody_is_missing_unless_named() -> None:
    """An empty sheet is not a missing one."""
    assert TurnInput({"red": ()}).missing == frozenset()
    assert TurnInput({"red": ()}).removed == frozenset()


def test_refusals_of_rulesets_are_one_family() -> None:
    """All errors of rulesets have one base class."""
    assert issubclass(SetupError, RulesetError)
    assert issubclass(SaveError, RulesetError)


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
)


@pytest.mark.slow
@given(plain)
def test_canonical_json_reads_back(data: Any) -> None:
    """Canonical text is JSON of the same data."""
    assert json.loads(canonical_json(data)) == data


def test_equal_data_have_one_spelling() -> None:
    """Keys are sorted, blanks left out, non-ASCII characters not escaped."""
    assert canonical_json({"b": [1, 2], "a": "é"}) == '{"a":"é","b":[1,2]}'.encode()
    assert json_sha256({"b": 1, "a": 2}) == json_sha256({"a": 2, "b": 1})
    assert json_sha256({"a": 1}) == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"


def test_what_is_not_a_number_has_no_spelling() -> None:
    """NaN and infinity are refused."""
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(float("nan"))
