"""The database: tables, sessions, locking, migrations."""

from pbem.store.migrating import downgrade, migrate, schema_is_current
from pbem.store.sessions import Store, damage_of, flushed

__all__ = ["Store", "damage_of", "downgrade", "flushed", "migrate", "schema_is_current"]
