"""The database: tables, sessions, locking, migrations."""

from pbem.store.migrating import downgrade, migrate, schema_is_current
from pbem.store.sessions import Store

__all__ = ["Store", "downgrade", "migrate", "schema_is_current"]
