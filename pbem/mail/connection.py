"""Certificates, logins, and limits of what a server sends, which IMAP and SMTP connections share.

The timeout of a socket is one of each wait alone: a server that sends a byte a second never exceeds it. And the
libraries ask for as many bytes as a server announces.
"""

from __future__ import annotations

import re
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from pbem.config import Settings
from pbem.config_values import MailUrl, Secret
from pbem.errors import ConfigError, MailError, PermanentMailError, TemporaryMailError, TransportUnavailable
from pbem.util import redact_secrets

CONNECT_SECONDS = 15
"""Timeout of a connection attempt."""

ANSWER_SECONDS = 60
"""Timeout of one reply."""

# The form in which Google and others show an app password: four groups of four.
_APP_PASSWORD = re.compile(r"[a-z0-9]{4}(?: [a-z0-9]{4}){3}")


@dataclass(frozen=True, slots=True)
class Login:
    """Credentials for a server: a user with a password or, if `oauth`, an access token.

    `setting` is the name of the setting that has the secret.
    """

    user: str
    secret: str = field(repr=False)
    setting: str
    oauth: bool = False

    @property
    def spellings(self) -> tuple[str, ...]:
        """The password as given; an app password (four groups of four) also without its blanks."""
        if _APP_PASSWORD.fullmatch(self.secret):
            return self.secret, self.secret.replace(" ", "")
        return (self.secret,)

    def xoauth2(self, challenge: bytes | None = None) -> str:
        """Return the XOAUTH2 response; "" to a challenge, by which a server reports a refusal."""
        return "" if challenge else f"user={self.user}\1auth=Bearer {self.secret}\1\1"

    def word_refusal(self, server: str, said: str) -> str:
        """Return the sentence for a login that the server refuses."""
        what = "access token" if self.oauth else "login"
        return f"{server} refuses the {what} of {self.user}: {said}; look at {self.setting}"


def word_error(error: Exception) -> str:
    """Return the words of an error of a server or of its connection, without secrets."""
    if isinstance(error, ssl.SSLError) and error.reason == "WRONG_VERSION_NUMBER":
        return "it speaks no TLS at once on this port; use +starttls, as in imap+starttls, or port 993 or 465"
    said = str(error)
    if said.startswith(("b'", 'b"')):  # as imaplib and imapclient 4.1 pass on what a server has said
        inside, _, rest = said[2:].rpartition(said[1])
        said = f"{inside}{rest}".replace("\\'", "'")
    return redact_secrets(said)


def tls_context(settings: Settings) -> ssl.SSLContext:
    """Return a context that checks certificate and host name, against `tls_ca` if set.

    Raises:
        ConfigError: The file of `tls_ca` cannot be used.
    """
    try:
        return ssl.create_default_context(cafile=settings.tls_ca)
    except OSError as error:
        raise ConfigError(f"the certificates in tls_ca, {settings.tls_ca}, cannot be used: {error.strerror}") from None


def login_for(settings: Settings, name: Literal["inbox", "carrier"]) -> Login | None:
    """Return the login of the inbox or the carrier; None if the URL names no user. A token is fetched on each call.

    Raises:
        ConfigError: The secret cannot be read, or would be sent unencrypted.
    """
    url, secret, setting = _url_and_secret(settings, name)
    if not url.user:
        return None
    if not url.private:
        safe = f"{url.scheme}+starttls:// or {url.scheme}s://"
        raise ConfigError(f"{name} would send the password to {url.host} unencrypted; use {safe}")
    if secret is None:
        raise ConfigError(f'{name} names the user {url.user}; write {name}_password = {{ env = "NAME" }} as well')
    return Login(url.user, secret.read(setting), setting, oauth=setting.endswith("_oauth"))


def _url_and_secret(settings: Settings, name: Literal["inbox", "carrier"]) -> tuple[MailUrl, Secret | None, str]:
    """Return the URL, the secret, and the name of the setting that has it."""
    if name == "inbox":
        url, password, token = settings.inbox_url, settings.inbox_password, settings.inbox_oauth
    else:
        url, password, token = settings.carrier_url, settings.carrier_password, settings.carrier_oauth
    return (url, token, f"{name}_oauth") if token is not None else (url, password, f"{name}_password")


def log_in(
    login: Login, by_token: Callable[..., object], by_password: Callable[[str, str], object], refusal: type[Exception]
) -> None:
    """Log in with the token by XOAUTH2, or attempt each spelling of the password; raise the last refusal."""
    if login.oauth:
        by_token("XOAUTH2", login.xoauth2)
        return
    *others, last = login.spellings
    for spelling in others:
        with suppress(refusal):
            by_password(login.user, spelling)
            return
    by_password(login.user, last)


_STATUS = re.compile(r"(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])")
_TOO_MUCH = re.compile(r"(?<![\d.:])552[ -]")
_CONTENT = re.compile(r"\b(?:content|attachments?|html|virus|malware|too (?:big|large)|size limit)\b", re.IGNORECASE)

_SIZE = ("5.2.3", "5.3.4")
# Statuses that some servers give when they refuse content, and for much else.
_LOOSE = ("5.0.", "5.3.0", "5.7.")

# Gmail's status once the day's quota is spent, whoever the recipient is.
_SPENT_QUOTA = "5.4.5"


def classify_reply(code: int, said: str) -> type[MailError]:
    """Return the exception class for an SMTP reply that refuses mail.

    421, 454 and 5.4.5 (a spent quota) hold for all mail; 5.7.z is a policy that may
    be lifted, unless it is about the content of the mail.
    """
    status = _status(said)
    if code in (421, 454) or status == _SPENT_QUOTA:
        return TransportUnavailable
    if code >= 500 and (not status.startswith("5.7.") or is_content_refusal(said)):
        return PermanentMailError
    return TemporaryMailError


def is_content_refusal(said: str) -> bool:
    """Return True if a permanent refusal is about a mail's size or content, so that less of it might be accepted."""
    status = _status(said)
    if status in _SIZE or status.startswith("5.6."):
        return True
    if status.startswith(_LOOSE):
        return bool(_TOO_MUCH.search(said) or _CONTENT.search(said))
    return not status and bool(_TOO_MUCH.search(said))


def _status(said: str) -> str:
    found = _STATUS.search(said)
    return found[0] if found else ""


class Allowance:
    """The rest of the seconds and bytes of an exchange with a server, and of the `wait` for each of its bytes."""

    def __init__(self, seconds: float, size: int, *, wait: float) -> None:
        self._all, self._most, self._wait = seconds, size, wait
        self._end = time.monotonic() + seconds
        self._left = size

    def next_wait(self) -> float:
        """Return the seconds for which the next bytes may be awaited. Raises TimeoutError if no time is left."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"it has not sent all within {self._all:g} seconds")
        return min(left, self._wait)

    def require(self, size: int) -> None:
        """Raise ConnectionError if the server may not send so many bytes more."""
        if size > self._left:
            raise ConnectionError(f"it sends more than {self._most:,} bytes")

    def spend(self, size: int) -> None:
        """Note that the server has sent so many bytes. Raises ConnectionError if these are too many."""
        self.require(size)
        self._left -= size


class BoundedReader:
    """File of what a server sends on a socket, as imaplib and smtplib read it. Raises OSError beyond the allowance."""

    def __init__(self, line: socket.socket, allowance: Allowance) -> None:
        self.line, self.allowance = line, allowance
        self._heard = bytearray()

    def read(self, size: int) -> bytes:
        """Return so many bytes; fewer if the server hangs up."""
        self.allowance.require(size - len(self._heard))
        while len(self._heard) < size and self._receive():
            pass
        return self._take(size)

    def readline(self, limit: int) -> bytes:
        """Return a line with its end, or the first `limit` bytes of it; b"" if the server has hung up."""
        searched = 0
        while (end := self._heard.find(b"\n", searched) + 1) == 0 and len(self._heard) < limit:
            searched = len(self._heard)
            if not self._receive():
                end = searched
                break
        return self._take(min(end or limit, limit))

    def close(self) -> None:
        """Forget what was received; the socket belongs to the caller."""
        self._heard.clear()

    def _receive(self) -> int:
        self.line.settimeout(self.allowance.next_wait())
        try:
            heard = self.line.recv(65_536)
        except TimeoutError:
            self.allowance.next_wait()  # raises with the reason if it was this that ended
            raise
        self.allowance.spend(len(heard))
        self._heard += heard
        return len(heard)

    def _take(self, size: int) -> bytes:
        taken = bytes(self._heard[:size])
        del self._heard[:size]
        return taken
