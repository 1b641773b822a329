"""Asking, exit codes and JSON, which are the same for all commands."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from pbem.cli import command as calls
from pbem.cli.group import split_fix
from pbem.cli.output import colour, print_lines
from tests.cli.conftest import Run
from tests.cli.test_help import VISIBLE
from tests.cli.test_missing_database import words

NOW = ("--now", "2026-11-02T10:00Z")
ASKS = ("remove", "duel", "red")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[object], None]:
    """Return a function that makes the next question be asked, and answered in this way."""

    def answer(given: object) -> None:
        def confirm(*_words: object, **_settings: object) -> object:
            return given() if callable(given) else given

        monkeypatch.setattr(calls.Call, "asks", property(lambda _self: True))
        monkeypatch.setattr(click, "confirm", confirm)

    return answer


def test_without_a_terminal_nothing_changes(duel: Run) -> None:
    """The effect is shown, nothing is changed, and the exit code is 3."""
    asked = duel(*ASKS)

    assert asked.exit_code == 3
    assert asked.stdout.startswith("Would do: ")
    assert "removed" not in duel("status", "duel", "--json").stdout


def test_a_dry_run_never_asks(duel: Run, terminal: Callable[[object], None]) -> None:
    """--dry-run shows the same, also with --yes, and exits with 0."""
    terminal(True)
    for given in (ASKS, (*ASKS, "--yes")):
        shown = duel(*given, "--dry-run")

        assert shown.exit_code == 0
        assert shown.stdout.startswith("Would do: ")
    assert json.loads(duel(*ASKS, "--dry-run", "--json").stdout)["result"] == "would_do"


def test_a_dry_run_restores_nothing(duel: Run, tmp_path: Path) -> None:
    """A restore has no dry run; it refuses --dry-run, names what looks at a backup, and makes no home."""
    duel("backup", str(tmp_path / "b.zip"))
    refused = duel("restore", str(tmp_path / "b.zip"), str(tmp_path / "again"), "--dry-run")

    assert (refused.exit_code, (tmp_path / "again").exists()) == (2, False)
    assert "to look at a backup first: pbem verify FILE" in refused.output


@pytest.mark.parametrize(("answer", "code"), [(True, 0), (False, 3)])
def test_the_answer_decides(duel: Run, terminal: Callable[[object], None], answer: bool, code: int) -> None:
    """In a terminal the question is asked; with No nothing is changed."""
    terminal(answer)

    assert duel(*ASKS).exit_code == code
    assert duel(*ASKS, "--dry-run").exit_code == (1 if answer else 0)


def test_what_changed_while_it_was_asked_is_not_done(duel: Run, terminal: Callable[[object], None]) -> None:
    """The command is not done if the campaign is another one than was shown."""
    terminal(lambda: duel("hold", "duel").exit_code == 0)
    result = duel(*ASKS)

    assert (result.exit_code, result.stderr) == (1, "Not done: duel changed meanwhile. Look at it, then try again.\n")


def wait_until_asleep(pid: int) -> None:
    """Return once a process waits for something, as proc(5) says."""
    while Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "S":
        time.sleep(0.01)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("typed", "code"), [("y\n", 0), ("n\n", 3), ("\x04", 3), ("", 130)], ids=repr)
def test_a_real_terminal(duel: Run, home: Path, typed: str, code: int) -> None:
    """Yes does it; no and the end of input leave all as it is with code 3, and Ctrl-C, here a signal, with 130."""
    ours, theirs = pty.openpty()
    # Where the tests are run in the background, SIGINT is ignored, and so it would be by all that they start.
    started = "import signal as s; s.signal(s.SIGINT, s.default_int_handler); from pbem.cli import main; main()"
    command = [sys.executable, "-c", started, "--home", str(home), *ASKS]
    with (
        os.fdopen(ours, "w") as keyboard,
        os.fdopen(theirs) as terminal,
        subprocess.Popen(command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process,
    ):
        assert process.stderr is not None
        asked = process.stderr.read(len("Do it?"))
        if not typed:
            # Python's input() ignores a signal that arrives while it still flushes the question.
            wait_until_asleep(process.pid)
            process.send_signal(signal.SIGINT)
        keyboard.write(typed)
        keyboard.flush()
        shown, rest = process.communicate(timeout=60)

    assert asked == "Do it?"
    assert shown.startswith("Would do: ")
    assert "Traceback" not in rest
    assert process.returncode == code


@pytest.mark.sampled(14)
@pytest.mark.parametrize("command", sorted(set(VISIBLE) - {"serve", "demo", "dev", "check", "init"}))
def test_every_command_prints_one_json_object(
    duel: Run, home: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Done or not, it has result, summary and next, fitting the exit code; errors have code, text and hint."""
    monkeypatch.chdir(home.parent)
    result = duel(*words(command, home), "--json", *NOW)
    document = json.loads(result.stdout)

    codes = {"done": 0, "nothing_to_do": 0, "not_done": (1, 2)[result.exit_code == 2], "would_do": 3}
    assert list(document)[:3] == ["result", "summary", "next"]
    assert result.exit_code == codes[document["result"]], result.stdout
    assert isinstance(document["summary"], str)
    assert isinstance(document["next"], list)
    if "error" in document:
        assert list(document["error"]) == ["code", "text", "hint"]


def test_errors_as_json(duel: Run) -> None:
    """An error and wrong usage are JSON on standard output, with code, text and hint."""
    wrong, usage = duel("status", "dule", "--json"), duel("status", "--nonsense", "--json")

    assert json.loads(wrong.stdout)["error"] == {
        "code": "campaign",
        "text": 'no campaign "dule".',
        "hint": "Did you mean duel?",
    }
    assert (wrong.exit_code, wrong.stderr) == (1, "")
    assert (usage.exit_code, json.loads(usage.stdout)["error"]["code"]) == (2, "usage")


def test_nothing_to_do_is_a_result(duel: Run) -> None:
    """A tick without work has a result of its own."""
    duel("tick", *NOW)

    assert json.loads(duel("tick", "--json", *NOW).stdout)["result"] == "nothing_to_do"


@pytest.mark.parametrize(
    ("text", "said", "fix"),
    [
        ("there is no campaign 'dule': did you mean duel?", "there is no campaign 'dule'", "did you mean duel?"),
        ("the disk is full; free some space, then try again", "the disk is full", "free some space, then try again"),
        ("turn 1: it has the hash 0", "turn 1: it has the hash 0", ""),
    ],
)
def test_an_error_is_split_into_fact_and_fix(text: str, said: str, fix: str) -> None:
    """A clause that begins as an advice does is the second sentence."""
    assert split_fix(text) == (said, fix)


def test_colours(duel: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --color problems are red; without a terminal nothing is coloured."""
    plain, coloured = duel("status", "dule"), duel("status", "dule", "--color")

    assert "\x1b" not in plain.stderr
    assert coloured.stderr == f"\x1b[31m{plain.stderr[:-1]}\x1b[0m\n"


@pytest.mark.parametrize(
    ("variables", "wanted", "result"),
    [
        ({}, None, None),
        ({"NO_COLOR": "1"}, None, False),
        ({"TERM": "dumb"}, None, False),
        ({"NO_COLOR": "1"}, True, True),
    ],
)
def test_colours_are_switched_off(
    variables: dict[str, str], wanted: bool | None, result: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NO_COLOR and a dumb terminal switch colours off, unless they are asked for."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert colour(wanted) is result


def test_a_long_list_goes_through_the_pager(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a terminal, lines that do not fit go through the pager; elsewhere they are printed."""
    paged: list[str] = []
    monkeypatch.setattr(click, "echo_via_pager", paged.append)
    print_lines(["a line"] * 500, paged=True)
    assert paged == []

    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    print_lines(["a line"] * 500, paged=True)
    print_lines(["a line"], paged=True)
    print_lines(["a line"] * 500)

    assert [text.count("a line") for text in paged] == [500]
