"""Commands for campaigns as a whole: made, started, their GM, house rules and journal."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import click

from pbem.actions.create import LAST_TURN, NewCampaign, create, read_data, read_texts, render_created
from pbem.actions.settings import ChangeGm, MailToken, SetPolicy, ShowGm, ShowPolicy
from pbem.commands.common import act, ask, open_home, say
from pbem.commands.group import Command
from pbem.commands.options import (
    FILE,
    FOLDER,
    Pair,
    by_name,
    home_option,
    json_option,
    now_option,
    pairs_option,
)


@click.command(cls=Command)
@click.argument("name")
@click.option("--game", required=True, metavar="KEY", help="What is played; see: pbem games")
@click.option("--gm", required=True, metavar="ADDRESS", help="Whom to tell of problems.")
@pairs_option("--seat", "seats", "SEAT=ADDRESS", "Who sits where.")
@click.option("--open", "open_seats", default=0, type=click.IntRange(0), help="Seats more, for who signs up or comes.")
@pairs_option("--policy", "rules", "RULE=VALUE", "A rule of the campaign; see: policy")
@pairs_option("--option", "options", "NAME=VALUE", "A house rule; see: pbem games")
@click.option("--deadline", required=True, help='When turns are due: "FRI 20:00 Europe/Berlin", "EVERY 12h".')
@click.option("--state", type=FILE, help="Go on from this state of a game begun elsewhere; see: pbem state")
@click.option("--from", "texts", type=FOLDER, help="Go on from the texts in this folder, in a game that its GM judges.")
@click.option("--turn", type=click.IntRange(1, LAST_TURN), help="The number of the first turn, with --state or --from.")
@click.option("--settle", default=30, show_default=True, help="Minutes to wait after the last sheet is in.")
@now_option
@home_option
def new(
    *,
    name: str,
    game: str,
    gm: str,
    seats: dict[str, str],
    open_seats: int,
    rules: dict[str, str],
    options: dict[str, str],
    deadline: str,
    state: Path | None,
    texts: Path | None,
    turn: int | None,
    settle: int,
    now: dt.datetime,
    home: Path | None,
) -> None:
    """Make a campaign called NAME."""
    if state and texts:
        raise click.UsageError("--state and --from cannot go together: a game goes on from one of them")
    wanted = NewCampaign(
        name=name,
        game=game,
        gm=gm,
        seats=tuple(seats.items()),
        deadline=deadline,
        options=options,
        settle_minutes=settle,
        policy=rules,
        open=open_seats,
        state=read_data(state) if state else None,
        texts=read_texts(texts) if texts else None,
        turn=turn,
    )
    with open_home(home) as house:
        created = create(house, wanted, now)
    say(render_created(name, created))


@click.command(cls=Command)
@click.argument("name")
@click.option("--token", is_flag=True, help="Mail the GM a new token, by which he may run the campaign by mail.")
@click.option("--address", help="From now on this is the GM's address; his token is void.")
@now_option
@home_option
def gm(name: str, *, token: bool, address: str | None, now: dt.datetime, home: Path | None) -> None:
    """Let a campaign be run by mail, or from another address; without an option, show who its GM is."""
    if address:
        act(home, name, ChangeGm(address), now)
    if token:
        act(home, name, MailToken(), now)
    if not (address or token):
        ask(home, name, ShowGm(), now)


@click.command(cls=Command)
@click.argument("name")
@click.argument("rules", nargs=-1, type=Pair("RULE=VALUE"), callback=by_name, metavar="[RULE=VALUE]...")
@now_option
@json_option
@home_option
def policy(name: str, rules: dict[str, str], *, now: dt.datetime, as_json: bool, home: Path | None) -> None:
    """Show the house rules of campaign NAME for mail, time, people and press, or change some."""
    if rules:
        act(home, name, SetPolicy(rules), now, as_json=as_json)
    else:
        ask(home, name, ShowPolicy(), now, as_json=as_json)
