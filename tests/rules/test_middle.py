"""Games begun in the middle: a state that passes plays on as it did, and one that is wrong is told where and how."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from pbem.acts.takeover import from_state
from pbem.archive import turn_dice
from pbem.errors import CampaignError
from pbem.ruleset import AnyRuleset, Json, TakenOver
from pbem.ruleset.testing.play import SEED, Game, play, standard, through_json
from pbem.ruleset.testing.tables import default_options, other_options
from tests.games import RULESETS

CAP = 6
MOST_OF_A_KIND = 2
"""Of a list or table with entries of one kind so many are spoilt: the others are read alike."""

WRONG: tuple[Any, ...] = (None, "x", -7, 10**50, True, [[]], {"x": 1})

BY_KEY = {ruleset.key: ruleset for ruleset in RULESETS}
GAMES = [(key, other) for key, each in BY_KEY.items() if isinstance(each, TakenOver) for other in (False, True)]


@cache
def played(key: str, other: bool) -> Game:
    """The first turns of a game of bots, with the usual options or with others."""
    ruleset = BY_KEY[key]
    return play(ruleset, standard, CAP, options=(other_options if other else default_options)(ruleset))


def checked(ruleset: AnyRuleset, game: Game, data: Json) -> list[str]:
    """What the ruleset says is wrong with data."""
    assert isinstance(ruleset, TakenOver)
    return [str(fault) for fault in ruleset.check_state(data, game.seats)]


@pytest.mark.parametrize(("key", "other"), GAMES)
def test_a_game_goes_on_from_its_middle_as_it_did(key: str, other: bool) -> None:
    """Each state of a game passes; read again from its data, the rest of the game comes out the same."""
    ruleset, game = BY_KEY[key], played(key, other)

    state = None
    for at, step in enumerate(game.steps):
        data = through_json(ruleset.dump(step.state))
        assert checked(ruleset, game, data) == [], at
        if at == len(game.steps) // 2:
            state = ruleset.load(data, ruleset.version)
        if state is not None:
            state, events = ruleset.resolve(state, step.turn, turn_dice(SEED, step.number))
            assert ruleset.dump(state) == ruleset.dump(step.after)
            assert events == step.events


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places in data at which something can be spoilt: all keys, and a few entries of each list or table."""
    if path:
        yield path
    if isinstance(data, dict | list):
        keys = list(data) if isinstance(data, dict) else list(range(len(data)))
        alike = isinstance(data, list) or len({type(each) for each in data.values()}) == 1
        for key in keys[:MOST_OF_A_KIND] if alike and len(keys) > 2 * MOST_OF_A_KIND else keys:
            yield from places(data[key], (*path, key))


def spoilt(data: Any, path: tuple[Any, ...], value: Any, drop: bool) -> Any:
    """The data with another value at a place, or with none."""
    data = copy.deepcopy(data)
    at = data
    for key in path[:-1]:
        at = at[key]
    if drop:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return data


@pytest.mark.parametrize("key", sorted({key for key, _ in GAMES}))
def test_a_wrong_state_is_told_and_no_other_is_played(key: str) -> None:
    """Whatever is dropped or put in its place: either there are faults, or the game goes on."""
    ruleset, game = BY_KEY[key], played(key, False)
    data = through_json(ruleset.dump(game.steps[len(game.steps) // 2].state))

    passed, told = [], 0
    for path in places(data):
        for value in (*WRONG, ...):
            hostile = spoilt(data, path, value, drop=value is ...)
            if hostile == data:
                continue
            if checked(ruleset, game, hostile):
                told += 1
            else:
                passed.append((path, value))
                from_state(ruleset, hostile, game.seats, None)

    assert told > 10 * len(passed), passed


@pytest.mark.parametrize("key", sorted({key for key, _ in GAMES}))
def test_a_key_that_lacks_is_named(key: str) -> None:
    """Of each key of the whole that is dropped, the path is told."""
    ruleset, game = BY_KEY[key], played(key, False)
    data = through_json(ruleset.dump(game.steps[0].state))

    for name in data:
        lacking = {each: value for each, value in data.items() if each != name}
        with pytest.raises(CampaignError, match=f"/{name}: "):
            from_state(ruleset, lacking, game.seats, None)


def too_many_replies(data: Json) -> str:
    """A player keeps up to 500 replies (ruling 7 of Singularity)."""
    data["players"]["red"]["kept"] = [["c1", "d1", None]] * 501
    return "/players/red/kept: "


def fighter_at_home(data: Json) -> str:
    """Home planets stand alone (ruling 1 of Dueling Masters)."""
    pieces = data["players"]["one"]["pieces"]
    home = next(index for index, piece in enumerate(pieces) if piece["kind"] == "HOME")
    resting = next(piece for piece in pieces if piece["kind"] == "Z" and not piece["mark"] and not piece["loss"])
    resting["square"] = pieces[home]["square"]
    return f"/players/one/pieces/{home}/square: "


def two_of_a_category(data: Json) -> str:
    """A player holds one ability card of each category at most."""
    data["players"]["red"]["cards"] = data["decks"]["movement"][:2]
    return "/players/red/cards: "


def nodes_on_one_space(data: Json) -> str:
    """No node comes onto another one (ruling 16 of Bubble Singularity)."""
    data["nodes"][1] = data["nodes"][0]
    return "/nodes/1: "


@pytest.mark.parametrize(
    ("key", "spoil"),
    [
        ("singularity", too_many_replies),
        ("dueling_masters", fighter_at_home),
        ("bubble_singularity", two_of_a_category),
        ("bubble_singularity", nodes_on_one_space),
    ],
)
def test_a_state_against_the_rules_is_told(key: str, spoil: Callable[[Json], str]) -> None:
    """What could never come about on the table is named by its path."""
    game = played(key, False)
    data = through_json(BY_KEY[key].dump(game.steps[len(game.steps) // 2].state))
    path = spoil(data)

    assert [fault for fault in checked(BY_KEY[key], game, data) if fault.startswith(path)]
