"""The archive as a database that was copied knows it: the folders of its turns, and nothing that was done since.

The archive follows the database, so it is copied after it. By then a turn may
have been run that the copy does not know, and one that it does may have been
set aside. So the copy is asked which records there are and where their folders
belong, and each file is looked for in both places, by its hash.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pbem.archive.reader import MOST_RECORD
from pbem.archive.record import RECORD, WITHDRAWN, file_hash, folder_name, withdrawn_name
from pbem.backup.trees import Tree


@dataclass(frozen=True, slots=True)
class Shelved:
    """A turn that was run: its record, where its folder belongs, and where it may still or already be instead."""

    record: bytes
    place: str
    elsewhere: str


def campaigns_in(database: sqlite3.Connection) -> list[dict[str, object]]:
    """The campaigns of a copy: name, game, version, status and open turn."""
    keys = ("name", "game", "version", "status", "turn")
    rows = database.execute(f"SELECT {', '.join(keys)} FROM campaign ORDER BY id")  # noqa: S608 - names of ours
    return [dict(zip(keys, row, strict=True)) for row in rows]


def pack_archive(database: sqlite3.Connection, archive: Path, campaign: str, tree: Tree) -> int:
    """Adds the folders of a campaign's turns to a stream; returns how many turns lack something in the archive.

    What the archive lacks can be written again from the database.
    """
    home, lacking = archive / campaign, 0
    for turn in _turns(database, home, campaign):
        lacking += not _pack(home, turn, tree)
    return lacking


def _pack(home: Path, turn: Shelved, tree: Tree) -> bool:
    """Adds the files of a turn that are there as they should be, its record last; whether all are."""
    files: dict[str, str] = json.loads(turn.record)["files"]
    whole = True
    for name, hash_ in [*sorted(files.items()), (RECORD, file_hash(turn.record))]:
        content = _content(home, turn, name, hash_)
        if content is None:
            whole = False
        else:
            tree.put(f"{turn.place}/{name}", content)
    return whole


def _content(home: Path, turn: Shelved, name: str, hash_: str) -> bytes | None:
    for place in (turn.place, turn.elsewhere, turn.place):  # it may be moved between two looks
        try:
            content = (home / place / name).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            continue
        if file_hash(content) == hash_:
            return content
    return None


def _turns(database: sqlite3.Connection, home: Path, campaign: str) -> Iterator[Shelved]:
    known: set[str] = set()
    newest = b""
    rows = database.execute(
        "SELECT turn.number, turn.shelf_id, turn.record FROM turn JOIN campaign ON campaign.id = turn.campaign_id"
        " WHERE campaign.name = ? AND turn.record IS NOT NULL ORDER BY turn.number, turn.id",
        (campaign,),
    )
    for number, shelf, packed in rows:
        record = zlib.decompress(packed)
        live, aside = folder_name(number), f"{WITHDRAWN}/{withdrawn_name(number, file_hash(record))}"
        if shelf is None:
            newest = record
            yield Shelved(record, live, aside)
        else:
            known.add(aside)
            yield Shelved(record, aside, live)
    yield from _of_another(home, newest, known)


def _of_another(home: Path, newest: bytes, known: set[str]) -> Iterator[Shelved]:
    """What was withdrawn of the campaign that this one is a copy of: its records are in the archive alone."""
    for each in json.loads(newest).get("withdrawn", ()) if newest else ():
        place = f"{WITHDRAWN}/{withdrawn_name(each['turn'], each['hash'])}"
        path = home / place / RECORD
        if place not in known and path.is_file() and path.stat().st_size <= MOST_RECORD:
            record = path.read_bytes()
            if file_hash(record) == each["hash"]:
                yield Shelved(record, place, place)
