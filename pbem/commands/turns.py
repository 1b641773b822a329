"""Commands for a turn that is still open: looked at, sheets entered, adjudicated, its state changed."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any, BinaryIO

import click

from pbem.acts.past.entering import enter_sheet
from pbem.acts.past.patching import patch_state, state_of
from pbem.acts.past.preview import preview as preview_turn
from pbem.acts.past.preview import write_preview
from pbem.acts.ruling.adjudicating import Taken, ruling_form, take_folder, take_form, write_folder
from pbem.commands.common import open_home, say, show
from pbem.commands.options import FOLDER, home_option, json_option, now_option, yes_option
from pbem.console.turns import entered_lines, folder_lines, patched_lines, preview_lines, ruling_lines
from pbem.desk.filed import sheet_lines
from pbem.house import House
from pbem.ruleset.canonical import read_json


@click.command()
@click.argument("name")
@click.option("--to", type=FOLDER, help="Write all reports into this folder.")
@click.option("--real-dice", is_flag=True, help="Roll the dice that the turn will have; the next reports tell it.")
@now_option
@home_option
def preview(name: str, to: Path | None, *, real_dice: bool, now: dt.datetime, home: Path | None) -> None:
    """Show what the open turn would come to if it were run now, with other dice; keep nothing, mail nobody."""
    with open_home(home) as house:
        made = preview_turn(house, name, now, real_dice=real_dice)
    say(preview_lines(made, write_preview(made, to) if to else None))


@click.command()
@click.argument("name")
@click.argument("seat")
@click.argument("file", type=click.File("rb"))
@yes_option
@now_option
@home_option
def sheet(*, name: str, seat: str, file: BinaryIO, sure: bool, now: dt.datetime, home: Path | None) -> None:
    """Enter the order lines in FILE as a seat's sheet for the open turn; its player gets the receipt."""
    lines = sheet_lines(file.read(), name)
    with open_home(home) as house:
        receipt = enter_sheet(house, name, seat, lines, now, sure=sure)
    say(entered_lines(receipt, sure=sure))


@click.command()
@click.argument("name")
@click.argument("folder", type=FOLDER, required=False)
@click.option("--edit", is_flag=True, help="Write the ruling in your editor instead.")
@click.option("--take", is_flag=True, help="Read the files as the ruling on the open turn.")
@click.option("--force", is_flag=True, help="Write files anew that are there already.")
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
    now: dt.datetime,
    as_json: bool,
    home: Path | None,
) -> None:
    """Write the sheets and the files of a GM's ruling into FOLDER, or take them. Exits 1 if they have an error."""
    if take and force:
        raise click.UsageError("give one of --take and --force")
    if edit == (folder is not None) or (edit and (take or force)):
        raise click.UsageError("give a FOLDER, or --edit alone")
    with open_home(home) as house:
        if folder is None:
            taken = _edited(house, name, now)
        elif not take:
            written = write_folder(house, name, folder, force=force)
            show(written, folder_lines(written), as_json=as_json)
            return
        else:
            taken = take_folder(house, name, folder, now)
    show(taken, ruling_lines(taken), as_json=as_json)
    context.exit(0 if taken.kept else 1)


def _edited(house: House, name: str, now: dt.datetime) -> Taken:
    """The ruling as the GM writes it in his editor; what is not taken is kept, to be mended there."""
    form = ruling_form(house, name)
    draft = house.settings.home / f"ruling-{name}-{form.turn}.txt"
    text = click.edit(draft.read_text("utf-8") if draft.exists() else form.text, extension=".txt")
    if text is None:
        raise click.ClickException("nothing was saved in the editor, so nothing was taken")
    draft.write_text(text, "utf-8")
    taken = take_form(house, name, form, text, now)
    if taken.kept:
        draft.unlink()
    return taken


@click.command()
@click.argument("name")
@home_option
def state(name: str, home: Path | None) -> None:
    """Print the state of the open turn as JSON, to be edited and given to `pbem patch`."""
    with open_home(home) as house:
        click.echo(json.dumps(state_of(house, name), indent=2, ensure_ascii=False, sort_keys=True))


@click.command()
@click.argument("name")
@click.argument("file", type=click.File("rb"))
@yes_option
@now_option
@home_option
def patch(name: str, file: BinaryIO, sure: bool, now: dt.datetime, home: Path | None) -> None:
    """Change the state of the open turn to that in FILE, or by the JSON Patch (RFC 6902) in it."""
    data = _read_json(file)
    with open_home(home) as house:
        patched = patch_state(house, name, data, now, sure=sure)
    say(patched_lines(patched, sure=sure))


def _read_json(file: BinaryIO) -> Any:
    try:
        return read_json(file.read().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"it is not JSON: {error}", param_hint="FILE") from None
