"""A game that keeps every rule passes the suite, and all games of this project are tested with it."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import pytest

from pbem.errors import CampaignError
from pbem.ruleset import (
    AnyRuleset,
    Choice,
    ChoicePattern,
    FieldError,
    Json,
    NameField,
    Need,
    Order,
    OrderParser,
    ParsedSheet,
    Pattern,
    Picture,
    TapTarget,
    ValidationError,
    View,
    box,
)
from pbem.testing import GoldenRules, RulesetSuite, rules
from tests.games import RULESETS
from tests.testing.secrecy import SECRECY
from tests.testing.toy import TOY, FogPatrol


class TestFogPatrol(RulesetSuite):
    """The suite on the game that tests it."""

    ruleset = TOY
    secrecy = SECRECY
    soak_turns = 12


class TestGoldenGames(GoldenRules):
    """A game of each of its versions is played by the rules that it was begun with."""

    ruleset = TOY


@pytest.mark.parametrize("game", RULESETS, ids=lambda game: game.key)
def test_every_game_is_held_to_every_rule(game: AnyRuleset) -> None:
    """Each game of this project has a test class of the whole suite, without exceptions."""
    module = importlib.import_module(f"tests.rules.{game.key}.test_suite")

    (held,) = (each for _, each in inspect.getmembers(module, inspect.isclass) if each.__module__ == module.__name__)

    assert issubclass(held, RulesetSuite)
    assert held.ruleset is game
    assert list(rules(held)) == list(rules(RulesetSuite))


def test_a_field_without_a_new_version_is_found() -> None:
    """A state with a new default field, in the same version, is found: it is saved differently than before."""

    class Forgetful(type(TOY)):  # type: ignore[misc]
        def dump(self, state: object) -> Json:
            return {**super().dump(state), "wind": "calm"}

        def read(self, data: Json) -> object:
            return super().read({key: each for key, each in data.items() if key != "wind"})

    suite = TestFogPatrol()
    suite.test_the_newest_save_is_what_the_game_would_write()
    suite.ruleset = Forgetful()
    suite.test_every_released_version_can_still_be_loaded()

    with pytest.raises(AssertionError) as failed:
        suite.test_the_newest_save_is_what_the_game_would_write()

    assert "Raise version, add to upgrades a function" in failed.value.__notes__[0]


def test_every_test_of_the_suite_is_a_rule() -> None:
    """Every test of the suite tells authors how to keep it, and passes on the error."""
    tests = [name for name, _ in inspect.getmembers(RulesetSuite) if name.startswith("test_")]

    assert sorted(name for name, _, _ in rules(RulesetSuite)) == tests


def test_a_broken_rule_says_what_to_do() -> None:
    """The note on a failure has the rule in a sentence, and how to keep it."""

    class Silent(type(TOY)):  # type: ignore[misc]
        title = " Fog "

    suite = RulesetSuite()
    suite.ruleset = Silent()

    with pytest.raises(AssertionError) as failed:
        suite.test_a_game_introduces_itself()

    (note,) = failed.value.__notes__
    assert note.startswith("The rule: Title, designer and summary are one printable line each")
    assert "What to do: Give title, designer, summary and pace as one line each" in note


def test_dice_that_a_game_denies_are_found() -> None:
    """A game that says it has none, and rolls some, fails."""

    class Denying(type(TOY)):  # type: ignore[misc]
        has_dice = False

    suite = RulesetSuite()
    suite.ruleset = Denying()

    with pytest.raises(AssertionError):
        suite.test_a_game_without_dice_follows_from_its_orders()


def test_a_hint_that_is_not_taken_is_found() -> None:
    """The suite follows hints, and so finds one that is refused."""

    class Misleading(type(TOY)):  # type: ignore[misc]
        def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
            parsed = super().parse(view, lines)
            astray = (dataclasses.replace(finding, hint="did you mean Atlantis?") for finding in parsed.findings)
            return ParsedSheet(parsed.entries, tuple(astray))

    suite = RulesetSuite()
    suite.ruleset = Misleading()

    with pytest.raises(AssertionError, match="Atlantis"):
        suite.test_a_hint_typed_in_is_taken()


def test_a_state_that_is_taken_for_good_is_played() -> None:
    """A game that accepts any state is found: from one of these it cannot go on."""

    class Credulous(type(TOY)):  # type: ignore[misc]
        def check_state(self, data: Json, seats: Sequence[str]) -> Sequence[ValidationError]:
            return ()

    suite = RulesetSuite()
    suite.ruleset = Credulous()

    with pytest.raises(CampaignError) as failed:
        suite.test_a_wrong_state_is_told_and_no_other_is_played()

    assert failed.value.__notes__[0].startswith("check_state found nothing with ")


class Overbold(NameField):
    """Kind that offers a word which it does not read."""

    def form(self, view: View) -> Pattern:
        return ChoicePattern((*self.names(view), "Atlantis"))


@dataclass(frozen=True, slots=True)
class Raise(Order):
    """Raise a boat."""

    usage = "RAISE boat"
    boat: Annotated[str, Overbold("boat", "one of your boats", "R1", lambda view: ["R1"])]

    def words(self) -> str:
        return f"raise {self.boat}"


class Misoffering(FogPatrol):
    """Game that offers orders which it refuses."""

    orders = OrderParser((*TOY.orders.types, Raise))

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        return self.orders.parse(view, lines)


class Stingy(FogPatrol):
    """Game whose page cannot do what its bot does."""

    def desk(self, view: View) -> Json:
        return self.orders.desk(view, self.orders.types[:1])


class Spotted(FogPatrol):
    """Game with a picture that can be tapped at one place."""

    spot = TapTarget(("A1",), "A1", box(0, 0, 40, 40))

    def pictures(self, view: View) -> Sequence[Picture]:
        return [replace(picture, spots=(self.spot,)) for picture in super().pictures(view)]


class Outside(Spotted):
    """Game with a spot beside its picture."""

    spot = TapTarget(("nothing",), "beside the sea", box(-10, 0, 5, 5))


class Guiding(Spotted):
    """Game that tells which shots there are, with one at a square that its picture does not have."""

    def choices(self, view: View, words: tuple[str, ...]) -> Iterable[Choice]:
        match words:
            case ():
                return [Choice("FIRE")]
            case ("FIRE",):
                return [Choice(boat["name"]) for boat in view["boats"]]
            case ("FIRE", _):
                return [Choice("AT")]
            case ("FIRE", _, "AT"):
                return [Choice("A1", place="J7")]
        return []


class Overguiding(Guiding):
    """Game that leads to lines which it refuses."""

    def choices(self, view: View, words: tuple[str, ...]) -> Iterable[Choice]:
        return [Choice("Z99")] if words[2:] == ("AT",) else super().choices(view, words)


class Endless(Guiding):
    """Game that always has one more word."""

    def choices(self, view: View, words: tuple[str, ...]) -> Iterable[Choice]:
        return [Choice("A1"), Choice("A2")] if words[2:] else super().choices(view, words)


class Needing(Guiding):
    """Game that asks for an order of one slot, and leads to orders without any."""

    need = Need("boat R1", "FIRE", "R1")

    def agenda(self, view: View) -> Sequence[Need]:
        return [self.need]


class Unguided(Needing):
    """Game that asks for an order to which no choice leads."""

    need = Need("", "FIRE R1 OVER", "R1")


class Unplaced(Needing):
    """Game that asks for an order of a boat that its picture does not have."""

    need = Need("", "FIRE", "R1", unit="R1")


@pytest.mark.parametrize(
    ("game", "rule", "said"),
    [
        (Guiding, "test_a_place_of_the_tree_can_be_tapped", "J7"),
        (Overguiding, "test_a_line_of_the_tree_is_taken", "FIRE R1 AT Z99"),
        (Endless, "test_a_page_has_the_verbs_that_choices_offers", "FIRE"),
        (Needing, "test_a_need_can_be_met", "boat R1"),
        (Unguided, "test_a_need_can_be_met", "OVER"),
        (Unplaced, "test_a_need_can_be_met", "unit"),
        (Misoffering, "test_what_a_form_offers_is_read", "Atlantis"),
        (Misoffering, "test_a_line_put_together_on_a_page_is_that_order", "RAISE Atlantis"),
        (Stingy, "test_what_the_bot_orders_can_be_put_together_on_a_page", "Fire"),
        (Spotted, "test_what_can_be_chosen_can_be_tapped", "A10"),
        (Outside, "test_a_spot_lies_on_its_picture_and_has_a_name", "beside the sea"),
    ],
)
def test_a_page_that_promises_too_much_or_too_little_is_found(game: type[FogPatrol], rule: str, said: str) -> None:
    """The suite composes orders from the form alone, and so finds bad offers, missing ones, and unreachable spots."""
    suite = RulesetSuite()
    suite.ruleset = game()

    with pytest.raises((AssertionError, FieldError), match=said):
        getattr(suite, rule)()
