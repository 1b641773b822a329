"""Statements of a receipt that are certain come true whatever the others do, and whatever the dice."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

import pytest

from pbem.ruleset import Dice, Event, Finding, ParsedSheet, SeatName, TurnInput, View
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.chart import COLOURS, UNITS, standard_chart
from pbem_rules.singularity_trap.state import Faction, Ship, State
from tests.rules.singularity_trap.builders import dark, lines, ship, view, world
from tests.rules.whatever import certain, turns

TURNS = 16
LUCK = Dice(b"outlooks")


@dataclass(frozen=True)
class Tried:
    """A sheet of one seat, and its effects."""

    seat: SeatName
    mailed: View
    parsed: ParsedSheet
    after: State
    events: tuple[Event, ...]

    def told(self, kind: str) -> list[dict[str, object]]:
        """Return the data of the events of a kind that the seat hears of."""
        return [dict(event.data) for event in self.events if event.kind == kind and self.seat in event.audience]


def _try(state: State, seat: SeatName, sheet: list[str], events: tuple[Event, ...] = ()) -> Tried:
    return next(_all_tried(state, seat, sheet, events))


def _all_tried(state: State, seat: SeatName, sheet: list[str], events: tuple[Event, ...] = ()) -> Iterator[Tried]:
    """Yield a sheet with its effects while all others sent nothing, and did other things."""
    mailed = RULESET.view(state, seat, events)
    parsed = RULESET.parse(mailed, list(enumerate(sheet, 1)))
    luck = LUCK.within("turn", state.turn, state.section, state.round)
    for after, happened in turns(RULESET, state, seat, parsed.orders, luck):
        yield Tried(seat, mailed, parsed, after, happened)


def _sheet(mailed: View, dice: Dice) -> list[str]:
    """Return the bot's sheet with nonsense in good form around it."""
    nonsense = [RULESET.orders.invent(mailed, dice, "line", count) for count in range(dice.below(9, "lines"))]
    sheet = RULESET.bots["standard"](mailed, dice) if dice.chance(2, 3, "bot") else []
    return nonsense[:4] + sheet + nonsense[4:]


@functools.cache
def _tries() -> tuple[Tried, ...]:
    """Return random sheets at many moments of campaigns of bots, at both paces, each tried by itself."""
    campaigns = (tried for pace in ("turn", "section") for tried in _campaign(pace))
    return (*campaigns, *(tried for number in range(6) for tried in _battle(number)))


def _battle(number: int) -> Iterator[Tried]:
    """Yield sheets in the rounds of a fight of three fleets, damaged here and there."""
    luck = LUCK.within("battle", number)
    keys = [f"{letter}{100 + at}" for letter in "RGC" for at in range(1 + luck.roll(4, letter))]
    fleet = [_battered(key, luck.within(key)) for key in keys]
    allies = [("red", "cyan")] if number % 3 == 0 else []
    state, _ = RULESET.resolve(
        replace(world(*fleet, pace="section", allies=allies), section="movement"), TurnInput({}), luck
    )
    while state.section == "combat" and state.result is None:
        for seat in sorted(state.awaited):
            yield from _all_tried(state, seat, _sheet(RULESET.view(state, seat, ()), luck.within(state.round, seat)))
        state, _ = RULESET.resolve(state, TurnInput({}), luck)


def _campaign(pace: str) -> Iterator[Tried]:
    options = {"pace": pace, "planets_to_win": 12, "turns_to_hold": 2}
    state, events = RULESET.setup(options, COLOURS[:4], LUCK), tuple[Event, ...]()
    for step in range(TURNS if pace == "turn" else 3 * TURNS):
        luck = LUCK.within(pace, step)
        sheets = {}
        for seat in sorted(state.awaited):
            mailed = RULESET.view(state, seat, events)
            tried = _all_tried(state, seat, _sheet(mailed, luck.within(seat)), events)
            # All that others may do is tried at some moments, their silence at each.
            yield from tried if step % 6 == 2 else islice(tried, 1)
            bot = RULESET.bots["standard"](mailed, luck.within(seat))
            sheets[seat] = RULESET.parse(mailed, list(enumerate(bot, 1))).orders
        state, events = RULESET.resolve(state, TurnInput(sheets), luck)
        if state.result:
            return


def _points(tried: Tried, found: Finding) -> bool:
    """Return True if so many points are saved."""
    (saved,) = tried.told("saved")
    return found.text == f"{saved['points']} point{'' if saved['points'] == 1 else 's'} will be left to save"


def _fire(tried: Tried, found: Finding) -> bool:
    """Return True if in the round each own ship fires so often at each target, or if others have left the game."""
    if _leaving(tried):
        return True
    head, _, body = found.text.partition(", if all there play on: ")
    own = {each["id"] for each in tried.mailed["ships"]}
    (fought,) = [event for event in tried.told("combat") if head == f"round {event['round']} at {event['space']}"]
    fired = Counter((shot["by"], shot["at"]) for shot in fought["shots"] if shot["by"] in own)  # type: ignore[attr-defined]
    told: Counter[tuple[str, str]] = Counter()
    for part in body.split("; "):
        name, _, targets = part.partition(" at ")
        told.update({(name, at): int(count) for at, count in re.findall(r"(\S+) \((\d+) shot", targets)})
    return told == fired


def _ends(tried: Tried, found: Finding) -> bool:
    """Return True if moves end where they are said to, but for ships that something stopped."""
    stopped = {event["ship"] for event in tried.told("stopped") if event["why"] == "static"}
    # One that was dark, and so blind, is stopped where it is by others there.
    pinned = [str(event["why"]).partition(" is in an encounter") for event in tried.told("refused")]
    stopped |= {ship for ship, why, _ in pinned if why}
    ends = {event["ship"]: event["end"] for event in tried.told("moved")}
    told = re.findall(r"\b([A-Z]\d+) ([A-S]\d+[+-]\d+)(?:,|$)", found.text.partition("at: ")[2])
    return all(name in stopped or ends.get(name) == space for name, space in told)


def _planet(tried: Tried, found: Finding) -> bool:
    """Return True if the planet has the colour said."""
    colours = {f"the planet at {event['space']} becomes {event['now']}" for event in tried.told("terraformed")}
    return found.text in colours


def _last_left(tried: Tried, found: Finding) -> bool:
    """Return True if the other wins."""
    return tried.after.result is not None and tried.after.result.winners == (found.text.split()[3],)


def _out(tried: Tried, _found: Finding) -> bool:
    """Return True if the player is out, the turn has further sections, or the game is over with it."""
    going_on = tried.after.turn == tried.mailed["turn"]
    return not tried.after.players[tried.seat].playing or going_on or tried.after.result is not None


def _new_name(tried: Tried, _found: Finding) -> bool:
    """Return True if as many ships are built as the sheet says, less those for which it says points are missing."""
    return len(tried.told("built")) == _ships_announced(tried)


def _ships_announced(tried: Tried) -> int:
    short = {each.line: each.text for each in tried.parsed.findings if each.code == "too-dear" and "built" in each.text}
    number = 0
    for entry in tried.parsed.entries:
        if hasattr(entry.order, "number") and hasattr(entry.order, "space"):
            paid = re.search(r"(\d+) of \d+ will be built", short.get(entry.line, ""))
            number += int(paid[1]) if paid else entry.order.number
    return number


CERTAIN: dict[str, Callable[[Tried, Finding], bool]] = {
    "points": _points,
    "fire": _fire,
    "ends": _ends,
    "planet": _planet,
    "last-left": _last_left,
    "out": _out,
    "new-name": _new_name,
}


def _battered(key: str, luck: Dice) -> Ship:
    """Return a ship with one kind of its units damaged."""
    kind = luck.pick(standard_chart().types, "type")
    unit, full = luck.pick([(unit, full) for unit, full in zip(UNITS, kind.units, strict=True) if full], "unit")
    return ship(key, "J10", kind.name, **({} if unit == "system" else {unit: luck.below(full + 1, "left")}))


def _leaving(tried: Tried) -> set[SeatName]:
    """Return the other players who resigned."""
    gone = (event.data for event in tried.events if event.kind == "resigned")
    return {data["who"] for data in gone if data["how"] == "resigned"} - {tried.seat}


def _stated(tried: Tried) -> Iterator[Finding]:
    """Return the statements of a receipt that are certain."""
    if tried.after.result is not None and _leaving(tried):
        # Over before any order is carried out (ruling 45).
        return iter(())
    return (found for found in tried.parsed.findings if found.code in CERTAIN or found in certain([found]))


@pytest.mark.in_turn
def test_what_is_stated_as_certain_comes_true() -> None:
    """All statements hold over random sheets in games at both paces, whatever the others do."""
    false = [
        (tried.seat, tried.mailed["label"], found)
        for tried in _tries()
        for found in _stated(tried)
        if found.code not in CERTAIN or not CERTAIN[found.code](tried, found)
    ]

    assert false == []


def test_every_statement_is_tried() -> None:
    """The games bring each kind of certain statement, but for those with a test of their own."""
    codes = {found.code for tried in _tries() for found in _stated(tried)}

    assert codes >= {"points", "fire", "ends", "planet", "new-name"}


@pytest.mark.parametrize("code", ["points", "fire", "ends", "planet"])
def test_a_wrong_statement_is_found(code: str) -> None:
    """The same statements with a number or a name altered do not pass."""
    wrong = [
        (tried, replace(found, text=_altered(code, found.text)))
        for tried in _tries()
        for found in _stated(tried)
        if found.code == code
    ]

    assert any(not CERTAIN[code](tried, found) for tried, found in wrong)


def _altered(code: str, text: str) -> str:
    if code == "planet":
        return text.replace("becomes ", "becomes dark ")
    return re.sub(r"(\d+)(?=\D*$)", lambda match: str(int(match[1]) + 1), text)


def _codes(state: State, sheet: str) -> dict[str, str]:
    return {found.code: found.text for found in RULESET.parse(view(state, "red"), lines(sheet)).findings}


def test_the_default_fire_of_a_round_is_shown() -> None:
    """A player who sends nothing more sees at which ships theirs shoot, as TARGET and FIRE lines have it."""
    state = replace(_fight(), section="combat", awaited=frozenset({"red"}))

    assert _codes(state, "")["fire"] == (
        "round 1 at J10+0, if all there play on: R101 at G102 (2 shots); R102 at G102 (1 shot)"
    )
    assert "R101 at G101 (2 shots)" in _codes(state, "TARGET Scout")["fire"]
    assert "R102 at G101 (1 shot)" in _codes(state, "FIRE R102 AT G101")["fire"]


def _fight() -> State:
    return world(
        *(ship("R101", "J10"), ship("R102", "J10", "Scout"), ship("G101", "J10", "Scout"), ship("G102", "J10")),
        pace="section",
    )


def test_a_sheet_that_ends_the_game_says_so() -> None:
    """Resigning from a game of two leaves the other as winner."""
    tried = _try(world(seats=("red", "green")), "red", ["RESIGN CONFIRM"])

    assert {each.code for each in tried.parsed.findings} == {"resigning", "last-left"}
    (found,) = [each for each in tried.parsed.findings if each.code == "last-left"]
    assert found.text == "the game ends: green is the last player left, and wins if not resigning too"
    assert _last_left(tried, found)


def test_a_sheet_that_ends_its_player_s_part_says_so() -> None:
    """A player who owns no planet and scraps the last ship is out (ruling 33)."""
    state = world(ship("R101", "J10"), owners={"J1+9": None})
    tried = _try(state, "red", ["SCRAP R101"])

    (found,) = [each for each in tried.parsed.findings if each.code == "out"]
    assert _out(tried, found)
    assert "out" not in _codes(state, "")


def test_a_member_of_a_faction_declared_now_is_not_called_out() -> None:
    """Members without planet and ship stay in as long as their faction stands (ruling 40)."""
    owners = dict.fromkeys(("J1+9", "J10+0", "J7+3"), "green")
    state = world(ship("R101", "J10"), seats=_FOUR, owners=owners, allies=[("red", "green")], planets_to_win=3)
    tried = _try(state, "red", ["DECLARE FACTION WITH green", "SCRAP R101"])

    assert tried.after.players["red"].playing
    assert "out" not in {each.code for each in tried.parsed.findings}


_FOUR = ("red", "green", "cyan", "blue")


def test_of_several_near_victory_it_is_told_that_most_planets_count() -> None:
    """Of those who would win at the same start the one with most planets does (ruling 34)."""
    state = world(planets_to_win=2, turns_to_hold=1, owners={"J10+0": "green", "J7+3": "red"})

    told = [each.text for each in RULESET.parse(view(state, "red"), []).findings if each.code == "victory"]
    assert told[0] == (
        "you win if you still hold 2 planets when this turn ends, and more than others who do, and the game is over"
    )


def test_who_is_known_to_be_met_is_told_of_new_and_mended_ships_too() -> None:
    """A ship built or lit beside an enemy in sight is in an encounter as movement begins (ruling 13)."""
    state = world(ship("R101", "J1+9"), dark("R102", "J1+9"), ship("G101", "J1+9", "Scout"))
    tried = _try(state, "red", ["BUILD Scout AT J1+9", "REPAIR R102", "MOVE NEW1 S-", "MOVE R102 S-"])

    assert [(each.line, each.code) for each in tried.parsed.findings if each.severity == "warning"] == [
        (3, "encounter"),
        (4, "encounter"),
    ]
    assert "ends" not in {each.code for each in tried.parsed.findings}
    assert len(tried.told("refused")) == 2


@pytest.mark.parametrize("move", ["MOVE R101 N", "MOVE R101/R103 JUMP"])
def test_a_terraformer_that_cannot_leave_works_where_it_is(move: str) -> None:
    """Pinned or without what its move needs it is stationary, and two colours contradict each other (ruling 44)."""
    foe = [ship("G101", "M4+0", "Terraformer")] if "JUMP" not in move else []
    hurt = ship("R101", "M4+0", "Terraformer", jump=0)
    fleet = [hurt, ship("R102", "M4+0", "Terraformer"), ship("R103", "J10", "Scout"), *foe]
    tried = _try(
        world(*fleet, owners={"M4+0": "red"}), "red", [move, "TERRAFORM R102 TO blue", "TERRAFORM R101 TO green"]
    )

    assert [(each.line, each.code) for each in tried.parsed.findings if each.severity == "error"] == [
        (3, "two-colours")
    ]
    assert [event["now"] for event in tried.told("terraformed")] == ["blue"]


def test_a_terraformer_that_is_to_move_works_if_it_is_kept_from_it() -> None:
    """An enemy that lights up beside it may keep it there, so that it will not terraform is told with an "if"."""
    state = world(*(ship("R101", "M4+0", "Terraformer"), dark("G101", "M4+0", "Terraformer")), owners={"M4+0": "red"})
    sheet = ["MOVE R101 N", "TERRAFORM R101 TO green"]
    orders = {"red": RULESET.parse(view(state, "red"), list(enumerate(sheet, 1))).orders}
    orders["green"] = RULESET.parse(view(state, "green"), [(1, "REPAIR G101")]).orders
    _, events = RULESET.resolve(state, TurnInput(orders), LUCK)

    (found,) = [each for each in _try(state, "red", sheet).parsed.findings if each.line == 2]
    assert found.text == "R101 is to move this turn: it terraforms only if it cannot"
    assert [event.data["now"] for event in events if event.kind == "terraformed"] == ["green"]


def test_a_victory_near_is_told_with_its_condition() -> None:
    """A player who held enough planets long enough is named, with the condition."""
    state = world(planets_to_win=2, turns_to_hold=1, owners={"J10+0": "green"})

    assert _codes(state, "")["victory"] == (
        "green wins if still holding 2 planets when this turn ends, and the game is over"
    )


def _sworn(*, held: int = 2) -> State:
    """Build a game of four in which red and green, allied, stand as a faction with three planets."""
    owners = dict.fromkeys(("J10+0", "J7+3"), "green")
    league = [Faction(("red", "green"), None, held)]
    return world(
        seats=_FOUR,
        owners=owners,
        allies=[("red", "green")],
        factions=league,
        planets_to_win=3,
        turns_to_hold=3,
    )


def test_a_faction_near_victory_is_told_to_all() -> None:
    """A faction at two of three starts of turn is named to its members and to the others, with the condition."""
    texts = {
        seat: [found.text for found in RULESET.parse(view(_sworn(), seat), []).findings if found.code == "victory"]
        for seat in ("red", "cyan")
    }

    wins = "wins if it still stands, with 3 planets, when this turn ends, and the game is over"
    assert texts == {"red": [f"your faction with green {wins}"], "cyan": [f"the faction of red and green {wins}"]}
    assert "victory" not in {found.code for found in RULESET.parse(view(_sworn(held=1), "cyan"), []).findings}


@pytest.mark.parametrize("held", [1, 2])
def test_a_member_who_breaks_a_faction_is_warned(held: int) -> None:
    """ALLY … NO against a member of one's faction ends it, and the receipt says so at the line."""
    tried = _try(_sworn(held=held), "red", ["TARGET cyan", "ALLY green NO"])
    warned = [(found.line, found.text) for found in tried.parsed.findings if found.code == "breaks-faction"]

    assert warned == [(2, "this ends your faction with green when the turn ends")]
    assert "victory" not in {found.code for found in tried.parsed.findings}
    assert tried.after.factions == ()
    assert tried.after.result is None


def test_in_an_empire_the_dominant_member_holds_it_together() -> None:
    """Two members who part leave an empire standing only while its dominant member holds enough alone."""
    empire = Faction(("red", "green", "cyan"), "green", 1)
    allies = [("red", "green"), ("green", "cyan"), ("red", "cyan")]
    state = world(seats=("red", "green", "cyan", "blue", "yellow", "magenta"), factions=[empire], allies=allies)

    assert _codes(state, "ALLY cyan NO")["breaks-faction"] == (
        "without cyan as your ally the empire stands only while green holds 13 planets"
    )
    assert (
        _codes(state, "ALLY green NO")["breaks-faction"]
        == "this ends your empire with green and cyan when the turn ends"
    )
    assert "breaks-faction" not in _codes(state, "ALLY blue NO")


def test_ships_that_cannot_be_kept_or_paid_are_gone() -> None:
    """Nothing is forecast of a ship that will be scrapped unpaid, or not be built."""
    state = world(ship("R101", "J10"), ship("R102", "J10", "Scout"), owners={"J1+9": None}, points=1)

    parsed = RULESET.parse(view(state, "red"), lines("MOVE R102 N / MOVE R101 N"))
    assert [each.text for each in parsed.findings if each.code == "gone"] == [
        "R102 is scrapped, as its upkeep cannot be paid"
    ]
    assert [each.text for each in parsed.findings if each.code == "ends"] == [
        "moves end, if nothing stops them, at: R101 J9+0"
    ]
    rich = world(points=3, owners={"J10+0": None})
    assert "not built, for want of points" in _codes(rich, "BUILD 9 Scout AT J1+9 / MOVE NEW9 N")["gone"]
    poor = _codes(rich, "BUILD Cruiser AT J1+9 / MOVE NEW1 N")
    assert poor["gone"] == "no accepted line of this sheet builds NEW1"
