"""Compares the end of campaigns, apart from the random words that were drawn on the way."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlalchemy import select

from pbem.app import App
from pbem.archive.record import RECORD
from pbem.store.models import Base

# Salts, hashes, tokens and codes.
_DRAWN = re.compile(r"\b[0-9a-z]{16,}\b")

# Tables of mail, which follows from the rest.
_MAIL = ("outgoing", "inbox")

# The column with reports as they were written, full of codes; they follow from the views beside it.
_PACKED = "files"


def ending(app: App) -> str:
    """Return all rows but mail, and all records and names in the archive, with every random word numbered by first use.

    So relations between rows stay visible in the end of the same name; whether records
    are chained is for `find_inconsistency`.
    """
    numbers: dict[str, int] = {}

    def numbered(text: str) -> str:
        return _DRAWN.sub(lambda word: str(numbers.setdefault(word[0], len(numbers))), text)

    rows = [numbered(row) for row in _rows(app)]
    return "\n".join([*rows, *sorted(numbered(folder) for folder in _folders(app))])


def _rows(app: App) -> Iterator[str]:
    with app.store.reading() as session:
        for table in Base.metadata.sorted_tables:
            if table.name not in _MAIL:
                columns = (column for column in table.columns if column.name != _PACKED)
                yield from map(repr, session.execute(select(*columns).order_by(*table.primary_key)))


def _folders(app: App) -> Iterator[str]:
    """Yield each folder of a turn: its place, without the random part of its name, its record, and its files."""
    for record in app.settings.archive.rglob(RECORD):
        folder = record.parent
        files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
        yield f"{folder.parent.name} {folder.name[:4]} {record.read_bytes()!r} {files}"
