"""Commands for received messages and the outbox."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from pbem.actions.base import format_utc
from pbem.admin.mail import (
    COUNTS,
    FORMER_STATES,
    STATES,
    DeliveryCounts,
    MessageDetail,
    MessageList,
    SavedMessage,
    UndeliveredMail,
    delivery_counts,
    list_messages,
    list_outbox,
    retry_mail,
    retry_message,
    save_message,
    show_message,
)
from pbem.cli.options import FOLDER, NUMBER, Command, home_option, json_option, now_option
from pbem.cli.output import open_home, print_facts
from pbem.text import as_sentence, count_noun, format_table, wrap


def letter_lines(listed: MessageList) -> Iterator[str]:
    """Yield the messages asked for, a line each, and whether there are more."""
    if not listed.letters:
        yield "There are no such letters."
        return
    rows = [
        (
            each.id,
            format_utc(each.received_at),
            each.state,
            _shorten(each.sender or "?"),
            _shorten(each.subject),
            _last_line(each.note),
        )
        for each in listed.letters
    ]
    yield from format_table(rows, "id", "came (UTC)", "state", "from", "subject", "note").splitlines()
    if listed.total > len(rows):
        yield f"The newest {len(rows)} of {listed.total} letters; more with --limit."


def shown_lines(letter: MessageDetail) -> Iterator[str]:
    """Yield one message as the inbox reads it, and what became of it."""
    yield f"Letter {letter.id}, {letter.state}, came {format_utc(letter.received_at)} UTC"
    yield f"From:    {letter.sender or 'an unreadable sender'}"
    yield f"To:      {', '.join(letter.recipients)}"
    yield f"Subject: {letter.subject}"
    if letter.automatic:
        yield f"Not to be answered: {letter.automatic}."
    yield from (wrap(as_sentence(note)) for note in letter.notes)
    yield from ("", letter.text or "(no text)")
    if letter.note:
        yield from ("", "What became of it:", *(f"  {line}" for line in letter.note.splitlines()))


def saved_lines(saved: SavedMessage) -> Iterator[str]:
    """Yield where a message was saved, with its files."""
    yield f"Message {saved.id} is saved in {saved.folder}:"
    yield from (f"  {name}" for name in saved.files)


def retried_letter(letter_id: int) -> str:
    """Return the sentence on a message that is retried."""
    return f"Letter {letter_id} is new again; the next tick deals with it."


def outbox_lines(mails: Sequence[UndeliveredMail]) -> Iterator[str]:
    """Yield the undelivered mail, two lines each, the second with the carrier's last reply."""
    if not mails:
        yield "Everything is delivered."
    for mail in mails:
        tries = count_noun(mail.attempts, "try", "tries")
        coming = f"next {format_utc(mail.next_try)} UTC" if mail.next_try else "no more to come"
        yield f"{mail.id}  {mail.recipient}  {mail.subject}"
        yield f"    {mail.state}, {tries}, {coming}" + (f": {mail.reply}" if mail.reply else "")


def ledger_lines(accounts: Sequence[DeliveryCounts]) -> Iterator[str]:
    """Yield the fate of each reader's mail: a table, then the last reply for those who have trouble."""
    if not accounts:
        yield "No mail was written."
        return
    rows = [
        (
            each.campaign or "-",
            ", ".join(each.seats) or "-",
            each.address,
            *(getattr(each, name) for name in COUNTS),
        )
        for each in accounts
    ]
    yield from format_table(rows, "campaign", "seat", "address", *COUNTS).splitlines()
    for each in accounts:
        if each.bounced or each.refused or each.retried:
            yield f"{each.address}: {each.reply}"


def retried_mails(ids: Sequence[int]) -> str:
    """Return the sentence on mail that is retried."""
    if not ids:
        return "No mail waits or has failed."
    return f"{count_noun(len(ids), 'mail')} due now; send with: pbem tick"


def _shorten(text: str, room: int = 40) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _last_line(note: str) -> str:
    """Return the line of a note that says most: of a traceback, the last."""
    return next((line.strip() for line in reversed(note.splitlines()) if line.strip()), "")


class NumberOrAll(click.ParamType[int | str]):
    """Parameter type of a number, or the word all."""

    name = "id|all"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Return the number, or "all"."""
        return "all" if value == "all" else int(NUMBER.convert(value, param, ctx))


class LetterStateChoice(click.Choice[str]):
    """Parameter type of a message's state; former words are accepted too."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the state."""
        # Scripts that ask for letters that are `done` are older than the word `processed`.
        return super().convert(FORMER_STATES.get(value, value), param, ctx)


@click.command(cls=Command)
@click.option("--state", type=LetterStateChoice(STATES), help="Only letters in this state.")
@click.option("--limit", type=NUMBER, default=50, show_default=True, help="List the newest so many.")
@click.option("--show", "wanted", type=NUMBER, metavar="ID", help="Print one letter, its keys masked.")
@click.option("--save", type=FOLDER, help="Write the letter of --show and its files into this folder.")
@click.option("--retry", type=NUMBER, metavar="ID", help="Let the next tick try a quarantined letter again.")
@json_option
@home_option
def letters(
    *,
    state: str | None,
    limit: int,
    wanted: int | None,
    save: Path | None,
    retry: int | None,
    as_json: bool,
    home: Path | None,
) -> None:
    """List the letters that came, show one, or try one again."""
    if sum(choice is not None for choice in (state, wanted, retry)) > 1:
        raise click.UsageError("give one of --state, --show and --retry")
    if save is not None and wanted is None:
        raise click.UsageError("say with --show which letter to save")
    with open_home(home) as app:
        if retry is not None:
            retry_message(app.store, retry)
            print_facts({"retried": [retry]}, [retried_letter(retry)], as_json=as_json)
        elif wanted is not None:
            letter = show_message(app.store, wanted)
            if save is None:
                print_facts(letter, shown_lines(letter), as_json=as_json)
            else:
                saved = save_message(app.store, wanted, save, shown_lines(letter))
                print_facts(saved, saved_lines(saved), as_json=as_json)
        else:
            listed = list_messages(app.store, state, limit=limit)
            print_facts(listed, letter_lines(listed), as_json=as_json)


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
    with open_home(home) as app:
        if ledger:
            accounts = delivery_counts(app.store, name)
            print_facts({"accounts": accounts}, ledger_lines(accounts), as_json=as_json)
        elif retry is None:
            mails = list_outbox(app.store, name)
            print_facts({"mails": mails}, outbox_lines(mails), as_json=as_json)
        else:
            # All (None) leaves out bounced mail: a dead address would only bounce again.
            retried = retry_mail(app.store, now, retry if isinstance(retry, int) else None)
            print_facts({"retried": retried}, [retried_mails(retried)], as_json=as_json)
