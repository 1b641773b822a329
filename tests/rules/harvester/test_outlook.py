"""Forecasts of receipts come true when all others are idle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from pbem.ruleset import Dice, Finding, ParsedSheet, SeatName, TurnInput, View
from pbem.testing.play import Step, default_options, games, mail_view, number_lines, play, random_lines, standard
from pbem_rules.harvester import RULESET
from pbem_rules.harvester.state import State
from tests.rules.harvester.table import position, read, turn, view
from tests.rules.harvester.test_oracle import crowds
from tests.rules.whatever import certain, turns

CERTAIN = ("outlook", "outlook-seen")
"""Notes that hold if no unit comes in the way, and if those in sight stay where they are."""

_UNITS = r"([GLSC][1-4]?(?:, [GLSC][1-4]?)*)"
_PLACE = re.compile(rf"{_UNITS} at (-?\d+),(-?\d+)")
_LOSS = re.compile(rf"{_UNITS} lost at ")
_HARVESTER = re.compile(r"Harvester (?:stays at|comes to|will wait at|is conquered by \w+ at) (-?\d+),(-?\d+)")
_HELD = re.compile(r"gathers \d+ and holds (\d+) then")
_READY = re.compile(r"(\w+) is ready at the end of this turn")


def stated(parsed: ParsedSheet, *codes: str) -> dict[str, Any]:
    """Return the facts in notes of these codes: places, losses, what the Harvester holds, the unit that is ready."""
    facts: dict[str, Any] = {}
    for text in (found.text for found in parsed.findings if found.code in codes):
        for part in re.split("; |: ", text):
            if place := _PLACE.match(part):
                facts |= dict.fromkeys(place[1].split(", "), (int(place[2]), int(place[3])))
            elif loss := _LOSS.match(part):
                facts |= dict.fromkeys(loss[1].split(", "))
        if home := _HARVESTER.search(text):
            facts["H"] = int(home[1]), int(home[2])
        if held := _HELD.search(text):
            facts["held"] = int(held[1])
        if " is conquered by " in text:
            facts["conquered"] = True
    ready = (found.text for found in parsed.findings if found.code == "treasury")
    return facts | {unit: "lives" for text in ready for unit in _READY.findall(text)}


def real(seen: View, facts: dict[str, Any]) -> dict[str, Any]:
    """Return the same facts from the next report."""
    home = seen["harvester"]
    places: dict[str, Any] = {unit["unit"]: (unit["q"], unit["r"]) for unit in seen["units"]}
    places |= {"H": (home["q"], home["r"]), "held": home["held"]}
    places["conquered"] = any(event["kind"] == "conquered" for event in seen["events"])
    return {name: "lives" if fact == "lives" and name in places else places.get(name) for name, fact in facts.items()}


def alone(state: State, seat: SeatName, parsed: ParsedSheet) -> View:
    """Return the next report of a seat when all others send empty sheets."""
    orders = dict.fromkeys(RULESET.standing(state).awaiting, ()) | {seat: parsed.orders}
    after, events = RULESET.resolve(state, TurnInput(orders), Dice(b"alone").within(state.turn))
    return mail_view(RULESET, after, seat, events)


def sheets(seen: View, dice: Dice) -> Iterator[list[str]]:
    """Yield sheets that a player might send: the bot's, and random ones."""
    yield RULESET.bots["standard"](seen, dice)
    for number in range(2):
        yield [RULESET.orders.invent(seen, dice, "line", number, count) for count in range(12)]


@pytest.fixture(scope="module")
def steps() -> list[Step]:
    """Return turns of usual games, and of two on rich ground full of crags and dust."""
    rough = {**default_options(RULESET), "crags": 15, "dust": 8, "density": 60}
    played = [play(RULESET, standard, 12, options=rough), play(RULESET, random_lines, 12, options=rough, game=7)]
    return [step for game in (*games(RULESET), *played) for step in game.steps[::3]]


@pytest.mark.in_turn
def test_what_a_receipt_says_comes_true(steps: list[Step]) -> None:
    """With all others idle, units are where the receipt said, and Harvesters hold what it said."""
    told = 0
    for step in steps:
        for seat in sorted(RULESET.standing(step.state).awaiting):
            for lines in sheets(step.views[seat], Dice(b"sheets").within(step.number, seat)):
                told += _check(step.state, seat, step.views[seat], lines)
    assert told > 600


@pytest.mark.in_turn
def test_what_a_receipt_says_comes_true_among_many() -> None:
    """Forecasts also come true on small planets where all meet, for rulers and those below them."""
    told = 0
    for number, (state, _) in enumerate(crowds()):
        for seat in () if state.over else state.seats[:3]:
            seen = view(state, seat)
            for lines in sheets(seen, Dice(b"crowds").within(number, seat)):
                told += _check(state, seat, seen, lines)
    assert told > 400


FURTHER = (["DROP 1"], ["BUILD C2", "DROP 2"], ["MOVE G E", "RESIGN CONFIRM"])


@pytest.mark.in_turn
def test_a_note_without_an_if_is_true_whatever_the_others_do(steps: list[Step]) -> None:
    """Each note without an "if" is true if the others are silent, play, destroy themselves or do anything else."""
    worlds = [position({"ann": {"C1": (0, 0), "G": (0, 0)}}, held={"ann": 9})]
    worlds += [step.state for step in steps[::60] if len(step.state.seats) < 9]
    worlds += [state for state, _ in islice(crowds(), 0, None, 12) if not state.over]
    stated = set()
    for number, state in enumerate(worlds):
        seat = state.seats[int(state.held.argmax())]
        before = view(state, seat)
        for lines in (*sheets(before, Dice(b"whatever").within(number)), *FURTHER):
            parsed = RULESET.parse(before, number_lines(lines))
            stated |= {found.code for found in certain(parsed.findings)}
            for after, events in turns(RULESET, state, seat, parsed.orders, Dice(b"others").within(number)):
                seen = mail_view(RULESET, after, seat, events)
                assert [found.text for found in certain(parsed.findings) if not _is_true(found, seen)] == [], lines

    assert stated == {"treasury", "nothing-else", "idle"}


def _is_true(found: Finding, seen: View) -> bool:
    """Return True if the next report bears out a note without an "if"."""
    if found.code == "nothing-else":
        return seen["harvester"] is None
    if found.code == "idle":
        return found.text.startswith("without an order: ")
    if ready := _READY.match(found.text):
        home = seen["harvester"]
        places = {unit["unit"]: (unit["q"], unit["r"]) for unit in seen["units"]}
        return places.get(ready[1]) == (home["q"], home["r"])
    gathered = sum(event["amount"] for event in seen["events"] if event["kind"] == "gathered")
    left = re.search(r": (\d+) left before your Harvester gathers", found.text)
    return left is not None and int(left[1]) == seen["harvester"]["held"] - gathered


def _check(state: State, seat: SeatName, seen: View, lines: list[str]) -> int:
    """Compare the certain facts of a receipt with what comes, and return their number."""
    parsed = RULESET.parse(seen, number_lines(lines))
    facts = stated(parsed, *CERTAIN)
    if facts:
        assert (lines, facts) == (lines, real(alone(state, seat, parsed), facts))
    return len(facts)


def test_what_a_receipt_calls_certain_fails_only_where_somebody_came(steps: list[Step]) -> None:
    """When all play, a march ends otherwise than foretold only if it met others, and the report says so."""
    told = 0
    for step in steps:
        drawn = {seat: _bots(step, seat) for seat in sorted(RULESET.standing(step.state).awaiting)}
        orders = {seat: parsed.orders for seat, parsed in drawn.items()}
        after, events = RULESET.resolve(step.state, TurnInput(orders), Dice(b"all").within(step.number))
        for seat, parsed in drawn.items():
            seen = mail_view(RULESET, after, seat, events)
            facts = {name: fact for name, fact in stated(parsed, "outlook").items() if name != "held"}
            came = [event for event in seen["events"] if event["kind"] in ("fought", "blocked")]
            told += len(facts)
            assert came or facts == real(seen, facts)
    assert told > 300


def _bots(step: Step, seat: SeatName) -> ParsedSheet:
    lines = RULESET.bots["standard"](step.views[seat], Dice(b"bots").within(step.number, seat))
    return RULESET.parse(step.views[seat], number_lines(lines))


def texts(state: State, *lines: str) -> list[str]:
    """Return the forecast for ann's sheet."""
    return [found.text for found in read(state, "ann", *lines).findings if not found.line]


def test_a_forecast_tells_places_price_and_harvest() -> None:
    """The forecast has the places of units and Harvester, what is paid and gathered, and units without orders."""
    state = position({"ann": {"S1": (1, 0), "C1": (0, 0), "G": (0, 0)}}, resources={(0, 1): 2}, held={"ann": 9})

    assert texts(state, "MOVE S1 TO 2,0", "TARGET 0,1", "BUILD C2", "DROP 1") == [
        "of 9 resources, 1 dropped and 1 paid for C2: 7 left before your Harvester gathers",
        "C2 is ready at the end of this turn, and stands with your Harvester then",
        "if no other unit comes in the way: S1 at 2,0",
        "without an order: G, C1",
        "if no other unit comes in its way, your Harvester comes to 0,1, gathers 2 and holds 9 then",
    ]


def test_what_is_dropped_is_gathered_again_where_a_harvester_stays() -> None:
    """The forecast says that a Harvester that stays gathers again what it drops."""
    assert texts(position(held={"ann": 9}), "DROP 4")[1:] == [
        "if no other unit comes in its way, your Harvester stays at 0,0, gathers 4 and holds 9 then"
    ]


def test_what_scanners_do_not_tell_is_marked() -> None:
    """A march past what is known is foretold with a proviso, which mentions foes on the way."""
    state = position({"ann": {"C1": (0, 0), "C2": (0, 0)}, "bob": {"S2": (1, 0)}})

    assert texts(state, "MOVE C1 NE NE NE NE", "MOVE C2 E E E E") == [
        "if nothing stops them: C1 at 4,-4; C2 at 4,0 (foes on the way)"
    ]


def test_a_harvester_in_sight_is_waited_for() -> None:
    """The receipt names the owner of a Harvester on the hex ahead, with an "if": it may destroy itself (ruling 5)."""
    state = position({"bob": {"H": (1, 0), "S1": (1, 0)}}, resources={(2, 0): 1})

    assert texts(state, "TARGET 2,0") == ["your Harvester will wait at 0,0 if bob's Harvester stays at 1,0"]


def test_units_of_a_ruler_in_sight_bar_the_way() -> None:
    """Harvester and units are foretold to stop before a hex with units of a Harvester above (ruling 8)."""
    units = {"ann": {"C1": (0, -1)}, "bob": {"S1": (1, 0), "C1": (1, -1)}}
    state = position(units, resources={(2, 0): 1}, rulers={"ann": "bob"})

    assert texts(state, "TARGET 2,0", "MOVE C1 E") == [
        "if those in sight stay where they are: C1 at 0,-1: units of a Harvester above yours have the hex ahead",
        "your Harvester will wait at 0,0 if units of bob, who is above you, stay at 1,0",
    ]


def test_fights_with_foes_in_sight_are_foretold() -> None:
    """The forecast has wins, losses and ties against foes who stay, with strengths, also for units left behind."""
    units = {"ann": {"S1": (0, 0), "S2": (0, 0), "C1": (0, 0), "C2": (3, 3), "S3": (3, 3)}}
    foes = {"bob": {"C1": (1, 0)}, "cyd": {"S1": (0, 1)}, "dan": {"G": (-1, 0), "L1": (3, 3)}}

    told, _ = texts(position(units | foes), "MOVE S1 E", "MOVE S2 SE", "MOVE C1 W", "MOVE S3 W")

    assert told.removeprefix("if those in sight stay where they are: ").split("; ") == [
        "S1 at 1,0, where you win against bob's C",
        "S2 at 0,0, as cyd's S at 0,1 is as strong: 2",
        "C1 lost at -1,0 to dan's G, 1 against 4",
        "S3 at 2,3",
        "C2 lost at 3,3 to dan's L, 1 against 3",
    ]


def test_a_harvester_that_would_be_conquered_is_warned() -> None:
    """The forecast warns if the Harvester would drive into stronger foes in sight."""
    state = position({"bob": {"S1": (1, 0)}}, resources={(1, 0): 1})

    assert texts(state, "TARGET 1,0") == [
        "if those in sight stay where they are, your Harvester is conquered by bob at 1,0"
    ]


def test_what_is_decided_after_the_own_conquest_is_marked() -> None:
    """After the own Harvester is conquered others may be on its side, so a later meeting is told with a proviso."""
    units = {"ann": {"S1": (-1, 0), "C1": (-2, 0)}, "bob": {"S1": (1, 0)}, "cyd": {"L1": (-3, 0)}}
    state = position(units, resources={(1, 0): 1}, rulers={"cyd": "bob"})

    assert texts(state, "TARGET 1,0", "MOVE S1 W W") == [
        "if nothing stops them: S1 at -3,0 (foes on the way)",
        "without an order: C1",
        "if those in sight stay where they are, your Harvester is conquered by bob at 1,0",
    ]
    after, events = turn(state, {"ann": ["TARGET 1,0", "MOVE S1 W W"]})
    assert {unit["unit"] for unit in mail_view(RULESET, after, "ann", events)["units"]} == {"S1", "C1"}


def test_several_foes_in_a_hex_are_not_reckoned_up() -> None:
    """Foes of several players in a hex are not added up, as it is unknown whether they are on one side (ruling 12)."""
    state = position({"ann": {"G": (0, 0)}, "bob": {"C1": (1, 0)}, "cyd": {"C1": (1, 0)}})

    assert texts(state, "MOVE G E") == ["if nothing stops them: G at 1,0 (foes on the way)"]


def test_the_next_hex_of_a_line_begun_before_is_known() -> None:
    """The forecast names the next hex of a line that was drawn in an earlier turn (ruling 5)."""
    state, _ = turn(position({"ann": {"C1": (0, 0)}}, resources={(2, 2): 1}), {"ann": ["TARGET 2,2"]})

    told = texts(state, "MOVE C1 E")[-1]

    home = view(turn(state)[0], "ann")["harvester"]
    assert told == f"if no other unit comes in its way, your Harvester comes to {home['q']},{home['r']}"


def test_a_sheet_that_ends_all_foretells_nothing_else() -> None:
    """With RESIGN all other lines are said to have no effect."""
    state = position({"ann": {"C1": (0, 0)}})

    assert texts(state, "MOVE C1 E", "RESIGN CONFIRM") == [
        "Harvester and units are gone before any other order is carried out"
    ]
