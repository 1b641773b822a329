"""The letters that came, the mail that waits, and what is wrong with a home."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.actions.base import format_utc
from pbem.admin.checks import Diagnosis
from pbem.admin.mail import COUNTS, Account, Held, LetterList, LetterShown
from pbem.text import columns, counted, sentence, wrapped


def letter_lines(listed: LetterList) -> Iterator[str]:
    """The letters asked for, a line each, and whether there are more."""
    if not listed.letters:
        yield "There are no such letters."
        return
    rows = [
        (
            each.id,
            format_utc(each.received_at),
            each.state,
            _short(each.sender or "?"),
            _short(each.subject),
            _last(each.note),
        )
        for each in listed.letters
    ]
    yield from columns(rows, "id", "came (UTC)", "state", "from", "subject", "note").splitlines()
    if listed.total > len(rows):
        yield f"The newest {len(rows)} of {listed.total} letters; more with --limit."


def shown_lines(letter: LetterShown) -> Iterator[str]:
    """One letter as the desk reads it, and what became of it."""
    yield f"Letter {letter.id}, {letter.state}, came {format_utc(letter.received_at)} UTC"
    yield f"From:    {letter.sender or 'an unreadable sender'}"
    yield f"To:      {', '.join(letter.recipients)}"
    yield f"Subject: {letter.subject}"
    if letter.automatic:
        yield f"Not to be answered: {letter.automatic}."
    yield from (wrapped(sentence(note)) for note in letter.notes)
    yield from ("", letter.text or "(no text)")
    if letter.note:
        yield from ("", "What became of it:", *(f"  {line}" for line in letter.note.splitlines()))


def retried_letter(letter_id: int) -> str:
    """What was done to a letter."""
    return f"Letter {letter_id} is new again; the next tick deals with it."


def outbox_lines(mails: Sequence[Held]) -> Iterator[str]:
    """The mail not delivered, two lines each: whose it is, and what the carrier said."""
    if not mails:
        yield "Everything is delivered."
    for mail in mails:
        tries = counted(mail.attempts, "try", "tries")
        coming = f"next {format_utc(mail.next_try)} UTC" if mail.next_try else "no more to come"
        yield f"{mail.id}  {mail.recipient}  {mail.subject}"
        yield f"    {mail.state}, {tries}, {coming}" + (f": {mail.reply}" if mail.reply else "")


def ledger_lines(accounts: Sequence[Account]) -> Iterator[str]:
    """What became of each reader's mail: a table, and below it what was said last of those that have trouble."""
    if not accounts:
        yield "No mail was written."
        return
    rows = [(*_reader(each), *(getattr(each, name) for name in COUNTS)) for each in accounts]
    yield from columns(rows, "campaign", "seat", "address", *COUNTS).splitlines()
    for each in accounts:
        if each.bounced or each.refused or each.retried:
            yield f"{each.address}: {each.reply}"


def _reader(account: Account) -> tuple[str, str, str]:
    return account.campaign or "-", ", ".join(account.seats) or "-", account.address


def retried_mails(ids: Sequence[int]) -> str:
    """What was done to the outbox."""
    if not ids:
        return "No mail waits or has failed."
    return f"{counted(len(ids), 'mail')} due now; send with: pbem tick"


def diagnosis_lines(diagnosis: Diagnosis) -> Iterator[str]:
    """A line for each thing examined, and a last one that sums up."""
    for each in diagnosis.checks:
        stop = "" if each.text.endswith((".", "?", "!")) else "."
        mend = f"{stop} To mend: {each.mend}" if each.mend else ""
        yield f"{each.result:<8} {each.name}: {each.text}{mend}"
    yield f"{counted(diagnosis.problems, 'problem')}, {counted(diagnosis.warnings, 'warning')}."


def _short(text: str, room: int = 40) -> str:
    return text if len(text) <= room else f"{text[: room - 1]}…"


def _last(note: str) -> str:
    """The line of a note that tells most: of a traceback, the last."""
    return next((line.strip() for line in reversed(note.splitlines()) if line.strip()), "")
