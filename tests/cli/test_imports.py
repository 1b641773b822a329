"""The imports of a command: next to none for help and completion, not all the program for a tick and status."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete

from pbem.cli import COMMANDS, main
from tests.cli.conftest import Run
from tests.test_architecture import THIRD_PARTY

LIGHT = {"pbem.cli", *(f"pbem.cli.{name}" for name in ("group", "output", "topics"))}
LIGHT |= {"pbem", "pbem.errors", "pbem.text", "pbem.util", "pbem.verbs"}
"""The modules of pbem that the help imports, beside click."""

BUSY = {
    *("pbem.actions.ruling", "pbem.actions.run_turn", "pbem.admin.dashboard", "pbem.campaign.turns"),
    *("pbem.inbox.process", "pbem.mail.delivery", "pbem.mail.imap", "pbem.mail.message", "pbem.report.renderer"),
    *("pbem.scheduler.reminders", "pbem.scheduler.turns", "pbem.site.publish"),
}
"""Modules for work that an idle tick and the status do not have."""


def imported(*words: str, at: Path | None = None, code: int = 0, **environment: str) -> set[str]:
    """Return the modules, but for click and the standard library, that a command in a fresh process has imported.

    It runs in the folder `at`, and has to end with this exit code.
    """
    program = "import atexit, sys; before = {*sys.modules}; "
    program += "atexit.register(lambda: print(*{*sys.modules} - before, file=sys.stderr)); "
    program += "from pbem.cli import main; main(prog_name='pbem')"
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False, cwd=at)
    assert done.returncode == code
    assert done.stdout or code
    own = {*sys.stdlib_module_names, "click"}
    *_, last = done.stderr.splitlines()  # above it an error, if any
    return {name for name in last.split() if name.split(".")[0] not in own and name[0] != "_"}


def without_work(names: set[str]) -> bool:
    """Return True if modules are none of other packages, of games, or of what a home is opened with."""
    heavy = {*THIRD_PARTY, "pbem_rules"}
    return not any(name.split(".")[0] in heavy or name.startswith(("pbem.app", "pbem.ruleset")) for name in names)


@pytest.mark.parametrize("words", [["--help"], ["--version"]])
def test_the_help_imports_no_command(words: list[str]) -> None:
    """The help of all commands and the version need neither a command nor the packages that it uses."""
    names = imported(*words)

    assert names == LIGHT


def test_completing_a_command_imports_none() -> None:
    """The tab key completes the names of commands as fast as the help is printed."""
    names = imported(_PBEM_COMPLETE="bash_complete", COMP_WORDS="pbem st", COMP_CWORD="1")

    assert names == LIGHT


@pytest.mark.parametrize("words", [["status"], ["inbox", "12"], ["deadline", "trap7", "2d"]])
def test_that_there_is_no_home_is_said_at_once(words: list[str], tmp_path: Path) -> None:
    """Without a home, a command needs the settings' module to say so, and not its own."""
    names = imported(*words, at=tmp_path, code=1)

    assert names == LIGHT | {"pbem.config", "pbem.config_values"}


@pytest.mark.parametrize("command", ["status", "tick", "inbox"])
def test_wrong_words_are_refused_at_once(command: str, home: Path) -> None:
    """Frequent commands need neither the database's package nor games to see that an option is wrong."""
    names = imported("--home", str(home), command, "--wrong", code=2)

    assert f"pbem.cli.{command}" in names
    assert without_work(names)


def test_an_empty_inbox_is_listed_at_once(home: Path) -> None:
    """A plain statement tells that there are no messages."""
    assert without_work(imported("--home", str(home), "inbox"))


def test_the_help_of_a_command_needs_no_home(tmp_path: Path) -> None:
    """It is shown anywhere, as is that of a command which makes a home."""
    assert "pbem.cli.status" in imported("status", "--help", at=tmp_path)


@pytest.mark.parametrize("words", [["tick"], ["status"]])
def test_a_command_without_work_imports_nothing_for_it(words: list[str], duel: Run, home: Path) -> None:
    """A tick with nothing to do and the status need no package for mail servers, templates, pictures and migrations."""
    duel("tick", "--now", "2026-11-02T09:00Z")

    names = imported("--home", str(home), *words, "--now", "2026-11-02T10:00Z")

    assert "pbem.admin.health" in names
    assert names & BUSY == set()
    assert {name.split(".")[0] for name in names} & set(THIRD_PARTY) == {"sqlalchemy", "tzdata"}
    assert words == ["status"] or not any(name.startswith("pbem_rules") for name in names)


def test_a_tick_with_work_imports_what_it_needs(duel: Run, home: Path) -> None:
    """The list of what an idle tick leaves out has modules that a tick imports when a turn is due."""
    names = imported("--home", str(home), "tick", "--now", "2026-12-24T10:00Z")

    assert names >= BUSY - {"pbem.mail.imap", "pbem.site.publish", "pbem.admin.dashboard", "pbem.inbox.process"}


def test_the_summaries_are_those_of_the_commands() -> None:
    """The help of all commands has each command's name and summary as its own help has them, in each section."""
    listed = {name: f"{summary}." for names in COMMANDS.values() for name, (_, summary) in names.items()}
    own = {each.name: str(each.help).partition("\n\n")[0] for each in main.commands.values() if not each.hidden}

    assert listed == own
    assert list(main.commands) == [str(each.name) for each in main.commands.values()]


@pytest.mark.parametrize("incomplete", ["", "re", "-", "x"])
def test_commands_are_completed_as_click_completes_them(incomplete: str) -> None:
    """Without importing them, commands are completed in the same words as if they were."""
    context = click.Context(main, info_name="pbem")

    found, usual = main.shell_complete(context, incomplete), click.Group.shell_complete(main, context, incomplete)

    assert [(each.value, each.help, each.type) for each in found] == [
        (each.value, each.help, each.type) for each in usual
    ]
    assert BashComplete(main, {}, "pbem", "_PBEM_COMPLETE").get_completions([], incomplete) or incomplete == "x"
