"""Delivery reports as mail systems write them, on a mail of the order address."""

from __future__ import annotations

ID = "<mtqbm5dlhvoe6q7b2kznxw3yha@example.org>"


def returned(message_id: str, recipient: str) -> str:
    """Return the returned mail, as far as reports show it."""
    return f"""\
From: "PBEM" <orders@example.org>
To: {recipient}
Subject: [toy1 abcdefghijklmnop] round 1, report for red
Date: Mon, 02 Nov 2026 09:00:00 +0000
Message-ID: {message_id}
Auto-Submitted: auto-generated
X-Pbem-Loop: orders@example.org
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
"""


def postfix(
    message_id: str = ID,
    recipient: str = "ann@example.org",
    *,
    action: str = "failed",
    status: str = "5.1.1",
    diagnostic: str = "smtp; 550 5.1.1 <ann@example.org>: Recipient address rejected:\n    User unknown",
) -> bytes:
    """Return a report of Postfix; with action "delayed", the warning that it keeps trying."""
    return f"""\
Return-Path: <>
Received: by mx.example.net (Postfix) id 4F2B11C0D3; Mon,  2 Nov 2026 10:00:02 +0100 (CET)
Date: Mon,  2 Nov 2026 10:00:02 +0100 (CET)
From: MAILER-DAEMON@mx.example.net (Mail Delivery System)
Subject: Undelivered Mail Returned to Sender
To: orders@example.org
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status;
\tboundary="9A3C61C0D1.1793610002/mx.example.net"
Message-Id: <20261102090002.4F2B11C0D3@mx.example.net>

This is a MIME-encapsulated message.

--9A3C61C0D1.1793610002/mx.example.net
Content-Description: Notification
Content-Type: text/plain; charset=us-ascii

This is the mail system at host mx.example.net.

ORDERS toy1 red
BID 9
END

--9A3C61C0D1.1793610002/mx.example.net
Content-Description: Delivery report
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net
X-Postfix-Queue-ID: 9A3C61C0D1
X-Postfix-Sender: rfc822; orders@example.org
Arrival-Date: Mon,  2 Nov 2026 10:00:00 +0100 (CET)

Final-Recipient: rfc822; {recipient}
Original-Recipient: rfc822;{recipient}
Action: {action}
Status: {status}
Remote-MTA: dns; mail.example.org
Diagnostic-Code: {diagnostic}

--9A3C61C0D1.1793610002/mx.example.net
Content-Description: Undelivered Message
Content-Type: message/rfc822

{returned(message_id, recipient)}
Round 1.

--9A3C61C0D1.1793610002/mx.example.net--
""".replace("\n", "\r\n").encode()


def exchange(message_id: str = ID, recipient: str = "ann@example.org") -> bytes:
    """Return a report of Exchange Online: a page of HTML, and the mail without its text."""
    return f"""\
From: Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@contoso.example>
To: <orders@example.org>
Date: Mon, 2 Nov 2026 09:00:05 +0000
Content-Type: multipart/report; report-type=delivery-status;
 boundary="5c6e7f80-8f8f-4f52-8a55-0e1c9f4b7d11"
Content-Language: en-GB
Message-ID: <2f6f4d3c-52a7-4d19@AM0PR01MB1234.eurprd01.prod.example>
In-Reply-To: {message_id}
References: {message_id}
Subject: Undeliverable: round 1, report for red
Auto-Submitted: auto-replied
MIME-Version: 1.0

--5c6e7f80-8f8f-4f52-8a55-0e1c9f4b7d11
Content-Type: multipart/alternative; differences=Content-Type;
 boundary="0f0d65b5-9c1e-4f0a-8a8a-6a0c1d0f3e22"

--0f0d65b5-9c1e-4f0a-8a8a-6a0c1d0f3e22
Content-Type: text/html; charset="us-ascii"

<html><body><p>Your message couldn't be delivered.</p></body></html>
--0f0d65b5-9c1e-4f0a-8a8a-6a0c1d0f3e22--
--5c6e7f80-8f8f-4f52-8a55-0e1c9f4b7d11
Content-Type: message/delivery-status

Reporting-MTA: dns;AM0PR01MB1234.eurprd01.prod.example
Received-From-MTA: dns;mx.example.net
Arrival-Date: Mon, 2 Nov 2026 09:00:03 +0000

Final-Recipient: rfc822;{recipient}
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup
X-Display-Name: {recipient}

--5c6e7f80-8f8f-4f52-8a55-0e1c9f4b7d11
Content-Type: message/rfc822

Received: from mx.example.net (203.0.113.9) by AM0PR01MB1234.eurprd01.prod.example;
 Mon, 2 Nov 2026 09:00:03 +0000
{returned(message_id, recipient)}
--5c6e7f80-8f8f-4f52-8a55-0e1c9f4b7d11--
""".replace("\n", "\r\n").encode()


def gmail(message_id: str = ID, recipient: str = "ann@example.org") -> bytes:
    """Return a report of Gmail: boundary before type, a picture, and a diagnostic of several lines."""
    return f"""\
Return-Path: <>
From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>
To: orders@example.org
Auto-Submitted: auto-replied
Subject: Delivery Status Notification (Failure)
References: {message_id}
In-Reply-To: {message_id}
X-Failed-Recipients: {recipient}
Message-ID: <6726a1c5.050a0220.2b1d5.0c3a.GMR@mx.google.com>
Date: Mon, 02 Nov 2026 01:00:05 -0800 (PST)
MIME-Version: 1.0
Content-Type: multipart/report; boundary="0000000000008f2a5c0626b1f0aa"; report-type=delivery-status

--0000000000008f2a5c0626b1f0aa
Content-Type: multipart/related; boundary="0000000000008f2a5e0626b1f0ab"

--0000000000008f2a5e0626b1f0ab
Content-Type: text/plain; charset="UTF-8"

** Address not found **

--0000000000008f2a5e0626b1f0ab
Content-Type: image/png; name="icon.png"
Content-Transfer-Encoding: base64
Content-ID: <icon.png>

iVBORw0KGgo=
--0000000000008f2a5e0626b1f0ab--
--0000000000008f2a5c0626b1f0aa
Content-Type: message/delivery-status

Reporting-MTA: dns; googlemail.com
Received-From-MTA: dns; orders@example.org
Arrival-Date: Mon, 02 Nov 2026 01:00:03 -0800 (PST)
X-Original-Message-ID: {message_id}

Final-Recipient: rfc822; {recipient}
Action: failed
Status: 5.1.1
Remote-MTA: dns; mail.example.org. (203.0.113.7, the server for the domain example.org.)
Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try
 550-5.1.1 double-checking the recipient's email address for typos or
 550 5.1.1 unnecessary spaces. - gsmtp
Last-Attempt-Date: Mon, 02 Nov 2026 01:00:05 -0800 (PST)

--0000000000008f2a5c0626b1f0aa
Content-Type: message/rfc822

{returned(message_id, recipient)}
----- Message truncated -----

--0000000000008f2a5c0626b1f0aa--
""".replace("\n", "\r\n").encode()
