"""How a game that was begun elsewhere is looked at, for games that can be begun in the middle."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import Any

from pbem.actions.create import from_state
from pbem.archive.record import turn_dice
from pbem.errors import CampaignError
from pbem.ruleset.protocol import AnyRuleset, TakenOver
from pbem.ruleset.testing.held import Held, rule
from pbem.ruleset.testing.play import SEED, play, standard, through_json
from pbem.ruleset.testing.tables import default_options, other_options
from pbem.ruleset.validation import Fault
from pbem.ruleset.values import Json, Seat

CAP = 6
"""Turns after which a game is looked at no further."""

MOST_OF_A_KIND = 2
"""Of a list or table with entries of one kind so many are spoilt: the others are read alike."""

WRONG: tuple[Any, ...] = (None, "x", -7, 10**50, True, [[]], {"x": 1}, ...)
"""What is put in the place of a value; with ... it is dropped."""


class TakeoverRules(Held):
    """How a game that was begun elsewhere is looked at; there is nothing to hold where a game has no `check_state`."""

    @rule(
        "Let check_state find nothing in the state of a game of yours that is not over, with any options, at any turn."
    )
    def test_a_state_of_the_game_can_be_played_on_from(self) -> None:
        """What a game has dumped passes check_state, and played on from there it comes out the same."""
        if isinstance(self.ruleset, TakenOver):
            for options in (default_options(self.ruleset), other_options(self.ruleset)):
                _check_goes_on(self.ruleset, options)

    @rule(
        "Let check_state tell whatever keeps the game from being played on, and never raise; begin with the shape of "
        "the data (pbem.ruleset.shapes), and then ask what ties one value to another."
    )
    def test_a_wrong_state_is_told_and_no_other_is_played(self) -> None:
        """Whatever is dropped from a state, or put in its place: check_state finds a fault, or the game goes on."""
        if isinstance(self.ruleset, TakenOver):
            passed, told = _spoilt_everywhere(self.ruleset)

            assert told > 10 * len(passed), passed

    @rule("Name the path of each key that lacks (a Record of pbem.ruleset.shapes does).")
    def test_a_key_that_lacks_is_named(self) -> None:
        """Of each key of the whole state that is dropped, the path is told."""
        if isinstance(self.ruleset, TakenOver):
            game = play(self.ruleset, standard, 1)
            data = through_json(self.ruleset.dump(game.steps[0].state))
            for name in data:
                lacking = {each: value for each, value in data.items() if each != name}
                assert any(fault.path == f"/{name}" for fault in _faults(self.ruleset, lacking, game.seats)), name


def _faults(ruleset: AnyRuleset, data: Json, seats: Sequence[Seat]) -> Sequence[Fault]:
    assert isinstance(ruleset, TakenOver)
    return ruleset.check_state(data, seats)


def _check_goes_on(ruleset: AnyRuleset, options: dict[str, Any]) -> None:
    game = play(ruleset, standard, CAP, options=options)
    state = None
    for at, step in enumerate(game.steps):
        data = through_json(ruleset.dump(step.state))
        assert [*map(str, _faults(ruleset, data, game.seats))] == [], f"turn {step.number}"
        if at == len(game.steps) // 2:
            state = ruleset.load(data, ruleset.version)
        if state is not None:
            state, events = ruleset.resolve(state, step.turn, turn_dice(SEED, step.number))
            assert ruleset.dump(state) == ruleset.dump(step.after)
            assert events == step.events


def _spoilt_everywhere(ruleset: AnyRuleset) -> tuple[list[tuple[Any, ...]], int]:
    """What was changed without a fault, from which the game was tried; and how many changes had faults."""
    game = play(ruleset, standard, CAP)
    data = through_json(ruleset.dump(game.steps[len(game.steps) // 2].state))
    passed, told = [], 0
    for path in _places(data):
        for value in WRONG:
            hostile = _spoilt(data, path, value)
            if hostile == data:
                continue
            if _faults(ruleset, hostile, game.seats):
                told += 1
            else:
                passed.append((path, value))
                _try(ruleset, hostile, game.seats, path, value)
    return passed, told


def _try(ruleset: AnyRuleset, data: Json, seats: Sequence[Seat], path: tuple[Any, ...], value: Any) -> None:
    try:
        from_state(ruleset, data, seats, None)
    except CampaignError as error:
        error.add_note(f"check_state found nothing with {value!r} at /{'/'.join(map(str, path))}")
        raise


def _places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places in data at which something can be spoilt: all keys, and a few entries of each list or table."""
    if path:
        yield path
    if isinstance(data, dict | list):
        keys = list(data) if isinstance(data, dict) else list(range(len(data)))
        alike = isinstance(data, list) or len({type(each) for each in data.values()}) == 1
        for key in keys[:MOST_OF_A_KIND] if alike and len(keys) > 2 * MOST_OF_A_KIND else keys:
            yield from _places(data[key], (*path, key))


def _spoilt(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The data with another value at a place, or with none."""
    data = copy.deepcopy(data)
    at = data
    for key in path[:-1]:
        at = at[key]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return data
