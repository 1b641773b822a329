"""An empty SQLite database: the migrations are run once in a process, and tests have copies."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from pbem.store.migrate import migrate


@cache
def migrated() -> bytes:
    """The file of a database that all migrations have been run on."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "pbem.sqlite"
        migrate(f"sqlite:///{path}")
        return path.read_bytes()
