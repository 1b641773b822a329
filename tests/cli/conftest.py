"""A home made by the command line itself, and a way to run commands in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli import main
from tests.toy.fixtures import desk, shared

__all__ = ["desk", "shared"]

Run = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose reports go without pictures."""
    home = tmp_path / "home"
    assert CliRunner().invoke(main, ["init", str(home)]).exit_code == 0
    settings = home / "pbem.toml"
    settings.write_text(settings.read_text().replace("pictures = true ", "pictures = false"))
    return home


@pytest.fixture
def pbem(home: Path) -> Run:
    """Runs a command in the home, as a GM would type it."""

    def run(*words: str) -> Result:
        result = CliRunner().invoke(main, ["--home", str(home), *words])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def duel(pbem: Run) -> Run:
    """The same, with a campaign "duel" of Singularity started on a Monday."""
    new = ["new", "duel", "--game", "singularity", "--gm", "gm@example.org", "--option", "size=3"]
    seats = ["--seat", "red=ann@example.org", "--seat", "blue=bob@example.org", "--policy", "accept=address"]
    assert pbem(*new, *seats, "--deadline", "FRI 20:00 Europe/Berlin").exit_code == 0
    assert pbem("start", "duel", "--now", "2026-11-02T09:00Z").exit_code == 0
    return pbem
