"""Slips of authors planted in a game without any: each fails the rule that is meant for it, in words that name it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.testing import RulesetSuite, SecrecySpec, rules
from tests.testing import slips
from tests.testing.secrecy import SECRECY, elsewhere
from tests.testing.toy import TOY, FogPatrol, Sea

FIRST = "test_turns_can_be_played"

PLANTED = [
    (slips.SwappedParameters, FIRST, r"resolve has the parameters \(state, dice, turn\)"),
    (slips.ForgottenParameter, FIRST, r"view has the parameters \(state, seat\): they are \(state, seat, events\)"),
    (slips.LongLabel, FIRST, "view of red has the label 'the first turn of a long war in the fog'"),
    (slips.NamedByTitle, FIRST, "view of red has the seat 'Red'"),
    (slips.NoHeading, FIRST, "view of red has no awaited"),
    (slips.FractionInState, FIRST, r"the state has 1\.5 at /boats/0/hull: use whole numbers, or fractions"),
    (slips.FractionInView, FIRST, r"view of red has 0\.5 at /share: use whole numbers"),
    (slips.UndefinedInTemplate, FIRST, r"the template toy/report\.j2, line 4 cannot be used: .*'trns'"),
    (
        slips.StumblingBot,
        FIRST,
        r'the bot "standard" failed: KeyError: \'fleet\', at tests/testing/slips\.py, line \d+',
    ),
    (slips.RareBranch, FIRST, r"resolve of turn 5 failed: KeyError: 'reef', at tests/testing/slips\.py, line \d+"),
    (slips.LateFractionInState, FIRST, r"the state after turn 5 has 1\.5 at /boats/0/hull: use whole numbers"),
    (slips.TextBot, FIRST, "must return a list of lines, not 'MOVE R1 N'"),
    (slips.ListParser, FIRST, "parse must return a ParsedSheet, not list"),
    (slips.PlainEvents, FIRST, "resolve must return the next state and the events"),
    (slips.CapitalSeats, "test_seats_are_named_as_players_can_type_them", "Red"),
    (slips.UnexplainedOption, "test_options_are_explained_and_read_back", "wind"),
    (slips.StumblesAtBounds, "test_every_table_can_be_set_up", "1|5"),
    (slips.RandomBeginning, "test_another_seed_sets_up_the_same_table", "assert"),
    (slips.CredulousLoad, "test_a_save_of_a_newer_version_is_refused_by_name", "DID NOT RAISE"),
    (slips.VersionWithoutSave, "test_every_released_version_can_still_be_loaded", r"version3\.json"),
    (slips.MissingUpgrade, "test_every_released_version_can_still_be_loaded", "wind"),
    (slips.NoOrderReference, "test_a_rulebook_credits_the_designer_and_lists_all_orders", "MOVE <boat> N"),
    (slips.StumblingParser, "test_no_sheet_makes_a_parser_fall", "invalid literal for int"),
    (slips.StumblesAtTheEnd, "test_a_view_that_asks_for_nothing_still_reads_sheets", "no orders now"),
    (slips.GivesStruckOut, "test_a_line_that_is_struck_out_is_not_given", "//"),
    (slips.ReadsTheFirstOrder, "test_orders_that_share_a_line_are_not_lost", "','"),
    (slips.PassesOverNot, "test_an_order_that_is_taken_back_is_not_given", "NOT"),
    (slips.ImpossibleDefaults, "test_default_orders_are_valid", "Move"),
    (slips.UnreadableForm, "test_the_template_of_a_report_can_be_returned_as_it_is", "<boat>"),
    (slips.ForgetfulLoad, "test_a_state_survives_storage_each_turn", "hull"),
    (slips.FractionInSave, FIRST, r"the save after turn 3 has 2\.0 at /average: use whole numbers, or fractions"),
    (slips.Remembering, "test_resolving_twice_gives_the_same_bytes", "assert"),
    (slips.MutatingResolve, "test_resolving_leaves_its_input_alone", "boats"),
    (slips.FirstSheetCounts, "test_the_order_of_arrival_does_not_matter", "assert"),
    (slips.UnreasonedEnd, "test_seats_are_awaited_until_the_game_is_over", "assert"),
    (slips.RemovedStays, "test_a_removed_seat_is_awaited_no_more", "assert"),
    (slips.CarelessBot, "test_the_standard_bot_writes_only_lines_that_are_taken", "blue"),
    (slips.OrderOfASet, "test_no_hash_seed_changes_a_game", "the events of turn"),
    (slips.SetInPicture, "test_no_hash_seed_changes_a_game", "the report of"),
    (
        slips.RandomInsteadOfDice,
        "test_a_game_asks_nothing_outside",
        r"random\.randbytes at tests/testing/slips\.py, line",
    ),
    (
        slips.ClockInView,
        "test_a_game_asks_nothing_outside",
        r"date\.today at tests/testing/slips\.py, line \d+, in view",
    ),
    (slips.CallsHash, "test_a_game_asks_nothing_outside", r"hash at tests/testing/slips\.py, line \d+, in <lambda>"),
    (slips.TupleInView, "test_views_survive_json", "seats"),
    (slips.NumbersAsKeys, "test_views_survive_json", "hulls"),
    (slips.LateFraction, "test_views_survive_json", r"view of red after turn \d+ has \d\.\d at /share: use whole"),
    (slips.SharedList, "test_making_a_view_changes_nothing", "assert"),
    (slips.UntoldEvent, "test_every_event_is_told_in_words", "storm"),
    (slips.WideTable, "test_tables_fit_a_mail", "what it can take"),
    (slips.WideMap, "test_text_maps_fit_a_mail", "79"),
    (slips.LongHeadline, "test_a_report_can_be_told_in_brief", "Your boats lie in fog"),
    (slips.LostOutcome, "test_a_report_says_what_became_of_orders", "assert"),
    (slips.OtherFont, "test_pictures_use_the_bundled_font", "Arial"),
    (slips.PartialPublic, "test_what_is_public_every_seat_knows", "assert"),
]
"""Each slip, the rule that has to fail, and words of the failure."""


class Suite(RulesetSuite):
    """The suite on a game, with a save of each version in a folder of its own."""

    def __init__(self, game: FogPatrol, folder: Path) -> None:
        self.ruleset, self.folder = game, folder

    @property
    def saves(self) -> Path:
        """The folder with the saves of the game without slips."""
        for path in Path(__file__).with_name("saves").iterdir():
            shutil.copy(path, self.folder)
        if isinstance(self.ruleset, slips.MissingUpgrade):
            save = json.loads((self.folder / f"version{TOY.version}.json").read_text())
            (self.folder / f"version{TOY.version + 1}.json").write_text(json.dumps({**save, "wind": "calm"}))
        return self.folder


@pytest.mark.sampled(len(PLANTED) // 4)
@pytest.mark.parametrize(("slip", "rule", "said"), PLANTED, ids=lambda each: getattr(each, "__name__", None))
def test_a_slip_fails_the_rule_that_is_meant_for_it(
    slip: type[FogPatrol], rule: str, said: str, tmp_path: Path
) -> None:
    """The rule fails with words that lead to the slip, and says what to do."""
    with pytest.raises((Exception, pytest.fail.Exception), match=said) as failed:
        getattr(Suite(slip(), tmp_path), rule)()

    assert "What to do: " in failed.value.__notes__[-1]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("rule", sorted({rule for _, rule, _ in PLANTED}))
def test_the_game_without_slips_keeps_the_same_rules(rule: str, tmp_path: Path) -> None:
    """None of these rules fails for the game into which the slips were planted."""
    getattr(Suite(TOY, tmp_path), rule)()


def test_what_a_scrambler_forgets_is_named() -> None:
    """A scrambler that leaves hulls and numbers as they are is told so, and one that declares too much public."""
    suite = RulesetSuite()
    suite.ruleset = TOY

    def keep_numbers(state: Sea, seat: str, rnd: object) -> Sea:
        return replace(state, boats=tuple(replace(boat, square="A1") for boat in state.boats))

    suite.secrecy = SecrecySpec(keep_numbers, public=SECRECY.public)
    with pytest.raises(
        AssertionError, match=r"the same in all worlds: boats\.\*\.hull, boats\.\*\.name, boats\.\*\.number"
    ):
        suite.test_all_that_is_hidden_is_scrambled()

    suite.secrecy = replace(SECRECY, public=(*SECRECY.public, "boats.*.hull"))
    with pytest.raises(AssertionError, match=r"changed or not there: boats\.\*\.hull"):
        suite.test_all_that_is_hidden_is_scrambled()

    suite.secrecy = SecrecySpec(SECRECY.scramble, elsewhere, public=SECRECY.public)
    suite.test_all_that_is_hidden_is_scrambled()


MODULE = """
from pbem.testing import GoldenRules, RulesetSuite
from tests.testing.secrecy import SECRECY
from tests.testing.slips import {slip}

class TestSlip(GoldenRules, RulesetSuite):
    ruleset = {slip}()
    secrecy = SECRECY
"""


@pytest.mark.parametrize(
    ("slip", "said"),
    [
        ("ForgottenParameter", "view has the parameters (state, seat)"),
        ("RareBranch", "resolve of turn 5 failed: KeyError"),
    ],
)
def test_one_rule_fails_where_a_turn_cannot_be_played(slip: str, said: str, tmp_path: Path) -> None:
    """All other rules are skipped with its reason; one that is run alone fails, since a skip looks like success."""
    (tmp_path / "test_slip.py").write_text(MODULE.format(slip=slip))

    whole, alone = (_pytest(tmp_path, *words) for words in ([], ["-k", "no_game_leaks"]))

    assert f"1 failed, {len(list(rules(RulesetSuite)))} skipped" in whole.splitlines()[-1]
    assert f"not all turns can be played: {said}" in whole
    assert said in alone
    assert "1 error" in alone.splitlines()[-1]


def test_the_recorded_game_speaks_last(tmp_path: Path) -> None:
    """Below all other rules: what they find is also the reason why a game is played otherwise than recorded."""
    (tmp_path / "test_slip.py").write_text(MODULE.format(slip="RareBranch"))

    collected = [line for line in _pytest(tmp_path, "--collect-only").splitlines() if "::" in line]

    assert collected[0].endswith(FIRST)
    assert collected[-1].endswith("test_golden_games_are_played_as_recorded")


def _pytest(folder: Path, *words: str) -> str:
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    path = os.pathsep.join(sys.path)
    return subprocess.run(
        [*command, str(folder), *words], env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True
    ).stdout
