"""Commands for what a GM writes to players: texts in reports, and press."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TextIO

import click

from pbem.acts.words.gmwords import add_text, broadcast, drop_text, list_press, list_texts
from pbem.campaign.table import locked_table
from pbem.commands.common import open_home, show
from pbem.commands.options import NUMBER, home_option, json_option, now_option
from pbem.console.words import broadcast_line, press_lines, text_lines
from pbem.ruleset import split_words

WORDS = click.File(encoding="utf-8-sig", errors="replace")
"""A file of words, or standard input."""


@click.command()
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
    with open_home(home) as house, house.store.writing() as session:
        table = locked_table(session, name)
        if file is not None:
            add_text(session, table, file.read(), now, seat=seat)
        elif drop is not None:
            drop_text(session, table, drop, now)
        texts = list_texts(session, table)
    show({"texts": texts}, text_lines(table, texts), as_json=as_json)


@click.command()
@click.argument("name")
@click.argument("file", required=False, type=WORDS)
@click.option("--to", metavar="SEATS", default="all", show_default=True, help="Whom to write to, like red,blue.")
@now_option
@json_option
@home_option
def press(*, name: str, file: TextIO | None, to: str, now: dt.datetime, as_json: bool, home: Path | None) -> None:
    """Mail the words of FILE, or of standard input (-), to players at once. Without FILE, list all press."""
    with open_home(home) as house, house.store.writing() as session:
        table = locked_table(session, name)
        if file is not None:
            reached = broadcast(session, house, table, file.read(), now, to=split_words(to))
            show({"to": reached}, [broadcast_line(reached)], as_json=as_json)
            return
        pieces = list_press(session, table)
    show({"press": pieces}, press_lines(pieces), as_json=as_json)
