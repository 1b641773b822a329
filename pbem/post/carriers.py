"""Where mail goes: one narrow seam, with a local folder or an SMTP server behind it."""

from __future__ import annotations

import contextlib
import re
import smtplib
import socket
from collections.abc import Iterator
from typing import Protocol

from pbem.config import Settings
from pbem.errors import CarrierDown, PermanentPostError, PostError, TemporaryPostError
from pbem.post.connecting import ANSWER_SECONDS, login, tls_context
from pbem.post.maildir import MaildirCarrier

_ENHANCED = re.compile(r"[245]\.\d{1,3}\.\d{1,3}")
_SENDABLE = re.compile(r"[!-~]+@[!-~]+")


class Carrier(Protocol):
    """Takes mail, one recipient at a time.

    `send` raises PermanentPostError if this mail will never pass, CarrierDown
    if no mail passes now, and otherwise TemporaryPostError.
    """

    def send(self, recipient: str, raw: bytes) -> str:
        """Hands a complete mail over; returns the other side's reply."""

    def close(self) -> None:
        """Ends the connection; never raises."""


def open_carrier(settings: Settings) -> Carrier:
    """The carrier of the settings. It connects with the first mail."""
    url = settings.carrier_url
    if url.scheme == "maildir":
        return MaildirCarrier(settings.home / url.path)
    return SmtpCarrier(settings)


class SmtpCarrier:
    """One kept SMTP connection; made anew once when the server has closed it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._url = settings.carrier_url
        self._smtp: smtplib.SMTP | None = None

    def send(self, recipient: str, raw: bytes) -> str:
        """Hands a mail over; returns the server's reply, which holds its queue number."""
        if not _SENDABLE.fullmatch(recipient):
            raise PermanentPostError(f"mail cannot be sent to {recipient!r}, which is not a plain address")
        with self._worded():
            smtp = self._addressed(recipient)
            smtp.send(_content(raw))
            return self._passed(*smtp.getreply(), what="the mail")

    def greet(self) -> None:
        """Connects, says EHLO and logs in, if there is no connection yet; sends nothing. Raises PostError."""
        with self._worded():
            self._smtp = self._smtp or self._connect()

    def close(self) -> None:
        """Says goodbye if there is anyone to say it to."""
        smtp, self._smtp = self._smtp, None
        if smtp is not None:
            with contextlib.suppress(smtplib.SMTPException, OSError):
                smtp.quit()
            smtp.close()

    def _addressed(self, recipient: str) -> smtplib.SMTP:
        """The connection, awaiting the mail. A connection gone stale shows here, before any mail was sent."""
        if self._smtp is not None:
            with contextlib.suppress(smtplib.SMTPServerDisconnected, OSError, CarrierDown):
                return self._envelope(self._smtp, recipient)
            self.close()
        self._smtp = self._connect()
        return self._envelope(self._smtp, recipient)

    def _envelope(self, smtp: smtplib.SMTP, recipient: str) -> smtplib.SMTP:
        """Brings a connection to where it awaits the mail, or leaves no reply unread on it."""
        sender = self._settings.address
        replies = _replies(smtp, f"MAIL FROM:<{sender}>", f"RCPT TO:<{recipient}>", "DATA")
        code, reply = next(replies)
        if code != 250:
            raise CarrierDown(f"{self._url.server} refuses mail from {sender}: {_said(code, reply)}")
        code, reply = next(replies)
        if code >= 400 and code != 421 and next(replies)[0] == 354:
            smtp.close()  # without a recipient it awaits a mail all the same
        self._passed(code, reply, what=recipient)
        code, reply = next(replies)
        if code != 354:
            raise smtplib.SMTPDataError(code, reply)
        return smtp

    def _passed(self, code: int, reply: bytes, *, what: str) -> str:
        said = _said(code, reply)
        if 200 <= code < 300:
            return said
        raise _failure(code, said)(f"{self._url.server} refuses {what}: {said}")

    def _connect(self) -> smtplib.SMTP:
        url, context = self._url, tls_context(self._settings)
        credentials = login(url, self._settings.carrier_password, "carrier")
        smtp = (
            smtplib.SMTP_SSL(url.host, url.port, timeout=ANSWER_SECONDS, context=context)
            if url.tls
            else smtplib.SMTP(url.host, url.port, timeout=ANSWER_SECONDS)
        )
        try:
            # A mail greater than a TLS record goes out in two writes; Nagle would hold the second for 40 ms.
            assert smtp.sock is not None
            smtp.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if url.starttls:
                smtp.starttls(context=context)
            smtp.ehlo_or_helo_if_needed()
            if credentials:
                smtp.login(*credentials)
        except BaseException:
            smtp.close()
            raise
        return smtp

    @contextlib.contextmanager
    def _worded(self) -> Iterator[None]:
        """Every failure becomes a PostError, and the connection is left fit for the next mail or closed."""
        try:
            yield
        except CarrierDown:
            self.close()
            raise
        except PostError:
            self._reset()
            raise
        except smtplib.SMTPAuthenticationError as error:
            said = _said(error.smtp_code, error.smtp_error)
            raise CarrierDown(
                f"{self._url.server} refuses the login of {self._url.user}: {said}; look at carrier_password"
            ) from None
        except smtplib.SMTPResponseException as error:
            self.close()
            said = _said(error.smtp_code, error.smtp_error)
            raise _failure(error.smtp_code, said)(f"{self._url.server} refuses: {said}") from None
        except (smtplib.SMTPException, OSError) as error:
            self.close()
            raise CarrierDown(f"{self._url.server} cannot be used: {error}") from None

    def _reset(self) -> None:
        try:
            if self._smtp is not None:
                self._smtp.rset()
        except (smtplib.SMTPException, OSError):
            self.close()


def _replies(smtp: smtplib.SMTP, *commands: str) -> Iterator[tuple[int, bytes]]:
    """The reply to each command, in one round trip where the server allows that (PIPELINING, RFC 2920)."""
    if not smtp.has_extn("pipelining"):
        yield from map(smtp.docmd, commands)
        return
    smtp.send("".join(f"{command}\r\n" for command in commands))
    for _ in commands:
        yield smtp.getreply()


def _content(raw: bytes) -> bytes:
    """A mail as it goes over the line: dots that begin a line doubled, a lone one after all (RFC 5321, 4.5.2)."""
    end = b".\r\n" if raw.endswith(b"\r\n") else b"\r\n.\r\n"
    return (b"." if raw.startswith(b".") else b"") + raw.replace(b"\r\n.", b"\r\n..") + end


def _said(code: int, reply: bytes | str) -> str:
    text = reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply
    return f"{code} {' '.join(text.split())}"


def _failure(code: int, said: str) -> type[PostError]:
    """What a refusal means (RFC 5321, 3463).

    421, 454 and 5.4.5 (a spent quota) hold for all mail; 5.7.z is a policy that may be lifted.
    """
    enhanced = _ENHANCED.search(said)
    status = enhanced[0] if enhanced else ""
    if code in (421, 454) or status == "5.4.5":
        return CarrierDown
    if code >= 500 and not status.startswith("5.7."):
        return PermanentPostError
    return TemporaryPostError
