"""Commands for what a GM writes to players: texts in reports, and press."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TextIO

import click

from pbem.actions.press import AddText, Broadcast, DropText, ShowPress, ShowTexts
from pbem.actions.press_delivery import EVERYBODY
from pbem.commands.common import act, ask
from pbem.commands.group import Command
from pbem.commands.options import NUMBER, home_option, json_option, now_option
from pbem.ruleset.tokenizer import split_words

WORDS = click.File(encoding="utf-8-sig", errors="replace")
"""A file of words, or standard input."""


@click.command(cls=Command)
@click.argument("name")
@click.argument("file", required=False, type=WORDS)
@click.option("--seat", metavar="SEAT", help="Only for the report of this seat.")
@click.option("--drop", type=NUMBER, metavar="ID", help="Take a text out again, before its reports are sent.")
@now_option
@json_option
@home_option
def text(
    *,
    name: str,
    file: TextIO | None,
    seat: str | None,
    drop: int | None,
    now: dt.datetime,
    as_json: bool,
    home: Path | None,
) -> None:
    """Put the words of FILE, or of standard input (-), into the next reports. Without FILE, list such texts."""
    if file is not None and drop is not None:
        raise click.UsageError("give one of FILE and --drop")
    if file is not None:
        act(home, name, AddText(file.read(), seat), now, as_json=as_json)
    elif drop is not None:
        act(home, name, DropText(drop), now, as_json=as_json)
    else:
        ask(home, name, ShowTexts(), now, as_json=as_json)


@click.command(cls=Command)
@click.argument("name")
@click.argument("file", required=False, type=WORDS)
@click.option(
    "--to", "seats", multiple=True, metavar="SEATS", help="Whom to write to, like red,blue; adds up. [default: all]"
)
@now_option
@json_option
@home_option
def press(
    *, name: str, file: TextIO | None, seats: tuple[str, ...], now: dt.datetime, as_json: bool, home: Path | None
) -> None:
    """Mail the words of FILE, or of standard input (-), to players at once. Without FILE, list all press."""
    if file is not None:
        act(home, name, Broadcast(file.read(), split_words(",".join(seats or [EVERYBODY]))), now, as_json=as_json)
    else:
        ask(home, name, ShowPress(), now, as_json=as_json)
