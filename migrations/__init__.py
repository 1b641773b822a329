"""Alembic's folder: the steps by which the database's tables came to be. `pbem migrate` runs them."""
