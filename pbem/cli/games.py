"""Commands for games: list, rules, sheet check, order form, schemas and new rulesets.

A new ruleset is made from the files of `skeleton/`, a small game called "My Game",
with its key, class and title replaced; tests keep it working.
"""

from __future__ import annotations

import importlib.util
import json
import keyword
import re
from collections.abc import Collection, Iterable, Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, BinaryIO

import click

from pbem.actions.base import render_reading
from pbem.campaign.order_sheets import quote_lines
from pbem.campaign.snapshot import format_player_count
from pbem.cli.options import FOLDER, Command, json_option
from pbem.cli.output import known_games, print_facts
from pbem.errors import ConfigError
from pbem.games import find_game, rulebook
from pbem.inbox.order_sheets import Check, check_sheet, order_form
from pbem.report.answers import accepted_part
from pbem.report.schemas import WHAT, json_schema
from pbem.ruleset.protocol import AnyRuleset
from pbem.text import as_sentence, wrap


def check_lines(check: Check) -> Iterator[str]:
    """Yield what a receipt would say of a sheet: notes, findings, and the orders in words."""
    part = accepted_part(check.orders, check.findings, accepted=check.accepted)
    yield f"{check.campaign}, {check.label}, seat {check.seat}: {part}."
    for note in check.notes:
        yield wrap(as_sentence(note))
    if check.courtesies:
        yield wrap(f"Not orders: {quote_lines(check.courtesies)}.")
    yield from render_reading(check.findings, check.orders)
    if check.missing:
        yield from ("", "To know:", *(f"- {wrap(as_sentence(item), '  ')}" for item in check.missing))


def game_lines(games: Iterable[AnyRuleset]) -> Iterator[str]:
    """Yield the installed games, with their options."""
    for number, game in enumerate(games):
        if number:
            yield ""
        yield f"{game.key}: {game.title}, by {game.designer}"
        yield f"  {wrap(as_sentence(game.summary), '  ')}"
        yield f"  {format_player_count(game.seats)} players" + (
            f": {', '.join(game.seats.names)}" if game.seats.names else ""
        )
        yield f"  {wrap('pace: ' + game.pace, '  ')}"
        for option in game.options:
            text = (
                f"--option {option.name}=…  {option.help}: {option.allowed}; usually {_format_default(option.default)}"
            )
            yield f"  {wrap(text, '    ')}"


def game_facts(games: Iterable[AnyRuleset]) -> list[dict[str, Any]]:
    """Return the installed games, for scripts."""
    return [
        {
            "key": game.key,
            "title": game.title,
            "designer": game.designer,
            "version": game.version,
            "summary": game.summary,
            "pace": game.pace,
            "seats": game.seats,
            "options": list(game.options),
        }
        for game in games
    ]


def _format_default(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


@click.command(cls=Command)
@json_option
def games(as_json: bool) -> None:
    """List what can be played, with its options."""
    known = known_games().usable().values()
    print_facts(game_facts(known), game_lines(known), as_json=as_json)
    # On standard error: standard output may be JSON.
    for fault in known_games().faults().values():
        click.echo(f"\nNot here: {fault}", err=True)


@click.command(cls=Command)
@click.argument("game")
def rules(game: str) -> None:
    """Print a game's rulebook."""
    click.echo(rulebook(find_game(known_games(), game)))


@click.command(cls=Command)
@click.argument("sheet", type=click.File("rb"))
@click.option("--report", required=True, type=click.File("rb"), help="The .json file attached to the report.")
@json_option
@click.pass_context
def check(context: click.Context, sheet: BinaryIO, report: BinaryIO, as_json: bool) -> None:
    """Check an order sheet against a report, without sending it. Exits 1 if a line could not be taken."""
    checked = check_sheet(known_games(), sheet.read(), report.read())
    print_facts(checked, check_lines(checked), as_json=as_json)
    context.exit(1 if checked.errors else 0)


@click.command(cls=Command)
@click.argument("report", type=click.File("rb"))
def desk(report: BinaryIO) -> None:
    """Print, as JSON, what may be ordered, by the .json file attached to a REPORT; for clients of your own."""
    click.echo(json.dumps(order_form(known_games(), report.read()), indent=2, ensure_ascii=False))


# Its words become the name of the class and the title, so none may be empty.
_KEY = re.compile(r"[a-z][a-z0-9]*+(?:_[a-z0-9]++)*+")


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
    if keyword.iskeyword(key) or importlib.util.find_spec(key) is not None:
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
    """Return a text of the skeleton with the game's own names."""
    words = [word.capitalize() for word in key.split("_")]
    return text.replace("mygame", key).replace("MyGame", "".join(words)).replace("My Game", " ".join(words))


@click.group()
def ruleset() -> None:
    """Begin a game of your own; docs/rulesets.md goes on from there."""


@ruleset.command(cls=Command)
@click.argument("key")
@click.argument("folder", type=FOLDER)
def new(key: str, folder: Path) -> None:
    """Write a package in FOLDER with a small game that works, to be made into yours."""
    written = write_skeleton(key, folder, taken=known_games())
    click.echo(f"{folder} holds the game {key}: {len(written)} files.")
    click.echo(f"Install it with: pip install --editable '{folder}[test]'")
    click.echo(f"Play it with: pbem demo some-folder --game {key}")
    click.echo(f"Test it with: pytest {folder}")


@click.command("schema", cls=Command)
@click.argument("what", type=click.Choice(WHAT))
@click.option("--game", metavar="KEY", help="With the orders of one game.")
def print_schema(what: str, game: str | None) -> None:
    """Print the JSON Schema of reports, order sheets or desks, for programs that read them."""
    chosen = find_game(known_games(), game) if game else None
    click.echo(json.dumps(json_schema(what, chosen), indent=2, ensure_ascii=False))
