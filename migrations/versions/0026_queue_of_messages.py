"""The queue of messages and turns is called `process`; jobs in it, and locks, get its name.

Only databases with workers have the table, which is procrastinate's own (`pbem.store.queue`).
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

_JOB = sa.table("procrastinate_jobs", *map(sa.column, ("queue_name", "task_name", "lock", "queueing_lock")))


def upgrade() -> None:
    """Give them the name."""
    _rename("campaigns", "process")


def downgrade() -> None:
    """Give them the former one."""
    _rename("process", "campaigns")


def _rename(before: str, after: str) -> None:
    if sa.inspect(op.get_bind()).has_table(_JOB.name):
        locks = {name: after + sa.func.substr(_JOB.c[name], len(before) + 1) for name in ("lock", "queueing_lock")}
        renamed = _JOB.update().where(_JOB.c.queue_name == before)
        op.execute(renamed.values(queue_name=after, task_name=after, **locks))
