"""What a game says of itself, and how its campaigns begin."""

from __future__ import annotations

import contextlib
import importlib
import itertools
import json
import pkgutil
import re
from typing import Any

import pytest

import rules
from pbem.rulebook import ORDERS, rulebook
from pbem.ruleset import AnyRuleset, Dice, SaveError, Seat, SetupError
from tests.conformance.games import ROOT, corners, default_options, seat_counts, seat_names
from tests.conformance.play import SEED, mailed, through_json, usual_seats
from tests.conformance.toy import TOY

released = pytest.mark.parametrize("game", rules.RULESETS, ids=lambda game: game.key)


def test_every_package_of_rules_that_holds_a_game_is_listed() -> None:
    """A game that lies in rules/ but not in RULESETS could not be played, and nobody would notice."""
    packages = [info.name for info in pkgutil.iter_modules(rules.__path__) if info.ispkg]

    found = [getattr(importlib.import_module(f"rules.{name}"), "RULESET", None) for name in packages]

    assert {game.key for game in found if game is not None} == {game.key for game in rules.RULESETS}


@released
def test_a_key_is_the_name_of_its_package(game: AnyRuleset) -> None:
    """Folders of templates, tests and rules are found by the key."""
    assert importlib.import_module(f"rules.{game.key}").RULESET is game


def test_keys_differ() -> None:
    """No two games answer to one name."""
    assert len({game.key for game in rules.RULESETS}) == len(rules.RULESETS)


def test_a_game_introduces_itself(ruleset: AnyRuleset) -> None:
    """Title, designer and summary are one printable line each; versions count from 1."""
    for text in (ruleset.title, ruleset.designer, ruleset.summary, ruleset.pace):
        assert text.strip() == text
        assert text.isprintable()
        assert text
    assert re.fullmatch(r"[a-z][a-z0-9_]*", ruleset.key)
    assert ruleset.version >= 1


def test_seats_are_named_as_players_can_type_them(ruleset: AnyRuleset) -> None:
    """Seat names are lower case without blanks, and enough for the largest table."""
    names = ruleset.seats.names

    assert 1 <= ruleset.seats.least <= ruleset.seats.most
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", name) for name in names)
    assert len(set(names)) == len(names)
    assert not names or len(names) >= ruleset.seats.most


def test_options_are_explained_and_read_back(ruleset: AnyRuleset) -> None:
    """A GM finds each option's help, and may type its default."""
    for option in ruleset.options():
        assert option.help
        assert re.fullmatch(r"[a-z][a-z0-9_]*", option.name)
        if option.kind != "file":
            assert option.read(str(option.default)) == option.default


def test_every_verb_is_explained(ruleset: AnyRuleset) -> None:
    """Each order has a help sentence, a usage line and an example a player could type."""
    for verb in ruleset.orders.verbs:
        assert verb.help.endswith(".")
        assert verb.usage.startswith(verb.word)
        assert verb.example.startswith(verb.word)


def test_every_table_can_be_set_up(ruleset: AnyRuleset) -> None:
    """Any number of seats gives a first turn with the default options; with options at their bounds, or a refusal."""
    default = default_options(ruleset)
    for count, options in itertools.product(seat_counts(ruleset), corners(ruleset.options())):
        seats = seat_names(ruleset, count)
        may_refuse = () if options == default else (SetupError,)
        with contextlib.suppress(*may_refuse):
            _check_first_turn(ruleset, ruleset.setup(options, seats, Dice(SEED)), seats)


def _check_first_turn(ruleset: AnyRuleset, state: Any, seats: tuple[Seat, ...]) -> None:
    standing = ruleset.standing(state)
    assert not standing.over
    assert standing.awaiting
    assert standing.awaiting <= set(seats)
    assert all(mailed(ruleset, state, seat, ())["seat"] == seat for seat in seats)
    assert ruleset.load(through_json(ruleset.dump(state)), ruleset.version) == state


def test_another_seed_sets_up_the_same_table(ruleset: AnyRuleset) -> None:
    """Whatever the dice, seats and options make a game; equal dice make equal ones."""
    seats, options = usual_seats(ruleset), default_options(ruleset)

    states = [ruleset.dump(ruleset.setup(options, seats, Dice(seed))) for seed in (b"one", b"two", b"one")]

    assert states[0] == states[2]
    assert ruleset.load(through_json(states[1]), ruleset.version) is not None


def test_a_save_of_a_newer_version_is_refused_by_name(ruleset: AnyRuleset) -> None:
    """Old code must not guess at a newer save."""
    state = ruleset.setup(default_options(ruleset), usual_seats(ruleset), Dice(SEED))

    with pytest.raises(SaveError, match=str(ruleset.version + 1)):
        ruleset.load(ruleset.dump(state), ruleset.version + 1)


@released
def test_a_rulebook_credits_the_designer_and_lists_all_orders(game: AnyRuleset) -> None:
    """Each game's rulebook names who designed it, numbers its rulings, and has the reference of every order."""
    text = rulebook(game)

    assert text.startswith(f"# {game.title}")
    assert game.designer in text
    assert re.search(r"^1\. ", text, re.MULTILINE)
    assert [verb.usage for verb in game.orders.verbs if f"`{verb.usage}`" not in text] == []
    assert ORDERS not in text


@released
def test_every_released_version_can_still_be_loaded(game: AnyRuleset) -> None:
    """A game keeps one frozen save for each of its versions, `saves/version<N>.json`, and reads them all."""
    saves = ROOT / "tests" / "rules" / game.key / "saves"

    for version in range(1, game.version + 1):
        state = game.load(json.loads((saves / f"version{version}.json").read_text()), version)
        assert game.load(through_json(game.dump(state)), game.version) == state


def test_the_toy_refuses_a_table_it_cannot_seat() -> None:
    """A set-up that cannot be is a SetupError, not a strange game."""
    with pytest.raises(SetupError, match="2 to 4"):
        TOY.setup(default_options(TOY), ("red",), Dice(SEED))
