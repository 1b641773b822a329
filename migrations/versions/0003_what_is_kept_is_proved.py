"""Indexes by which a tick finds the turns to be archived, and those withdrawn, without looking through all."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_INDEXES = (
    ("ix_turn_shelved", "campaign_id", sa.text("shelf_id IS NOT NULL")),
    ("ix_turn_unarchived", "id", sa.text("archived_at IS NULL AND shelf_id IS NULL")),
)


def upgrade() -> None:
    """Makes the indexes."""
    for name, column, where in _INDEXES:
        op.create_index(name, "turn", [column], sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    """Takes them away."""
    for name, _, _ in _INDEXES:
        op.drop_index(name, "turn")
