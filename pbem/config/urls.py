"""Where mail comes from and goes to, as a URL."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

from pbem.config.file import FILE_NAME
from pbem.errors import ConfigError

INBOXES = ("maildir", "imap", "imap+starttls", "imaps")
CARRIERS = ("maildir", "smtp", "smtp+starttls", "smtps")

_PASSWORD = re.compile(r"(://[^/@:]*+):[^/]*@")
_PORTS = {"imap": 143, "imap+starttls": 143, "imaps": 993, "smtp": 25, "smtp+starttls": 587, "smtps": 465}


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class PostUrl:
    """An inbox or carrier URL, taken apart. A Maildir has a `path`, a server the rest."""

    scheme: str
    path: str = ""
    user: str = ""
    host: str = ""
    port: int = 0
    folder: str = ""

    @property
    def tls(self) -> bool:
        """Whether TLS begins with the connection (RFC 8314)."""
        return self.scheme in ("imaps", "smtps")

    @property
    def starttls(self) -> bool:
        """Whether the connection must be raised to TLS before anything else."""
        return self.scheme.endswith("+starttls")

    @property
    def private(self) -> bool:
        """Whether a password may be sent: over TLS, or inside this machine."""
        return self.tls or self.starttls or self.host == "localhost" or _is_loopback(self.host)

    @property
    def server(self) -> str:
        """Host and port in words."""
        return f"{self.host}:{self.port}"


def read_post_url(text: str, setting: str, schemes: tuple[str, ...]) -> PostUrl:
    """An inbox or carrier URL, taken apart. Raises ConfigError naming the setting and what is allowed."""
    if text.startswith("maildir:") and "maildir" in schemes:
        path = text.removeprefix("maildir:")
        if not path:
            raise ConfigError(f'{FILE_NAME}: {setting} names no folder; write "maildir:post/{setting}"')
        return PostUrl("maildir", path=path)
    parts = split_url(text, setting)
    if parts.scheme not in schemes or parts.scheme == "maildir" or not parts.hostname:
        allowed = ", ".join("maildir:folder" if name == "maildir" else f"{name}://user@host" for name in schemes)
        raise ConfigError(f"{FILE_NAME}: {setting} is {masked_url(text)!r}; possible are {allowed}")
    if parts.password is not None:
        raise ConfigError(f"{FILE_NAME}: {setting} must not hold a password; use {setting}_password")
    folder = unquote(parts.path.strip("/")) or "INBOX"
    return PostUrl(
        parts.scheme,
        user=unquote(parts.username or ""),
        host=parts.hostname,
        port=parts.port or _PORTS[parts.scheme],
        folder=folder if parts.scheme.startswith("imap") else "",
    )


def split_url(text: str, setting: str) -> SplitResult:
    try:
        parts = urlsplit(text)
        _ = parts.port  # read here because a bad number shows only then
    except ValueError as error:
        raise ConfigError(f"{FILE_NAME}: {setting} is not a URL: {error}") from None
    return parts


def masked_url(url: str) -> str:
    return _PASSWORD.sub(r"\1:…@", url)
