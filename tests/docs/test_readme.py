"""Tests that execute README: readers get the output that it shows."""

from __future__ import annotations

import dataclasses
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from pbem.actions.deadlines import DeadlineList
from pbem.actions.open_turn import RollList, RollResult
from pbem.actions.press import PressShown, Text
from pbem.actions.registry import GM_COMMANDS
from pbem.actions.ruling import RulingResult, WrittenFiles
from pbem.actions.settings import HouseRuleLine, JournalLine
from pbem.actions.status import CampaignStatus, GameResult, SeatStatus, Undelivered
from pbem.actions.undo import UndoResult
from pbem.admin.checks import CheckResult, Diagnosis
from pbem.admin.health import HomeStatus
from pbem.admin.mail import DeliveryCounts, MessageDetail, MessageList, UndeliveredMail
from pbem.archive.replay import ReplayProof
from pbem.archive.verify import VerifyResult
from pbem.backup.create import BackupCreated
from pbem.backup.restore import BackupCheck, CampaignCheck, RestoreResult
from pbem.backup.transfer import ExportResult, ImportResult
from pbem.campaign.deadlines import DueTurn
from pbem.campaign.guide import guide_example
from pbem.campaign.house_rules import HOUSE_RULES, SCHEDULE, HouseRules, printed_name
from pbem.cli import main
from pbem.cli.sheet_check import Check
from pbem.config_values import READERS
from pbem.games import installed_games
from pbem.inbox import ProcessResult
from pbem.inbox.command_parser import REFERENCE as PLAYER_COMMANDS
from pbem.inbox.rate_limits import ANSWERS_A_DAY
from pbem.mail.outbox import DeliveryResult
from pbem.report.answers import FindingWithLine, Help, RestatedOrder
from pbem.report.renderer import Renderer
from pbem.ruleset import Adjudicated, BaseRuleset, Finding, Option, Roll, Seats
from pbem.scheduler.work import TickResult
from pbem.site.publish import Published
from pbem.testing import RulesetSuite, rules
from tests.docs.guide import GUIDE, PAGES
from tests.docs.reference import REFERENCE
from tests.docs.sessions import check, session
from tests.docs.warm import warm_pbem
from tests.games import RULESETS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PLAYER_GUIDE = (
    "# The player's guide\n\nA mail with the word `HELP` to the order address brings this page. Players of other "
    "programs begin with\n[Coming from Eressea, Atlantis, Diplomacy](coming-from-other-games.md).\n\n```\n{page}\n```\n"
)
PLAYER_PAGE = (ROOT / "docs" / "player-guide.md").read_text()
HOSTING = (ROOT / "docs" / "hosting.md").read_text()
REFERENCE_PAGE = REFERENCE.read_text()
DOCUMENTS = {"README": README, "hosting": HOSTING} | {name: (GUIDE / name).read_text() for name in PAGES}
RULESETS_GUIDE = (ROOT / "docs" / "rulesets.md").read_text()
SUITES_PAGE = (ROOT / "docs" / "games" / "suites.md").read_text()


@pytest.mark.in_turn
def test_the_session_of_the_readme_is_real(tmp_path: Path) -> None:
    """Pasted into a shell, every block of README's session prints the output shown; … is a part that differs."""
    (tmp_path / ".venv" / "bin").mkdir(parents=True)

    with warm_pbem(tmp_path / ".venv" / "bin" / "pbem"):
        check(session(README), tmp_path, {"PATH": "/usr/bin:/bin"})


@pytest.mark.parametrize("command", sorted(name for name, command in main.commands.items() if not command.hidden))
def test_every_command_is_documented(command: str) -> None:
    """Each command is in the reference of the guide, and its short help is a sentence."""
    assert main.commands[command].hidden or f"`pbem {command}" in REFERENCE_PAGE
    assert main.commands[command].get_short_help_str(limit=200).endswith(".")


OF_STATUS = (HomeStatus, CampaignStatus, SeatStatus, Undelivered, GameResult)
OF_UPKEEP = (MessageList, MessageDetail, UndeliveredMail, DeliveryCounts, Diagnosis, CheckResult)
OF_PEOPLE = (HouseRuleLine, JournalLine, UndoResult, Text, PressShown)
OF_TURNS = (DeadlineList, WrittenFiles, RulingResult, Finding, RollResult, RollList, Roll, VerifyResult, ReplayProof)


@pytest.mark.parametrize(
    "record",
    [
        BackupCheck,
        ExportResult,
        ImportResult,
        BackupCreated,
        CampaignCheck,
        RestoreResult,
        TickResult,
        ProcessResult,
        DeliveryResult,
        DueTurn,
        Published,
        *OF_STATUS,
        *OF_UPKEEP,
        *OF_PEOPLE,
        *OF_TURNS,
        Check,
        RestatedOrder,
        FindingWithLine,
        Seats,
        Option,
    ],
)
def test_the_names_for_scripts_are_documented(record: type) -> None:
    """Every name that `--json` prints is in the reference of the guide."""
    section = REFERENCE_PAGE.partition("## JSON")[2]

    assert [field.name for field in dataclasses.fields(record) if f"`{field.name}`" not in section] == []


@pytest.mark.parametrize("name", HOUSE_RULES)
def test_every_house_rule_is_documented(name: str) -> None:
    """Each house rule of a campaign is in the reference of the guide, with its default."""
    special = {SCHEDULE: "required", "title": "the game's"}
    usual = special[name] if name in special else f"`{HOUSE_RULES[name].show(getattr(HouseRules(), name))}`"

    assert f"| `{printed_name(name)}` | {usual} |" in REFERENCE_PAGE


@pytest.mark.parametrize("setting", READERS)
def test_every_setting_is_documented(setting: str) -> None:
    """Each setting of pbem.toml is in the reference of the guide, as a line of the file."""
    section = REFERENCE_PAGE.partition("## Settings")[2].partition("\n## ")[0]

    assert re.search(rf"^(# )?\[?{setting}(\]| = )", section, re.MULTILINE)


@pytest.mark.parametrize("verb", [verb.word for verb in GM_COMMANDS.verbs])
def test_every_command_of_a_gm_by_mail_is_documented(verb: str) -> None:
    """Each command that a GM may mail is in the reference of the guide."""
    section = REFERENCE_PAGE.partition("## The GM's commands by mail")[2].partition("\n## ")[0]

    assert re.search(rf"^\|.*`{verb}\b", section, re.MULTILINE)


def test_every_game_is_listed_with_its_designer() -> None:
    """README lists the games by key, title and designer."""
    for ruleset in RULESETS:
        assert f"| `{ruleset.key}` | {ruleset.title} | {ruleset.designer} |" in README


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS.keys())
def test_commands_shown_in_the_documents_can_be_typed(
    document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command in a block has valid words and options, and all that it needs."""
    monkeypatch.chdir(tmp_path)
    Path("turns").mkdir()
    shown = [shlex.split(line, comments=True) for line in _commands(document)]

    for _, command, *words in shown:
        for file in {word.rpartition("=")[2] for word in words if word.endswith((".txt", ".json", ".zip"))}:
            Path(file).touch()
        with main.commands[command].make_context(command, words):
            pass  # files that it would read are closed again

    assert len(shown) > 5


def _commands(document: str) -> Iterator[str]:
    for kind, block in re.findall(r"^```([a-z]*)\n(.*?)^```$", document, re.DOTALL | re.MULTILINE):
        for line in [] if kind not in ("", "sh") else re.findall(r"^pbem (?:.*\\\n)*.*", block, re.MULTILINE):
            yield re.split(r" [>|] ", line.replace("\\\n", " "))[0]


def test_commands_have_help() -> None:
    """The help of every option of every command is a text."""
    for command in main.commands.values():
        for option in command.params:
            told = not isinstance(option, click.Option) or option.hidden or option.help
            assert told, (command.name, option.name)


def test_the_player_guide_is_the_page_mailed_by_help() -> None:
    """The player's guide in docs/ is, word for word, the mail that answers HELP."""
    with Renderer([ROOT / "templates"], pictures=False) as reporter:
        example = guide_example(installed_games()["singularity_trap"])
        page = reporter.write(Help(address="orders@example.org", commands=PLAYER_COMMANDS, example=example))

    assert PLAYER_GUIDE.format(page=page.text.strip()) == PLAYER_PAGE


def test_the_player_guide_tells_how_many_answers_there_are() -> None:
    """The player's guide says how many answers a day there are."""
    assert f"The answer goes to the address that you play from, at most {ANSWERS_A_DAY} a day." in PLAYER_PAGE


def test_every_rule_of_games_is_documented() -> None:
    """The guide for authors has each rule of the suite in its order, in the words of its failure."""
    section = SUITES_PAGE.partition("<!-- rules -->\n")[2].partition("<!-- end of rules -->")[0]

    assert section == "".join(f"- **{said}** {mend} (`{name}`)\n" for name, said, mend in rules(RulesetSuite))


def test_every_member_of_the_contract_is_documented() -> None:
    """The guide for authors names everything that a game may define."""
    members = {name for base in (BaseRuleset, Adjudicated) for name in vars(base) if name[0] != "_"}

    assert [name for name in sorted({*members, "views"}) if f"`{name}" not in RULESETS_GUIDE] == []
