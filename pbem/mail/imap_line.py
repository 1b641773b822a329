"""Connection to an IMAP server that ends by itself: the whole exchange has one limit of time and one of size."""

from __future__ import annotations

import imaplib
import ssl
from typing import Any

from imapclient import IMAPClient, SocketTimeout

from pbem.mail.bounded import Allowance, BoundedReader
from pbem.mail.connection import ANSWER_SECONDS, CONNECT_SECONDS

EXCHANGE_SECONDS = 120
"""How long a server may take for all that it sends in one poll. What is not read then is read by the next."""

EXCHANGE_BYTES = 256_000_000
"""How many bytes it may send in one poll."""

LITERAL_BYTES = 32_000_000
"""How many of them as one mail, or as any other literal; more than `MAX_GM_MAIL`."""

_LINE_BYTES = 1_000_000


class _Bounded(imaplib.IMAP4):
    """IMAP4 with bounded reading."""

    _reader: BoundedReader | None = None

    def read(self, size: int) -> bytes:
        """Return so many bytes of a literal."""
        if size > LITERAL_BYTES:
            raise ConnectionError(f"it announces {size:,} bytes at once, more than {LITERAL_BYTES:,}")
        return self._bounded().read(size)

    def readline(self) -> bytes:
        """Return a line."""
        said = self._bounded().readline(_LINE_BYTES + 1)
        if len(said) > _LINE_BYTES:
            raise self.error(f"it sends a line of more than {_LINE_BYTES:,} bytes")
        return said

    def _bounded(self) -> BoundedReader:
        before, line = self._reader, self.sock
        if before is None:
            allowance = Allowance(EXCHANGE_SECONDS, EXCHANGE_BYTES, wait=ANSWER_SECONDS)
            self._reader = BoundedReader(line, allowance)
        elif before.line is not line:
            # After STARTTLS: what was received before, by whomever it was sent, is forgotten (RFC 9051, 6.2.1).
            self._reader = BoundedReader(line, before.allowance)
        assert self._reader is not None
        return self._reader


class _BoundedTls(_Bounded, imaplib.IMAP4_SSL):
    """The same over TLS from the first byte."""


class BoundedClient(IMAPClient):  # type: ignore[misc]
    """IMAPClient whose whole exchange with the server has a limit of time and size."""

    def __init__(self, host: str, port: int, *, tls: bool, context: ssl.SSLContext) -> None:
        timeout = SocketTimeout(CONNECT_SECONDS, ANSWER_SECONDS)
        super().__init__(host, port, ssl=tls, ssl_context=context if tls else None, timeout=timeout)

    def _create_IMAP4(self) -> Any:  # noqa: N802 - named by the library
        if self.ssl:
            return _BoundedTls(self.host, self.port, ssl_context=self.ssl_context, timeout=CONNECT_SECONDS)
        return _Bounded(self.host, self.port, timeout=CONNECT_SECONDS)
