"""The time from when a mail's tokens are masked, and indexes for what a tick has left to do."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_INDEXES = (
    ("ix_turn_shelved", "turn", ["campaign_id"], sa.text("shelf_id IS NOT NULL")),
    ("ix_turn_unarchived", "turn", ["id"], sa.text("archived_at IS NULL AND shelf_id IS NULL")),
    ("ix_letter_unmasked", "letter", ["state", "id"], sa.text("masked_at IS NULL")),
    ("ix_outgoing_unmasked", "outgoing", ["state", "sent_at"], sa.text("masked_at IS NULL")),
)


def upgrade() -> None:
    """Add columns, then indexes."""
    for table in ("letter", "outgoing"):
        op.add_column(table, sa.Column("masked_at", sa.DateTime(timezone=True), nullable=True))
    for name, table, columns, where in _INDEXES:
        op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    """Drop them. Masked tokens stay masked."""
    for name, table, _, _ in _INDEXES:
        op.drop_index(name, table)
    for table in ("letter", "outgoing"):
        with op.batch_alter_table(table) as batch:
            batch.drop_column("masked_at")
