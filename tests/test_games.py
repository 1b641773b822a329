"""Games are found by the entry points of installed packages, and a broken package affects no other game."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, PathDistribution
from pathlib import Path

import pytest
from click.testing import CliRunner

import pbem
from pbem.cli import main
from pbem.errors import GameError
from pbem.games import GROUP, InstalledGames, fault_place, find_game, installed_games


def entries(folder: Path, package: str, offers: Mapping[str, str], *requires: str) -> list[EntryPoint]:
    """Return the entry points of a package that is installed in a folder."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    needs = "".join(f"Requires-Dist: {each}\n" for each in requires)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n{needs}")
    lines = [f"{key} = {value}" for key, value in offers.items()]
    (info / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *lines]))
    return list(PathDistribution(info).entry_points)


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], None]:
    """Return a function that writes a module which can be imported."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(name: str, text: str) -> None:
        (tmp_path / f"{name}.py").write_text(text)

    return write


def test_the_games_of_this_project_come_through_the_same_door() -> None:
    """Every package of rules/pbem_rules/ with a game is offered under its own key, in the order of keys."""
    folders = (path.parent.name for path in Path(__file__).parents[1].glob("rules/pbem_rules/*/ruleset.py"))

    assert list(installed_games()) == sorted(folders)
    assert [game.key for game in installed_games().values()] == list(installed_games())


def test_a_game_is_imported_when_it_is_asked_for() -> None:
    """The help of the command line, which needs no game, imports none."""
    command = "import sys; from pbem.cli import main; main(['--help'], standalone_mode=False); "
    script = command + "print([name for name in sys.modules if name.startswith('pbem_rules.')])"

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.endswith("\n[]\n")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("import no_such_module", "cannot be imported: ModuleNotFoundError: No module named 'no_such_module'"),
        ("1 / 0", "cannot be imported: ZeroDivisionError: division by zero"),
        (
            "RULESET = 5",
            "cannot be used: broken:RULESET is no ruleset: it lacks agenda, allies, bots, carry_memory, choices",
        ),
        ("from tests.toy import Auction as RULESET", "broken:RULESET is a class: write () behind it"),
        ("from tests.toy import Auction\nRULESET = Auction()", "cannot be used: its own key is 'toy'"),
        ("", "cannot be imported: AttributeError"),
    ],
)
def test_a_broken_game_is_told_in_a_sentence(
    text: str, told: str, module: Callable[[str, str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request for a broken game names the package and its fault; the other games work as before."""
    module("broken", text)
    monkeypatch.delitem(sys.modules, "broken", raising=False)
    module("good", "from tests.toy import Auction\nRULESET = Auction()")
    offers = {"fog": "broken:RULESET", "toy": "good:RULESET"}
    games = InstalledGames(entries(tmp_path, "fog-patrol", offers))

    with pytest.raises(GameError, match=r"game 'fog' of fog-patrol 1\.0 cannot be"):
        find_game(games, "fog")
    assert told in games.faults()["fog"]
    assert list(games.usable()) == ["toy"]


@pytest.mark.parametrize(
    ("requires", "told"),
    [
        ("pbem>=99", f"it needs pbem>=99, and {pbem.__version__} is installed"),
        ("no-such-package>=2,<3", "it needs no-such-package<3,>=2, which is not installed"),
        ("not a requirement!", "its metadata cannot be read: "),
    ],
)
def test_a_package_that_needs_more_is_told_before_it_is_imported(requires: str, told: str, tmp_path: Path) -> None:
    """What a game's package requires and is not there is named, in place of the module that it then fails to import."""
    games = InstalledGames(entries(tmp_path, "fog-patrol", {"fog": "no_such_module:RULESET"}, "click", requires))

    assert games.faults()["fog"].startswith(f"game 'fog' of fog-patrol 1.0 cannot be used: {told}")


def test_needs_that_are_met_are_listed(tmp_path: Path, module: Callable[[str, str], None]) -> None:
    """A game whose needs are met is loaded; its package and needs are in the JSON of `pbem games`, without extras."""
    module("good", "from tests.toy import Auction\nRULESET = Auction()")
    needs = ("pbem>=0.1", 'no-such-package; extra == "test"', 'no-such-package; sys_platform == "nowhere"')
    games = InstalledGames(entries(tmp_path, "fog-patrol", {"toy": "good:RULESET"}, *needs))

    listed = CliRunner().invoke(main, ["games", "--json"], obj=games)

    (game,) = json.loads(listed.stdout)["games"]
    assert (game["key"], game["version"]) == ("toy", games["toy"].version)
    assert game["package"] == {"name": "fog-patrol", "version": "1.0", "requires": ["pbem>=0.1"]}


def test_a_fault_is_placed_in_the_games_own_code(module: Callable[[str, str], None]) -> None:
    """The place of an error is the innermost line of the game's package, whatever library it calls; else it is ""."""
    module("tripping", "import json\nclass Game:\n    def look(self):\n        return json.loads('{')\n")
    game = __import__("tripping").Game()

    with pytest.raises(ValueError, match="Expecting") as tripped:
        game.look()

    assert fault_place(tripped.value, game) == "tripping.py, line 4, in look"
    assert fault_place(ZeroDivisionError(), game) == ""


def test_two_packages_with_one_key_are_told(tmp_path: Path, module: Callable[[str, str], None]) -> None:
    """Of two packages with one key neither is used: a campaign must not continue under other rules."""
    module("good", "from tests.toy import Auction\nRULESET = Auction()")
    both = [entry for name in ("ann", "bob") for entry in entries(tmp_path, name, {"toy": "good:RULESET"})]

    games = InstalledGames(both)

    assert games.faults() == {"toy": "game 'toy' is offered by ann 1.0 and bob 1.0: uninstall all but one of them"}
    assert games.usable() == {}


def test_the_list_of_games_names_what_is_broken(tmp_path: Path) -> None:
    """`pbem games` lists what can be played, and says of the rest why it cannot; scripts get clean JSON."""
    games = InstalledGames([*entries(tmp_path, "fog-patrol", {"fog": "no_such_module:RULESET"}), *_own("singularity")])

    listed = CliRunner().invoke(main, ["games"], obj=games)

    assert listed.stdout.startswith("singularity: Singularity, by Mark Steere\n")
    assert "game 'fog' of fog-patrol 1.0 cannot be imported: ModuleNotFoundError" in listed.stderr
    assert CliRunner().invoke(main, ["games", "--json"], obj=games).stdout.startswith("{")


def test_the_doctor_names_what_is_broken(tmp_path: Path) -> None:
    """`pbem doctor` reports a game that cannot be played, and what to do."""
    games = InstalledGames([*entries(tmp_path, "fog-patrol", {"fog": "no_such_module:RULESET"}), *_own("singularity")])
    home = str(tmp_path / "home")
    CliRunner().invoke(main, ["init", home])

    told = CliRunner().invoke(main, ["--home", home, "doctor"], obj=games)

    assert told.exit_code == 1
    assert "game 'fog' of fog-patrol 1.0 cannot be imported" in " ".join(told.stdout.split())
    assert "or uninstall it" in " ".join(told.stdout.split())


def _own(key: str) -> list[EntryPoint]:
    return [EntryPoint(key, f"pbem_rules.{key}:RULESET", GROUP)]
