"""Forecasts of receipts, compared with the turns that follow, whatever the others do."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from pbem.ruleset import Dice, Finding
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.abilities import CATEGORIES, deck
from pbem_rules.bubble_singularity.state import Player, State
from pbem_rules.bubble_singularity.table import category_of
from tests.rules.bubble_singularity.table import Played, lay, miss, new_game, play, read, view
from tests.rules.whatever import certain, turns

Check = Callable[[str, Played], bool]


def _went(text: str, after: Played) -> bool:
    said = re.findall(r"([A-E][1-5]) \(([a-z ]+) placed\)", text)
    (moved,) = after.told("moved")
    return said == [(space, " and ".join(bubbles) or "nothing") for space, bubbles in moved["path"]]


def _pushed(text: str, after: Played) -> bool:
    (rotated,) = after.told("rotated")
    said = re.findall(r"([a-z]+) ([NESW]) to ([A-E][1-5])", text)
    return said == [tuple(each) for each in rotated["sent"]] and text.startswith(f"{rotated['space']} turns")


def _pulled(text: str, after: Played) -> bool:
    (pulled,) = after.told("pulled")
    bubbles, _, where = text.rpartition(" pulled ")
    said = (*re.findall(r"[A-E][1-5]", text), bubbles.split(", ") if where.startswith("from ") else [])
    return said == (pulled["start"], pulled["space"], pulled["bubbles"])


def _popped(text: str, after: Played) -> bool:
    chains = re.findall(r"pops: ([A-E1-5, ]+); length ([0-9]+), ([0-9]+) points?", text)
    scored = [(str(event["length"]), str(event["points"])) for event in after.told("scored")]
    pops = sorted(space for spaces, *_ in chains for space in spaces.split(", "))
    return (pops, [tuple(rest) for _, *rest in chains]) == (sorted(after.pops), scored)


def _ended(text: str, after: Played) -> bool:
    state = after.state
    while state.phase == "question":
        state = miss(state).state
    return state.result is not None


def _drew(text: str, after: Played) -> bool:
    said = re.match(r"(two|([0-9]) times two) ability cards are drawn of", text)
    drawn = [len(event["cards"]) for event in after.told("drawn")]
    return said is not None and drawn == [2] * int(said[2] or 1)


def _drew_none(text: str, after: Played) -> bool:
    return not after.told("drawn")


def _researched(text: str, after: Played) -> bool:
    return [len(event["bubbles"]) for event in after.told("researched")] == [3]


TRUE: Mapping[str, Check] = {
    "goes": _went,
    "pushes": _pushed,
    "pulls": _pulled,
    "outlook": _popped,
    "ends": _ended,
    "cards": _drew,
    "no-cards": _drew_none,
    "research": _researched,
}
"""Checks of the certain notes."""


def untrue(findings: Sequence[Finding], after: Played) -> list[str]:
    """Return the notes of a receipt without an "if" that did not come true; those unknown here are untrue.

    None is if all others left, so that the game was over before any order was carried out (ruling 39).
    """
    if after.state.result is not None and after.state.result.how == "left":
        return []
    false = [found for found in certain(findings) if not TRUE.get(found.code, _unknown)(found.text, after)]
    return [found.text for found in false]


def _unknown(text: str, after: Played) -> bool:
    return False


def sheets(state: State, number: int) -> Iterator[list[str]]:
    """Yield possible sheets of the mover: those of the bots, some with lines that cannot be followed, and none."""
    assert state.mover is not None
    shown = view(state, state.mover)
    yield []
    yield RULESET.bots["standard"](shown, Dice(b"bot").within(number))
    for luck in range(2):
        yield [*RULESET.bots["random"](shown, Dice(b"bot").within(number, luck)), "POP B2 red N", "MOVE N N N"]


def games(seats: int, **options: Any) -> Iterator[State]:
    """Yield the states of the turns of a game of bots."""
    state = play(new_game(seats, **options), seat="red").state
    for number in range(60):
        if state.result is not None:
            return
        if state.phase == "turn":
            yield state
        lines = RULESET.bots["standard"](view(state, state.mover or ""), Dice(b"bot").within(number))
        state = play(state, *lines).state


@pytest.mark.in_turn
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("seats", "options"), [(2, {}), (3, {"stations": True}), (2, {"advanced": True})])
def test_what_a_receipt_states_comes_true(seats: int, options: dict[str, Any]) -> None:
    """Every note without an "if" comes true, with any sheet, any dice, and whatever the others do."""
    stated = set()
    for number, state in enumerate(games(seats, **options)):
        for lines in sheets(state, number):
            parsed = read(state, *lines, seat=state.mover or "")
            for outcome in turns(RULESET, state, state.mover or "", parsed.orders, Dice(b"fate").within(number)):
                assert untrue(parsed.findings, Played(*outcome)) == [], lines
            stated |= {found.code for found in parsed.findings}

    assert {*TRUE, "cards"} - {"no-cards", "research"} <= stated


def test_a_wrong_forecast_is_caught() -> None:
    """The notes of one sheet are found untrue of the turn of another."""
    lying = {"C2": "rg", "C4": "b"}
    said = read(lay(hand="rgbb", lying=lying), "MOVE N", "ROTATE CW").findings
    other = play(lay(hand="rgbb", lying={"C2": "r"}), "MOVE N", "BUBBLES blue", "ROTATE CCW")

    assert len(untrue(said, other)) == 2
    assert untrue(said, play(lay(hand="rgbb", lying=lying), "MOVE N", "ROTATE CW")) == []


@pytest.mark.parametrize(("bag", "code"), [("", "ends"), ("r", "cards")])
def test_an_end_by_energy_harvest_is_foretold(bag: str, code: str) -> None:
    """Energy Harvest from an empty bag ends the game before cards are drawn, and the receipt says so."""
    state = lay(hand="", held=["harvest"], nodes=["C3"], lying={"C3": "rr", "C2": "g"}, bag=bag)
    after = play(state, "PULL N")

    said = read(state, "PULL N").findings
    assert [found.code for found in said if found.code in ("ends", "cards")] == [code]
    assert untrue(said, after) == []
    assert (after.state.result is not None) == (code == "ends")


@pytest.mark.parametrize(
    ("bag", "select", "code"),
    [
        ("rgy", "", "ends"),
        ("rgyy", "", ""),
        ("rgyy", "USE SELECT red", "may-end"),
        ("rgyyr", "USE SELECT green", ""),
    ],
)
def test_the_bubbles_of_the_research_station_are_counted(bag: str, select: str, code: str) -> None:
    """Bubbles drawn by USE RESEARCH or taken by SELECT are not in the bag for Energy Harvest."""
    lying, held = {"B1": "bb", "A2": "b"}, ["harvest", "fusion"]
    state = lay(blue="B2", red="D4", hand="bb", bag=bag, held=held, lying=lying, stations=True)
    state = dataclasses.replace(state, control={"research": "blue"})
    sheet = ["MOVE N W", "USE RESEARCH", *filter(None, [select])]
    said = [found.code for found in read(state, *sheet).findings]
    ends = {play(state, *sheet, seed=bytes([seed])).state.result is not None for seed in range(20)}

    assert "research" in said
    assert [found for found in said if found in ("ends", "may-end")] == ([code] if code else [])
    assert ends == {"ends": {True}, "may-end": {True, False}, "": {False}}[code]


def test_an_empty_bag_ends_the_game_if_no_player_leaves() -> None:
    """A player who leaves returns bubbles to the bag, so with three players an end by an empty bag has an "if"."""
    third = {"green": Player(side="E", at="D4", hand=("green",))}
    state = lay(hand="", held=["harvest"], nodes=["C3"], lying={"C3": "rr", "C2": "g"}, bag="", others=third)
    parsed = read(state, "PULL N")
    after = [Played(*each).state.result for each in turns(RULESET, state, "blue", parsed.orders, Dice(b"leave"))]

    assert [found.text for found in parsed.findings if found.code == "ends"] == [
        "the game ends in this turn, if no player leaves: a bubble had to be drawn and the bag was empty"
    ]
    assert None in after


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (9, "two ability cards are drawn of the 9 that the decks hold, and one of two is kept"),
        (2, "two ability cards are drawn of the 2 that the decks hold, and one of two is kept"),
        (1, "one ability card is drawn, for the decks hold no more, if no player leaves"),
        (0, "no ability card is drawn, for the decks hold none, if no player leaves"),
    ],
)
def test_of_cards_to_be_drawn_it_is_told_how_many_the_decks_hold(left: int, said: str) -> None:
    """The decks are public, so the receipt says how many they still hold, and draws so many at the most."""
    state = lay(hand="", nodes=["C3"], lying={"C3": "rr", "C2": "g"})
    cards = [card for category in CATEGORIES for card in deck(category)][:left]
    decks = {category: tuple(card for card in cards if category_of(card) == category) for category in CATEGORIES}
    state = dataclasses.replace(state, decks=decks)

    assert [found.text for found in read(state, "PULL N").findings if found.code == "cards"] == [said]
    assert sum(len(event["cards"]) for event in play(state, "PULL N").told("drawn")) == min(left, 2)


@pytest.mark.parametrize(("last", "code"), [(False, "cards"), (True, "no-cards")])
def test_cards_for_pops_that_a_leaving_player_may_change_are_told_with_an_if(*, last: bool, code: str) -> None:
    """Stations of a player who leaves are nobody's, so that other bubbles pop and other cards are drawn (ruling 31)."""
    third = {"green": Player(side="E", at="D4", hand=("green",))}
    state = lay(hand="", nodes=["C3"], lying={"C3": "rr", "C2": "g"}, others=third, stations=True)
    state = dataclasses.replace(state, control={"research": "green"}, last_round=last)

    said = {found.code: found.text for found in read(state, "PULL N").findings}
    assert all("if no player leaves" in said[each] for each in ("outlook", code))


def test_refused_lines_have_no_part_in_the_forecast() -> None:
    """A refused line does not change the notes on the others."""
    state = lay(hand="rgbb", lying={"C2": "rg"})
    plain, other = read(state, "MOVE N", "PULL S"), read(state, "MOVE N", "POP C2 yellow N", "PULL S", "ROTATE CW")

    assert [found for found in other.findings if found.severity == "note"] == list(plain.findings)
    assert len(other.errors) == 2
