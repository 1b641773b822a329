"""The words that a page offers: sheets put together from them are taken as they are."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from pbem.ruleset import Choice, Dice, Json, SeatName, TurnInput, View, canonical_json
from pbem.ruleset.order_tree import needs, order_form
from pbem_rules.bubble_singularity import RULESET
from pbem_rules.bubble_singularity.cards import STATIONS
from pbem_rules.bubble_singularity.state import COLOURS, PendingChoice, in_order
from tests.rules.bubble_singularity import random_games
from tests.rules.bubble_singularity.table import begun, lay, new_game, view

Words = tuple[str, ...]
ASKED = {"bubbles": ("red", "red", "green"), "card": ("drift", "fusion")}


def following(seen: View, words: Words) -> list[Choice]:
    """Return the choices behind the beginning of a line."""
    return list(RULESET.choices(seen, words))


def named(seen: View, *words: str) -> list[str]:
    """Return the words that can follow the beginning of a line."""
    return [choice.word for choice in following(seen, words)]


def lines(seen: View, words: Words = ()) -> Iterator[tuple[Words, str]]:
    """Yield all lines behind a beginning but those of BUBBLES and START, with the space where the Mari must end."""
    for choice in following(seen, words):
        if choice.takes != 1:
            continue
        line = (*words, choice.word)
        behind = list(lines(seen, line))
        if choice.ends or not behind:
            yield line, choice.after
        yield from ((longer, choice.after or after) for longer, after in behind)


def errors(seen: View, *sheet: Words) -> list[tuple[str, str]]:
    """Return what is not accepted of a sheet."""
    parsed = RULESET.parse(seen, [(at, " ".join(line)) for at, line in enumerate(sheet, 1)])
    return [(finding.code, " ".join(sheet[finding.line - 1])) for finding in parsed.errors]


def walked(seen: View, rnd: random.Random) -> tuple[Words, str]:
    """Return a random MOVE and the space where it ends."""
    words: Words = ("MOVE",)
    place = ""
    while found := following(seen, words):
        if len(words) > 1 and rnd.random() < 0.3:
            break
        choice = rnd.choice(found)
        words, place = (*words, choice.word), choice.place
    return words, place


def placed(seen: View, move: Words, end: str, rnd: random.Random) -> Words:
    """Return random BUBBLES for a move, paid from the purses; nothing where they do not suffice."""
    left = Counter({name: purse.have for name, purse in RULESET.purses(seen).items()})
    words: Words = ("BUBBLES",)
    for _ in move[1:]:
        found = [
            choice
            for choice in following(seen, ("BUBBLES",))
            if choice.after in ("", end) and all(left[name] >= sum_ for name, sum_ in choice.cost.items())
        ]
        if not found:
            return ()
        choice = rnd.choice(found)
        left.subtract(choice.cost)
        words = (*words, choice.word)
    return words


def tables(count: int) -> Iterator[tuple[View, random.Random]]:
    """Yield views of movers in the middle of games, with cards, stations and control."""
    for number in range(count):
        rnd = random.Random(number)
        state = random_games.table(rnd)
        blocked = rnd.choice(("", "", "ROTATE", "PULL", "STATION"))
        seat: SeatName = state.mover or ""
        hand = state.players[seat].hand[: rnd.choice((0, 1, 2, 9))]
        short = state.players[seat].hand[len(hand) :]
        players = {**state.players, seat: replace(state.players[seat], blocked=blocked, hand=hand)}
        yield view(replace(state, players=players, bag=(*state.bag, *short)), seat), rnd


@pytest.mark.in_turn
def test_sheets_of_a_turn_are_taken() -> None:
    """A move, bubbles as many as steps within the purses, and an action after it are taken without an error."""
    tried: Counter[str] = Counter()
    for seen, rnd in tables(24):
        if "MOVE" not in named(seen):
            continue
        by_end: dict[str, list[Words]] = {after: [] for after in ("", *seen["spaces"])}
        for line, after in (
            each for verb in ("ROTATE", "PULL") for each in lines(seen, (verb,)) if verb in named(seen)
        ):
            by_end[after].append(line)
        for _ in range(16):
            move, end = walked(seen, rnd)
            acts = [*by_end[""], *by_end[end]]
            sheet = [line for line in (move, placed(seen, move, end, rnd), rnd.choice([(), *acts])) if line]
            tried.update(line[0] for line in sheet)
            assert errors(seen, *sheet) == [], sheet

    assert min(tried[verb] for verb in ("MOVE", "BUBBLES", "ROTATE", "PULL")) > 30


def reaching(seen: View, end: str) -> Words:
    """Return a MOVE that ends on a space; nothing if none does."""
    waiting: list[tuple[Words, str]] = [(("MOVE",), "")]
    while waiting:
        words, place = waiting.pop(0)
        if place == end:
            return words
        waiting += [((*words, choice.word), choice.place) for choice in following(seen, words)]
    return ()


@pytest.mark.in_turn
def test_each_line_is_taken() -> None:
    """A line without a condition is taken by itself, one that asks for the end of the move with that move."""
    tried: Counter[str] = Counter()
    for seen, rnd in tables(24):
        for verb in (choice.word for choice in following(seen, ()) if choice.takes == 1):
            found = [each for each in lines(seen, (verb,)) if len(each[0]) > 1]
            for line, after in rnd.sample(found, min(25, len(found))):
                move = reaching(seen, after) if after and "MOVE" in named(seen) else ()
                bubbles = placed(seen, move, after, random.Random(1)) if "DEPLOY" in line else ()
                if "DEPLOY" in line and not _pays(seen, line, bubbles):
                    continue
                tried[" ".join(line[: 1 + (verb == "USE")])] += 1
                assert errors(seen, *filter(None, (move, bubbles, line))) == []

    uses = ("FOLDER", "ATTRACTOR", "DIRECTOR", "RESEARCH", "SELECT", "TELEPORT", "CONVERT", "IGNITE", "DEPLOY")
    assert {"SWAP", *(f"USE {use}" for use in uses)} <= set(tried)


def _pays(seen: View, line: Words, bubbles: Words) -> bool:
    """Return True if the supply is enough for a DEPLOY after the bubbles of the move."""
    left = Counter(seen["players"][seen["seat"]]["hand"])
    left.subtract([*bubbles[1:], *line[2::2]])
    return len(bubbles) > 1 and min(left.values()) >= 0


def places(node: Json) -> Iterator[str]:
    """Yield the places named in the tree of a page."""
    if isinstance(node, dict):
        yield from (node[name] for name in ("place", "after") if name in node)
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from places(inner)


def test_pages_are_small_and_their_places_are_spots() -> None:
    """The tree of the fullest table is far below the bounds, has every verb, and names only places that are drawn."""
    state = begun(4, advanced=True).state
    seat: SeatName = state.mover or ""
    held, hand = ("drift", "explorer", "director", "folder"), in_order(COLOURS * 3)
    mover = replace(state.players[seat], at="B2", hand=hand, cards=held)
    control = dict.fromkeys(STATIONS, seat)
    seen = view(replace(state, players={**state.players, seat: mover}, control=control), seat)
    form = order_form(RULESET, seen)
    spots = {name for picture in RULESET.pictures(seen) for spot in picture.spots for name in spot.names}

    assert len(canonical_json(form["tree"])) + len(canonical_json(form["shared"])) < 30_000
    assert [node["word"] for node in form["tree"]][:6] == ["MOVE", "BUBBLES", "ROTATE", "PULL", "SWAP", "USE"]
    assert {*places(form["tree"]), *places(form["shared"]), "B2"} <= spots


def test_a_bot_game_is_offered_at_each_step() -> None:
    """Set-up, turns and questions of a game offer what is asked for; who is not awaited, and the end, nothing."""
    state, phases = new_game(3, stations=True), Counter[str]()
    for number in range(80):
        for seat in state.seats:
            seen = view(state, seat)
            asked = {need.start.partition("|")[0] for need in needs(RULESET, seen)}
            phases[state.phase if seen["awaited"] else "waiting"] += 1
            assert asked <= set(named(seen))
            assert bool(asked) == seen["awaited"]
        sheets = {seat: RULESET.bots["random"](view(state, seat), Dice(b"%d" % number)) for seat in state.awaiting}
        orders = {seat: RULESET.parse(view(state, seat), list(enumerate(sheets[seat], 1))).orders for seat in sheets}
        state, _ = RULESET.resolve(state, TurnInput(orders), Dice(b"fate").within(number))

    assert {"setup", "turn", "waiting"} <= set(phases)


def test_a_way_grows() -> None:
    """Each step names the space that it leads to, and ends the line as well as it leads on."""
    seen = view(lay(blue="C3", red="C2", hand="rgb"), "blue")

    assert [(choice.word, choice.place, choice.ends) for choice in following(seen, ("MOVE",))] == [
        ("E", "D3", True),
        ("S", "C4", True),
        ("W", "B3", True),
    ]
    assert named(seen, "MOVE", "E", "N") == ["N", "S"]
    assert named(seen, "MOVE", "E", "N", "N") == []


def test_bubbles_are_paid_from_the_supply() -> None:
    """There is a purse for each colour held, and the own colour is offered last."""
    seen = view(lay(hand="bbyr"), "blue")

    assert {name: purse.have for name, purse in RULESET.purses(seen).items()} == {"red": 1, "blue": 2, "yellow": 1}
    assert named(seen, "BUBBLES") == ["red", "yellow", "blue"]
    assert [dict(choice.cost) for choice in following(seen, ("BUBBLES",))] == [{"red": 1}, {"yellow": 1}, {"blue": 1}]


def test_a_pull_goes_with_the_end_of_the_move() -> None:
    """The spaces around each end of a move can be pulled from, while the move ends there."""
    seen = view(lay(blue="C3", hand="b"), "blue")
    pulled = [(choice.after, choice.word) for choice in following(seen, ("PULL",))]

    assert {after for after, _ in pulled} == {"C2", "D3", "C4", "B3"}
    assert [word for after, word in pulled if after == "C4"] == ["C3", "D4", "B4"]
    assert [choice.says for choice in following(seen, ("ROTATE",))] == ["clockwise", "counter-clockwise"]


def test_a_mari_that_cannot_move_acts_where_it_is() -> None:
    """Without bubbles neither MOVE nor BUBBLES is offered, and the action is asked for at the place of the Mari."""
    seen = view(lay(blue="C3", hand=""), "blue")
    (need,) = RULESET.agenda(seen)

    assert named(seen) == ["ROTATE", "PULL"]
    assert (need.start, need.place, need.must) == ("ROTATE|PULL", "C3", True)


def test_a_blocked_action_is_for_the_universe() -> None:
    """An action that is blocked is not offered, but on the Universe."""
    plain = view(lay(hand="b", blocked="ROTATE"), "blue")
    near = view(lay(hand="b", blocked="ROTATE", blue="C4", cards={"C3": "NESW universe"}), "blue")

    assert "ROTATE" not in named(plain)
    assert {choice.after for choice in following(near, ("ROTATE",))} == {"C3"}


def test_what_a_turn_asks_for() -> None:
    """A turn asks for the move from where the Mari stands, for bubbles, and for one action."""
    needs = RULESET.agenda(view(lay(blue="C3", hand="bb"), "blue"))

    assert [(need.slot, need.start, need.short, need.place, need.must) for need in needs] == [
        ("move", "MOVE", "Move", "C3", True),
        ("bubbles", "BUBBLES", "Bubbles", "", False),
        ("action", "ROTATE|PULL", "Action", "", True),
    ]


def test_starts_enough_for_all_players_are_asked_for() -> None:
    """As many starts are ranked as there are players, and one of the two cards dealt is kept."""
    seen = view(new_game(3), "green")
    start = following(seen, ())[0]
    ranking = ("START", *named(seen, "START")[: int(start.takes)])

    assert (start.word, start.takes, len(named(seen, "START"))) == ("START", 3, 8)
    assert named(seen, "KEEP") == seen["players"]["green"]["offer"]
    assert errors(seen, ranking, ("KEEP", named(seen, "KEEP")[1])) == []


def test_all_questions_are_answered_in_one_line() -> None:
    """KEEP takes a card of each pair and two of the bubbles; the line may stop behind each answer."""
    asked = PendingChoice("bubbles", "blue", ("red", "red", "green"))
    seen = view(
        replace(lay(hand="r"), question=asked, further=(PendingChoice("card", "blue", ("drift", "fusion")),)), "blue"
    )

    assert named(seen, "KEEP") == ["red", "green"]
    assert [choice.ends for choice in following(seen, ("KEEP", "red"))] == [True, True]
    assert named(seen, "KEEP", "green") == ["red"]
    assert named(seen, "KEEP", "red", "red") == ["drift", "fusion"]
    assert all(errors(seen, line) == [] for line, _ in lines(seen))
