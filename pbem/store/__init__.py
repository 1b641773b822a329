"""The database: tables, sessions, locking, migrations."""

from pbem.store.migrating import downgrade, migrate, schema_is_current
from pbem.store.sessions import Store, flushed

__all__ = ["Store", "downgrade", "flushed", "migrate", "schema_is_current"]
