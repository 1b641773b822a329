"""The forecast of a receipt: what it says comes true when all others are idle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from pbem.ruleset import Dice, Parsed, Seat, TurnInput, View
from pbem.ruleset.testing.play import Step, games, gremlin, mailed, numbered, play, standard
from pbem.ruleset.testing.tables import default_options
from rules.harvester import RULESET
from rules.harvester.state import State
from tests.rules.harvester.table import position, read

_PLACES = re.compile(r"([GLSC][1-4]?) at (-?\d+),(-?\d+)")
_HARVESTER = re.compile(r"Harvester (?:stays at|comes to) (-?\d+),(-?\d+)(?:, gathers (\d+) and holds (\d+))?")
_READY = re.compile(r"(\w+) is ready at the end of this turn")
_LEFT = re.compile(r"resources, .*: (\d+) left")


def stated(parsed: Parsed) -> dict[str, Any]:
    """What a receipt says of the end of the turn: places of units, what the Harvester holds, which unit is ready."""
    facts: dict[str, Any] = {}
    for found in parsed.findings:
        if found.code == "outlook":
            facts |= {unit: (int(q), int(r)) for unit, q, r in _PLACES.findall(found.text)}
            for q, r, _, held in _HARVESTER.findall(found.text):
                facts |= {"H": (int(q), int(r))} | ({"held": int(held)} if held else {})
        elif found.code == "treasury":
            facts |= dict.fromkeys(_READY.findall(found.text), "lives")
    return facts


def real(seen: View, facts: dict[str, Any]) -> dict[str, Any]:
    """The same facts as the next report has them."""
    home = seen["harvester"]
    places: dict[str, Any] = {unit["unit"]: (unit["q"], unit["r"]) for unit in seen["units"]}
    places |= {"H": (home["q"], home["r"]), "held": home["held"]}
    return {name: "lives" if fact == "lives" and name in places else places.get(name) for name, fact in facts.items()}


def alone(state: State, seat: Seat, parsed: Parsed) -> View:
    """The next report of a seat when all others send empty sheets."""
    orders = dict.fromkeys(RULESET.standing(state).awaiting, ()) | {seat: parsed.orders}
    after, events = RULESET.resolve(state, TurnInput(orders), Dice(b"alone").scoped(state.turn))
    return mailed(RULESET, after, seat, events)


def sheets(seen: View, dice: Dice) -> Iterator[list[str]]:
    """Sheets a player might send: the bot's, and random ones."""
    yield RULESET.bots["standard"](seen, dice)
    for number in range(2):
        yield [RULESET.orders.invent(seen, dice, "line", number, count) for count in range(12)]


@pytest.fixture(scope="module")
def steps() -> list[Step]:
    """Turns of usual games, and of two on rough ground that is rich and full of crags and dust."""
    rough = {**default_options(RULESET), "crags": 15, "dust": 8, "density": 60}
    played = [play(RULESET, standard, 12, options=rough), play(RULESET, gremlin, 12, options=rough, game=7)]
    return [step for game in (*games(RULESET), *played) for step in game.steps[::3]]


def test_what_a_receipt_says_comes_true(steps: list[Step]) -> None:
    """With all others idle, units are where the receipt said, and Harvesters hold what it said."""
    told = 0
    for step in steps:
        for seat in sorted(RULESET.standing(step.state).awaiting):
            for lines in sheets(step.views[seat], Dice(b"sheets").scoped(step.number, seat)):
                parsed = RULESET.parse(step.views[seat], numbered(lines))
                facts = stated(parsed)
                told += len(facts)
                if facts:
                    assert (lines, facts) == (lines, real(alone(step.state, seat, parsed), facts))
    assert told > 500


def texts(state: State, *lines: str) -> list[str]:
    """The forecast for ann's sheet."""
    return [found.text for found in read(state, "ann", *lines).findings if not found.line]


def test_a_forecast_tells_places_price_and_harvest() -> None:
    """Where units and Harvester will be, what is paid, what is gathered, and what has no order."""
    state = position({"ann": {"S1": (1, 0), "C1": (0, 0), "G": (0, 0)}}, resources={(0, 1): 2}, held={"ann": 9})

    assert texts(state, "MOVE S1 TO 2,0", "TARGET 0,1", "BUILD C2", "DROP 1") == [
        "of 9 resources, 1 dropped and 1 paid for C2: 7 left before your Harvester gathers",
        "C2 is ready at the end of this turn, and stands with your Harvester then",
        "if nobody comes in the way: S1 at 2,0",
        "without an order, and so where they are: G, C1",
        "if nobody comes in its way, your Harvester comes to 0,1, gathers 2 and holds 9 then",
    ]


def test_what_is_dropped_is_gathered_again_where_a_harvester_stays() -> None:
    """The forecast says so, rather than leave it to be found out."""
    assert texts(position(held={"ann": 9}), "DROP 4")[1:] == [
        "if nobody comes in its way, your Harvester stays at 0,0, gathers 4 and holds 9 then"
    ]


def test_what_scanners_do_not_tell_is_marked() -> None:
    """A march past what is known, or into enemies, is foretold with a proviso."""
    state = position({"ann": {"C1": (0, 0), "S1": (0, 0)}, "bob": {"S2": (1, 0)}})

    assert texts(state, "MOVE C1 NE NE NE NE", "MOVE S1 E") == [
        "if nothing stops them: C1 at 4,-4; S1 at 1,0 (foes on the way)"
    ]


def test_a_sheet_that_ends_all_foretells_nothing_else() -> None:
    """With the Harvester go all units; the other lines are said to do nothing."""
    state = position({"ann": {"C1": (0, 0)}})

    assert texts(state, "MOVE C1 E", "RESIGN CONFIRM") == [
        "Harvester and units are gone before any other order is carried out"
    ]
