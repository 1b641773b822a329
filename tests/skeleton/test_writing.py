"""Tests of writing a new package: under the author's names, and never over existing files."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import pbem
from pbem.cli import main


def new(key: str, folder: Path) -> Result:
    """Run `pbem dev new`."""
    return CliRunner().invoke(main, ["dev", "new", key, str(folder)])


def test_everything_bears_the_names_of_the_game(tmp_path: Path) -> None:
    """Key, class and title are the author's, in files and in their names; no name of the skeleton is left."""
    folder = tmp_path / "market"

    said = new("night_market", folder).output

    texts = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    assert said.startswith(f"{folder} has the game night_market: {len(texts)} files.\n")
    assert 'night_market = "night_market:RULESET"' in texts["pyproject.toml"]
    assert f'dependencies = ["pbem>={pbem.__version__}"]' in texts["pyproject.toml"]
    assert "class NightMarket(BaseRuleset[State]):" in texts["night_market/ruleset.py"]
    assert texts["night_market/rulebook.md"].startswith("# Night Market\n")
    assert [name for name, text in texts.items() if re.search(r"my_?game", name + text, re.IGNORECASE)] == []


def _modules(folder: Path) -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text()) for path in folder.rglob("*.py")}


def test_no_module_hides_another(tmp_path: Path) -> None:
    """What can be imported by one word has the key in it; no name of a module is given to anything else."""
    new("night_market", tmp_path)
    modules = _modules(tmp_path)

    alone = {path.stem for path in modules if path.parent.name == "tests"}
    bound = {
        (path.name, alias.asname or alias.name)
        for path, tree in modules.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "night_market"
        for alias in node.names
        if (tmp_path / "night_market" / f"{alias.name}.py").exists()
    }

    assert [name for name in alone if "night_market" not in name] == []
    assert bound == set()
    assert {path.stem for path in modules} & (sys.stdlib_module_names - {"__init__"}) == set()


@pytest.mark.in_turn
def test_two_games_are_tested_in_one_run(tmp_path: Path) -> None:
    """The tests of one game are not taken for those of another."""
    keys = ("night_market", "day_market")
    for key in keys:
        new(key, tmp_path / key)
    path = os.pathsep.join([*(str(tmp_path / key) for key in keys), *sys.path])

    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--collect-only", *keys],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert found.returncode == 0, found.stdout
    for key in keys:
        assert f"tests/test_{key}.py::" in found.stdout
        assert f"tests/test_{key}_rules.py::" in found.stdout


def test_what_is_there_is_left_alone(tmp_path: Path) -> None:
    """A folder with anything in it is refused; an empty one is accepted."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    (tmp_path / "empty").mkdir()

    refused, taken = new("night_market", tmp_path / "full"), new("night_market", tmp_path / "empty")

    assert (refused.exit_code, taken.exit_code) == (1, 0)
    assert (
        refused.stderr
        == f"Not done: {tmp_path / 'full'} is not empty. Name a folder that is, or one that is not there yet.\n"
    )
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("Night", "a key cannot be 'Night': it consists of lower-case letters, digits and _, such as night_market"),
        ("2nd", "a key cannot be '2nd'"),
        ("a-b", "a key cannot be 'a-b'"),
        ("../x", "a key cannot be '../x'"),
        ("class", "Python uses the name 'class' already. Choose another key, such as class_game"),
        ("json", "Python uses the name 'json' already"),
        ("winreg", "Python uses the name 'winreg' already"),
        ("tests", "Python uses the name 'tests' already"),
        ("pbem_rules", "Python uses the name 'pbem_rules' already"),
        ("harvester", "there is a game 'harvester' already. Choose another key"),
    ],
)
def test_a_key_that_cannot_be_is_refused(key: str, told: str, tmp_path: Path) -> None:
    """Each refusal says why, and what would be accepted; nothing is written."""
    refused = new(key, tmp_path / "game")

    assert refused.stderr.startswith(f"Not done: {told}")
    assert not (tmp_path / "game").exists()
