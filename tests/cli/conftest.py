"""A home made by the command line itself, and a function that runs commands in it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbem.cli import main
from pbem.config_values import FILE_NAME
from tests.toy.fixtures import desk, shared

__all__ = ["desk", "shared"]

Run = Callable[..., Result]


@pytest.fixture(scope="session")
def _new_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("new") / "home"
    assert CliRunner().invoke(main, ["init", str(home)]).exit_code == 0
    settings = home / "pbem.toml"
    settings.write_text(settings.read_text().replace("pictures = true ", "pictures = false"))
    return home


@pytest.fixture
def home(tmp_path: Path, _new_home: Path) -> Path:
    """Return a home with reports without pictures: a copy of one that the command line has made."""
    return Path(shutil.copytree(_new_home, tmp_path / "home"))


@pytest.fixture
def pbem(home: Path) -> Run:
    """Return a function that runs a command in the home, as a GM would type it."""
    return _runner(home)


@pytest.fixture(scope="session")
def _duel_home(tmp_path_factory: pytest.TempPathFactory, _new_home: Path) -> Path:
    home = Path(shutil.copytree(_new_home, tmp_path_factory.mktemp("duel") / "home"))
    pbem = _runner(home)
    new = ["new", "duel", "--game", "singularity", "--gm", "gm@example.org", "--option", "size=3"]
    seats = ["--seat", "red=ann@example.org", "--seat", "blue=bob@example.org", "--set", "authentication=address"]
    assert pbem(*new, *seats, "--schedule", "FRI 20:00 Europe/Berlin").exit_code == 0
    assert pbem("start", "duel", "--now", "2026-11-02T09:00Z").exit_code == 0
    return home


@pytest.fixture
def duel(home: Path, pbem: Run, _duel_home: Path) -> Run:
    """Return the same, with a campaign "duel" of Singularity started on a Monday."""
    shutil.copytree(_duel_home, home, ignore=shutil.ignore_patterns(FILE_NAME), dirs_exist_ok=True)
    return pbem


def _runner(home: Path) -> Run:
    def run(*words: str) -> Result:
        result = CliRunner().invoke(main, ["--home", str(home), *words])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run
