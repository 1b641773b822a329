"""Commands for the past: turns rolled back, run again, or tried otherwise in a copy."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from pbem.acts.past import forking, rolling
from pbem.acts.past.amending import amend
from pbem.acts.past.entering import enter_sheet
from pbem.acts.past.mending import mend as mend_campaign
from pbem.acts.past.preview import preview as preview_turn
from pbem.acts.past.rerunning import Changes
from pbem.campaign.reading import Lines
from pbem.commands.common import known_games, open_home, say
from pbem.commands.options import FOLDER, NUMBER, F, Pair, home_option, now_option, yes_option
from pbem.console.past import compared_lines, forked_lines, mended_lines, radius_lines, rolled_lines
from pbem.desk.filed import sheet_lines
from pbem.founding import found
from pbem.house import House, open_house
from pbem.ruleset import Seat


def sheets_option(command: F) -> F:
    """Gives a command its --sheet SEAT=FILE, as often as there are seats."""
    text = "Take the order lines in FILE as the seat's sheet."
    return click.option("--sheet", "sheets", multiple=True, type=Pair("SEAT=FILE"), help=text)(command)


@click.command()
@click.argument("name")
@click.argument("turn", type=click.IntRange(0, 2**31 - 1))
@yes_option
@now_option
@home_option
def rollback(name: str, turn: int, sure: bool, now: dt.datetime, home: Path | None) -> None:
    """Open an earlier TURN of a campaign again, with the sheets that had come in for it."""
    with open_home(home) as house:
        rolled = rolling.rollback(house, name, turn, now, sure=sure)
    say(rolled_lines(rolled, sure=sure))


@click.command()
@click.argument("name")
@now_option
@home_option
def forward(name: str, now: dt.datetime, home: Path | None) -> None:
    """Take the newest rollback back, as long as the turn it opened has not been run."""
    with open_home(home) as house:
        rolled = rolling.forward(house, name, now)
    say(rolled_lines(rolled, sure=True))


@click.command()
@click.argument("name")
@yes_option
@now_option
@home_option
def mend(name: str, sure: bool, now: dt.datetime, home: Path | None) -> None:
    """Mend a campaign whose turns do not hang together, as `pbem doctor` tells: it goes on from the last that does."""
    with open_home(home) as house:
        mended = mend_campaign(house, name, now, sure=sure)
    say(mended_lines(mended, sure=sure))


@click.command()
@click.argument("name")
@sheets_option
@click.option("--without-patch", is_flag=True, help="Leave out what you changed of the state by hand.")
@click.option("--dry-run", is_flag=True, help="Only tell whose report would change; so it is without --yes.")
@yes_option
@now_option
@home_option
def rerun(
    *,
    name: str,
    sheets: tuple[tuple[str, str], ...],
    without_patch: bool,
    dry_run: bool,
    sure: bool,
    now: dt.datetime,
    home: Path | None,
) -> None:
    """Run the last turn again, with the same dice; only those whose report changes get a corrected one.

    For an older turn roll the campaign back first, enter the sheets, and run it.
    """
    changes = Changes(sheets=_read_sheets(name, sheets), drop_patch=without_patch)
    sure = sure and not dry_run
    with open_home(home) as house:
        radius = amend(house, name, changes, now, sure=sure)
    say(radius_lines(radius, sure=sure))


@click.command()
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
    sheets: tuple[tuple[str, str], ...],
    compare: bool,
    now: dt.datetime,
    home: Path | None,
) -> None:
    """Copy a campaign, as it stood when TURN was open, into a home of its own in FOLDER, to try what if."""
    given = _read_sheets(name, sheets)
    with open_home(home) as house:
        forking.check_fork(house, name, turn)
        settings = found(folder, house.settings.address)
        forking.copy_templates(house, settings.home)
        with open_house(settings.home, known_games()) as there:
            forked = forking.copy_campaign(house, there, name, turn, now)
            say(forked_lines(forked, settings.home))
            _enter_sheets(there, name, given, now)
            if compare:
                say(
                    compared_lines(
                        forking.compare_with_real(house, there, preview_turn(there, name, now, real_dice=True))
                    )
                )


def _read_sheets(name: str, sheets: Iterable[tuple[Seat, str]]) -> dict[Seat, Lines]:
    return {seat: sheet_lines(Path(path).read_bytes(), name) for seat, path in sheets}


def _enter_sheets(house: House, name: str, sheets: Mapping[Seat, Lines], now: dt.datetime) -> None:
    for seat, lines in sheets.items():
        click.echo(f"{seat}: {enter_sheet(house, name, seat, lines, now, sure=True).verdict}")
