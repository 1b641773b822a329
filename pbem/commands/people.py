"""Commands for who sits where."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from pbem.actions.base import Act, Deed
from pbem.actions.seats import ExpelSeat, GiveSeat, Invite, PauseSeat, ResumeSeat, ShowRoster, VacateSeat
from pbem.commands.common import act, ask
from pbem.commands.group import Command
from pbem.commands.options import home_option, json_option, now_option, yes_option
from pbem.ruleset.values import Seat

CHANGES: Mapping[str, Callable[[Seat], Act[Deed]]] = {
    "open": VacateSeat,
    "remove": ExpelSeat,
    "pause": PauseSeat,
    "resume": ResumeSeat,
}
"""What may be done to a seat, by the option that asks for it."""


@click.command(cls=Command)
@click.argument("name")
@click.argument("address")
@click.option("--seat", default="", help="The seat to offer. [default: the first that is free]")
@now_option
@home_option
def invite(*, name: str, address: str, seat: str, now: dt.datetime, home: Path | None) -> None:
    """Invite somebody to a campaign: ADDRESS is mailed a code that brings a seat."""
    act(home, name, Invite(address, seat), now)


@click.command(cls=Command)
@click.argument("name")
@click.argument("which", metavar="[SEAT]", required=False)
@click.option("--to", metavar="ADDRESS", help="Hand the seat over to whoever has this address.")
@click.option("--open", "kind", flag_value="open", help="Take the seat from its player; the first standby gets it.")
@click.option("--remove", "kind", flag_value="remove", help="Take the seat out of the game, for good.")
@click.option("--pause", "kind", flag_value="pause", help="Let turns no longer wait for the seat.")
@click.option("--resume", "kind", flag_value="resume", help="Let turns wait for the seat again.")
@yes_option
@now_option
@json_option
@home_option
def seat(
    *,
    name: str,
    which: str | None,
    to: str | None,
    kind: str | None,
    sure: bool,
    now: dt.datetime,
    as_json: bool,
    home: Path | None,
) -> None:
    """Show who sits where in campaign NAME and who waits, or change who plays SEAT."""
    if (to is not None) + (kind is not None) != (which is not None):
        raise click.UsageError("name a SEAT and one of --to, --open, --remove, --pause and --resume, or neither")
    if which is None:
        ask(home, name, ShowRoster(), now, as_json=as_json)
    else:
        wish = GiveSeat(which, to) if to is not None else CHANGES[kind or ""](which)
        act(home, name, wish, now, sure=sure, as_json=as_json)
