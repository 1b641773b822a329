"""Alembic's folder: how the database's tables came to be, step by step. `pbem migrate` runs the steps."""
