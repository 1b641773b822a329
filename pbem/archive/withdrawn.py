"""Turns that were taken back or run again: that all of them lie beside the others, as they were.

Every record names all that was withdrawn before it was made. What was withdrawn
after the newest is named by none yet: of that, a copy of an archive shows no
more than that it goes on from the newest record, and the house has its database.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from pbem.archive.reading import RECORD, WITHDRAWN, Folder, check_files, check_vouched, withdrawn_name
from pbem.errors import ReplayError


def check_withdrawn(
    folders: Sequence[Folder], withdrawn: Sequence[Folder], known: Collection[tuple[int, str]] | None = None
) -> int:
    """Checks the folders of withdrawn turns against the records, all of them; returns how many no record names yet.

    `known` are the numbers and hashes of those the database has; without it
    (None) whatever no record names must follow from the newest record. Raises
    ReplayError naming what is missing, altered or foreign.
    """
    places = {folder.name: folder for folder in withdrawn}
    named = set()
    for folder in (*folders, *withdrawn):
        for each in folder.record.get("withdrawn", ()):
            _check_named(places, each["turn"], each["hash"], folder.said(RECORD))
            named.add(each["hash"])
    for number, hash_ in known or ():
        _check_named(places, number, hash_, "the database")
    for folder in withdrawn:
        check_files(folder)
    unnamed = [folder for folder in withdrawn if folder.hash not in named]
    if known is None:
        _check_unnamed(folders[-1], unnamed)
    else:
        hashes = {hash_ for _, hash_ in known}
        _refuse(folder for folder in unnamed if folder.hash not in hashes)
    return len(unnamed)


def _check_named(places: dict[str, Folder], number: int, hash_: str, voucher: str) -> None:
    name = f"{WITHDRAWN}/{withdrawn_name(number, hash_)}"
    if name not in places:
        raise ReplayError(f"turn {number}: {name}, which was withdrawn, is missing ({voucher} names it)")
    check_vouched(places[name], hash_, voucher)


def _check_unnamed(head: Folder, unnamed: Sequence[Folder]) -> None:
    """Taken back since the newest record was made, so each was made after that one. Old records name none at all."""
    if "salt" in head.record:
        before = {head.hash, *(folder.hash for folder in unnamed)}
        _refuse(folder for folder in unnamed if folder.record["previous"] not in before)


def _refuse(foreign: Iterable[Folder]) -> None:
    for folder in foreign:
        raise ReplayError(f"turn {folder.number}: {folder.name} is not one of the turns that were withdrawn")
