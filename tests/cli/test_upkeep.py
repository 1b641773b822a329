"""Received messages and outbox on the command line: listed, shown, and retried."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select, update

from pbem.cli import main
from pbem.store.models import InboxMessage, OutgoingMail
from pbem.util import redact_all
from tests.toy.home import MONDAY, Desk

TOKEN = "0123456789abcdef0123"
CODE = "abcdefghij234567"


def pbem(desk: Desk, *words: str) -> Result:
    """Run a command in the toy's home."""
    return CliRunner().invoke(main, ["--home", str(desk.home), *words])


def set_aside(desk: Desk) -> None:
    """Receive a message and quarantine it."""
    desk.post(f"ORDERS toy1 red {TOKEN}\nBID 3\nEND\n", subject=f"Re: Turn 1 [toy1 {CODE}]")
    desk.tick()
    with desk.app.store.writing() as session:
        session.execute(update(InboxMessage).values(state="quarantined", note="Traceback:\n  a line\nKeyError: 'x'"))


def refuse(desk: Desk, state: str = "failed") -> None:
    """Mark all outgoing mail as refused after some days."""
    refused = {"state": state, "attempts": 2, "not_before": MONDAY + dt.timedelta(days=3), "reply": "550 no such user"}
    with desk.app.store.writing() as session:
        session.execute(update(OutgoingMail).where(OutgoingMail.state != "superseded").values(refused))


def test_letters_are_listed(desk: Desk) -> None:
    """Each message has a line: number, time, state, sender, subject without its code, and the last line of the note."""
    set_aside(desk)

    assert pbem(desk, "inbox").output == (
        "id  received (UTC)    state        from             subject                     note\n"
        " 1  2026-11-02 09:00  quarantined  ann@example.org  Re: Turn 1 [toy1 ********]  KeyError: 'x'\n"
    )


def test_the_newest_of_many_letters(desk: Desk) -> None:
    """Only the newest messages are listed; the last line has their number in all."""
    for number in range(3):
        desk.post(f"nonsense {number}", subject=f"mail {number}")
    desk.tick()

    lines = pbem(desk, "inbox", "--limit", "2").output.splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["2", "3"]
    assert lines[3] == "The newest 2 of 3 messages; more: --limit"
    assert json.loads(pbem(desk, "inbox", "--limit", "1", "--json").output)["total"] == 3


def test_a_list_without_messages(desk: Desk) -> None:
    """It is the same for an inbox that is empty and for one in which no message is in the state."""
    empty = [pbem(desk, "inbox", "--quarantined", *more).output for more in ((), ("--json",))]
    desk.post("nonsense")
    desk.tick()

    assert empty == [pbem(desk, "inbox", "--quarantined", *more).output for more in ((), ("--json",))]


def test_letters_of_one_state(desk: Desk) -> None:
    """Only messages that were not processed are listed; the JSON has a list of objects."""
    assert pbem(desk, "inbox", "--quarantined").output == "No such messages.\n"
    set_aside(desk)

    listed = json.loads(pbem(desk, "inbox", "--quarantined", "--json").output)["messages"]
    assert [(letter["id"], letter["state"], letter["sender"]) for letter in listed] == [
        (1, "quarantined", "ann@example.org")
    ]


def test_a_letter_is_shown_without_its_keys(desk: Desk) -> None:
    """A message is shown as the inbox reads it, with tokens and codes masked."""
    set_aside(desk)

    shown = pbem(desk, "inbox", "1").output
    assert "From:    ann@example.org\n" in shown
    assert "ORDERS toy1 red ********\nBID 3\nEND\n" in shown
    assert TOKEN not in shown
    assert CODE not in shown


def test_a_letter_is_tried_again(desk: Desk) -> None:
    """A quarantined message becomes new, without its old note, and the next tick processes it."""
    desk.begin()
    set_aside(desk)

    assert pbem(desk, "inbox", "1", "--retry").output == "Done: message 1 is processed again by the next tick.\n"
    assert desk.tick().processed.messages == 1
    with desk.app.store.reading() as session:
        assert session.scalars(select(InboxMessage.state)).all() == ["processed"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["inbox", "7", "--retry"], "there is no message 7. List them: pbem inbox"),
        (["inbox", "7"], "there is no message 7. List them: pbem inbox"),
        (["inbox", "1", "--retry"], "message 1 is processed, not quarantined: it has had its answer."),
        (["outbox", "77", "--retry"], "there is no mail 77 in the outbox. List them: pbem outbox"),
        (["outbox", "4", "--retry"], "mail 4 is sent: only what is not delivered is tried again."),
    ],
)
def test_what_cannot_be_tried_again(desk: Desk, words: list[str], said: str) -> None:
    """One sentence has the reason, and nothing changes."""
    desk.begin()
    desk.post("ORDERS toy1 red\nBID 3\nEND\n")
    desk.tick()
    result = pbem(desk, *words)

    assert (result.exit_code, result.stdout, result.stderr) == (1, "", f"Not done: {said}\n")


def test_the_outbox_shows_what_is_not_delivered(desk: Desk) -> None:
    """The list has the recipient, the attempts, the next try, and the carrier's reply."""
    desk.begin()
    refuse(desk, "queued")

    lines = pbem(desk, "outbox").output.splitlines()
    assert len(lines) == 8
    assert lines[0].startswith("4  ann@example.org  ")
    assert lines[1] == "    queued, 2 tries, next 2026-11-05 09:00 UTC: 550 no such user"


def test_what_has_failed_has_no_next_try(desk: Desk) -> None:
    """Failed mail has no next try, which is null in JSON."""
    desk.begin()
    refuse(desk)

    (first, *_) = json.loads(pbem(desk, "outbox", "--json").output)["mails"]
    assert (first["state"], first["campaign"], first["next_try"]) == ("failed", "toy1", None)
    assert "failed, 2 tries, no more tries: 550" in pbem(desk, "outbox").output


def test_mail_is_tried_again_as_it_is(desk: Desk) -> None:
    """All failed mail goes out with the next tick, with unchanged Message-IDs."""
    desk.begin()
    refuse(desk)
    with desk.app.store.reading() as session:
        written = set(session.scalars(select(OutgoingMail.message_id).where(OutgoingMail.state == "failed")))

    result = pbem(desk, "outbox", "all", "--retry", "--now", "2026-11-02T09:00Z")
    assert result.output == "Done: 4 mails due now.\nNext: pbem tick\n"
    assert desk.tick().sent.sent == 4
    assert {mail["Message-ID"] for mail in desk.mails()} == written
    assert pbem(desk, "outbox").output == "No undelivered mail.\n"


def test_letters_and_outbox_on_each_database(shared: Desk) -> None:
    """Lists and retries are the same on SQLite and PostgreSQL."""
    set_aside(shared)
    refuse(shared)

    assert len(json.loads(pbem(shared, "inbox", "--json").output)["messages"]) == 1
    assert pbem(shared, "inbox", "1", "--retry").exit_code == 0
    assert len(json.loads(pbem(shared, "outbox", "--json").output)["mails"]) > 4
    assert "mails due now" in pbem(shared, "outbox", "all", "--retry").output


def test_one_mail_is_tried_again(desk: Desk) -> None:
    """A retry by id leaves other mail waiting."""
    desk.begin()
    refuse(desk)

    result = pbem(desk, "outbox", "5", "--retry", "--json", "--now", "2026-11-02T09:00Z")
    assert json.loads(result.output)["retried"] == [5]
    assert desk.tick().sent.sent == 1


def test_mail_being_sent_is_left_to_its_sender(desk: Desk) -> None:
    """Mail that is being sent is not retried, else it would go out twice."""
    desk.begin()
    refuse(desk, "sending")

    assert pbem(desk, "outbox", "all", "--retry").output == "Nothing to do: no mail is undelivered.\n"
    assert "mail 4 is being sent" in pbem(desk, "outbox", "4", "--retry").stderr


def test_what_bounced_is_tried_again_by_its_number(desk: Desk) -> None:
    """A dead address would only bounce again, so "all" leaves bounced mail alone."""
    desk.begin()
    refuse(desk, "bounced")

    assert pbem(desk, "outbox", "all", "--retry").output == "Nothing to do: no mail is undelivered.\n"
    assert pbem(desk, "outbox", "4", "--retry").output == "Done: 1 mail due now.\nNext: pbem tick\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"> orders toy1 red {TOKEN} wait", "> orders toy1 red ******** wait"),
        ("ORDERS toy1 red anything", "ORDERS toy1 red ********"),
        ("ORDERS toy1 red WAIT", "ORDERS toy1 red WAIT"),
        (f"my token is {TOKEN.upper()}.", "my token is ********."),
        (f"orders+{CODE}@example.org", "orders+********@example.org"),
        ("orders+abcdefghijklmnop@example.org", "orders+********@example.org"),
        (f"[toy1 {CODE}]", "[toy1 ********]"),
        (f"the code {CODE}", "the code ********"),
        ("<bcdfghjklmnpqrstvwxyzbcd23@example.org>", "<********@example.org>"),
        ("responsibilities", "responsibilities"),
        ("\x1b[2J", "\ufffd[2J"),
    ],
)
def test_keys_are_masked_wherever_they_stand(text: str, shown: str) -> None:
    """Tokens, codes and Message-IDs are masked, ordinary words stay, and no character steers a terminal."""
    assert redact_all(text) == shown
