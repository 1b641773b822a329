"""Delivery reports in free text, by mail systems without RFC 3464, on a mail of the order address."""

from __future__ import annotations

from tests.mail.reports import returned


def _mail(head: str, body: str) -> bytes:
    return f"{head}To: orders@example.org\n\n{body}".replace("\n", "\r\n").encode()


def exim(message_id: str, recipient: str) -> bytes:
    """Return a report of Exim, with the mail below; Mail.ru and GMX use the same words."""
    head = f"""\
Return-path: <>
X-Failed-Recipients: {recipient}
Auto-Submitted: auto-replied
From: Mail Delivery System <Mailer-Daemon@mx.example.net>
Subject: Mail delivery failed: returning message to sender
"""
    return _mail(
        head,
        f"""\
This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  {recipient}
    SMTP error from remote mail server after RCPT TO:<{recipient}>:
    host mail.example.org [203.0.113.7]: 550 5.1.1 no such user

------ This is a copy of the message, including all the headers. ------

Return-path: <orders@example.org>
{returned(message_id, recipient)}
Round 1.
""",
    )


def qmail(message_id: str, recipient: str) -> bytes:
    """Return a report of qmail, which Yahoo's resemble."""
    return _mail(
        "From: MAILER-DAEMON@mx.example.net\nSubject: failure notice\n",
        f"""\
Hi. This is the qmail-send program at mx.example.net.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<{recipient}>:
203.0.113.7 does not like recipient.
Remote host said: 550 5.1.1 no such user
Giving up on 203.0.113.7.

--- Below this line is a copy of the message.

Return-Path: <orders@example.org>
{returned(message_id, recipient)}
Round 1.
""",
    )


def german(message_id: str, recipient: str) -> bytes:
    """Return a report of 1&1 and GMX in German, with an empty sender."""
    return _mail(
        "From: Mail Delivery System <>\nSubject: =?utf-8?Q?Unzustellbar:_turn_3?=\n"
        "Content-Type: text/plain; charset=utf-8\n",
        f"""\
Ihre Nachricht konnte nicht zugestellt werden an:

"{recipient}":
550 5.1.1 no such user

--- Der Header der Ursprungsnachricht folgt. ---

{returned(message_id, recipient)}
""",
    )


def dragonfly(message_id: str, recipient: str) -> bytes:
    """Return a report of the BSD mailer: no Return-Path, and a sender without an address."""
    return _mail(
        "From: MAILER-DAEMON <>\nSubject: Mail delivery failed\n",
        f"""\
This is the DragonFly Mail Agent v0.13 at mx.example.net.

There was an error delivering your mail to <{recipient}>.

mail.example.org [203.0.113.7] did not like our RCPT TO:
550 5.1.1 no such user

Message headers follow.

{returned(message_id, recipient)}
""",
    )


def in_parts(message_id: str, recipient: str) -> bytes:
    """Return a report of an older Exchange or gateway: words and the mail as parts of a plain multipart."""
    return _mail(
        "From: System Administrator <postmaster@mx.example.net>\nSubject: Undeliverable: turn 3\n"
        'Content-Type: multipart/mixed; boundary="part"\n',
        f"""\
--part
Content-Type: text/html; charset=utf-8

<p>Your message did not reach some or all of the intended recipients.</p>
<p>{recipient} on 11/2/2026 10:00 AM</p><p>550 5.1.1 no such user</p>
--part
Content-Type: message/rfc822

{returned(message_id, recipient)}
--part--
""",
    )


def mixed(message_id: str, recipient: str) -> bytes:
    """Return a report with a status part in a multipart that is not declared as a report."""
    return _mail(
        "Return-Path: <>\nFrom: MAILER-DAEMON@mx.example.net\nSubject: Undelivered\n"
        'Content-Type: multipart/mixed; boundary="part"\n',
        f"""\
--part
Content-Type: text/plain

Sorry.
--part
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; {recipient}
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 no such user

--part
Content-Type: text/plain

{returned(message_id, recipient)}
--part--
""",
    )


WORDED = (exim, qmail, german, dragonfly, in_parts, mixed)


def vacation(message_id: str, recipient: str) -> bytes:
    """Return an automatic reply that quotes the whole mail with its header: it has arrived."""
    return _mail(
        f"Return-Path: <>\nFrom: {recipient}\nSubject: Auto: turn 3\nAuto-Submitted: auto-replied\n"
        f"In-Reply-To: {message_id}\n",
        f"I am at sea until Friday.\n\n----- Your mail was:\n\n{returned(message_id, recipient)}\nRound 1.\n",
    )


def read_receipt(message_id: str, recipient: str) -> bytes:
    """Return a note that a mail was deleted unread (RFC 8098): it has arrived too."""
    return _mail(
        f"Return-Path: <>\nFrom: {recipient}\nSubject: Not read: turn 3\n"
        'Content-Type: multipart/report; report-type=disposition-notification; boundary="part"\n',
        f"""\
--part
Content-Type: text/plain

Your message could not be delivered to me: it was deleted.
--part
Content-Type: message/disposition-notification

Final-Recipient: rfc822; {recipient}
Original-Message-ID: {message_id}
Disposition: automatic-action/MDN-sent-automatically; deleted

--part
Content-Type: message/rfc822

{returned(message_id, recipient)}
--part--
""",
    )


def complaint(message_id: str, recipient: str) -> bytes:
    """Return a note that a reader has called a mail spam (RFC 5965)."""
    return read_receipt(message_id, recipient).replace(b"disposition-notification", b"feedback-report")


def person(message_id: str, recipient: str) -> bytes:
    """Return a mail of a person who tells of a returned mail, and quotes it."""
    report = qmail(message_id, recipient).decode().partition("\r\n\r\n")[2].replace("\r\n", "\n")
    return _mail(f"From: {recipient}\nSubject: what is this?\n", f"I got this from you:\n\n{report}")


ARRIVED = (vacation, read_receipt, complaint, person)
