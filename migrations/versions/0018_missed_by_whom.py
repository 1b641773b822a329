"""A seat knows since when its player sits there: what was missed before was missed by another."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column."""
    op.add_column("seat", sa.Column("since", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    """Takes it away."""
    with op.batch_alter_table("seat") as seat:
        seat.drop_column("since")
