"""Tests of a new game, installed and played in an environment of its own without anything of the checkout.

The environment has a wheel of this program and the package just written; the
libraries they need are lent by the environment of the tests, so that no network
is needed. The steps are those of docs/rulesets.md and of the tutorial, word for word,
and Python finds foreign modules with names of parts of the repository first.
"""

from __future__ import annotations

import email
import os
import re
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

import pbem
from tests.docs.sessions import check, session

ROOT = Path(__file__).parents[2]
QUICK_START = (ROOT / "docs" / "rulesets.md").read_text()
PIP = ["-m", "pip", "--disable-pip-version-check", "--quiet"]


class Author:
    """An author who has installed pbem, and follows the documents in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / "venv" / "bin" / "python"

    @property
    def environment(self) -> dict[str, str]:
        """The tests' own environment, with this folder first in Python's path and no network for pip."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP", "PYTHON", "PYTEST"))}
        pip = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_QUIET": "1"}
        return kept | pip | {"PATH": f"{self.python.parent}:{os.environ['PATH']}", "PYTHONPATH": str(self.folder)}

    def run(self, *words: str) -> str:
        """Return the output of a command; fail as the command does."""
        done = subprocess.run(words, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


LENT = """
pip() { python -m pip --disable-pip-version-check "$@"; }
pytest() { python -m pytest -p no:cacheprovider "$@"; }
"""
"""Commands of the lent libraries, which have no scripts in the environment."""

FOREIGN = ("cli.py", "rules/__init__.py", "migrations/__init__.py", "templates/__init__.py")
"""Modules that may be in a user's folder, or come with another package."""


@pytest.fixture(scope="module")
def author(tmp_path_factory: pytest.TempPathFactory) -> Author:
    """Return an author who has followed docs/rulesets.md and got the output that it shows."""
    author = Author(tmp_path_factory.mktemp("author"))
    wheel = ["wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(author.folder), str(ROOT)]
    subprocess.run([sys.executable, *PIP, *wheel], check=True)
    (built,) = author.folder.glob("*.whl")
    venv.create(author.folder / "venv", with_pip=False)
    into = [*PIP, "--python", str(author.python), "install", "--no-deps", "--no-index", str(built)]
    subprocess.run([sys.executable, *into], check=True)
    libraries = author.folder / "venv" / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)
    (libraries / "lent.pth").write_text(sysconfig.get_path("purelib"))  # searched, but not what its own .pth name
    for name in FOREIGN:
        (author.folder / name).parent.mkdir(exist_ok=True)
        (author.folder / name).write_text("raise ImportError('a foreign module')\n")
    check(session(QUICK_START), author.folder, author.environment, LENT)
    return author


@pytest.mark.in_turn("installed packages")
def test_two_packages_are_installed(author: Author) -> None:
    """The wheel has `pbem`, `pbem_rules` and its metadata; foreign modules are found by other names."""
    (wheel,) = author.folder.glob("pbem-*.whl")
    top = {name.partition("/")[0] for name in ZipFile(wheel).namelist()}

    assert top == {"pbem", "pbem_rules", f"pbem-{pbem.__version__}.dist-info"}
    for module in ("cli", "rules", "migrations", "templates"):
        script = f"import importlib.util as i; print(i.find_spec({module!r}).origin)"
        assert author.run("python", "-c", script).startswith(str(author.folder / module))
    assert author.run("pbem", "--version") == f"pbem, version {pbem.__version__}\n"


@pytest.mark.in_turn("installed packages")
def test_nothing_of_the_checkout_is_found(author: Author) -> None:
    """Program, files, games and the new game come from the environment; the checkout is not searched."""
    modules = "pbem, pbem_rules, pbem.app, pbem.store.models, night_market"
    found = f"*(m.__file__ for m in ({modules})), pbem.app.TEMPLATE_DIR, FOLDER"
    script = f"import sys, {modules}\nfrom pbem.store.plain import FOLDER\nprint({found}, *sys.path, sep='\\n')"

    files = author.run("python", "-c", script).splitlines()

    assert [file for file in files[:7] if not file.startswith(str(author.folder))] == []
    assert str(ROOT) not in files[7:]


@pytest.mark.in_turn("installed packages")
def test_the_turn_of_the_page_was_mailed(author: Author) -> None:
    """Ann's report of the turn that she sent orders for has their outcome."""
    mails = [email.message_from_bytes(path.read_bytes()) for path in sorted(author.folder.glob("home/post/sent/new/*"))]

    last = [mail for mail in mails if mail["To"] == "ann@example.org"][-1]
    assert "turn 2, due " in last["Subject"]
    assert "You searched cave" in last.as_string()


@pytest.mark.in_turn("installed packages")
def test_the_game_is_played_to_its_end(author: Author) -> None:
    """A demo plays it by mail and proves the archive."""
    played = author.run("pbem", "demo", "more", "--game", "night_market", "--seats", "3")

    assert "replay        passed: 8 turns resolved again from the archive, all hashes equal" in played
    assert "won by player" in played


@pytest.mark.in_turn("installed packages")
def test_the_tutorial_builds_a_game_in_six_steps(author: Author) -> None:
    """Each step, pasted into a shell, prints what is shown below it; the game keeps the rules of the suite."""
    steps = author.folder / "steps"
    steps.mkdir()
    text = (ROOT / "docs" / "games" / "tutorial.md").read_text()

    check(session(text), steps, author.environment, LENT)

    assert len(re.findall(r"^## [1-6]\. ", text, re.MULTILINE)) == 6
    assert (steps / "bids" / "tests" / "golden" / "version1.json").exists()
