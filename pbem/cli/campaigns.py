"""Commands for campaigns as a whole: creation, start, GM, house rules, seats and press."""

from __future__ import annotations

import datetime as dt
import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, TextIO

import click

from pbem.actions.arguments import GmCommand, Numeral, Typed
from pbem.actions.base import Change, Query, TextResult
from pbem.actions.create import LAST_TURN, NewCampaign, create_campaign, read_data, read_texts, render_created
from pbem.actions.press import AddAnnouncement, Announce, RemoveAnnouncement, ShowPress, ShowTexts
from pbem.actions.press_delivery import EVERYBODY
from pbem.actions.registry import GM_COMMANDS
from pbem.actions.seats import GiveSeat, Invite, OpenSeat, PauseSeat, RemoveSeat, ResumeSeat, ShowSeats
from pbem.actions.settings import ChangeGm, MailToken, SetHouseRule, ShowGm, ShowHouseRules
from pbem.cli.options import (
    FILE,
    FOLDER,
    NUMBER,
    Command,
    KeyValueParam,
    by_name,
    clock,
    home_option,
    json_option,
    now_option,
    pairs_option,
    yes_option,
)
from pbem.cli.output import act_and_print, ask_and_print, cli_channel, open_home, print_lines
from pbem.ruleset.fields import Field
from pbem.ruleset.tokenizer import split_words
from pbem.ruleset.values import SeatName


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
    with open_home(home) as app:
        created = create_campaign(app, wanted, now)
        print_lines(render_created(name, created, cli_channel(app)))


@click.command(cls=Command)
@click.argument("name")
@click.option("--token", is_flag=True, help="Mail the GM a new token, by which he may run the campaign by mail.")
@click.option("--address", help="From now on this is the GM's address; the old token is void.")
@yes_option
@now_option
@home_option
def gm(name: str, *, token: bool, address: str | None, sure: bool, now: dt.datetime, home: Path | None) -> None:
    """Let a campaign be run by mail, or from another address; without an option, show who its GM is."""
    if address:
        # First, as it voids the token: a new one goes to the new address.
        act_and_print(home, name, ChangeGm(address), now, sure=sure)
    if token:
        act_and_print(home, name, MailToken(), now)
    if not (address or token):
        ask_and_print(home, name, ShowGm(), now)


@click.command(cls=Command)
@click.argument("name")
@click.argument("rules", nargs=-1, type=KeyValueParam("RULE=VALUE"), callback=by_name, metavar="[RULE=VALUE]...")
@yes_option
@now_option
@json_option
@home_option
def policy(name: str, rules: dict[str, str], *, sure: bool, now: dt.datetime, as_json: bool, home: Path | None) -> None:
    """Show the house rules of campaign NAME for mail, time, people and press, or change some."""
    if rules:
        act_and_print(home, name, SetHouseRule(rules), now, sure=sure, as_json=as_json)
    else:
        ask_and_print(home, name, ShowHouseRules(), now, as_json=as_json)


CHANGES: Mapping[str, Callable[[SeatName], Change[TextResult]]] = {
    "open": OpenSeat,
    "remove": RemoveSeat,
    "pause": PauseSeat,
    "resume": ResumeSeat,
}
"""The changes of a seat, by the option for each."""


@click.command(cls=Command)
@click.argument("name")
@click.argument("address")
@click.option("--seat", default="", help="The seat to offer. [default: the first that is free]")
@now_option
@home_option
def invite(*, name: str, address: str, seat: str, now: dt.datetime, home: Path | None) -> None:
    """Invite somebody to a campaign: ADDRESS is mailed a code that brings a seat."""
    act_and_print(home, name, Invite(address, seat), now)


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
    # Nor may two changes be given, of which the later one would win without a word.
    if (to is not None) + (kind is not None) != (which is not None):
        raise click.UsageError("name a SEAT and one of --to, --open, --remove, --pause and --resume, or neither")
    if which is None:
        ask_and_print(home, name, ShowSeats(), now, as_json=as_json)
    else:
        wish = GiveSeat(which, to) if to is not None else CHANGES[kind or ""](which)
        act_and_print(home, name, wish, now, sure=sure, as_json=as_json)


# Editors on Windows begin a file with a byte order mark; bytes that are no text are read as far as possible.
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
        act_and_print(home, name, AddAnnouncement(file.read(), seat), now, as_json=as_json)
    elif drop is not None:
        act_and_print(home, name, RemoveAnnouncement(drop), now, as_json=as_json)
    else:
        ask_and_print(home, name, ShowTexts(), now, as_json=as_json)


@click.command(cls=Command)
@click.argument("name")
@click.argument("file", required=False, type=WORDS)
# Several --to add up: otherwise the last one would replace the others without a word.
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
        act_and_print(
            home, name, Announce(file.read(), split_words(",".join(seats or [EVERYBODY]))), now, as_json=as_json
        )
    else:
        ask_and_print(home, name, ShowPress(), now, as_json=as_json)


# The fields that only confirm; the command line has --yes instead.
_CONFIRMING = ("sure", "asked")


def command_of(action: type[GmCommand], typed: Typed, kinds: Mapping[str, Field]) -> Command:
    """Return the command for an action: its fields are the arguments, after the name of the campaign."""

    def run(name: str, home: Path | None, now: dt.datetime | None = None, **given: Any) -> None:
        sure, as_json = given.pop("sure", False), given.pop("as_json", False)
        given = {field: value for field, value in given.items() if value is not None}
        # A query takes no lock: to be shown something must not wait for a tick at work.
        wish: GmCommand | Query[Any] = typed.shows() if typed.shows and not any(given.values()) else action(**given)
        if isinstance(wish, Change):
            act_and_print(home, name, wish, now or clock(), sure=sure, as_json=as_json)
        else:
            assert isinstance(wish, Query)
            ask_and_print(home, name, wish, now or clock(), as_json=as_json)

    command = Command(action.command, callback=run, help=inspect.cleandoc(typed.help))
    command.params = [click.Argument(["name"])]
    for field in fields(action):
        if field.name in kinds and field.name not in _CONFIRMING:
            kind = kinds[field.name]
            # The most that an INTEGER of PostgreSQL holds.
            type_ = click.IntRange(kind.least, 2**31 - 1) if isinstance(kind, Numeral) else click.STRING
            command.params.append(click.Argument([field.name], type=type_, required=field.default is MISSING))
    has = {
        yes_option: "sure" in kinds,
        now_option: issubclass(action, Change),
        json_option: typed.json,
        home_option: True,
    }
    for option in (option for option, needed in has.items() if needed):
        option(command)
    return command


TYPED: Mapping[str, Command] = {
    verb.order.command: command_of(verb.order, verb.order.typed, verb.kinds)
    for verb in GM_COMMANDS.verbs
    if issubclass(verb.order, GmCommand) and verb.order.typed is not None
}
"""The commands by their names."""
