"""Commands that need no home: the games there are, what a player asks of his report, and a campaign played by bots."""

from __future__ import annotations

import json
from pathlib import Path
from typing import BinaryIO

import click

from pbem.commands.common import known_games, say, show
from pbem.commands.group import Command
from pbem.commands.options import FOLDER, json_option
from pbem.console.bar import progress
from pbem.console.games import check_lines, demo_lines, game_facts, game_lines
from pbem.demo import MOST_TURNS, play
from pbem.games import choose_game, rulebook
from pbem.inbox.order_sheets import check_sheet, offered


@click.command(cls=Command)
@click.argument("folder", type=FOLDER)
@click.option("--game", show_default=True, metavar="KEY", help="What is played.")
@click.option("--seats", type=int, help="How many play. [default: four, where the game takes them]")
@click.option("--turns", type=click.IntRange(1), default=MOST_TURNS, help="Stop after so many. [default: to the end]")
@click.option("--seed", default="demo", show_default=True, help="Another word, another game.")
def demo(folder: Path, game: str, seats: int | None, turns: int, seed: str) -> None:
    """Play a campaign by mail in FOLDER, bots mailing real order sheets."""
    with progress() as bar:
        result = play(folder, known_games(), game=game, seats=seats, turns=turns, seed=seed, progress=bar)
    say(demo_lines(result))


@click.command(cls=Command)
@json_option
def games(as_json: bool) -> None:
    """List what can be played, with its house rules."""
    known = known_games().usable().values()
    show(game_facts(known), game_lines(known), as_json=as_json)
    for fault in known_games().faults().values():
        click.echo(f"\nNot here: {fault}", err=True)


@click.command(cls=Command)
@click.argument("game")
def rules(game: str) -> None:
    """Print a game's rulebook."""
    click.echo(rulebook(choose_game(known_games(), game)))


@click.command(cls=Command)
@click.argument("sheet", type=click.File("rb"))
@click.option("--report", required=True, type=click.File("rb"), help="The .json file attached to the report.")
@json_option
@click.pass_context
def check(context: click.Context, sheet: BinaryIO, report: BinaryIO, as_json: bool) -> None:
    """Check an order sheet against a report, without sending it. Exits 1 if a line could not be taken."""
    checked = check_sheet(known_games(), sheet.read(), report.read())
    show(checked, check_lines(checked), as_json=as_json)
    context.exit(1 if checked.errors else 0)


@click.command(cls=Command)
@click.argument("report", type=click.File("rb"))
def desk(report: BinaryIO) -> None:
    """Print, as JSON, what may be ordered, by the .json file attached to a REPORT; for clients of your own."""
    click.echo(json.dumps(offered(known_games(), report.read()), indent=2, ensure_ascii=False))
