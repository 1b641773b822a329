"""Transports for outgoing mail: SMTP connections and DKIM signatures (RFC 6376).

A mail is signed as it is sent; in the outbox it is unsigned. Signing needs the
package dkimpy, which is installed with `pip install 'pbem[dkim]'`.
"""

from __future__ import annotations

import contextlib
import re
import smtplib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from pbem.config import Settings
from pbem.config_values import FILE_NAME, Dkim
from pbem.errors import ConfigError, MailError, MailLost, PermanentMailError, TransportUnavailable
from pbem.mail.connection import (
    ANSWER_SECONDS,
    Allowance,
    BoundedReader,
    Login,
    classify_reply,
    log_in,
    login_for,
    tls_context,
    word_error,
)
from pbem.mail.maildir import MaildirTransport
from pbem.util import redact_secrets

# Header fields that a signature covers. From is covered twice, so that none can be added (RFC 6376, 8.15).
_SIGNED = (
    *("from", "to", "reply-to", "subject", "date", "message-id", "in-reply-to", "references"),
    *("list-id", "list-unsubscribe", "auto-submitted", "mime-version", "content-type", "content-transfer-encoding"),
)

_LIBRARY_MISSING = f"dkim in {FILE_NAME} needs the package dkimpy; install it with: pip install 'pbem[dkim]'"


class DkimSigner:
    """Signs mail with the key of the settings.

    Raises:
        ConfigError: The package is missing, or the key cannot be used.
    """

    def __init__(self, dkim: Dkim) -> None:
        self._library = _library()
        self._dkim = dkim
        try:
            self._key = dkim.key_file.read_bytes()
        except OSError as error:
            raise ConfigError(f"key_file in dkim, {dkim.key_file}, cannot be read: {error.strerror}") from None
        self.sign(b"From: x\r\n\r\n")  # a bad key shows here, before the first mail is claimed

    def sign(self, raw: bytes) -> bytes:
        """Return the mail with a signature before its header."""
        try:
            signature: bytes = self._library.sign(
                raw,
                self._dkim.selector.encode(),
                self._dkim.domain.encode(),
                self._key,
                include_headers=_signed_fields(raw),
                canonicalize=(b"relaxed", b"simple"),
            )
        except (self._library.DKIMException, ValueError, IndexError, TypeError) as error:
            what = f"key_file in dkim, {self._dkim.key_file}, cannot be used to sign"
            raise ConfigError(f"{what}: it must hold an RSA key in PEM form ({type(error).__name__})") from None
        return signature + raw


def verify_signature(signed: bytes, lookup: Callable[..., bytes | None] | None = None) -> bool:
    """Return True if a signature fits the key that is published for it, in DNS or by `lookup`.

    Raises:
        ConfigError: The package is missing.
    """
    library = _library()
    how = {"dnsfunc": lookup} if lookup else {}
    try:
        return bool(library.verify(signed, **how))
    except Exception:  # noqa: BLE001 - the library lets the many errors of its DNS client through
        return False


def _signed_fields(raw: bytes) -> list[bytes]:
    head = raw.partition(b"\r\n\r\n")[0].lower().split(b"\r\n")
    there = {line.partition(b":")[0].decode("ascii", "replace") for line in head}
    return [b"from", *(name.encode() for name in _SIGNED if name in there)]


def _library() -> Any:
    try:
        import dkim
    except ModuleNotFoundError:
        raise ConfigError(_LIBRARY_MISSING) from None
    return dkim


# An address that fits into a command: it cannot end the command. Letters beyond ASCII need SMTPUTF8 (RFC 6531).
_SENDABLE = re.compile(r"\A(?=[^@]++@.)[^\s\x00-\x1f\x7f-\x9f]++")


class Transport(Protocol):
    """Interface for sending mail, one recipient at a time.

    `send` raises PermanentMailError if this mail will never be accepted,
    TransportUnavailable if no mail is accepted now, and otherwise TemporaryMailError.
    """

    def send(self, recipient: str, raw: bytes) -> str:
        """Hand over a complete mail; return the server's reply."""

    def close(self) -> None:
        """End the connection; never raise."""


def open_transport(settings: Settings) -> Transport:
    """Return the transport of the settings. It connects with the first mail.

    Raises:
        ConfigError: Mail is to be signed, and cannot be.
    """
    url = settings.carrier_url
    carrier: Transport
    if url.scheme == "maildir":
        carrier = MaildirTransport(settings.home / url.path)
    else:
        carrier = SmtpTransport(settings) if settings.connections == 1 else SmtpPool(settings)
    return SigningTransport(carrier, DkimSigner(settings.dkim)) if settings.dkim else carrier


class SigningTransport:
    """Transport that signs each mail and passes it to another one."""

    def __init__(self, carrier: Transport, signer: DkimSigner) -> None:
        self._carrier = carrier
        self._signer = signer

    def send(self, recipient: str, raw: bytes) -> str:
        """Sign a mail and hand it over; return the server's reply."""
        return self._carrier.send(recipient, self._signer.sign(raw))

    def close(self) -> None:
        """End the connection."""
        self._carrier.close()


class SmtpPool:
    """A kept SMTP connection for each thread that sends."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._own = threading.local()
        self._all: list[SmtpTransport] = []

    def send(self, recipient: str, raw: bytes) -> str:
        """Hand over a mail on the thread's own connection; return the server's reply."""
        if not hasattr(self._own, "carrier"):
            self._own.carrier = SmtpTransport(self._settings)
            self._all.append(self._own.carrier)
        carrier: SmtpTransport = self._own.carrier
        return carrier.send(recipient, raw)

    def close(self) -> None:
        """Close all connections, once no thread sends any more."""
        for carrier in self._all:
            carrier.close()


REPLY_BYTES = 65_536
"""How many bytes a server may send as one reply, however many lines that has."""


ACCEPT_SECONDS = 300
"""Seconds that a server may take to accept a mail. Filters work then; a mail given up too soon arrives twice.

RFC 5321 (4.5.3.2.6) has ten minutes; Postfix gives a filter five (milter_content_timeout).
"""


class _Bounded(smtplib.SMTP):
    """SMTP whose every reply has a limit of time and size."""

    def getreply(self, *, accepting: bool = False) -> tuple[int, bytes]:
        """Return the code and the text of the next reply."""
        seconds = ACCEPT_SECONDS if accepting else ANSWER_SECONDS
        allowance = Allowance(seconds, REPLY_BYTES, wait=seconds)
        if isinstance(self.file, BoundedReader):
            self.file.allowance = allowance
        else:
            assert self.sock is not None
            self.file = BoundedReader(self.sock, allowance)
        return super().getreply()


class _BoundedTls(_Bounded, smtplib.SMTP_SSL):
    """The same over TLS from the first byte."""


class SmtpTransport:
    """One kept SMTP connection; reopened once when the server has closed it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._url = settings.carrier_url
        self._smtp: _Bounded | None = None

    def send(self, recipient: str, raw: bytes) -> str:
        """Hand over a mail; return the server's reply, which holds its queue id."""
        if not _SENDABLE.fullmatch(recipient):
            raise PermanentMailError(f"mail cannot be sent to {recipient!r}, which is not a plain address")
        with self._translate_errors():
            smtp = self._begin_mail(recipient)
            return self._require_success(*self._hand_over(smtp, raw), what="the mail")

    def _hand_over(self, smtp: _Bounded, raw: bytes) -> tuple[int, bytes]:
        """Return the reply to a mail. Raises MailLost if there is none: a filter may fail at this mail alone."""
        try:
            smtp.send(_stuff_dots(raw))
            return smtp.getreply(accepting=True)
        except (smtplib.SMTPServerDisconnected, OSError) as error:
            self.close()
            raise MailLost(f"{self._url.server} gave no reply to the mail: {word_error(error)}") from None

    def greet(self) -> None:
        """Connect, say EHLO and log in, unless connected already; send no mail.

        Raises:
            MailError: The server cannot be used.
        """
        with self._translate_errors():
            self._smtp = self._smtp or self._connect()

    def close(self) -> None:
        """Say QUIT if there is a connection."""
        smtp, self._smtp = self._smtp, None
        if smtp is not None:
            with contextlib.suppress(smtplib.SMTPException, OSError):
                smtp.quit()
            smtp.close()

    def _begin_mail(self, recipient: str) -> _Bounded:
        """Return the connection after DATA. A stale connection shows here, before any mail was sent."""
        if self._smtp is not None:
            # TransportUnavailable too: with 421 a server ends a connection that was idle for too long (RFC 5321, 3.8).
            with contextlib.suppress(smtplib.SMTPServerDisconnected, OSError, TransportUnavailable):
                return self._envelope(self._smtp, recipient)
            self.close()
        self._smtp = self._connect()
        return self._envelope(self._smtp, recipient)

    def _envelope(self, smtp: _Bounded, recipient: str) -> _Bounded:
        """Bring a connection to where it awaits the mail, or leave no reply unread on it."""
        sender, plain = self._settings.address, recipient.isascii()
        if not plain and not smtp.has_extn("smtputf8"):
            raise PermanentMailError(f"{self._url.server} takes no mail for {recipient}: it does not offer SMTPUTF8")
        smtp.command_encoding = "ascii" if plain else "utf-8"
        replies = _replies(
            smtp, f"MAIL FROM:<{sender}>{'' if plain else ' SMTPUTF8'}", f"RCPT TO:<{recipient}>", "DATA"
        )
        code, reply = next(replies)
        if code != 250:  # all mail has this sender
            raise TransportUnavailable(f"{self._url.server} refuses mail from {sender}: {_format_reply(code, reply)}")
        code, reply = next(replies)
        if code >= 400 and code != 421 and next(replies)[0] == 354:
            smtp.close()  # it has accepted DATA without a recipient, and now awaits a mail
        self._require_success(code, reply, what=recipient)
        code, reply = next(replies)
        if code != 354:
            raise smtplib.SMTPDataError(code, reply)
        return smtp

    def _require_success(self, code: int, reply: bytes, *, what: str) -> str:
        said = _format_reply(code, reply)
        if 200 <= code < 300:
            return said
        raise classify_reply(code, said)(f"{self._url.server} refuses {what}: {said}")

    def _connect(self) -> _Bounded:
        url, context = self._url, tls_context(self._settings)
        login = login_for(self._settings, "carrier")
        smtp = (
            _BoundedTls(url.host, url.port, timeout=ANSWER_SECONDS, context=context)
            if url.tls
            else _Bounded(url.host, url.port, timeout=ANSWER_SECONDS)
        )
        try:
            # A mail larger than a TLS record is sent in two writes; Nagle's algorithm would hold the second for 40 ms.
            assert smtp.sock is not None
            smtp.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if url.starttls:
                smtp.starttls(context=context)
            smtp.ehlo_or_helo_if_needed()
            if login:
                _log_in(smtp, login, url.server)
        except BaseException:
            smtp.close()
            raise
        return smtp

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Turn every failure into a MailError; leave the connection fit for the next mail, or close it."""
        try:
            yield
        except (TransportUnavailable, MailLost):
            self.close()
            raise
        except MailError:
            self._reset()
            raise
        except smtplib.SMTPResponseException as error:
            self.close()
            said = _format_reply(error.smtp_code, error.smtp_error)
            raise classify_reply(error.smtp_code, said)(f"{self._url.server} refuses: {said}") from None
        except (smtplib.SMTPException, OSError) as error:
            self.close()
            raise TransportUnavailable(f"{self._url.server} cannot be used: {word_error(error)}") from None

    def _reset(self) -> None:
        try:
            if self._smtp is not None:
                self._smtp.rset()
        except (smtplib.SMTPException, OSError):
            self.close()


def _log_in(smtp: smtplib.SMTP, login: Login, server: str) -> None:
    """Log in with the password, or the token by XOAUTH2.

    Raises:
        TransportUnavailable: The server refuses; the message is a sentence for the GM.
    """
    try:
        log_in(login, smtp.auth, smtp.login, smtplib.SMTPAuthenticationError)
    except smtplib.SMTPAuthenticationError as error:
        raise TransportUnavailable(
            login.word_refusal(server, _format_reply(error.smtp_code, error.smtp_error))
        ) from None
    except UnicodeError:
        raise TransportUnavailable(
            login.word_refusal(server, "user or password has a letter that SMTP does not know")
        ) from None


def _replies(smtp: smtplib.SMTP, *commands: str) -> Iterator[tuple[int, bytes]]:
    """Yield the reply to each command, in one round trip where the server allows that (PIPELINING, RFC 2920)."""
    if not smtp.has_extn("pipelining"):
        yield from map(smtp.docmd, commands)
        return
    smtp.send("".join(f"{command}\r\n" for command in commands))
    for _ in commands:
        yield smtp.getreply()


def _stuff_dots(raw: bytes) -> bytes:
    """Return a mail as DATA sends it: dots that begin a line doubled, a lone one at the end (RFC 5321, 4.5.2)."""
    end = b".\r\n" if raw.endswith(b"\r\n") else b"\r\n.\r\n"
    return (b"." if raw.startswith(b".") else b"") + raw.replace(b"\r\n.", b"\r\n..") + end


def _format_reply(code: int, reply: bytes | str) -> str:
    text = reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply
    return redact_secrets(f"{code} {' '.join(text.split())}")
