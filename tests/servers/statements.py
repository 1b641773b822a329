"""Compiled SQL that all tests of a process share: each has a database of its own, but the statements are the same.

SQLAlchemy compiles SQL for each engine and caches it with the engine. A test's
engine ends with the test, so tests spent a quarter of their time on compiling
SQL, and a process of tests held more than a gigabyte of caches.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

# Limited, since migrations use new table objects each time: the cache once grew to two gigabytes.
_WRITTEN: LRUCache[Any, Any] = LRUCache(2_500)


class _Alike:
    """Mark of a dialect by which SQLAlchemy accepts SQL compiled for another engine."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    @classmethod
    def engine_created(cls, engine: Engine) -> None:
        """Give the engine the SQL compiled for others."""
        engine.update_execution_options(compiled_cache=_WRITTEN)


class SQLite(_Alike, SQLiteDialect_pysqlite):
    """SQLite through Python's own driver."""

    supports_statement_cache = True


class PostgreSQL(_Alike, PGDialect_psycopg):
    """PostgreSQL through psycopg."""

    supports_statement_cache = True


def share_statements() -> None:
    """Let engines that are opened from now on share their compiled SQL."""
    registry.register("sqlite", __name__, SQLite.__name__)
    registry.register("postgresql.psycopg", __name__, PostgreSQL.__name__)
