"""Commands for a turn that is still open: looked at, sheets entered, adjudicated, its state changed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import click

from pbem.actions.base import CLI, look
from pbem.actions.open_turn import GiveSheet, ShowPreview, write_preview
from pbem.actions.rerun import Patch, ShowState
from pbem.actions.ruling import ShowRulingForm, Taken, TakeRuling, read_folder, render_ruling, write_folder
from pbem.actions.sheets import RestoreSheet, ShowSheets
from pbem.actions.withdraw_ruling import DropRuling, RestoreRuling, ShowRuling
from pbem.app import House
from pbem.commands.common import act, ask, open_home, perform, say, show
from pbem.commands.group import Command
from pbem.commands.options import FOLDER, F, clock, home_option, json_option, now_option, yes_option
from pbem.console.copies import preview_folder_lines, ruling_folder_lines
from pbem.console.umpire import rule
from pbem.inbox.sheet_finder import sheet_lines
from pbem.ruleset.serialization import read_json

RULINGS = "rulings"
"""The folder of a home with what GMs have written in their editors, a folder a turn."""


def restore_option(text: str) -> Callable[[F], F]:
    """Return what gives a command its --restore, with a number behind it or not; then it is 0."""
    kind = click.IntRange(0, 2**31 - 1)
    return click.option("--restore", type=kind, is_flag=False, flag_value=0, metavar="[NUMBER]", help=text)


@click.command(cls=Command)
@click.argument("name")
@click.option("--to", type=FOLDER, help="Write all reports into this folder.")
@click.option("--real-dice", is_flag=True, help="Roll the dice that the turn will have; the next reports tell it.")
@now_option
@home_option
def preview(name: str, to: Path | None, *, real_dice: bool, now: dt.datetime, home: Path | None) -> None:
    """Show what the open turn would come to if it were run now, with other dice; keep nothing, mail nobody."""
    with open_home(home) as house:
        made = look(house, name, question := ShowPreview(real_dice=real_dice), now)
    say(question.render(made, CLI))
    if to:
        say(preview_folder_lines(write_preview(made, to)))


@click.command(cls=Command)
@click.argument("name")
@click.argument("seat", required=False)
@click.argument("file", type=click.File("rb"), required=False)
@restore_option("Enter an earlier sheet again. [default: the newest that does not count]")
@yes_option
@now_option
@home_option
def sheet(
    *,
    name: str,
    seat: str | None,
    file: BinaryIO | None,
    restore: int | None,
    sure: bool,
    now: dt.datetime,
    home: Path | None,
) -> None:
    """Enter the order lines in FILE as a seat's sheet for the open turn; its player gets the receipt.

    Without FILE, show the seat's sheets; without SEAT, those of all.
    """
    if restore is not None and (file is not None or seat is None):
        raise click.UsageError("name a SEAT with --restore, and no FILE")
    if seat is None or (file is None and restore is None):
        ask(home, name, ShowSheets(seat), now)
    elif file is not None:
        act(home, name, GiveSheet(seat, sheet_lines(file.read(), name)), now, sure=sure)
    else:
        act(home, name, RestoreSheet(seat, restore or None), now, sure=sure)


@click.command(cls=Command)
@click.argument("name")
@click.argument("folder", type=FOLDER, required=False)
@click.option("--edit", is_flag=True, help="Write the ruling in your editor, one file after the other.")
@click.option("--take", is_flag=True, help="Read the files as the ruling on the open turn.")
@click.option("--force", is_flag=True, help="Write files anew that are there already.")
@click.option("--drop", is_flag=True, help="Let the ruling count no more; the turn waits for another.")
@restore_option("Bring an earlier ruling back. [default: the newest that does not count]")
@yes_option
@now_option
@json_option
@home_option
@click.pass_context
def adjudicate(
    context: click.Context,
    name: str,
    folder: Path | None,
    *,
    edit: bool,
    take: bool,
    force: bool,
    drop: bool,
    restore: int | None,
    sure: bool,
    now: dt.datetime,
    as_json: bool,
    home: Path | None,
) -> None:
    """Show what was ruled on the open turn, or write the files of a ruling into FOLDER, or take them.

    Files that are taken replace the parts of an earlier ruling that they name. Exits 1 if they have an error.
    """
    _check_options(folder=folder is not None, edit=edit, take=take, force=force, drop=drop, restore=restore is not None)
    if drop:
        act(home, name, DropRuling(), now, sure=sure, as_json=as_json)
        return
    if restore is not None:
        act(home, name, RestoreRuling(restore or None), now, sure=sure, as_json=as_json)
        return
    if folder is None and not edit:
        ask(home, name, ShowRuling(), now, as_json=as_json)
        return
    with open_home(home) as house:
        if folder is None:
            edited = _edited(house, name, now, sure=sure)
            if edited is None:
                return
            taken = edited
        elif not take:
            written = write_folder(look(house, name, ShowRulingForm(), now), folder, force=force)
            show(written, ruling_folder_lines(written), as_json=as_json)
            return
        else:
            taken = perform(house, name, read_folder(name, folder).taken(), now, sure=sure, as_json=as_json)
    show(taken, render_ruling(taken, CLI), as_json=as_json)
    context.exit(0 if taken.kept else 1)


def _check_options(*, folder: bool, edit: bool, take: bool, force: bool, drop: bool, restore: bool) -> None:
    if take and force:
        raise click.UsageError("give one of --take and --force")
    if (take or force) and not folder:
        raise click.UsageError("give a FOLDER with --take or --force")
    if sum((folder, edit, drop, restore)) > 1:
        raise click.UsageError("give one of FOLDER, --edit, --drop and --restore")


def _edited(house: House, name: str, now: dt.datetime, *, sure: bool) -> Taken | None:
    """The ruling as the GM writes it in his editor; None if he goes on another day. His files stay in the home."""
    form = look(house, name, ShowRulingForm(), now)
    folder = house.settings.home / RULINGS / f"{name}-{form.turn}"
    write_folder(form, folder)

    def ruling() -> TakeRuling:
        return read_folder(name, folder).taken((form.turn, form.era))

    if not rule(form, folder, lambda: look(house, name, ruling(), now)):
        return None
    return perform(house, name, ruling(), now, sure=sure)


@click.command(cls=Command)
@click.argument("name")
@home_option
def state(name: str, home: Path | None) -> None:
    """Print the state of the open turn as JSON, to be edited and given to `pbem patch`."""
    with open_home(home) as house:
        click.echo(look(house, name, ShowState(), clock()).text)


@click.command(cls=Command)
@click.argument("name")
@click.argument("file", type=click.File("rb"))
@yes_option
@now_option
@home_option
def patch(name: str, file: BinaryIO, sure: bool, now: dt.datetime, home: Path | None) -> None:
    """Change the state of the open turn to that in FILE, or by the JSON Patch (RFC 6902) in it."""
    act(home, name, Patch(_read_json(file)), now, sure=sure)


def _read_json(file: BinaryIO) -> Any:
    try:
        return read_json(file.read().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"it is not JSON: {error}", param_hint="FILE") from None
