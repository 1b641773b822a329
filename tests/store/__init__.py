"""Sessions, migrations and copies, on SQLite and PostgreSQL."""
