"""IMAP mailbox, read by imapclient: the whole folder, in batches, moved to Processed when stored.

The folder holds only mail not yet stored, so no cursor is kept, and a changed
UIDVALIDITY does not matter; but for mail that could not be moved, which is known by
UIDVALIDITY, UID and size. Reading sets no flags.

IDLE (RFC 2177) is only a hint to poll sooner. If it fails, the next poll happens
at its usual time.
"""

from __future__ import annotations

import contextlib
import imaplib
import logging
import re
import ssl
import time
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from threading import Event
from typing import Any

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import LoginError

from pbem.config import Settings
from pbem.errors import ConfigError, PbemError, TemporaryMailError
from pbem.log import event
from pbem.mail.connection import (
    ANSWER_SECONDS,
    CONNECT_SECONDS,
    Allowance,
    BoundedReader,
    log_in,
    login_for,
    tls_context,
    word_error,
)
from pbem.mail.imap_folders import Mover, full_name, missing_rights, move_mails, quotas, read_junk
from pbem.mail.mailbox import (
    CUT_TO,
    MAX_MAIL,
    NAME_LENGTH,
    PROCESSED,
    IsOurs,
    MailboxFacts,
    Quota,
    RawMessage,
    Unmoved,
    in_batches,
    is_read_whole,
    truncate_message,
)

# It warns of odd ports and characters: on standard error, unless somebody listens.
logging.getLogger("imapclient").addHandler(logging.NullHandler())

VALUES_AT_ONCE = 1_000
"""UIDs of one FETCH; Dovecot refuses a command line of 30,000."""

MOST_DELETED = 1_000
"""Mails deleted from the folder Processed at a time."""

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
        return self._bounded_reader().read(size)

    def readline(self) -> bytes:
        said = self._bounded_reader().readline(_LINE_BYTES + 1)
        if len(said) > _LINE_BYTES:
            raise self.error(f"it sends a line of more than {_LINE_BYTES:,} bytes")
        return said

    def _bounded_reader(self) -> BoundedReader:
        if self._reader is None or self._reader.line is not self.sock:
            # After STARTTLS: what was received before, by whomever it was sent, is forgotten (RFC 9051, 6.2.1).
            before = self._reader.allowance if self._reader else None
            allowance = before or Allowance(EXCHANGE_SECONDS, EXCHANGE_BYTES, wait=ANSWER_SECONDS)
            self._reader = BoundedReader(self.sock, allowance)
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


class ImapMailbox:
    """Inbox of the settings on its server; connects with the first `batches`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._url = settings.inbox_url
        self._name = settings.inbox[-NAME_LENGTH:]
        self._imap: Any = None
        self._mover: Mover | None = None
        self._found: dict[int, int] = {}
        self._again: dict[int, int] = {}
        self._copied: frozenset[str] = frozenset()

    def batches(self, unmoved: Unmoved | None = None) -> Iterator[list[RawMessage]]:
        """Yield all mail that is not marked as deleted, by UID, but for what is known as `unmoved`."""
        with self._translate_errors():
            self.close()
            self._imap = imap = self.connect()
            folder = self._url.folder
            validity = str(imap.select_folder(folder)[b"UIDVALIDITY"])
            self._mover = Mover(imap, folder, mailbox=self._name, validity=validity, server=self._url.server)
            known: Mapping[str, int] = {}
            if unmoved is not None and (unmoved.mailbox, unmoved.uid_validity) == (self._name, validity):
                known, self._copied = unmoved.sizes, unmoved.copied
            sizes = self._not_stored(self._values(sorted(imap.search(["UNDELETED"])), "RFC822.SIZE"), known)
            for mails in in_batches((item, item[1]) for item in sizes):
                self._found = dict(mails)
                yield self._read(mails, validity)

    def list_foreign(self) -> list[str]:
        """Return an empty list: an IMAP server holds mails alone."""
        return []

    def examine(self, since: datetime) -> MailboxFacts:
        """Return what the doctor asks, with heads of junk since a day. Log in, change nothing.

        Raises:
            MailError: The mailbox cannot be used.
        """
        with self._translate_errors():
            self.close()
            self._imap = imap = self.connect()
            imap.select_folder(self._url.folder, readonly=True)
            arrivals = [at for _, at in self._values(imap.search(["UNDELETED"]), "INTERNALDATE")]
            wanted = {self._url.folder: "rte"}
            if imap.folder_exists(name := full_name(imap, PROCESSED)):
                wanted[name] = "i"
            lacks = (missing_rights(imap, folder, rights) for folder, rights in wanted.items())
            abilities = frozenset(each.decode("ascii", "replace").upper() for each in imap.capabilities())
            limits = self.quotas()
            folder, junk = read_junk(imap, since)
            told = list(filter(None, lacks))
            return MailboxFacts(arrivals, told, limits, abilities, name, folder, list(junk.values()))

    def quotas(self) -> list[Quota]:
        """Return the limits of the mailbox that is connected, as far as the server tells.

        Raises:
            MailError: It cannot be asked.
        """
        with self._translate_errors():
            return list(quotas(self._require_connection(), self._url.folder))

    def junk(self, since: datetime) -> tuple[str, list[bytes]]:
        """Return the folder for junk of the mailbox that is connected, and the heads of its mails since a day.

        Raises:
            MailError: It cannot be read.
        """
        with self._translate_errors():
            folder, heads = read_junk(self._require_connection(), since)
            return folder, list(heads.values())

    def fetch_junk(self, since: datetime, is_ours: IsOurs) -> int:
        """Put mail from the folder for junk into the inbox, for the next `batches`; return the number.

        Raises:
            MailError: It cannot be read or moved.
        """
        with self._translate_errors():
            imap = self._require_connection()
            folder, heads = read_junk(imap, since)
            uids = [uid for uid, head in heads.items() if is_ours(head)]
            if uids:
                move_mails(imap, uids, folder, self._url.folder)
            return len(uids)

    def finish(self, batch: list[RawMessage]) -> None:
        """Move a batch to the folder Processed. Raises MailNotMoved if some of it stays."""
        assert self._mover is not None
        self._mover.move({int(mail.uid): self._found[int(mail.uid)] for mail in batch})

    def move_again(self) -> None:
        """Move the mail that `batches` left out, as far as that can be done."""
        if self._mover is not None:
            self._mover.move_again(self._again, map(int, self._copied))

    def unmoved_mail(self) -> Unmoved | None:
        """Return the stored mail that could not be moved, None if there is none."""
        return None if self._mover is None else self._mover.unmoved_mail()

    def empty_processed(self, before: datetime) -> int:
        """Delete mail that came before a day, `MOST_DELETED` at most, from the folder Processed; return the number.

        Raises:
            MailError: It cannot be deleted.
        """
        with self._translate_errors():
            imap = self._require_connection()
            if not imap.folder_exists(name := full_name(imap, PROCESSED)):
                return 0
            imap.select_folder(name)
            uids = sorted(imap.search(["UNDELETED", "BEFORE", before.date()]))[:MOST_DELETED]
            if uids:
                if lacks := missing_rights(imap, name, "te"):
                    raise imaplib.IMAP4.error(lacks)
                imap.delete_messages(uids, silent=True)
                # Without UIDPLUS all that is marked goes: in this folder that is what the setting asks for.
                imap.uid_expunge(uids) if imap.has_capability("UIDPLUS") else imap.expunge()
            return len(uids)

    def close(self) -> None:
        """Log out if there is a connection."""
        imap, self._imap = self._imap, None
        if imap is not None:
            _log_out(imap)

    def _require_connection(self) -> Any:
        if self._imap is None:
            raise ConnectionError("the connection is closed")
        return self._imap

    def connect(self) -> Any:
        """Return a new connection, logged in.

        Raises:
            PbemError: The settings do not allow a login, or the server refuses it.
            OSError: The server cannot be reached.
            IMAP4.error: The server does not speak IMAP as expected.
        """
        url, context = self._url, tls_context(self._settings)
        login = login_for(self._settings, "inbox")
        if login is None:
            raise ConfigError(f"inbox names no user; write {url.scheme}://user@{url.host}")
        imap = BoundedClient(url.host, url.port, tls=url.tls, context=context)
        try:
            imap.normalise_times = False  # else imapclient returns naive local times
            if url.starttls:
                imap.starttls(context)
            log_in(login, imap.sasl_login, imap.login, LoginError)
        except LoginError as error:
            _log_out(imap)
            raise TemporaryMailError(login.word_refusal(url.server, word_error(error))) from None
        except BaseException:
            _log_out(imap)
            raise
        return imap

    def _not_stored(self, sizes: Iterable[tuple[int, int]], known: Mapping[str, int]) -> Iterator[tuple[int, int]]:
        """Yield UIDs and sizes; note those that are known as stored instead."""
        self._again = {}
        for uid, size in sizes:
            # With the size, for the sake of servers that give a UID twice.
            if known.get(str(uid)) == size:
                self._again[uid] = size
            else:
                yield uid, size

    def _values(self, uids: list[int], field: str) -> Iterator[tuple[int, Any]]:
        """Yield each mail's UID and the value of a field, except for those that have vanished meanwhile."""
        for start in range(0, len(uids), VALUES_AT_ONCE):
            some = uids[start : start + VALUES_AT_ONCE]
            answer = self._imap.fetch(some, [field])
            found = ((uid, answer.get(uid, {}).get(field.encode())) for uid in some)
            yield from ((uid, value) for uid, value in found if value is not None)

    def _read(self, mails: list[tuple[int, int]], validity: str) -> list[RawMessage]:
        small = [uid for uid, size in mails if size <= MAX_MAIL]
        great = [uid for uid, size in mails if size > MAX_MAIL]
        # PEEK, since reading must not set \Seen.
        answer = self._fetch(small, "BODY.PEEK[]") | self._fetch(great, f"BODY.PEEK[]<0.{CUT_TO}>")
        sizes = dict(mails)
        whole = [uid for uid in great if is_read_whole(_body(answer.get(uid, {})) or b"", sizes[uid])]
        answer |= self._fetch(whole, "BODY.PEEK[]")
        return [
            RawMessage(
                self._name, validity, str(uid), answer[uid][b"INTERNALDATE"].astimezone(UTC), _raw(answer[uid], size)
            )
            for uid, size in mails
            if _body(answer.get(uid, {})) is not None
        ]

    def _fetch(self, uids: list[int], what: str) -> dict[int, Any]:
        return dict(self._imap.fetch(uids, ["INTERNALDATE", what])) if uids else {}

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Turn every failure into a MailError, and close the connection."""
        try:
            yield
        except (imaplib.IMAP4.error, OSError, ValueError, LookupError) as error:
            self.close()
            said = f"its answer lacks {error}" if isinstance(error, LookupError) else word_error(error)
            raise TemporaryMailError(f"{self._url.server} cannot be used: {said}") from None


def _log_out(imap: Any) -> None:
    with contextlib.suppress(imaplib.IMAP4.error, OSError):
        imap.logout()
    with contextlib.suppress(imaplib.IMAP4.error, OSError):
        imap.shutdown()


def _body(item: dict[bytes, Any]) -> bytes | None:
    """Return the mail in a FETCH response; None if it vanished before it could be read (Dovecot then says NIL)."""
    found: bytes | None = item.get(b"BODY[]", item.get(b"BODY[]<0>"))
    return found


def _raw(item: dict[bytes, Any], size: int) -> bytes:
    raw = _body(item) or b""
    return raw if is_read_whole(raw, size) else truncate_message(raw, size)


LONGEST = 300
"""Seconds in IDLE; routers drop connections that are silent for longer."""

LASTED_SECONDS = 20
"""Seconds in IDLE after which its end is a limit of the server, such as a minute at Cyrus, and no failure."""

LOOK_UP_SECONDS = 1.0
"""How often a wait checks whether it is to stop."""

_LONGEST_LINE = 65_536

_COUNT = re.compile(rb"\* (\d++) (EXISTS|EXPUNGE)\s*+", re.IGNORECASE)
_END = re.compile(rb"PBEM1 |\* BYE\b", re.IGNORECASE)


class Idler:
    """Waiter by IDLE, on a connection of its own for each wait."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._uidnext: int | None = None

    def wait(self, seconds: float, stop: Event) -> None:
        """Return at new mail, after `LONGEST` or the server's limit in IDLE, or without IDLE after so many seconds."""
        began = time.monotonic()
        try:
            if self._idle(min(seconds, LONGEST), stop):
                return
        except (PbemError, imaplib.IMAP4.error, OSError, ValueError, LookupError) as error:
            if time.monotonic() - began >= LASTED_SECONDS:
                return
            event("waiting without IDLE", level="warning", reason=word_error(error))
        stop.wait(max(0, began + seconds - time.monotonic()))

    def _idle(self, seconds: float, stop: Event) -> bool:
        """Wait in IDLE; return False if the server does not support it."""
        imap = ImapMailbox(self._settings).connect()
        try:
            if not imap.has_capability("IDLE"):
                return False
            chosen = imap.select_folder(self._settings.inbox_url.folder, readonly=True)
            if not self._has_new_mail(chosen.get(b"UIDNEXT")):
                _listen(imap.socket(), chosen[b"EXISTS"], time.monotonic() + seconds, stop)
            return True
        finally:
            with contextlib.suppress(imaplib.IMAP4.error, OSError):
                imap.shutdown()

    def _has_new_mail(self, uidnext: int | None) -> bool:
        """Return True if mail came since the last wait began, such as during the poll, when no IDLE was running."""
        before, self._uidnext = self._uidnext, uidnext
        return before is not None and before != uidnext


def _listen(line: Any, count: int, end: float, stop: Event) -> None:
    """Run IDLE until there are more mails than `count`.

    Written by hand: imapclient misses mail that arrives as IDLE begins.

    Raises:
        OSError: The server hung up.
        ValueError: The server ended IDLE.
    """
    line.settimeout(LOOK_UP_SECONDS)
    line.sendall(b"PBEM1 IDLE\r\n")
    for said in _read_lines(line, end, stop):
        if _END.match(said):
            raise ValueError(f"the server ends IDLE: {said.decode('utf-8', 'replace').strip()}")
        found = _COUNT.fullmatch(said)
        if found is None:
            continue
        gone = found[2].upper() == b"EXPUNGE"
        before, count = count, count - 1 if gone else int(found[1])
        if count > before:
            line.sendall(b"DONE\r\nPBEM2 LOGOUT\r\n")
            return


def _read_lines(line: Any, end: float, stop: Event) -> Iterator[bytes]:
    """Yield the server's lines until the time is over."""
    rest = b""
    while not stop.is_set() and time.monotonic() < end:
        try:
            heard = line.recv(4096)
        except TimeoutError:
            continue
        if not heard:
            raise ConnectionError("the server has hung up")
        *said, rest = (rest + heard).split(b"\n")
        yield from said
        if len(rest) > _LONGEST_LINE:
            raise ValueError(f"the server sends a line of more than {_LONGEST_LINE:,} bytes")
