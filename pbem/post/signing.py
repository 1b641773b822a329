"""DKIM signatures (RFC 6376), made as a mail goes out: what is kept in the outbox is unsigned.

They need the package dkimpy, which is installed with `pip install 'pbem[dkim]'`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.config_values import FILE_NAME, Dkim
from pbem.errors import ConfigError

_SIGNED = (
    *("from", "to", "reply-to", "subject", "date", "message-id", "in-reply-to", "references"),
    *("list-id", "list-unsubscribe", "auto-submitted", "mime-version", "content-type", "content-transfer-encoding"),
)
"""Header fields that a signature covers. From is covered twice, so that none can be added (RFC 6376, 8.15)."""

_LIBRARY_MISSING = f"dkim in {FILE_NAME} needs the package dkimpy; install it with: pip install 'pbem[dkim]'"


class Signer:
    """Signs mail with the key of the settings. Raises ConfigError where library or key cannot be used."""

    def __init__(self, dkim: Dkim) -> None:
        self._library = _library()
        self._dkim = dkim
        try:
            self._key = dkim.key_file.read_bytes()
        except OSError as error:
            raise ConfigError(f"key_file in dkim, {dkim.key_file}, cannot be read: {error.strerror}") from None
        self.sign(b"From: x\r\n\r\n")  # a key that is none shows before the first mail is claimed

    def sign(self, raw: bytes) -> bytes:
        """The mail with a signature before its header."""
        try:
            signature: bytes = self._library.sign(
                raw,
                self._dkim.selector.encode(),
                self._dkim.domain.encode(),
                self._key,
                include_headers=_covered(raw),
                canonicalize=(b"relaxed", b"simple"),
            )
        except (self._library.DKIMException, ValueError, IndexError, TypeError) as error:
            what = f"key_file in dkim, {self._dkim.key_file}, cannot be used to sign"
            raise ConfigError(f"{what}: it must hold an RSA key in PEM form ({type(error).__name__})") from None
        return signature + raw


def is_valid(signed: bytes, lookup: Callable[..., bytes | None] | None = None) -> bool:
    """Whether a signature fits the key that is published for it, asked of DNS or of `lookup`. Raises ConfigError."""
    library = _library()
    how = {"dnsfunc": lookup} if lookup else {}
    try:
        return bool(library.verify(signed, **how))
    except Exception:  # noqa: BLE001 - the library lets the many errors of its DNS client through
        return False


def _covered(raw: bytes) -> list[bytes]:
    head = raw.partition(b"\r\n\r\n")[0].lower().split(b"\r\n")
    there = {line.partition(b":")[0].decode("ascii", "replace") for line in head}
    return [b"from", *(name.encode() for name in _SIGNED if name in there)]


def _library() -> Any:
    try:
        import dkim
    except ModuleNotFoundError:
        raise ConfigError(_LIBRARY_MISSING) from None
    return dkim
