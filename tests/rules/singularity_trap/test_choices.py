"""The lines that a page offers: each is taken by itself, costs what it says, and is drawn as it is flown."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Iterator

import pytest

from pbem.ruleset import Amount, Choice, Dice, Event, TurnInput, View
from pbem.ruleset.order_tree import order_form
from pbem.testing.form_rules import tree_lines
from pbem_rules.singularity_trap import RULESET
from pbem_rules.singularity_trap.courses import Powers, Router, reach
from pbem_rules.singularity_trap.orders import BOOK, JUMP, Move
from pbem_rules.singularity_trap.space import VECTORS, distance, plus
from tests.rules.singularity_trap.builders import BOARD, at, dark, lines, ship, view, world
from tests.rules.singularity_trap.sample_view import empty_view, fight_view, sample_view

Line = tuple[Choice | Amount, ...]


@functools.cache
def bot_views() -> tuple[tuple[str, View], ...]:
    """Return views of games of bots, from their beginning to late turns, of whole turns and of sections."""
    found = []
    for players, pace, turns in ((4, "turn", 14), (3, "section", 8)):
        dice, events = Dice(b"offered"), tuple[Event, ...]()
        state = RULESET.setup({"pace": pace}, ("red", "yellow", "green", "cyan")[:players], dice)
        while not RULESET.standing(state).over and state.turn < turns:
            orders = {}
            moment = (state.turn, state.section, state.round)
            for seat, seen in RULESET.views(state, sorted(state.awaited), events):
                found.append((f"{pace} {moment} {seat}", json.loads(json.dumps(seen))))
                sheet = RULESET.bots["standard"](seen, dice.within("bot", *moment, seat))
                orders[seat] = RULESET.parse(seen, lines("\n".join(sheet))).orders
            state, events = RULESET.resolve(state, TurnInput(orders), dice.within("turn", *moment))
    return tuple(found)


def words_of(line: Line) -> tuple[str, ...]:
    """Return the words of a line, numbers by their lowest."""
    return tuple(each.word if isinstance(each, Choice) else str(each.low) for each in line)


def offered(seen: View, line: Line = ()) -> Iterator[Line]:
    """Yield the lines that are offered."""
    behind = list(RULESET.choices(seen, words_of(line)))
    if line and (not behind or line[-1].ends):
        yield line
    for choice in behind:
        yield from offered(seen, (*line, choice))


def texts(seen: View, start: str = "") -> list[str]:
    """Return the lines offered that begin with some words, as they are sent."""
    return [text for line in offered(seen) if (text := " ".join(words_of(line))).startswith(start)]


def sheet(seen: View, *sent: str) -> tuple[list[str], list[str]]:
    """Return the orders that a sheet comes to, and the codes of warnings and errors."""
    parsed = RULESET.parse(seen, list(enumerate(sent, 1)))
    told = [finding.code for finding in parsed.findings if finding.severity != "note"]
    return [BOOK.line(order) for order in parsed.orders], told


def built(seen: View) -> Iterator[tuple[str, View]]:
    """Yield the lines that make a ship, with the view that has it."""
    for line in offered(seen):
        if isinstance(line[-1], Choice) and line[-1].makes:
            yield " ".join(words_of(line)), RULESET.view_with(seen, words_of(line))


@pytest.mark.in_turn
def test_every_line_offered_is_taken_by_itself() -> None:
    """Over whole games no line offered is refused."""
    for name, seen in [*bot_views()[::5], ("sample", sample_view()), ("fight", fight_view()), ("first", empty_view())]:
        moves = texts(seen, "MOVE")
        # A course of a cruiser takes long to be found.
        for text in [*moves[::499], *[text for text in texts(seen) if not text.startswith("MOVE")][::7]]:
            assert not RULESET.parse(seen, [(1, text)]).errors, (name, text)


def test_each_word_of_orders_is_offered_somewhere() -> None:
    """Games of bots and the sample have a use for every verb that is made of choices."""
    seen = [each for _, each in bot_views()[::3]] + [sample_view(), fight_view()]

    verbs = {choice.word for each in seen for choice in RULESET.choices(each, ()) if isinstance(choice, Choice)}

    assert verbs >= {"MOVE", "FIRE", "BUILD", "TERRAFORM", "REPAIR", "ALLY", "TARGET", "HIDE", "SCRAP"}


@pytest.mark.in_turn
def test_a_ship_built_can_be_moved_on_the_same_sheet() -> None:
    """What is offered for a new ship is taken together with the line that builds it."""
    for seen in (empty_view(), sample_view(), *(each for _, each in bot_views()[::29])):
        for build, then in built(seen):
            for text in texts(then)[::61]:
                assert "NEW1" in text
                assert not RULESET.parse(seen, [(1, build), (2, text)]).errors, (build, text)


def test_a_ship_built_is_asked_about_where_it_is_built() -> None:
    """Its need stands at the yard, as it has no name on the map."""
    for build, then in built(empty_view()):
        (need,) = RULESET.agenda(then)
        assert (need.unit, need.start, need.place) == ("NEW1", "MOVE NEW1", build.split()[3])


def test_all_places_in_reach_are_offered_and_never_the_own() -> None:
    """Early in a game a ship is offered just those places to which a course leads."""
    seen = view(world(ship("R101", "J10"), ship("R102", "A10-9", "Scout")), "red")
    powers = {"R101": Powers(3, slip=True, jump=False), "R102": Powers(2, slip=False, jump=True)}

    for own in seen["ships"]:
        name, start = own["id"], at(own["space"])
        router = Router(BOARD, start, powers[name], frozenset(), {})
        places = {choice.word for choice in RULESET.choices(seen, ("MOVE", name, "TO")) if isinstance(choice, Choice)}
        assert places == {BOARD.name(space) for space in BOARD.spaces() if router.to(space)} - {own["space"]}


def test_planets_come_first_then_levels_near_the_own() -> None:
    """The first place of a hex is what a tap on it means."""
    seen = view(world(ship("R101", "J10+1")), "red")
    planets = {planet["space"] for planet in seen["planets"]}

    places = [choice.word for choice in RULESET.choices(seen, ("MOVE", "R101", "TO")) if isinstance(choice, Choice)]

    ranks = [(place not in planets, abs(at(place)[2] - 1) if place not in planets else 0) for place in places]
    assert ranks == sorted(ranks)
    assert ranks[0] == (False, 0)


@pytest.mark.parametrize("jump", [False, True])
def test_reach_is_where_courses_lead(jump: bool) -> None:
    """Also along charted jumps, and at the edge of the map."""
    exits = {at("J10"): at("D13-4"), at("K10+1"): at("J1+9")}
    for start in ("J10", "J1+9", "A10-9"):
        powers = Powers(2, slip=not jump, jump=jump)
        router = Router(BOARD, at(start), powers, frozenset(), exits)
        assert reach(BOARD, at(start), powers, tuple(exits.items())) == {
            space for space in BOARD.spaces() if router.to(space)
        }


def test_ways_are_those_that_the_receipt_restates() -> None:
    """The arrow of a drawn way turns where the course does, as seen from above."""
    state = world(ship("R101", "J10", "Scout"), ship("G101", "K9"), ship("R102", "L9", "Basestar"))
    seen = view(state, "red")
    drawn = 0
    for name, start in (("R101", "J10+0"), ("R102", "L9+0")):
        for choice in list(RULESET.choices(seen, ("MOVE", name, "TO")))[::5]:
            assert isinstance(choice, Choice)
            (order,) = RULESET.parse(seen, [(1, f"MOVE {name} TO {choice.word}")]).orders
            assert isinstance(order, Move)
            assert straight([start, *choice.path, choice.word]) == straight(flown(start, order))
            drawn += bool(choice.path)
    assert drawn > 10


def flown(start: str, order: Move) -> list[str]:
    """Return the spaces at the ends of the segments of a move without jumps."""
    assert JUMP not in order.legs
    spaces = [at(start)]
    for vector, count in [(order.vector, order.reach)] * bool(order.vector) + [(leg, 1) for leg in order.legs]:
        assert vector is not None
        spaces.append(plus(spaces[-1], VECTORS[vector], count))
    return [BOARD.name(space) for space in spaces]


def straight(names: list[str]) -> list[tuple[int, int]]:
    """Return every hex of a way that leads along the six directions."""
    hexes = [at(names[0])[:2]]
    for name in names[1:]:
        (q, r), (to_q, to_r) = hexes[-1], at(name)[:2]
        count = distance((q, r, 0), (to_q, to_r, 0))
        hexes += [(q + (to_q - q) * step // count, r + (to_r - r) * step // count) for step in range(1, count + 1)]
    return hexes


def test_points_are_those_after_income_and_upkeep() -> None:
    """A draft that spends the purse to the last point is taken in full, and one point more is not."""
    state = world(ship("R101", "J10", drive=0, armor=0), ship("R102", "J10"), points=4, owners={"J1+9": "red"})
    seen = view(state, "red")
    purse = RULESET.purses(seen)["points"].have
    costs = {line.split()[1]: cost for line, cost in priced(seen) if line.startswith("BUILD")}

    assert purse == seen["points"] + seen["income"] - 2
    assert costs == {kind["name"]: kind["cost"] for kind in seen["rules"]["types"] if kind["cost"] <= purse}
    assert sheet(seen, "BUILD Terraformer AT J1+9 AS NEW1", f"REPAIR R101 {purse - 5}")[1] == []
    assert "too-dear" in sheet(seen, "BUILD Terraformer AT J1+9 AS NEW1", f"REPAIR R101 {purse - 4}")[1]


def priced(seen: View) -> Iterator[tuple[str, int]]:
    """Yield the lines offered that cost points, with their costs."""
    for line in offered(seen):
        cost = sum(each.cost.get("points", 0) * (each.low if isinstance(each, Amount) else 1) for each in line)
        if cost:
            yield " ".join(words_of(line)), cost


def test_what_a_line_costs_is_what_the_receipt_takes() -> None:
    """The points left to save are fewer by the cost of the line."""
    for seen in (sample_view(), empty_view(), *(each for _, each in bot_views()[::17])):
        for text, cost in list(priced(seen))[::9]:
            (told,) = [each.text for each in RULESET.parse(seen, [(1, text)]).findings if each.code == "points"]
            assert told.startswith(f"{RULESET.purses(seen)['points'].have - cost} point")


def test_who_is_not_asked_is_offered_nothing() -> None:
    """Without orders asked for, and after the end, there is no line; a need the host does not ask for."""
    for seen in ({**sample_view(), "awaited": False}, {**sample_view(), "over": True}):
        assert texts(seen) == []


@pytest.mark.parametrize(
    ("section", "verbs"),
    [
        ("economic", {"BUILD", "REPAIR", "HIDE", "SCRAP"}),
        ("movement", {"MOVE"}),
        ("combat", {"FIRE", "TARGET"}),
        ("ecopolitical", {"TERRAFORM", "ALLY"}),
    ],
)
def test_a_section_offers_its_own_orders(section: str, verbs: set[str]) -> None:
    """A sheet of one section has no orders of another, and none for a ship that is yet to be built."""
    seen = fight_view() if section == "combat" else {**sample_view(), "section": section}

    assert {text.split()[0] for text in texts(seen)} - {"DECLARE"} == verbs
    assert not list(built(seen))
    assert all(need.start.split()[0] in verbs for need in RULESET.agenda(seen))


def test_ships_that_can_do_nothing_are_not_asked_about() -> None:
    """A dark ship and one without drive cannot move."""
    state = world(dark("R101", "J10"), ship("R102", "J11", drive=0), ship("R103", "J12"))

    (need,) = RULESET.agenda(view(state, "red"))

    assert (need.title, need.says, need.slot) == ("Cruiser R103", "J12+0, drive 3", "move R103")


def test_in_an_encounter_a_ship_moves_only_if_it_can_end_before() -> None:
    """On the sheet of a whole turn it may, and in the movement section it cannot."""
    state = world(ship("R101", "J10"), ship("G101", "J10"))
    seen = view(state, "red")

    assert RULESET.agenda(seen)[0].says == "J10+0, drive 3, in an encounter"
    assert texts({**seen, "section": "movement"}, "MOVE") == []


def test_places_and_needs_are_on_a_picture() -> None:
    """Every word that is a space, every way and every ship asked about has a tap target."""
    for seen in (sample_view(), fight_view(), *(each for _, each in bot_views()[::23])):
        spots = {name for picture in RULESET.pictures(seen) for spot in picture.spots for name in spot.names}
        places = {place for line in offered(seen) for place in placed(line)}
        assert places <= spots
        assert {need.place or need.unit for need in RULESET.agenda(seen)} <= spots


def placed(line: Line) -> Iterator[str]:
    """Yield the words of a line that must be places."""
    words = [each for each in line if isinstance(each, Choice)]
    for before, choice in itertools.pairwise(words):
        yield from choice.path
        if before.word in ("TO", "AT") and choice.word not in (
            "red",
            "yellow",
            "green",
            "cyan",
            "blue",
            "magenta",
            "gray",
        ):
            yield choice.word


@pytest.mark.parametrize(("count", "yards", "kind"), [(12, 6, "Cruiser"), (24, 2, "Cruiser"), (60, 1, "Scout")])
def test_a_fleet_of_any_size_stays_small(count: int, yards: int, kind: str) -> None:
    """Many ships far apart and many yards are offered fewer levels, but each ship some place."""
    at = [f"{column}{row}{level:+d}" for level in (-6, -2, 2, 6) for row in (8, 12) for column in "EGIKMOHL"]
    ships = [ship(f"R{101 + number}", space, kind) for number, space in enumerate(at[:count])]
    planets = [planet["space"] for planet in view(world(), "red")["planets"]]
    seen = view(world(*ships, owners=dict.fromkeys(planets[::yards], "red"), points=90 + count), "red")

    form = order_form(RULESET, seen)
    moves = [line for line in tree_lines(form) if line.words[0] == "MOVE"]

    # A verb beyond the bounds of the host would be left out.
    assert {"MOVE", "BUILD", "HIDE", "SCRAP"} <= {root["word"] for root in form["tree"]}
    assert all(len(line.words) == 4 for line in moves)
    assert {line.words[1] for line in moves if line.made is None} == {each.id for each in ships}
    assert {line.made for line in moves if line.made is not None} == set(range(len(form["made"])))


def test_orders_for_one_thing_share_a_slot() -> None:
    """A later MOVE, FIRE, REPAIR or TERRAFORM of a ship replaces the first, and ships built add up."""
    slots = {verb.name: verb.order.slot for verb in BOOK.verbs}

    assert slots["move"] == slots["move-to"] == "move {ships}"
    assert slots["terraform"] == slots["leave-colour"] == "terraform {ship}"
    assert slots["build"] == slots["build-here"] == ""
    assert {verb.name for verb in BOOK.verbs if verb.order.grave} == {"scrap"}
