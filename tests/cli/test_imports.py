"""What a start of the program imports: the help and the shell's completion no more than they need."""

from __future__ import annotations

import os
import subprocess
import sys

import click
import pytest
from click.shell_completion import BashComplete

from pbem.cli import COMMANDS, main
from pbem.cli.group import summary_of

LIGHT = {"pbem.cli", *(f"pbem.cli.{name}" for name in ("aliases", "group", "output", "topics"))}
LIGHT |= {"pbem", "pbem.errors", "pbem.text", "pbem.util"}
"""The modules of pbem that the help imports, beside click."""


def imported(*words: str, **environment: str) -> set[str]:
    """Return the modules, but for click and the standard library, that a command in a fresh process has imported."""
    program = "import atexit, sys; before = {*sys.modules}; "
    program += "atexit.register(lambda: print(*{*sys.modules} - before, file=sys.stderr)); "
    program += "from pbem.cli import main; main(prog_name='pbem')"
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True)
    assert done.stdout
    own = {*sys.stdlib_module_names, "click"}
    return {name for name in done.stderr.split() if name.split(".")[0] not in own and name[0] != "_"}


@pytest.mark.parametrize("words", [["--help"], ["--version"]])
def test_the_help_imports_no_command(words: list[str]) -> None:
    """The help of all commands and the version need neither a command nor the packages that it uses."""
    names = imported(*words)

    assert names == LIGHT


def test_completing_a_command_imports_none() -> None:
    """The tab key completes the names of commands as fast as the help is printed."""
    names = imported(_PBEM_COMPLETE="bash_complete", COMP_WORDS="pbem st", COMP_CWORD="1")

    assert names == LIGHT


def test_the_summaries_are_those_of_the_commands() -> None:
    """The help of all commands has each command's name and summary as its own help has them, in each section."""
    listed = {name: summary for names in COMMANDS.values() for name, (_, summary) in names.items()}
    own = {str(each.name): summary_of(each) for each in main.commands.values() if not each.hidden}

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
