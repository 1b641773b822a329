"""Commands for the past: turns rolled back, run again, or tried otherwise in a copy."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from pathlib import Path

import click

from pbem.actions import fork as forking
from pbem.actions.base import CLI, DRY_RUN, do, look
from pbem.actions.fork import ShowFork
from pbem.actions.open_turn import GiveSheet, ShowPreview, render_receipt
from pbem.actions.rerun import Amend
from pbem.actions.rerun_plan import Changes
from pbem.app import found, open_house
from pbem.campaign.order_sheets import Lines
from pbem.commands.common import act, known_games, open_home, say
from pbem.commands.group import Command
from pbem.commands.options import FOLDER, NUMBER, F, home_option, now_option, pairs_option, yes_option
from pbem.console.copies import copied_lines
from pbem.inbox.sheet_finder import sheet_lines
from pbem.ruleset.values import Seat


def sheets_option(command: F) -> F:
    """Gives a command its --sheet SEAT=FILE, as often as there are seats."""
    return pairs_option("--sheet", "sheets", "SEAT=FILE", "Take the order lines in FILE as the seat's sheet.")(command)


@click.command(cls=Command)
@click.argument("name")
@sheets_option
@click.option("--without-patch", is_flag=True, help="Leave out what you changed of the state by hand.")
@click.option("--dry-run", is_flag=True, help="Only tell whose report would change.")
@yes_option
@now_option
@home_option
def rerun(
    *,
    name: str,
    sheets: dict[str, str],
    without_patch: bool,
    dry_run: bool,
    sure: bool,
    now: dt.datetime,
    home: Path | None,
) -> None:
    """Run the last turn again, with the same dice; only those whose report changes get a corrected one.

    For an older turn roll the campaign back first, enter the sheets, and run it.
    """
    wish = Amend(Changes(sheets=_read_sheets(name, sheets), drop_patch=without_patch))
    if not dry_run:
        act(home, name, wish, now, sure=sure)
        return
    with open_home(home) as house:
        impact = look(house, name, wish, now)
    say(wish.render(impact, DRY_RUN))


@click.command(cls=Command)
@click.argument("name")
@click.argument("turn", type=NUMBER)
@click.argument("folder", type=FOLDER)
@sheets_option
@click.option("--compare", is_flag=True, help="Show how its reports would differ from those really mailed.")
@now_option
@home_option
def fork(
    *,
    name: str,
    turn: int,
    folder: Path,
    sheets: dict[str, str],
    compare: bool,
    now: dt.datetime,
    home: Path | None,
) -> None:
    """Copy a campaign, as it stood when TURN was open, into a home of its own in FOLDER, to try what if."""
    given = _read_sheets(name, sheets)
    with open_home(home) as house:
        look(house, name, ShowFork(turn), now)
        settings = found(folder, house.settings.address)
        forking.copy_templates(house, settings.home)
        with open_house(settings.home, known_games()) as there:
            say(copied_lines(do(house, name, forking.CopyTo(turn, there), now), settings.home))
            for seat, lines in given.items():
                say(render_receipt(do(there, name, GiveSheet(seat, lines), now)))
            if compare:
                made = look(there, name, ShowPreview(real_dice=True), now)
                question = forking.Compare(there, made)
                say(question.render(look(house, name, question, now), CLI))


def _read_sheets(name: str, sheets: Mapping[Seat, str]) -> dict[Seat, Lines]:
    return {seat: sheet_lines(Path(path).read_bytes(), name) for seat, path in sheets.items()}
