"""Repeated options add up or are refused; none silently drops an earlier value."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.cli.options import KeyValueParam
from tests.cli.conftest import Run

Path_ = tuple[str, ...]


def _leaves(group: click.Group, path: Path_ = ()) -> Iterator[tuple[Path_, click.Command]]:
    yield path, group
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from _leaves(command, (*path, name))
        else:
            yield (*path, name), command


def _options() -> Iterator[tuple[Path_, click.Option]]:
    """Yield every option with a value, of every command."""
    for path, command in _leaves(main):
        for option in command.params:
            if isinstance(option, click.Option) and not option.is_flag:
                yield path, option


def _run(path: Path_, *words: str) -> tuple[int, str]:
    # With a home of whatever name: that there is none would be said before the options are read.
    result = CliRunner().invoke(main, [*(("--home", "home") if path else ()), *path, *words])
    return result.exit_code, result.stderr


@pytest.mark.parametrize(("path", "option"), [(p, o) for p, o in _options() if not o.multiple], ids=str)
def test_an_option_for_one_value_is_refused_the_second_time(path: Path_, option: click.Option) -> None:
    """The command names an option that is given twice, and does nothing."""
    for flag in option.opts:
        code, said = _run(path, flag, "1", flag, "2")

        assert (code, f"{option.opts[-1]} is given twice" in said) == (2, True), said


@pytest.mark.parametrize(
    ("path", "option"), [(p, o) for p, o in _options() if o.multiple and isinstance(o.type, KeyValueParam)], ids=str
)
def test_a_name_with_two_values_is_refused(path: Path_, option: click.Option) -> None:
    """A name of NAME=VALUE may be given only once, in any case; else one of its values would be lost."""
    code, said = _run(path, *(word for value in ("red=a", "RED=b") for word in (option.opts[-1], value)))

    assert (code, "RED is given twice: a and b" in said) == (2, True), said


def test_every_argument_of_pairs_refuses_a_name_twice(duel: Run) -> None:
    """House rules are pairs without an option; there, too, a name may be given only once."""
    result = duel("set", "duel", "grace=1h", "GRACE=2h")

    assert (result.exit_code, "grace is given twice: 1h and 2h" in result.stderr) == (1, True)
    assert "1h" not in duel("set", "duel").stdout


def test_press_goes_to_all_that_are_named(duel: Run, tmp_path: Path) -> None:
    """The recipients of press add up, in one option or in several."""
    words = tmp_path / "words.txt"
    words.write_text("Good luck.\n")

    assert "red and blue" in duel("announce", "duel", "to", "red", "blue", "--text", str(words)).stdout
    assert "red and blue" in duel("announce", "duel", "--text", str(words)).stdout


def test_two_homes_are_refused(duel: Run, tmp_path: Path) -> None:
    """A home before the name of a command and another after it are refused."""
    result = duel("status", "--home", str(tmp_path / "other"))

    assert (result.exit_code, "--home is given twice" in result.stderr) == (2, True)
