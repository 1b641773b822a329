"""Sessions and migrations, on SQLite and PostgreSQL."""
