"""A seat has the time since when its player has it: sheets missed before were missed by another."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("seat", sa.Column("since", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Drop it."""
    with op.batch_alter_table("seat") as seat:
        seat.drop_column("since")
