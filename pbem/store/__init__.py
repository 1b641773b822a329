"""The database: tables, sessions, locking, migrations, copies."""
