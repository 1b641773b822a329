"""A person's wish for deadlines as calendar files."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the wish; all people get the files until they decline."""
    with op.batch_alter_table("person") as batch:
        batch.add_column(sa.Column("calendar", sa.Boolean(), nullable=False, server_default=sa.true()))
    with op.batch_alter_table("person") as batch:
        batch.alter_column("calendar", server_default=None, existing_type=sa.Boolean(), existing_nullable=False)


def downgrade() -> None:
    """Drop it; no files are sent."""
    with op.batch_alter_table("person") as batch:
        batch.drop_column("calendar")
