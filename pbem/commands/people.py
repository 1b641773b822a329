"""Commands for who sits where."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from pbem.acts.people import roster
from pbem.campaign.table import locked_table
from pbem.commands.common import open_home, show
from pbem.commands.options import home_option, json_option, now_option
from pbem.console.campaigns import roster_lines


@click.command()
@click.argument("name")
@click.argument("address")
@click.option("--seat", default="", help="The seat to offer. [default: the first that is free]")
@now_option
@home_option
def invite(*, name: str, address: str, seat: str, now: dt.datetime, home: Path | None) -> None:
    """Invite somebody to a campaign: ADDRESS is mailed a code that brings a seat."""
    with open_home(home) as house, house.store.writing() as session:
        said = roster.invite(session, house, locked_table(session, name), address, now, seat=seat)
    click.echo(said)


@click.command()
@click.argument("name")
@click.argument("which", metavar="[SEAT]", required=False)
@click.option("--to", metavar="ADDRESS", help="Hand the seat over to whoever has this address.")
@click.option("--open", "act", flag_value="open", help="Take the seat from its player; the first standby gets it.")
@click.option("--remove", "act", flag_value="remove", help="Take the seat out of the game, for good.")
@click.option("--pause", "act", flag_value="pause", help="Let turns no longer wait for the seat.")
@click.option("--resume", "act", flag_value="resume", help="Let turns wait for the seat again.")
@now_option
@json_option
@home_option
def seat(
    *,
    name: str,
    which: str | None,
    to: str | None,
    act: str | None,
    now: dt.datetime,
    as_json: bool,
    home: Path | None,
) -> None:
    """Show who sits where in campaign NAME and who waits, or change who plays SEAT."""
    if (to is not None) + (act is not None) != (which is not None):
        raise click.UsageError("name a SEAT and one of --to, --open, --remove, --pause and --resume, or neither")
    with open_home(home) as house, house.store.writing() as session:
        table = locked_table(session, name)
        if which is None:
            shown = roster.list_roster(session, table)
            show(shown, roster_lines(shown), as_json=as_json)
            return
        said = roster.change_seat(session, house, table, which, now, act=act or "give", address=to or "")
    show({"done": said}, [said], as_json=as_json)
