"""Rules for the declarations of a game, the set-up of its campaigns, and imported states."""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from pbem.actions.create import import_state
from pbem.archive.record import turn_dice
from pbem.errors import CampaignError, SaveError, SetupError
from pbem.games import ORDERS, rulebook
from pbem.ruleset.dice import Dice
from pbem.ruleset.protocol import AnyRuleset, StateImporter
from pbem.ruleset.serialization import through_json
from pbem.ruleset.validation import ValidationError
from pbem.ruleset.values import Json, SeatName
from pbem.testing.play import (
    SEED,
    corners,
    default_options,
    mail_view,
    other_options,
    play,
    seat_counts,
    seat_names,
    standard,
    usual_seats,
)
from pbem.testing.suite import RulesetTests, rule


class SetupRules(RulesetTests):
    """Rules for a game's declarations and for the beginning of its campaigns."""

    @rule(
        "Give title, designer, summary and pace as one line each, without blanks around it; a key of "
        "small letters, digits and _; a version from 1."
    )
    def test_a_game_introduces_itself(self) -> None:
        """Title, designer and summary are one printable line each; versions count from 1."""
        for text in (self.ruleset.title, self.ruleset.designer, self.ruleset.summary, self.ruleset.pace):
            assert text.strip() == text
            assert text.isprintable()
            assert text
        assert re.fullmatch(r"[a-z][a-z0-9_]*", self.ruleset.key)
        assert self.ruleset.version >= 1

    @rule(
        "Write seat names in small letters, digits and -, all different, and at least as many as the "
        "largest table has seats."
    )
    def test_seats_are_named_as_players_can_type_them(self) -> None:
        """Seat names are lower case without blanks, and enough for the largest table."""
        names = self.ruleset.seats.names

        assert 1 <= self.ruleset.seats.least <= self.ruleset.seats.most
        assert [name for name in names if not re.fullmatch(r"[a-z][a-z0-9-]*", name)] == []
        assert len(set(names)) == len(names)
        assert not names or len(names) >= self.ruleset.seats.most

    @rule("Give each option a help text, a name of small letters, digits and _, and a default that a GM could type.")
    def test_options_are_explained_and_read_back(self) -> None:
        """A GM finds each option's help, and may type its default."""
        for option in self.ruleset.options:
            assert option.help
            assert re.fullmatch(r"[a-z][a-z0-9_]*", option.name)
            if option.kind != "file":
                assert option.read(str(option.default)) == option.default

    @rule("End the docstring of each order with a full stop: it is the help. Usage and example begin with the verb.")
    def test_every_verb_is_explained(self) -> None:
        """Each order has a help sentence, a usage line and an example a player could type."""
        for verb in self.ruleset.orders.verbs:
            assert verb.help.endswith(".")
            assert verb.usage.startswith(verb.word)
            assert verb.example.startswith(verb.word)

    @rule(
        "Make begin work for every number of seats, and for options at their bounds or raise SetupError "
        "there; standing must await someone, and load bring back what dump gave."
    )
    def test_every_table_can_be_set_up(self) -> None:
        """Any number of seats gives a first turn with the usual options; with options at their bounds, or a refusal."""
        default = default_options(self.ruleset)
        for count, options in itertools.product(seat_counts(self.ruleset), corners(self.ruleset.options)):
            seats = seat_names(self.ruleset, count)
            may_refuse = () if options == default else (SetupError,)
            with contextlib.suppress(*may_refuse):
                _check_first_turn(self.ruleset, self.ruleset.setup(options, seats, Dice(SEED)), seats)

    @rule("Draw all chance in begin from the dice that it is given, by keys, and from nothing else.")
    def test_another_seed_sets_up_the_same_table(self) -> None:
        """With any dice, seats and options make a game; equal dice make equal ones."""
        seats, options = usual_seats(self.ruleset), default_options(self.ruleset)

        states = [
            self.ruleset.dump(self.ruleset.setup(options, seats, Dice(seed))) for seed in (b"one", b"two", b"one")
        ]

        assert states[0] == states[2]
        assert self.ruleset.load(through_json(states[1]), self.ruleset.version) is not None

    @rule("Raise SaveError with the number of the save's version in its text; BaseRuleset.load does.")
    def test_a_save_of_a_newer_version_is_refused_by_name(self) -> None:
        """Old code must not guess at a newer save."""
        state = self.ruleset.setup(default_options(self.ruleset), usual_seats(self.ruleset), Dice(SEED))

        with pytest.raises(SaveError, match=str(self.ruleset.version + 1)):
            self.ruleset.load(self.ruleset.dump(state), self.ruleset.version + 1)

    @rule(
        "Begin rulebook.md with '# ' and the title, name the designer, number the rules ('1. ...'), and "
        "put {{ORDERS}} where the order reference belongs."
    )
    def test_a_rulebook_credits_the_designer_and_lists_all_orders(self) -> None:
        """Each game's rulebook names who designed it, numbers its rulings, and has the reference of every order."""
        text = rulebook(self.ruleset)

        assert text.startswith(f"# {self.ruleset.title}")
        assert self.ruleset.designer in text
        assert re.search(r"^1\. ", text, re.MULTILINE)
        assert [verb.usage for verb in self.ruleset.orders.verbs if f"`{verb.usage}`" not in text] == []
        assert ORDERS not in text

    @rule(
        "Raise version, add to upgrades a function from the old data to the new, and write the new save with "
        "json.dumps(RULESET.dump(state)). Never write a save of a released version again: running campaigns have such."
    )
    def test_the_newest_save_is_what_the_game_would_write(self) -> None:
        """A state of the same version is saved as it was read: a field added with a default makes a new version."""
        # Dumped again: loading alone fills a new field with its default, and shows nothing.
        saved = json.loads((self.saves / f"version{self.ruleset.version}.json").read_text())

        assert through_json(self.ruleset.dump(self.ruleset.load(saved, self.ruleset.version))) == saved

    @rule(
        "Keep one save of each version beside your tests, saves/version1.json and so on, for ever; write "
        "it with json.dumps(RULESET.dump(state)). When the state changes, raise version and add to "
        "upgrades."
    )
    def test_every_released_version_can_still_be_loaded(self) -> None:
        """A game keeps one frozen save for each of its versions, `saves/version<N>.json`, and reads them all."""
        for version in range(self.ruleset.oldest_version, self.ruleset.version + 1):
            state = self.ruleset.load(json.loads((self.saves / f"version{version}.json").read_text()), version)
            assert self.ruleset.load(through_json(self.ruleset.dump(state)), self.ruleset.version) == state


def _check_first_turn(ruleset: AnyRuleset, state: Any, seats: tuple[SeatName, ...]) -> None:
    standing = ruleset.standing(state)
    assert not standing.over
    assert standing.awaiting
    assert standing.awaiting <= set(seats)
    assert all(mail_view(ruleset, state, seat, ())["seat"] == seat for seat in seats)
    assert ruleset.load(through_json(ruleset.dump(state)), ruleset.version) == state


CAP = 6
"""The most turns of a game that are examined."""

MOST_OF_A_KIND = 2
"""Entries spoilt in a list or table of entries of one kind: the others are read in the same way."""

# True is an int in Python, and 10**50 fits no array of numpy.
WRONG: tuple[Any, ...] = (None, "x", -7, 10**50, True, [[]], {"x": 1}, ...)
"""Values put in place of another; ... drops it."""


class TakeoverRules(RulesetTests):
    """Rules for importing a game begun elsewhere; a game without `check_state` passes them all."""

    @rule(
        "Let check_state find nothing in the state of a game of yours that is not over, with any options, at any turn."
    )
    def test_a_state_of_the_game_can_be_played_on_from(self) -> None:
        """A dumped state passes check_state, and a game played on from it comes out the same."""
        if isinstance(self.ruleset, StateImporter):
            for options in (default_options(self.ruleset), other_options(self.ruleset)):
                _check_continues(self.ruleset, options)

    @rule(
        "Let check_state tell whatever keeps the game from being played on, and never raise; begin with the shape of "
        "the data (pbem.ruleset.validation), and then ask what ties one value to another."
    )
    def test_a_wrong_state_is_told_and_no_other_is_played(self) -> None:
        """For any value dropped from a state or replaced, check_state finds a fault, or the game goes on."""
        if isinstance(self.ruleset, StateImporter):
            passed, told = _spoil_everywhere(self.ruleset)

            assert told > 10 * len(passed), passed

    @rule("Name the path of each key that lacks (an ObjectSchema of pbem.ruleset.validation does).")
    def test_a_key_that_lacks_is_named(self) -> None:
        """Of each key of the whole state that is dropped, the path is told."""
        if isinstance(self.ruleset, StateImporter):
            game = play(self.ruleset, standard, 1)
            data = through_json(self.ruleset.dump(game.steps[0].state))
            for name in data:
                lacking = {each: value for each, value in data.items() if each != name}
                assert any(fault.path == f"/{name}" for fault in _faults(self.ruleset, lacking, game.seats)), name


def _faults(ruleset: AnyRuleset, data: Json, seats: Sequence[SeatName]) -> Sequence[ValidationError]:
    assert isinstance(ruleset, StateImporter)
    return ruleset.check_state(data, seats)


def _check_continues(ruleset: AnyRuleset, options: dict[str, Any]) -> None:
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


def _spoil_everywhere(ruleset: AnyRuleset) -> tuple[list[tuple[Any, ...]], int]:
    """Return the changes without a fault, after which the game was played on, and the number of changes with faults."""
    game = play(ruleset, standard, CAP)
    data = through_json(ruleset.dump(game.steps[len(game.steps) // 2].state))
    passed, told = [], 0
    for path in _paths(data):
        for value in WRONG:
            hostile = _spoil(data, path, value)
            # Equal in Python, such as True in the place of 1.
            if hostile == data:
                continue
            if _faults(ruleset, hostile, game.seats):
                told += 1
            else:
                passed.append((path, value))
                _import(ruleset, hostile, game.seats, path, value)
    return passed, told


def _import(ruleset: AnyRuleset, data: Json, seats: Sequence[SeatName], path: tuple[Any, ...], value: Any) -> None:
    try:
        # As the host takes one in: loaded, dumped, shown to every seat, and a turn is run from it (decision 36).
        import_state(ruleset, data, seats, None)
    except CampaignError as error:
        error.add_note(f"check_state found nothing with {value!r} at /{'/'.join(map(str, path))}")
        raise


def _paths(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths in data to be spoilt: all keys, and a few entries of each list or table."""
    if path:
        yield path
    if isinstance(data, dict | list):
        keys = list(data) if isinstance(data, dict) else list(range(len(data)))
        alike = isinstance(data, list) or len({type(each) for each in data.values()}) == 1
        for key in keys[:MOST_OF_A_KIND] if alike and len(keys) > 2 * MOST_OF_A_KIND else keys:
            yield from _paths(data[key], (*path, key))


def _spoil(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return the data with another value at a path, or with none."""
    data = copy.deepcopy(data)
    at = data
    for key in path[:-1]:
        at = at[key]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return data
