"""Questions to a database without SQLAlchemy, whose import takes longer than all else that most commands do."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from pbem.util import package_data

FOLDER = package_data("migrations")

# Once per process, as an upgrade may replace the files meanwhile.
REVISIONS = tuple(sorted(path.name.partition("_")[0] for path in (FOLDER / "versions").glob("[0-9]*.py")))
"""All revisions, oldest first: the numbers with which the names of the migrations begin."""

_SECONDS = 2
"""Seconds after which a database that does not answer is given up."""


def read_column(database: str, statement: str, values: Mapping[str, Any]) -> Sequence[Any]:
    """Return the first column of a SELECT, by a connection that can only read. Raises an error of the driver."""
    scheme, _, path = database.partition(":///")
    if scheme == "sqlite":
        file = f"{Path(path).absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(file, uri=True, timeout=_SECONDS)) as connection:
            return [row[0] for row in connection.execute(statement, values)]
    from sqlalchemy import create_engine, text

    settings = {"connect_timeout": _SECONDS}
    engine = create_engine(database, connect_args=settings, execution_options={"postgresql_readonly": True})
    try:
        with engine.connect() as connection:
            return connection.execute(text(statement), values).scalars().all()
    finally:
        engine.dispose()


def has_no_messages(database: str) -> bool:
    """Return True if this is a SQLite database of this version without a message; False too if that cannot be read."""
    empty = "SELECT version_num FROM alembic_version WHERE NOT EXISTS (SELECT * FROM inbox)"
    try:
        found = read_column(database, empty, {}) if database.startswith("sqlite:") else ()
    except sqlite3.Error:
        return False
    return tuple(found) == REVISIONS[-1:]
