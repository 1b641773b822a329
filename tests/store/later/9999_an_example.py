"""An example of a later migration: turns count whom they await, and texts of holds begin with a capital.

SQLite rebuilds the table of turns, with its partial indexes and whatever refers to it.
"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "0034"
branch_labels = None
depends_on = None

_TURN = sa.table("turn", *map(sa.column, ("id", "awaited", "expected")))


def upgrade() -> None:
    """Add the number, make room for longer hashes, and write the reasons otherwise."""
    with op.batch_alter_table("turn") as turn:
        turn.add_column(sa.Column("expected", sa.Integer(), nullable=True))
        turn.alter_column("state_hash", type_=sa.String(128), existing_type=sa.String(64), existing_nullable=False)
    for id_, awaited in op.get_bind().execute(sa.select(_TURN.c.id, _TURN.c.awaited)).all():
        op.execute(_TURN.update().where(_TURN.c.id == id_).values(expected=len(json.loads(awaited))))
    _reword("upper")


def downgrade() -> None:
    """Take all of it back."""
    with op.batch_alter_table("turn") as turn:
        turn.alter_column("state_hash", type_=sa.String(64), existing_type=sa.String(128), existing_nullable=False)
        turn.drop_column("expected")
    _reword("lower")


def _reword(case: str) -> None:
    op.execute(f"UPDATE campaign SET hold_reason = {case}(substr(hold_reason, 1, 1)) || substr(hold_reason, 2)")
