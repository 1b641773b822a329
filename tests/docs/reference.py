"""The reference of the guide, `docs/guide/reference.md`, as read from the code.

    python -m tests.docs.reference

writes it again.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args, get_type_hints

import click

from pbem.actions.deadlines import DeadlineList
from pbem.actions.open_turn import RollList, RollResult
from pbem.actions.press import AnnouncementList, PressList
from pbem.actions.questions import AnswerResult, QuestionList
from pbem.actions.ruling import RulingResult, WrittenFiles
from pbem.actions.settings import HouseRuleList, JournalLine
from pbem.actions.statistics import SheetTiming, Statistics
from pbem.actions.undo import UndoResult
from pbem.admin.checks import Diagnosis
from pbem.admin.health import HomeStatus
from pbem.admin.mail import DeliveryCounts, MessageDetail, MessageList, UndeliveredMail
from pbem.archive.replay import ReplayProof
from pbem.archive.verify import VerifyResult
from pbem.backup.create import BackupCreated
from pbem.backup.restore import BackupCheck, RestoreResult
from pbem.backup.transfer import ExportResult, ImportResult
from pbem.bots.arena import ArenaResult
from pbem.bots.by_mail import BotPass
from pbem.campaign.house_rules import HOUSE_RULES, SCHEDULE, HouseRules, printed_name
from pbem.cli import main
from pbem.cli.command import Command
from pbem.cli.sheet_check import Check
from pbem.config import DEFAULT_FILE
from pbem.inbox.command_parser import REFERENCE as PLAYER_COMMANDS
from pbem.inbox.synonyms import words_for
from pbem.ruleset import Option, Seats
from pbem.scheduler.work import TickResult
from pbem.scheduler.worker_status import WorkersStatus
from pbem.site.publish import Published
from pbem.store import types
from pbem.verbs import VERBS

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "guide" / "reference.md"

HEAD = """\
# Reference

Commands, house rules, states and settings, made from the code by `python -m tests.docs.reference`. What the words mean
is in the [glossary](../glossary.md); `pbem COMMAND --help` and the mail command `HELP COMMAND` say the same on
the spot. All commands have `--home DIR` and `--json`; those that ask have `--yes`, and mostly `--dry-run`.
"""

BY_MAIL = """
## The GM's commands by mail

In reply to any mail of the program to the GM, the first line a command; or in a mail of their own, in a frame:
`GM trap7 TOKEN` above and `END` below, the token from `pbem gm trap7 --token`. Answers say *Done*,
*Would do* or *Not done*; a reply `YES` does what was shown.

| command | what it does | also understood |
|---|---|---|
"""

OF_PLAYERS = """
## The players' commands by mail

In a reply to a report, or in a frame `PLAYER trap7 red TOKEN` … `END`;
[the player's guide](../player-guide.md) explains them.

| command | what it does |
|---|---|
"""

RULES = """
## House rules

Shown and changed by `pbem set NAME [RULE=VALUE]..`; for a new campaign by `pbem new .. --set RULE=VALUE`.

| rule | usually | may be | what it says |
|---|---|---|---|
"""

STATES = """
## States

As they stand in `--json` and in the database.

| of | values |
|---|---|
"""

SETTINGS = """
## Settings

`pbem.toml` as `pbem init` writes it; a line that begins with `#` shows a setting that is not set.

```toml
"""

JSON = """
## JSON

With `--json` a command prints one object: `result` (`done`, `would_do`, `not_done` or `nothing_to_do`), `summary`,
`next` (commands to go on with) and the facts below; an error has `error` with `code`, `text` and `hint`. Times are ISO
8601 in UTC, and `null` stands for what there is not. Further names may be added, these stay. Exit codes: 0 done; 1 not
done, or what was checked has errors; 2 wrong usage; 3 nothing has changed, since it needs confirmation.

| command | names |
|---|---|
"""

FACTS: Mapping[str, tuple[type, ...]] = {
    "tick, run": (TickResult,),
    "status": (HomeStatus,),
    "status --stats": (Statistics,),
    "status --workers": (WorkersStatus,),
    "games": (Option, Seats),
    "deadline": (DeadlineList,),
    "set": (HouseRuleList,),
    "announce": (AnnouncementList,),
    "answer": (QuestionList, AnswerResult),
    "journal": (JournalLine, PressList),
    "ruling": (RulingResult, WrittenFiles),
    "roll": (RollList, RollResult),
    "undo": (UndoResult,),
    "check": (Check,),
    "arena": (ArenaResult,),
    "bot": (BotPass,),
    "inbox": (MessageList, MessageDetail),
    "outbox": (UndeliveredMail, DeliveryCounts),
    "site": (Published,),
    "backup": (BackupCreated, BackupCheck),
    "restore": (RestoreResult,),
    "export": (ExportResult,),
    "import": (ImportResult,),
    "verify": (VerifyResult, ReplayProof),
    "doctor": (Diagnosis,),
}
"""The records of which commands print the fields."""


def reference() -> str:
    """Return the whole page."""
    parts = (
        *_commands(),
        BY_MAIL,
        *_gm_commands(),
        OF_PLAYERS,
        *(f"| `{_cell(usage)}` | {_cell(text)} |\n" for usage, text in PLAYER_COMMANDS),
        RULES,
        *_house_rules(),
        STATES,
        *_states(),
        SETTINGS,
        DEFAULT_FILE.format(address="orders@example.org"),
        "```\n",
        JSON,
        *(f"| `{command}` | {_joined(map(_names, records))} |\n" for command, records in FACTS.items()),
    )
    return HEAD + "".join(parts)


def _commands() -> Iterator[str]:
    for title, names in main.sections.items():
        yield f"\n## {title}\n\n| command | what it does | example |\n|---|---|---|\n"
        for name in names:
            found = main.commands[name]
            for each in found.commands.values() if isinstance(found, click.Group) else [found]:
                assert isinstance(each, Command)
                above = f"{name} " if isinstance(found, click.Group) else ""
                usage = " ".join([f"pbem {above}{each.name}", *_arguments(each), *_options(each)])
                yield f"| `{_cell(usage)}` | {_cell(each.summary)} | `{_cell(each.example)}` |\n"


def _arguments(command: click.Command) -> Iterator[str]:
    context = click.Context(command)
    for argument in command.params:
        if isinstance(argument, click.Argument):
            yield argument.make_metavar(context)


def _options(command: click.Command) -> Iterator[str]:
    """Yield the options of a command, without those that many have."""
    context = click.Context(command)
    for option in command.params:
        if isinstance(option, click.Option) and not option.hidden and option.name not in _SHARED:
            value = "" if option.is_flag else f" {option.make_metavar(context)}"
            written = f"{option.opts[-1]}{value}"
            yield (written if option.required else f"[{written}]") + (".." if option.multiple else "")


_SHARED = {"home", "as_json", "json", "now", "log", "color", "sure", "yes", "dry_run", "help"}


def _house_rules() -> Iterator[str]:
    usual = {SCHEDULE: "required", "title": "the game's"}
    for name, rule in HOUSE_RULES.items():
        value = usual.get(name) or f"`{rule.show(getattr(HouseRules(), name))}`"
        yield f"| `{printed_name(name)}` | {value} | {_cell(rule.allowed)} | {_cell(rule.help)} |\n"


def _gm_commands() -> Iterator[str]:
    for verb in VERBS.values():
        also = words_for(verb.word.upper())
        yield f"| `{_cell(verb.usage)}` | {_cell(verb.summary)} | {_joined(f'`{each}`' for each in also)} |\n"


def _states() -> Iterator[str]:
    for kind in (*vars(types).values(), SheetTiming):
        if isinstance(kind, type) and issubclass(kind, StrEnum) and kind is not StrEnum:
            said = " ".join((inspect.getdoc(kind) or "").partition("\n\n")[0].split())
            yield f"| {_cell(said)} | {_joined(f'`{each.value}`' for each in kind)} |\n"


def _names(record: type) -> str:
    """Return the names of the fields of a record, each followed by those of the records in it."""
    hints = get_type_hints(record)
    shown = []
    for field in dataclasses.fields(record):
        below = _joined(map(_names, _records_in(hints[field.name])))
        shown.append(f"`{field.name}`" + (f" ({below})" if below else ""))
    return _joined(shown)


def _records_in(hint: Any) -> list[type]:
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return [hint]
    return [record for part in get_args(hint) for record in _records_in(part)]


def _joined(words: Iterable[str]) -> str:
    return ", ".join(words)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    REFERENCE.write_text(reference())
