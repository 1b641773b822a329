"""Temporary files for the output of large turns, which would not fit into memory, and attachments.

The output of a small turn stays in memory, and nothing is written.
"""

from __future__ import annotations

import json
import pickle
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import Generic, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.archive.record import attachment_hash, attachment_path, folder_name
from pbem.campaign.snapshot import is_current
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Attachment, View
from pbem.store.models import StoredAttachment, Turn

AT_ONCE = 100
"""Items of a list in memory at a time."""

IN_MEMORY = 16_000_000
"""Bytes up to which files stay in memory."""

T = TypeVar("T")


def batched(things: Iterable[T], size: int = AT_ONCE) -> Iterator[list[T]]:
    """Yield the things in lists of at most `size`, in their order."""
    left = iter(things)
    while batch := list(islice(left, size)):
        yield batch


def _open_scratch_file(owner: object) -> SpooledTemporaryFile[bytes]:
    """Return a nameless file, in memory up to some size, that is closed when its owner is garbage-collected."""
    file = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
    # Without a name, so that it goes with the process, however that ends.
    weakref.finalize(owner, file.close)
    return file


class SpooledList(Generic[T]):
    """List of batches, spooled to a nameless temporary file except for the last one."""

    def __init__(self) -> None:
        self._file = _open_scratch_file(self)
        self._written = 0
        self._last: list[T] = []

    def add(self, batch: Sequence[T]) -> None:
        if self._last:
            self._file.seek(0, 2)
            pickle.dump(self._last, self._file)
            self._written += 1
        self._last = list(batch)

    def batches(self) -> Iterator[list[T]]:
        """Yield all batches in their order; may be called repeatedly."""
        self._file.seek(0)
        for _ in range(self._written):
            yield pickle.load(self._file)  # noqa: S301 - this process has written it
        if self._last:
            yield self._last


class SpooledFiles(Mapping[str, bytes]):
    """Files by their names, spooled to a nameless temporary file beyond some total size."""

    def __init__(self) -> None:
        self._file = _open_scratch_file(self)
        self._places: dict[str, tuple[int, int]] = {}

    def add(self, files: Mapping[str, bytes]) -> None:
        """Add files; their names must be new."""
        end = self._file.seek(0, 2)
        for name, content in files.items():
            self._places[name] = (end, len(content))
            end += self._file.write(content)

    def __getitem__(self, name: str) -> bytes:
        start, length = self._places[name]
        self._file.seek(start)
        return self._file.read(length)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@dataclass(slots=True)
class AttachmentStore:
    """The contents of a campaign's attachments, loaded when they are first asked for."""

    session: Session
    campaign_id: int
    _known: dict[str, bytes] = field(default_factory=dict)
    _folders: dict[str, str] = field(default_factory=dict)

    def of(self, ruleset: AnyRuleset, view: View) -> dict[str, bytes]:
        """Return the contents of all attachments that a view names, by hash; missing ones are left out."""
        return self.find({each.sha256 for each in attachments_of(ruleset, view)})

    def find(self, hashes: Collection[str]) -> dict[str, bytes]:
        """Return the contents of these hashes; missing ones are left out."""
        missing = [each for each in hashes if each not in self._known]
        if missing:
            here = (StoredAttachment.campaign_id == self.campaign_id, StoredAttachment.sha256.in_(missing))
            rows = self.session.execute(select(StoredAttachment.sha256, StoredAttachment.content).where(*here))
            self._known |= {row.sha256: row.content for row in rows}
        return {each: self._known[each] for each in sorted(hashes) if each in self._known}

    def paths(self, shown: Mapping[str, Attachment], turn: int) -> dict[str, str]:
        """Return the paths of attachments as the reports in the archive's folder of a turn name them, by the same keys.

        The archive has each content once, with the first report that named it.
        """
        if not shown:  # as in nearly every report
            return {}
        missing = {each.sha256 for each in shown.values()} - self._folders.keys()
        records = select(Turn.number, Turn.record).where(is_current(self.campaign_id), Turn.number < turn)
        for number, record in self.session.execute(records.order_by(Turn.number.desc())) if missing else ():
            there = {attachment_hash(path) for path in json.loads(record or b"{}").get("files", ())} & missing
            self._folders |= dict.fromkeys(there, f"../../{folder_name(number)}")
            missing -= there
        return {key: f"{self._folders.get(each.sha256, '..')}/{attachment_path(each)}" for key, each in shown.items()}


def attachments_of(ruleset: AnyRuleset, view: View) -> list[Attachment]:
    """Return all attachments that a view names, in its order."""
    return [each for enclosed in ruleset.enclosures(view).values() for each in enclosed]


def save_attachments(session: Session, campaign_id: int, turn_id: int, contents: Mapping[str, bytes]) -> None:
    """Store the attachments of a ruling on an open turn.

    All of them, named by a view or not: parts of earlier rulings stay, or come back.
    """
    here = StoredAttachment.campaign_id == campaign_id
    kept = set(session.scalars(select(StoredAttachment.sha256).where(here, StoredAttachment.sha256.in_(contents))))
    for hash_, content in contents.items():
        if hash_ not in kept:
            session.add(StoredAttachment(campaign_id=campaign_id, turn_id=turn_id, sha256=hash_, content=content))
    session.flush()
