"""Commands for the letters that came and the mail that goes out."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import click

from pbem.admin.mail import (
    FORMER_STATES,
    STATES,
    delivery_ledger,
    list_letters,
    list_outbox,
    retry_letter,
    retry_mail,
    show_letter,
)
from pbem.commands.common import open_home, show
from pbem.commands.group import Command
from pbem.commands.options import NUMBER, home_option, json_option, now_option
from pbem.console.upkeep import (
    ledger_lines,
    letter_lines,
    outbox_lines,
    retried_letter,
    retried_mails,
    shown_lines,
)


class NumberOrAll(click.ParamType[int | str]):
    """A number, or the word all."""

    name = "id|all"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """The number, or "all"."""
        return "all" if value == "all" else int(NUMBER.convert(value, param, ctx))


class LetterStateChoice(click.Choice[str]):
    """The state of a letter; former words are read too."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the state."""
        return super().convert(FORMER_STATES.get(value, value), param, ctx)


@click.command(cls=Command)
@click.option("--state", type=LetterStateChoice(STATES), help="Only letters in this state.")
@click.option("--limit", type=NUMBER, default=50, show_default=True, help="List the newest so many.")
@click.option("--show", "wanted", type=NUMBER, metavar="ID", help="Print one letter, its keys masked.")
@click.option("--retry", type=NUMBER, metavar="ID", help="Let the next tick try a quarantined letter again.")
@json_option
@home_option
def letters(
    *, state: str | None, limit: int, wanted: int | None, retry: int | None, as_json: bool, home: Path | None
) -> None:
    """List the letters that came, show one, or try one again."""
    if sum(choice is not None for choice in (state, wanted, retry)) > 1:
        raise click.UsageError("give one of --state, --show and --retry")
    with open_home(home) as house:
        if retry is not None:
            retry_letter(house.store, retry)
            show({"retried": [retry]}, [retried_letter(retry)], as_json=as_json)
        elif wanted is not None:
            letter = show_letter(house.store, wanted)
            show(letter, shown_lines(letter), as_json=as_json)
        else:
            listed = list_letters(house.store, state, limit=limit)
            show(listed, letter_lines(listed), as_json=as_json)


@click.command(cls=Command)
@click.argument("name", required=False)
@click.option("--ledger", is_flag=True, help="Count for each player what became of his mail.")
@click.option("--retry", type=NumberOrAll(), metavar="ID|all", help="Make one mail, or all, due now.")
@now_option
@json_option
@home_option
def outbox(
    name: str | None, *, ledger: bool, retry: int | str | None, now: dt.datetime, as_json: bool, home: Path | None
) -> None:
    """List the mail, of campaign NAME or all, that is not delivered, or have it tried again now."""
    if retry is not None and (ledger or name is not None):
        raise click.UsageError("--retry takes a mail's number or all, and neither a campaign nor --ledger")
    with open_home(home) as house:
        if ledger:
            accounts = delivery_ledger(house.store, name)
            show({"accounts": accounts}, ledger_lines(accounts), as_json=as_json)
        elif retry is None:
            mails = list_outbox(house.store, name)
            show({"mails": mails}, outbox_lines(mails), as_json=as_json)
        else:
            retried = retry_mail(house.store, now, retry if isinstance(retry, int) else None)
            show({"retried": retried}, [retried_mails(retried)], as_json=as_json)
