"""Backscatter of forged messages: few mails to strangers, none to people who did not write, and few reports."""

from __future__ import annotations

from collections import Counter

import pytest
from sqlalchemy import select

from pbem.admin.health import home_status
from pbem.cli.tick import tick_lines
from pbem.store.models import InboxMessage, JournalEntry, OutgoingMail
from tests.inbox.people import ask, form
from tests.inbox.trusting import ANN, EVE, believing, stamp, token
from tests.toy.home import Desk, text_of


@pytest.fixture(autouse=True)
def _campaign(shared: Desk) -> None:
    """Start a campaign, on each database."""


def strangers(desk: Desk, number: int, *, domains: int, verdict: str = "", text: str = "hello", after: int = 0) -> None:
    """Store messages of so many unknown senders, spread over domains, who come `after` others."""
    with desk.app.store.writing() as session:
        for each in range(after, after + number):
            sender = f"{verdict}s{each}@{each % domains}.example.net"
            stamped = "".join(f"{name}: {value}\r\n" for name, value in stamp(verdict).items()) if verdict else ""
            raw = f"{stamped}From: {sender}\r\nMessage-ID: <{each}@x>\r\n\r\n{text}\r\n".encode()
            name = f"{desk.now} {sender}"
            session.add(
                InboxMessage(mailbox="x", uid_validity="", uid=name, sha256=name, received_at=desk.now, raw=raw)
            )


def crowd(desk: Desk, number: int, *, domains: int, text: str = "hello") -> None:
    """Have so many unknown people write today: all but the last ten were answered, with copies of the first answer."""
    strangers(desk, 1, domains=domains, text=text)
    desk.answer()
    with desk.app.store.writing() as session:
        sent = session.execute(select(OutgoingMail.__table__).where(OutgoingMail.kind == "stranger")).mappings().one()
        for each in range(1, number - 10):
            provider = f"{each % domains}.example.net"
            unique = {name: f"{sent[name]}{each}" for name in ("message_id", "topic")}
            row = {**sent, **unique, "provider": provider, "recipient": f"s{each}@{provider}"}
            session.add(OutgoingMail(**{name: value for name, value in row.items() if name != "id"}))
    strangers(desk, 10, domains=domains, text=text, after=number - 10)


def answered(desk: Desk) -> Counter[str]:
    """Return the number of mails to each domain of strangers."""
    with desk.app.store.reading() as session:
        return Counter(
            session.scalars(select(OutgoingMail.provider).where(OutgoingMail.provider.endswith("example.net")))
        )


@pytest.mark.sampled(1)
def test_strangers_get_a_hundred_answers_a_day(shared: Desk) -> None:
    """The messages beyond the limit count as unanswered in tick and status; the next day has a limit of its own."""
    strangers(shared, 105, domains=5)
    done = shared.answer()

    assert answered(shared).total() == 100
    assert done.processed.unanswered == 5
    assert "5 messages not answered. Reasons: pbem inbox" in list(tick_lines(done))
    assert home_status(shared.app).notices[0].startswith("5 messages were not answered in the day before ")
    shared.now = shared.now.replace(day=shared.now.day + 1)
    strangers(shared, 1, domains=1, text="HELP")
    assert shared.answer().processed.unanswered == 0


@pytest.mark.sampled(1)
def test_strangers_of_one_domain_get_thirty(shared: Desk) -> None:
    """Thirty answers a day go to one domain, so that no server is flooded; other domains still get theirs."""
    strangers(shared, 40, domains=1)
    shared.answer()
    shared.post("hello", sender=EVE)
    shared.answer()

    assert answered(shared) == {"0.example.net": 30, "example.net": 1}


def test_a_sender_who_failed_authentication_is_not_answered(shared: Desk) -> None:
    """A sender who failed authentication is never answered; one who passed is, however many others were."""
    believing(shared)
    for text in ("hello", "HELP", "STATUS", "JOIN toy1", "ORDERS toy1 red\nBID 1\nEND"):
        shared.post(text, sender=EVE, headers=stamp("fail"))
    crowd(shared, 105, domains=5)
    shared.answer()
    assert shared.mails(EVE) == []

    shared.post("hello", sender=EVE, headers=stamp("pass"))
    shared.answer()
    assert len(shared.mails(EVE)) == 1


@pytest.mark.sampled(1)
def test_forged_wishes_to_play_are_bounded(shared: Desk) -> None:
    """Each JOIN would be mailed a code; for those that are not answered, none is drawn."""
    form(shared, "red", name="toy2", open_seats=1, signup="on")
    crowd(shared, 105, domains=5, text="JOIN toy2")

    assert shared.answer().processed.unanswered == 5
    assert answered(shared).total() == 100


@pytest.mark.sampled(1)
def test_forged_wishes_to_play_shut_out_no_others(shared: Desk) -> None:
    """Forged JOINs use up neither the answers to HELP nor those to senders vouched for, even of the same domain."""
    believing(shared)
    form(shared, "red", name="toy2", open_seats=1, signup="on")
    crowd(shared, 105, domains=3, text="JOIN toy2")
    shared.answer()
    shared.post("HELP", sender="new@example.info")
    shared.post("JOIN toy2", sender="eve@0.example.net", headers=stamp("pass"))
    shared.answer()

    assert len(shared.mails("new@example.info")) == 1
    assert "CONFIRM" in shared.last("eve@0.example.net").as_string()


@pytest.mark.sampled(1)
def test_newcomers_beyond_the_limit_are_listed_for_the_gm(shared: Desk) -> None:
    """The GM is told once a day; the journal lists the addresses, each once, and players do not read them."""
    form(shared, "red", name="toy2", open_seats=1, signup="on")
    crowd(shared, 102, domains=5, text="JOIN toy2")
    shared.answer()
    shared.post("JOIN toy2", sender=EVE)
    shared.post("JOIN toy2", sender=EVE)
    shared.answer()
    told = [mail for mail in shared.mails("gm@example.org") if "were not answered" in str(mail["Subject"])]

    assert len(told) == 1
    assert "pbem journal toy2" in text_of(told[0])
    with shared.app.store.reading() as session:
        listed = session.execute(
            select(JournalEntry.text, JournalEntry.secret).where(JournalEntry.text.startswith("not answered today"))
        ).all()
    assert [tuple(row) for row in listed] == [
        ("not answered today: s100@0.example.net asked to join", True),
        ("not answered today: s101@1.example.net asked to join", True),
        (f"not answered today: {EVE} asked to join", True),
    ]


@pytest.mark.sampled(1)
def test_the_list_of_newcomers_ends(shared: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flood does not fill the journal."""
    monkeypatch.setattr("pbem.inbox.account_commands.MOST_LISTED", 3)
    form(shared, "red", name="toy2", open_seats=1, signup="on")
    crowd(shared, 110, domains=5, text="JOIN toy2")
    shared.answer()

    with shared.app.store.reading() as session:
        listed = session.scalars(
            select(JournalEntry.text).where(JournalEntry.text.startswith("not answered today"))
        ).all()
    assert len(listed) == 3


@pytest.mark.sampled(1)
def test_the_note_on_an_unanswered_message_says_so(shared: Desk) -> None:
    """Every message that was left unanswered has a note that says why."""
    believing(shared)
    form(shared, "red", name="toy2", open_seats=1, signup="on")
    crowd(shared, 105, domains=5, text="JOIN toy2")
    for _ in range(5):
        shared.post("JOIN toy2", sender=EVE, headers=stamp("pass"))
    shared.answer()

    with shared.app.store.reading() as session:
        rows = session.execute(select(InboxMessage.note, InboxMessage.unanswered)).all()
    notes = [note for note, unanswered in rows if unanswered]
    assert len(notes) == 7
    assert all("not answered: " in note for note in notes), notes
    assert not any("; answered" in note for note in notes), notes


def test_a_message_brings_each_report_once(shared: Desk) -> None:
    """A message brings each report once, however often it asks for it."""
    shared.post(f"PLAYER toy1 red {token(shared)}\n" + "RESEND\n" * 20 + "END")
    before = len(shared.mails(ANN))
    shared.answer()

    assert len(shared.mails(ANN)) - before == 2


def test_messages_without_a_key_bring_three_reports_a_day(shared: Desk) -> None:
    """Messages without proof bring three reports a day; with a token or by reply the player still gets theirs."""
    for _ in range(6):
        shared.post("RESEND")
    shared.answer()
    assert resent(shared) == 3

    ask(shared, f"PLAYER toy1 red {token(shared)}\nRESEND\nEND")
    assert resent(shared) == 4


def resent(desk: Desk) -> int:
    """Return the number of reports sent again."""
    with desk.app.store.reading() as session:
        return len(session.scalars(select(OutgoingMail.id).where(OutgoingMail.kind == "resent")).all())


def test_messages_without_a_key_bring_three_codes_a_day(shared: Desk) -> None:
    """Messages without proof bring three codes a day; with a token the player still gets one."""
    shared.post("\n".join(f"ADDRESS a{number}@example.net" for number in range(12)))
    shared.answer()
    assert codes(shared) == 3

    ask(shared, f"PLAYER toy1 red {token(shared)}\nADDRESS ann@example.net\nEND")
    assert codes(shared) == 4


def codes(desk: Desk) -> int:
    """Return the number of mails to Ann with a code that confirms something."""
    return sum("CONFIRM" in mail.as_string() for mail in desk.mails(ANN))


def test_answers_to_forged_messages_do_not_use_up_a_players_own(shared: Desk) -> None:
    """After 25 messages in a player's name, one with the player's token is still answered."""
    for number in range(25):
        shared.post(f"hello {number}")
    shared.answer()

    assert "toy1" in ask(shared, f"PLAYER toy1 red {token(shared)}\nSTATUS\nEND")
