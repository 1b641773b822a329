"""The help of the command line: commands in sections by theme."""

from __future__ import annotations

import re

from click.shell_completion import BashComplete
from click.testing import CliRunner

from pbem.cli import main
from pbem.games import installed_games


def test_the_help_lists_every_command_once() -> None:
    """Each command is in one section of the help, with its short help."""
    page = CliRunner().invoke(main, ["--help"]).output

    listed = re.findall(r"^  ([a-z-]+) +[A-Z]", page.partition("Try it:")[2], re.MULTILINE)
    assert sorted(listed) == sorted(main.commands)


def test_the_sections_have_the_same_columns() -> None:
    """The short helps of all sections begin in one column."""
    page = CliRunner().invoke(main, ["--help"]).output.partition("Try it:")[2]

    assert {found.end() - found.start() for found in re.finditer(r"^  [a-z-]+ +(?=[A-Z])", page, re.MULTILINE)} == {16}


def test_the_demo_plays_a_game_there_is() -> None:
    """The help of the demo names its default game, which exists."""
    page = CliRunner().invoke(main, ["demo", "--help"]).output

    (usual,) = re.findall(r"played\. \[default: (\w+)\]", " ".join(page.split()))
    assert usual in installed_games()


def test_a_shell_completes_commands_and_their_options() -> None:
    """The tab key completes commands in the order of the help, and the options of each."""
    complete = BashComplete(main, {}, "pbem", "_PBEM_COMPLETE").get_completions

    assert [found.value for found in complete([], "r")] == [
        "rules",
        "restore",
        "reopen",
        "run",
        "release",
        "roll",
        "rolls",
        "rollback",
        "rerun",
        "replay",
        "ruleset",
    ]
    assert [found.value for found in complete(["run", "duel"], "--n")] == ["--now"]
