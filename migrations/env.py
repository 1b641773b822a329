"""Entry point of Alembic: runs the steps on the connection and in the transaction of `pbem.store.migrate`."""

from __future__ import annotations

from alembic import context

from pbem.store.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
