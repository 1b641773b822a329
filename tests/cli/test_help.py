"""The help of the command line: commands in sections by theme, their examples, topics and completion."""

from __future__ import annotations

import re
import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner

from pbem.cli import main
from pbem.cli.command import Command
from pbem.cli.topics import TOPICS
from pbem.games import installed_games
from tests.cli.conftest import Run

VISIBLE = sorted(name for name, command in main.commands.items() if not command.hidden)


def page(*words: str) -> str:
    """Return what a command prints."""
    return CliRunner().invoke(main, [*words]).output


def commands(group: click.Group = main) -> Iterator[Command]:
    """Yield every command, also those of groups."""
    for command in group.commands.values():
        if isinstance(command, click.Group):
            yield from commands(command)
        else:
            assert isinstance(command, Command)
            yield command


def test_the_help_lists_every_command_once() -> None:
    """Each command is in one section of the help, with its summary."""
    sections = page("--help").partition("Start here:")[2].partition("\nOptions:")[0]
    listed = re.findall(r"^  ([a-z]+) +[A-Z]", sections, re.MULTILINE)

    assert sorted(listed) == VISIBLE


def test_the_sections_have_the_same_columns() -> None:
    """The summaries of all sections begin in one column, and none is wider than 80."""
    found = re.finditer(r"^  [a-z]+ +(?=[A-Z])", page("--help").partition("Start here:")[2], re.MULTILINE)

    assert {each.end() - each.start() for each in found} == {13}
    assert max(map(len, page("--help").splitlines())) < 80


def test_the_first_section_is_for_the_first_evening() -> None:
    """Ten commands come first."""
    first = page("--help").partition("Start here:\n")[2].partition("\n\n")[0]

    assert [line.split()[0] for line in first.splitlines()] == [
        *("demo", "init", "doctor", "games", "new", "invite", "start", "tick", "status", "backup")
    ]


@pytest.mark.parametrize("command", list(commands()), ids=lambda command: str(command.name))
def test_a_command_has_a_summary_and_an_example_that_parses(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A summary has 60 characters at most; the example is in the help, and its words are those of the command."""
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command.example.partition(" > ")[0].rpartition("| ")[2])
    for word in words:
        if re.search(r"\.(txt|json|zip)$", word):
            Path(word.partition("=")[2] or word).touch()
    path = words[1:]
    group: click.Command = main
    context = click.Context(main, info_name="pbem")
    while isinstance(group, click.Group):
        group = group.commands[path.pop(0)]
    if command.name == "verify":
        Path("turns").mkdir()

    assert group is command
    assert len(command.summary) <= 60
    assert not command.summary.endswith(".")
    assert words[0] == "pbem"
    with command.make_context(command.name, path, parent=context):
        pass
    assert command.example in command.get_help(context)


def test_the_demo_plays_a_game_there_is() -> None:
    """The help of the demo names its default game, which exists."""
    (usual,) = re.findall(r"see: pbem games \[default: (\w+)\]", " ".join(page("demo", "--help").split()))

    assert usual in installed_games()


@pytest.mark.parametrize("topic", TOPICS)
def test_a_topic_is_printed(topic: str) -> None:
    """Each topic is named in the help, and has some lines that fit a terminal."""
    printed = page("help", topic)

    assert len(printed.splitlines()) > 8
    assert topic in page("--help")


def test_the_help_of_a_command_is_that_of_its_option() -> None:
    """`pbem help give` prints what `pbem give --help` prints; a misspelt one is wrong usage."""
    assert page("help", "give") == page("give", "--help")
    assert page("help") == page("--help")
    assert "no topic or command 'saet'" in page("help", "saet")


def completed(home: Path, words: list[str], incomplete: str) -> list[str]:
    """Return what the tab key offers in a home."""
    complete = BashComplete(main, {"obj": installed_games()}, "pbem", "_PBEM_COMPLETE").get_completions
    return [found.value for found in complete(["--home", str(home), *words], incomplete)]


def test_a_shell_completes_commands_and_their_options(home: Path) -> None:
    """The tab key completes commands in the order of the help, and options; former commands are not offered."""
    assert completed(home, [], "ro") == ["roll", "rollback"]
    assert completed(home, [], "re") == ["release", "resume", "remove", "rerun", "restore"]
    assert completed(home, ["rerun", "duel"], "--w") == ["--without-patch"]


def test_a_shell_completes_names(duel: Run, home: Path) -> None:
    """Campaigns, seats, turns, house rules with their values, and games are completed."""
    assert completed(home, ["run"], "") == ["duel"]
    assert completed(home, ["give", "duel"], "b") == ["blue"]
    assert completed(home, ["rollback", "duel"], "") == ["0", "1"]
    assert completed(home, ["announce", "duel"], "") == ["red", "blue", "to", "in", "report"]
    assert "grace=" in completed(home, ["set", "duel"], "gra")
    assert set(completed(home, ["set", "duel"], "journal=")) == {"journal=players", "journal=gm"}
    assert completed(home, ["games"], "harv") == ["harvester"]
    assert completed(home, ["rerun", "duel", "--sheet"], "r") == ["red="]


@pytest.mark.parametrize("content", [None, b"", b"not a database" * 99])
def test_completion_neither_writes_nor_fails(duel: Run, home: Path, content: bytes | None) -> None:
    """A database that is missing, empty or none completes nothing, and is left as it is."""
    for path in home.glob("pbem.sqlite*"):
        path.unlink()
    if content is not None:
        (home / "pbem.sqlite").write_bytes(content)

    assert completed(home, ["run"], "") == []
    assert completed(home / "nowhere", ["run"], "") == []
    assert [path.read_bytes() for path in home.glob("pbem.sqlite*")] == ([] if content is None else [content])


def test_completion_reads_while_a_tick_writes(duel: Run, home: Path) -> None:
    """A lock on the database does not keep names from being completed."""
    with closing(sqlite3.connect(home / "pbem.sqlite")) as other:
        other.execute("BEGIN IMMEDIATE")

        assert completed(home, ["run"], "d") == ["duel"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_once(shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The line is added to the settings of the shell, after what is there, and not twice."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SHELL", f"/bin/{shell}")
    (tmp_path / ".bashrc").write_text("alias ll='ls -l'")

    assert page("--install-completion").startswith("Done: completion is in ")
    assert page("--install-completion").startswith("Nothing to do: ")
    written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file() and "PBEM" in path.read_text()]
    assert [text.count(f"_PBEM_COMPLETE={shell}_source pbem") for text in written] == [1]
    assert (tmp_path / ".bashrc").read_text().startswith("alias ll='ls -l'")


def test_another_shell_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell without completion is refused with those that have it."""
    monkeypatch.setenv("SHELL", "/bin/tcsh")
    result = CliRunner().invoke(main, ["--install-completion"])

    assert result.exit_code == 1
    assert "tcsh has no completion; there is one for: bash, zsh, fish" in result.output
