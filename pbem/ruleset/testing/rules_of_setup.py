"""What a game says of itself, and how its campaigns begin."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
from typing import Any

import pytest

from pbem.errors import SaveError, SetupError
from pbem.games import ORDERS, rulebook
from pbem.ruleset.dice import Dice
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.testing.held import Held, rule
from pbem.ruleset.testing.play import SEED, mailed, through_json, usual_seats
from pbem.ruleset.testing.tables import corners, default_options, seat_counts, seat_names
from pbem.ruleset.values import Seat


class SetupRules(Held):
    """What a game says of itself, and how its campaigns begin."""

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
        assert all(re.fullmatch(r"[a-z][a-z0-9-]*", name) for name in names)
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
        """Whatever the dice, seats and options make a game; equal dice make equal ones."""
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
        saved = json.loads((self.saves / f"version{self.ruleset.version}.json").read_text())

        assert through_json(self.ruleset.dump(self.ruleset.load(saved, self.ruleset.version))) == saved

    @rule(
        "Keep one save of each version beside your tests, saves/version1.json and so on, for ever; write "
        "it with json.dumps(RULESET.dump(state)). When the state changes, raise version and add to "
        "upgrades."
    )
    def test_every_released_version_can_still_be_loaded(self) -> None:
        """A game keeps one frozen save for each of its versions, `saves/version<N>.json`, and reads them all."""
        for version in range(1, self.ruleset.version + 1):
            state = self.ruleset.load(json.loads((self.saves / f"version{version}.json").read_text()), version)
            assert self.ruleset.load(through_json(self.ruleset.dump(state)), self.ruleset.version) == state


def _check_first_turn(ruleset: AnyRuleset, state: Any, seats: tuple[Seat, ...]) -> None:
    standing = ruleset.standing(state)
    assert not standing.over
    assert standing.awaiting
    assert standing.awaiting <= set(seats)
    assert all(mailed(ruleset, state, seat, ())["seat"] == seat for seat in seats)
    assert ruleset.load(through_json(ruleset.dump(state)), ruleset.version) == state
