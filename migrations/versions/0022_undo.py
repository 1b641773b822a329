"""An entry of the journal has the rows that its action changed, so that it can be undone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. What was done before cannot be undone by it."""
    op.add_column("act", sa.Column("undo", sa.Text(), nullable=True))


def downgrade() -> None:
    """Drop it."""
    with op.batch_alter_table("act") as act:
        act.drop_column("undo")
