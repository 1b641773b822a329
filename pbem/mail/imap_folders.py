"""Folders of an IMAP server: moving stored mail to Processed, rights (RFC 4314), and quotas (RFC 9208).

Mail that cannot be moved, for lack of a right or of room, stays where it is. Where a server
refuses the mark \\Deleted, or only seems to obey (RFC 4314, 4: it may ignore flags without an error), the mail is not
copied again and again.
"""

from __future__ import annotations

import contextlib
import imaplib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from imapclient.imapclient import DELETED, JUNK

from pbem.errors import MailNotMoved, TemporaryMailError
from pbem.mail.connection import word_error
from pbem.mail.mailbox import BATCH_MAILS, MOST_JUNK, PROCESSED, Quota, Unmoved

_FORBIDDEN = re.compile(r"\bNOPERM\b|permission|denied|\bACL\b", re.IGNORECASE)
"""Words of a server that refuses for lack of a right (RFC 5530), without saying which."""


class Mover:
    """Moves mail of the folder that is selected on a connection, and notes what stays and why."""

    def __init__(self, imap: Any, folder: str, *, mailbox: str, validity: str, server: str) -> None:
        self._imap, self._folder, self._server = imap, folder, server
        self._mailbox, self._validity = mailbox, validity
        self._target = ""
        self._copied: set[int] = set()
        self._left: dict[int, int] = {}
        self._reason = ""

    def unmoved_mail(self) -> Unmoved | None:
        """Return the mail that could not be moved, None if there is none."""
        if not self._left:
            return None
        sizes = {str(uid): size for uid, size in self._left.items()}
        copied = frozenset(str(uid) for uid in self._copied & self._left.keys())
        return Unmoved(self._mailbox, self._validity, sizes, copied, self._reason)

    def move(self, sizes: Mapping[int, int]) -> None:
        """Move mails, given by UID with their sizes.

        Raises:
            MailNotMoved: Some have not been moved. In this poll no other is tried.
        """
        left = dict(sizes)
        try:
            if not self._reason:
                self._move_all(left)
        except (imaplib.IMAP4.error, OSError, ValueError) as error:
            self._reason = self._explain(error)
        if left:
            self._left |= left
            raise MailNotMoved(self._reason)

    def move_again(self, sizes: Mapping[int, int], copied: Iterable[int]) -> None:
        """Move mails that could not be moved by an earlier poll, the smallest first."""
        self._copied.update(copied)
        uids = sorted(sizes, key=sizes.__getitem__)
        groups = [uids[start : start + BATCH_MAILS] for start in range(0, len(uids), BATCH_MAILS)]
        for group in groups:
            with contextlib.suppress(MailNotMoved):
                self.move({uid: sizes[uid] for uid in group})

    def _move_all(self, left: dict[int, int]) -> None:
        """Move mails, and take those that are moved out of `left`."""
        if not left:
            return
        self._target = self._target or ensure_folder(self._imap, PROCESSED)
        try:
            self._move_some(list(left))
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error:
            # A batch is copied whole or not at all (RFC 9051, 6.4.7), and its smallest mail may find room.
            for uid in sorted(left, key=left.__getitem__) if len(left) > 1 else ():
                self._move_some([uid])
                del left[uid]
            if left:
                raise
        left.clear()

    def _move_some(self, uids: Sequence[int]) -> None:
        try:
            self._move_away(uids)
        except imaplib.IMAP4.error as error:
            if "[EXPUNGEISSUED]" not in str(error):
                raise
            self._move_away(self._still_there(uids))  # another client has moved some of them (RFC 5530)

    def _move_away(self, uids: Sequence[int]) -> None:
        """Move mails with MOVE (RFC 6851) or the nearest equivalent."""
        if not uids:
            return
        if self._imap.has_capability("MOVE") and not self._copied.intersection(uids):
            self._imap.move(uids, self._target)
            if left := self._still_there(uids):
                self._copied.update(left)
                raise imaplib.IMAP4.error(f"it moves no mail out of {self._folder}, and says that it has")
            return
        if lacks := missing_rights(self._imap, self._folder, "t"):
            raise imaplib.IMAP4.error(lacks)
        fresh = [uid for uid in uids if uid not in self._copied]
        if fresh:
            self._imap.copy(fresh, self._target)
            self._copied.update(fresh)
        self._imap.delete_messages(uids, silent=True)
        # Without UIDPLUS they stay, marked: a bare EXPUNGE removes mail that other clients have marked as well.
        if self._imap.has_capability("UIDPLUS"):
            self._imap.uid_expunge(uids)
        if self._still_there(uids):
            raise imaplib.IMAP4.error(f"it does not mark mail in {self._folder} as deleted, and says that it has")

    def _still_there(self, uids: Sequence[int]) -> list[int]:
        return list(self._imap.search(["UID", ",".join(map(str, uids)), "UNDELETED"]))

    def _explain(self, error: Exception) -> str:
        """Return why mail cannot be moved; without a connection nothing else is done on it."""
        said = f"{self._server}: {word_error(error).rstrip('.')}"
        if not isinstance(error, imaplib.IMAP4.error) or isinstance(error, imaplib.IMAP4.abort):
            with contextlib.suppress(imaplib.IMAP4.error, OSError):
                self._imap.shutdown()
            return said
        missing = [lacks for lacks in self._missing() if lacks not in said]
        if not missing and _FORBIDDEN.search(said):  # and the server tells no rights, or others
            missing = [_needed_rights(self._folder, self._target or PROCESSED)]
        return "; ".join((said, *missing))

    def _missing(self) -> Iterator[str]:
        """Yield a clause for each folder in which a right is missing, as far as the server tells."""
        with contextlib.suppress(imaplib.IMAP4.error, OSError):
            yield from filter(None, (missing_rights(self._imap, self._folder, "te"),))
            if self._target:
                yield from filter(None, (missing_rights(self._imap, self._target, "i"),))


def move_mails(imap: Any, uids: Sequence[int], folder: str, target: str) -> None:
    """Move mails from one folder to another, with MOVE or the nearest equivalent.

    Raises:
        TemporaryMailError: The server refuses; the message names the rights that are needed.
    """
    try:
        imap.select_folder(folder)
        imap.move(uids, target) if imap.has_capability("MOVE") else _copy_away(imap, uids, folder, target)
    except imaplib.IMAP4.error as error:
        if isinstance(error, imaplib.IMAP4.readonly):
            imap.select_folder(folder, readonly=True)  # else imaplib refuses every other command
        elif isinstance(error, imaplib.IMAP4.abort):
            raise
        said = f"mail is not moved from {folder} to {target}: {word_error(error)}"
        raise TemporaryMailError(f"{said}; {_needed_rights(folder, target)}") from None


def _copy_away(imap: Any, uids: Sequence[int], folder: str, target: str) -> None:
    # Marked first, since a mail that cannot be would be copied again by every poll; a copy must not have the mark.
    imap.delete_messages(uids, silent=True)
    if imap.search(["UID", ",".join(map(str, uids)), "UNDELETED"]):
        raise imaplib.IMAP4.error(f"it does not mark mail in {folder} as deleted, and says that it has")
    imap.remove_flags(uids, [DELETED], silent=True)
    imap.copy(uids, target)
    imap.delete_messages(uids, silent=True)
    if imap.has_capability("UIDPLUS"):
        imap.uid_expunge(uids)


def _needed_rights(folder: str, target: str) -> str:
    return f"needed are the rights {_name_rights('te')} in {folder}, and {_name_rights('i')} in {target}"


def full_name(imap: Any, folder: str) -> str:
    """Return the full name of a folder beside the inbox."""
    # Some servers have all folders below INBOX, and accept no name without that prefix (RFC 2342).
    personal = imap.namespace().personal if imap.has_capability("NAMESPACE") else None
    return (personal[0][0] if personal else "") + folder


def ensure_folder(imap: Any, folder: str) -> str:
    """Return the full name of a folder beside the inbox; create it if missing."""
    name = full_name(imap, folder)
    if not imap.folder_exists(name):
        imap.create_folder(name)
        imap.subscribe_folder(name)
    return name


_RIGHTS = {"r": "read", "t": "mark as deleted", "e": "expunge", "i": "insert"}


def missing_rights(imap: Any, folder: str, wanted: str) -> str:
    """Return a clause that names the rights that are missing in a folder; "" if none is, or none is told."""
    if not imap.has_capability("ACL"):
        return ""
    granted = _read_rights(imap, folder)
    lacks = [right for right in wanted if right not in granted] if granted is not None else []
    if not lacks:
        return ""
    rights = f"the right {_name_rights(lacks)} is" if len(lacks) == 1 else f"the rights {_name_rights(lacks)} are"
    return f"{rights} missing in {folder}"


def _name_rights(rights: Iterable[str]) -> str:
    return " and ".join(f"{right} ({_RIGHTS[right]})" for right in rights)


def _read_rights(imap: Any, folder: str) -> str | None:
    """Return the rights in a folder, the last that are told (Courier tells two); None if OK is all that is said."""
    *_, answer = imap._command_and_check("myrights", imap._normalise_folder(folder))
    if answer is None:
        return None
    granted = answer.decode("ascii", "replace").rpartition(" ")[2]
    # Servers before RFC 4314 have one right for both.
    return str(granted.replace("d", "dte"))


def quotas(imap: Any, folder: str) -> Iterator[Quota]:
    """Yield the limits of the mailbox that a folder belongs to, for mails and for kilobytes; none if none is told."""
    if not imap.has_capability("QUOTA"):
        return
    try:
        _, found = imap.get_quota_root(imap._normalise_folder(folder))
    except IndexError:  # of the library, for a server that sends no line for a folder without a limit
        return
    units = {"STORAGE": "kB", "MESSAGE": "mails"}
    for each in found:
        if (unit := units.get(each.resource.upper())) is not None:
            yield Quota(each.usage, each.limit, unit)


JUNK_FIELDS = "BODY.PEEK[HEADER.FIELDS (FROM TO CC DELIVERED-TO X-ORIGINAL-TO ENVELOPE-TO SUBJECT)]"
"""Fields that are read of mail in the folder for junk: those in which a reply code may stand."""


def read_junk(imap: Any, since: datetime) -> tuple[str, dict[int, bytes]]:
    """Select the folder for junk, by its mark (RFC 6154) or else its usual names; return its name, and heads by UID.

    Of the mails since a day the newest `MOST_JUNK` are read. The name is "" if there is no such folder.
    """
    folder = imap.find_special_folder(JUNK)
    if folder is None:
        return "", {}
    imap.select_folder(folder, readonly=True)
    uids = sorted(imap.search(["UNDELETED", "SINCE", since.date()]))[-MOST_JUNK:]
    answer = imap.fetch(uids, [JUNK_FIELDS]) if uids else {}
    heads = ((uid, value) for uid, item in answer.items() for key, value in item.items() if key.startswith(b"BODY["))
    return folder, {uid: value or b"" for uid, value in heads}
