"""Commands for players and programmers: the check of a sheet, and games and clients of one's own.

A new game is made from the files of `skeleton/`, a small game called "My Game",
with its key, class and title replaced; tests keep it working.
"""

from __future__ import annotations

import importlib.util
import json
import keyword
import re
import sys
from collections.abc import Collection
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import BinaryIO

import click

from pbem import __version__
from pbem.actions.weight import Harmless
from pbem.cli import completion
from pbem.cli.command import NEW, SHOWS, Call, command, group
from pbem.cli.lines import check_lines
from pbem.cli.options import FOLDER
from pbem.cli.sheet_check import check_sheet, order_form
from pbem.errors import ConfigError, SaveError
from pbem.games import find_game
from pbem.report.schemas import json_schema
from pbem.ruleset.golden import golden_differences, golden_name, read_golden, record_golden, write_golden
from pbem.util import write_atomically


@command("pbem check sheet.txt --report trap7-red.json", SHOWS, help="Exits 1 if a line was not accepted.")
@click.argument("sheet", type=click.File("rb"))
@click.option("--report", required=True, type=click.File("rb"), help="The .json file attached to the report.")
def check(call: Call, sheet: BinaryIO, report: BinaryIO) -> None:
    checked = check_sheet(call.games, sheet.read(), report.read())
    call.print(checked, check_lines(checked), sound=not checked.errors)


_TAKEN = sys.stdlib_module_names | {"tests", "conftest"}
"""Names that would hide a module of Python, or be hidden by the package's own tests."""

# Its words become the name of the class and the title, so none may be empty.
_KEY = re.compile(r"[a-z][a-z0-9]*+(?>(?:_[a-z0-9]++)*)")


def write_skeleton(key: str, folder: Path, *, taken: Collection[str] = ()) -> list[Path]:
    """Write the package of a new game into a folder that is empty or does not exist; return its files.

    Args:
        taken: The keys of existing games.

    Raises:
        ConfigError: If the key or the folder cannot be used.
    """
    _check_key(key, taken)
    if folder.exists() and any(folder.iterdir()):
        raise ConfigError(f"{folder} is not empty: name a folder that is, or one that is not there yet")
    return _copy_files(resources.files("pbem.cli") / "skeleton", folder, key)


def _check_key(key: str, taken: Collection[str]) -> None:
    if not _KEY.fullmatch(key):
        raise ConfigError(
            f"a key cannot be {key!r}: it consists of lower-case letters, digits and _, such as night_market"
        )
    if key in taken:
        raise ConfigError(f"there is a game {key!r} already: choose another key")
    # The key is the name of the package, which would hide the other one, or be hidden by it.
    if keyword.iskeyword(key) or key in _TAKEN or importlib.util.find_spec(key) is not None:
        raise ConfigError(f"Python uses the name {key!r} already: choose another key, such as {key}_game")


def _copy_files(source: Traversable, target: Path, key: str) -> list[Path]:
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_replace_names(source.read_text(encoding="utf-8"), key), encoding="utf-8")
        return [target]
    inside = sorted(
        # pip compiles the modules of the skeleton where it is installed.
        (each for each in source.iterdir() if not each.name.startswith((".", "__pycache__"))),
        key=lambda each: each.name,
    )
    return [path for each in inside for path in _copy_files(each, target / _replace_names(each.name, key), key)]


def _replace_names(text: str, key: str) -> str:
    """Return a text of the skeleton with the game's own names, and this version of pbem as the least one needed."""
    words = [word.capitalize() for word in key.split("_")]
    text = text.replace("mygame", key).replace("MyGame", "".join(words)).replace("My Game", " ".join(words))
    return text.replace("pbem>=0.1", f"pbem>={__version__}")


@command("pbem dev new night_market market", NEW)
@click.argument("key")
@click.argument("folder", type=FOLDER)
def new(call: Call, key: str, folder: Path) -> None:
    """Write a package with a small game that works.

    It is to be made into yours; docs/rulesets.md goes on from there.
    """
    written = write_skeleton(key, folder, taken=call.games)
    lines = [
        f"{folder} has the game {key}: {len(written)} files.",
        f"Install it: pip install --editable '{folder}[test]'",
        f"Test it: pytest {folder}",
        f"Next: pbem demo some-folder --game {key}",
    ]
    call.print({"key": key, "files": written}, lines)


@command(
    "pbem dev record night_market market/tests/golden",
    Harmless("it plays the recorded sheets again, which stay as they are"),
)
@click.argument("key", shell_complete=completion.games)
@click.argument("folder", type=FOLDER)
def record(call: Call, key: str, folder: Path) -> None:
    """Record a golden game, with hashes.

    The sheets are those of the record in FOLDER, where you may edit them; without one, bots play a game.
    """
    game = find_game(call.games, key)
    path = folder / golden_name(game.version)
    try:
        before = read_golden(path.read_text(encoding="utf-8")) if path.exists() else None
        golden = record_golden(game, before)
        changed = golden_differences(game, before) if before is not None else []
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, write_golden(golden).encode())
    except SaveError as error:
        raise ConfigError(f"{path} cannot be recorded: {error}") from None
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"{path} cannot be read or written: {error}") from None
    count = len(golden["turns"])
    lines = [f"Recorded {count} turns of {key}: {path}.", *(f"Changed: {each}" for each in changed)]
    call.print({"file": path, "turns": count, "changed": changed}, lines)


@command("pbem dev schema report --game harvester", SHOWS)
@click.argument("what", type=click.Choice(("report", "sheet", "choices")))
@click.option("--game", metavar="KEY", shell_complete=completion.games, help="With the orders of one game.")
def schema(call: Call, what: str, game: str | None) -> None:
    """Print a JSON Schema.

    It is that of reports, of order sheets, or of what may be ordered, for programs that read them.
    """
    chosen = find_game(call.games, game) if game else None
    made = json_schema("desk" if what == "choices" else what, chosen)
    call.print({"schema": made}, [json.dumps(made, indent=2, ensure_ascii=False)], paged=True)


@command("pbem dev choices trap7-red.json", SHOWS)
@click.argument("report", type=click.File("rb"))
def choices(call: Call, report: BinaryIO) -> None:
    """Print what may be ordered, as JSON.

    REPORT is the .json file attached to a report.
    """
    form = order_form(call.games, report.read())
    call.print({"choices": form}, [json.dumps(form, indent=2, ensure_ascii=False)], paged=True)


dev = group("dev", new, record, schema, choices)
