"""Mail that was refused for good, or bounced, goes another way before it counts as lost."""

from __future__ import annotations

import datetime as dt
import email
import email.policy
from collections.abc import Callable
from email.message import EmailMessage

import pytest
from sqlalchemy import select, update

from pbem.errors import PermanentMailError, TemporaryMailError
from pbem.mail.delivery import deliver_due
from pbem.mail.headers import answered_id
from pbem.mail.message import parse_message
from pbem.store.models import InboxMessage, OutgoingMail, Person
from tests.mail.reports import postfix
from tests.mail.test_outbox import ListCarrier
from tests.toy.home import Desk, text_of

ANN, SECOND, GM = "ann@example.org", "ann@example.net", "gm@example.org"
GONE = "550 5.1.1 no such user"
TOO_BIG = "552 5.3.4 message too big"


@pytest.fixture(autouse=True)
def _campaign(shared: Desk) -> None:
    """Start a campaign on each database, and send its first mail."""


def give_second(desk: Desk) -> None:
    """Register a second address of Ann's."""
    with desk.app.store.writing() as session:
        session.execute(update(Person).where(Person.key == ANN).values(fallback=SECOND))


def queue_again(desk: Desk) -> None:
    """Queue Ann's first report again as on the day it was written."""
    report = (OutgoingMail.recipient == ANN) & (OutgoingMail.kind == "report")
    with desk.app.store.writing() as session:
        session.execute(update(OutgoingMail).where(report).values(state="queued", attempts=0, sent_at=None))


def ann_report(desk: Desk) -> OutgoingMail:
    """Return Ann's first report, as it is in the outbox."""
    with desk.app.store.reading() as session:
        person = select(Person.id).where(Person.key == ANN).scalar_subquery()
        return session.scalars(
            select(OutgoingMail).where(OutgoingMail.person_id == person, OutgoingMail.kind == "report")
        ).one()


def refuse(answers: dict[str, str]) -> Callable[[str], None]:
    """Return a hook that refuses mail to these addresses for good, in these words."""

    def before(recipient: str) -> None:
        if recipient in answers:
            raise PermanentMailError(answers[recipient])

    return before


def send(desk: Desk, before: Callable[[str], None]) -> tuple[tuple[int, int, int], list[tuple[str, bytes]]]:
    """Send what is due over a transport that refuses; return how many were sent, deferred and lost, and the mails."""
    carrier = ListCarrier(before)
    sent = deliver_due(desk.app.store, carrier, desk.now)
    return (sent.sent, sent.deferred, sent.failed), carrier.sent


class SmallCarrier(ListCarrier):
    """Transport that takes mail of a few lines, and refuses all that is longer."""

    def send(self, recipient: str, raw: bytes) -> str:
        if len(raw) > 4_000:
            raise PermanentMailError(TOO_BIG)
        return super().send(recipient, raw)


def parsed(raw: bytes) -> EmailMessage:
    """Parse a mail by Python's own parser."""
    message = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(message, EmailMessage)
    return message


def test_a_dead_address_has_a_second(shared: Desk) -> None:
    """A mail refused at the first address goes to the second at once, byte for byte; its row has both answers."""
    give_second(shared)
    queue_again(shared)
    before = ann_report(shared).raw

    assert send(shared, refuse({ANN: GONE})) == ((1, 1, 0), [(SECOND, before)])
    mail = ann_report(shared)
    assert (mail.state, mail.recipient, mail.provider) == ("sent", SECOND, "example.net")
    assert mail.reply == f"{GONE}; sent to {SECOND} instead: 250 queued"


def test_both_addresses_are_dead(shared: Desk) -> None:
    """The second address is tried once; then the mail has failed."""
    give_second(shared)
    queue_again(shared)

    assert send(shared, refuse({ANN: GONE, SECOND: GONE}))[0] == (0, 1, 1)
    assert (ann_report(shared).state, send(shared, refuse({}))[1]) == ("failed", [])


def test_no_second_address(shared: Desk) -> None:
    """Without one, a mail refused for good has failed."""
    queue_again(shared)

    assert send(shared, refuse({ANN: GONE}))[0] == (0, 0, 1)
    assert ann_report(shared).reply == GONE


def test_a_mail_that_is_too_big(shared: Desk) -> None:
    """A report refused for its size goes as text alone, with its subject and reply code."""
    queue_again(shared)
    whole = parsed(ann_report(shared).raw)
    carrier = SmallCarrier()
    deliver_due(shared.app.store, carrier, shared.now)

    ((_, raw),) = carrier.sent
    text = parsed(raw)
    assert (text.get_content_type(), text_of(text)) == ("text/plain", text_of(whole))
    assert (text["Subject"], text["Reply-To"]) == (whole["Subject"], whole["Reply-To"])
    assert (ann_report(shared).form, ann_report(shared).reply) == (
        "text",
        f"{TOO_BIG}; sent as text alone instead: 250 queued",
    )


def test_text_alone_is_another_mail(shared: Desk) -> None:
    """A text has a Message-ID of its own, or a mailbox that knows the report's throws it away as a duplicate."""
    queue_again(shared)
    whole = ann_report(shared)
    carrier = SmallCarrier()
    deliver_due(shared.app.store, carrier, shared.now)

    first, second = whole.message_id, parsed(carrier.sent[0][1])["Message-ID"]
    assert (second == first, answered_id(second), ann_report(shared).message_id) == (False, first, first)


def test_text_alone_that_comes_back(shared: Desk) -> None:
    """A delivery report on a text that names its Message-ID is one on the report."""
    give_second(shared)
    queue_again(shared)
    carrier = SmallCarrier()
    deliver_due(shared.app.store, carrier, shared.now)
    bounce(shared, postfix(parsed(carrier.sent[0][1])["Message-ID"]))

    assert (ann_report(shared).recipient, note(shared).split("; ")[-1]) == (SECOND, f"sent to {SECOND}")


def test_reply_to_text_alone(shared: Desk) -> None:
    """A reply to a text is one to its report, if nothing but In-Reply-To says so."""
    queue_again(shared)
    carrier = SmallCarrier()
    deliver_due(shared.app.store, carrier, shared.now)
    reply = f"From: {ANN}\nIn-Reply-To: {parsed(carrier.sent[0][1])['Message-ID']}\n\nWAIT\n"

    assert parse_message(reply.encode()).references == (ann_report(shared).message_id,)


def test_text_that_is_still_too_big(shared: Desk) -> None:
    """When even the text is refused, it goes to the second address, once."""
    give_second(shared)
    queue_again(shared)

    assert send(shared, refuse({ANN: TOO_BIG, SECOND: TOO_BIG}))[0] == (0, 2, 1)
    mail = ann_report(shared)
    assert (mail.state, mail.form, mail.recipient) == ("failed", "text", SECOND)


def test_a_second_address_has_time_of_its_own(shared: Desk) -> None:
    """A second address that is busy is tried again, however long the first was tried."""
    give_second(shared)
    queue_again(shared)
    shared.now += dt.timedelta(days=30)

    def busy(recipient: str) -> None:
        raise (PermanentMailError(GONE) if recipient == ANN else TemporaryMailError("450 busy"))

    assert send(shared, busy)[0] == (0, 2, 0)


def test_mail_that_came_back_goes_to_the_second_address(shared: Desk) -> None:
    """A delivery report sends a mail to the second address, and the GM is not notified."""
    give_second(shared)
    told = len(shared.mails(GM))
    bounce(shared, postfix(ann_report(shared).message_id))

    assert ann_report(shared).recipient == SECOND
    assert ann_report(shared).state == "sent"
    assert (note(shared).split("; ")[-1], len(shared.mails(GM))) == (f"sent to {SECOND}", told)


def test_the_same_news_twice(shared: Desk) -> None:
    """A second report on the first address says nothing of the second."""
    give_second(shared)
    for _ in range(2):
        bounce(shared, postfix(ann_report(shared).message_id))

    assert (ann_report(shared).state, note(shared).split("; ")[-1]) == ("sent", f"it has gone to {SECOND} since")


def test_mail_that_came_back_from_both(shared: Desk) -> None:
    """A mail that came back from both addresses has bounced, the GM is notified, and the row has the whole story."""
    give_second(shared)
    for address in (ANN, SECOND):
        bounce(shared, postfix(ann_report(shared).message_id, address))

    assert ann_report(shared).state == "bounced"
    assert f"; sent to {SECOND} instead: 550 5.1.1" in ann_report(shared).reply
    assert note(shared).endswith(f"told {GM}")


def bounce(desk: Desk, raw: bytes) -> None:
    """Put a delivery report into the inbox, and tick."""
    inbox = desk.home / "post" / "inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    count = len(list((inbox / "Processed" / "cur").glob("*"))) if (inbox / "Processed").is_dir() else 0
    (inbox / f"report{count}.eml").write_bytes(raw.replace(b"Date: Mon", b"X-Count: %d\nDate: Mon" % count))
    desk.tick()


def note(desk: Desk) -> str:
    """Return the note on the newest message."""
    with desk.app.store.reading() as session:
        return session.scalars(select(InboxMessage.note).order_by(InboxMessage.id.desc())).first() or ""
