"""What IMAP and SMTP connections share: certificates and logins."""

from __future__ import annotations

import ssl

from pbem.config import PostUrl, Secret, Settings
from pbem.errors import ConfigError

CONNECT_SECONDS = 15
"""How long a server may take to be reached."""

ANSWER_SECONDS = 60
"""How long a server may take for one answer."""


def tls_context(settings: Settings) -> ssl.SSLContext:
    """A context that checks certificate and host name, against `tls_ca` if set. Raises ConfigError."""
    try:
        return ssl.create_default_context(cafile=settings.tls_ca)
    except OSError as error:
        raise ConfigError(f"the certificates in tls_ca, {settings.tls_ca}, cannot be used: {error.strerror}") from None


def login(url: PostUrl, secret: Secret | None, setting: str) -> tuple[str, str] | None:
    """User and password for a server, None where the URL names no user. `setting` is "inbox" or "carrier".

    Raises ConfigError when the password cannot be had, or would be sent in the clear.
    """
    if not url.user:
        return None
    if not url.private:
        safe = f"{url.scheme}+starttls:// or {url.scheme}s://"
        raise ConfigError(f"{setting} would send the password to {url.host} unencrypted; use {safe}")
    if secret is None:
        raise ConfigError(f'{setting} names the user {url.user}; write {setting}_password = {{ env = "NAME" }} as well')
    return url.user, secret.read(f"{setting}_password")
