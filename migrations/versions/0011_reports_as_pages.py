"""A person's wish for reports as pages for a browser."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the wish, with NULL for the house rules of each campaign."""
    with op.batch_alter_table("person") as batch:
        batch.add_column(sa.Column("pages", sa.String(10), nullable=True))


def downgrade() -> None:
    """Drop it."""
    with op.batch_alter_table("person") as batch:
        batch.drop_column("pages")
