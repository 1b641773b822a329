"""Messages are processed in one order, and have no partitions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop the partition key."""
    op.drop_column("letter", "lane")


def downgrade() -> None:
    """Add the column; the version before partitions all new messages again."""
    op.add_column("letter", sa.Column("lane", sa.String(40), nullable=True))
