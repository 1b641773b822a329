"""The test of a mailbox: a mail with a code goes to a GM, and their reply proves the way there and back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import replace

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from pbem.admin.checks import CheckResult, failure, format_utc_minute, ok, warning
from pbem.admin.health import require_active
from pbem.app import App
from pbem.campaign.notices import CampaignMailer, host_mail_key
from pbem.config import Settings
from pbem.config_values import is_server_name
from pbem.mail.authentication import authentication_verdict, test_key, told_of_sender
from pbem.mail.headers import reply_code, require_address
from pbem.mail.outbox import TEST
from pbem.mail.received import suggested_server, taken_at
from pbem.report.small import mailbox_test
from pbem.store.models import InboxMessage, OutgoingMail
from pbem.store.types import UNSENT_STATES, OutgoingState
from pbem.text import cut_at_word
from pbem.util import redact_all

_LONGEST = 300
"""Characters of what a server says of a sender."""


def send_test(app: App, to: str, now: dt.datetime) -> None:
    """Queue the test for an address.

    Raises:
        CampaignError: It is no address that can be written to.
        ConfigError: The home is inactive.
    """
    require_active(app)
    recipient = require_address(to, "the test", app.settings.address)
    with app.store.writing() as session:
        of = (TEST, session.scalar(select(func.count()).where(OutgoingMail.topic == TEST)) or 0)
        code = reply_code(host_mail_key(session), *of)
        mailer, page = CampaignMailer(app), mailbox_test(address=app.settings.address)
        mail = mailer.mail(recipient, page.subject, page, of, code=code, kind=TEST, topic=TEST)
        mailer.send(session, now, replace(mail, code=code))


def check_test(session: Session, settings: Settings) -> Iterator[CheckResult]:
    """Yield what is known of the newest test; nothing if there was none."""
    newest = select(OutgoingMail).where(OutgoingMail.topic == TEST, OutgoingMail.state != OutgoingState.SUPERSEDED)
    mail = session.scalars(newest.order_by(OutgoingMail.id.desc()).limit(1)).first()
    if mail is not None:
        yield _check_mail(mail) or _check_reply(session, settings, mail)


def _check_mail(mail: OutgoingMail) -> CheckResult | None:
    """Return why the test has not arrived; None if it was sent."""
    if mail.state in UNSENT_STATES and mail.sent_at is None:
        said = f": {redact_all(mail.reply)}" if mail.reply else ""
        return warning("test mail", f"that to {mail.recipient} waits to be sent{said}", "run: pbem tick")
    if mail.state in (OutgoingState.FAILED, OutgoingState.BOUNCED):
        how = "came back" if mail.state == OutgoingState.BOUNCED else "was refused"
        said = f"that to {mail.recipient} {how}: {redact_all(mail.reply)}"
        return failure("test mail", said, "look at the address, and at what the server says; then send another")
    return None


def _check_reply(session: Session, settings: Settings, mail: OutgoingMail) -> CheckResult:
    sent = mail.sent_at or mail.created_at
    replies = select(InboxMessage).where(
        InboxMessage.sender == mail.recipient.lower(), InboxMessage.key == test_key(mail.id)
    )
    reply = session.scalars(replies.order_by(InboxMessage.id.desc()).limit(1)).first()
    if reply is None:
        local, _, domain = settings.address.rpartition("@")
        mend = (
            "reply to it as it is, from there, then: pbem tick, and pbem doctor. If you have replied: did it come "
            f"back? Then the mail server does not take mail to {local}+CODE@{domain}. Or is it in the folder for junk?"
        )
        said = f"that to {mail.recipient} went out on {format_utc_minute(sent)}, and no reply has come yet"
        return warning("test mail", said, mend)
    said = f"{mail.recipient} replied: the way there and back works. Sent {format_utc_minute(sent)}"
    came = f"the reply came {format_utc_minute(reply.received_at)}"
    return ok("test mail", f"{said}, {came}. {_describe_stamps(settings, reply)}")


def _describe_stamps(settings: Settings, reply: InboxMessage) -> str:
    """Return what the receiving server wrote on a reply, and the settings that follow from it."""
    taker = settings.received_by or suggested_server(reply.raw)
    told = told_of_sender(reply.raw, taker)
    shown = cut_at_word(" | ".join(told), _LONGEST) if any(told) else "nothing (no Authentication-Results)"
    told_by = settings.authserv_id or (told[0].partition(";")[0].strip().lower() if told else "")
    verdict = authentication_verdict(reply.raw, told_by, reply.sender, taker) if told_by else "none"
    judged = {"pass": "the sender is proved", "fail": "the sender is forged", "none": "it proves no sender"}[verdict]
    wanted = {"received_by": taker if taken_at(reply.raw, taker) else "", "authserv_id": told_by}
    lines = [
        f'{name} = "{value}"'
        for name, value in wanted.items()
        if value and is_server_name(value) and not getattr(settings, name)
    ]
    hint = f". For pbem.toml: {', '.join(lines)}" if lines else ""
    return f"The mail server says of the sender: {redact_all(shown)}; {judged}{hint}"
