"""How somebody wants his reports as pages for a browser."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """As the house rules of his campaigns have it, until he says otherwise."""
    with op.batch_alter_table("person") as batch:
        batch.add_column(sa.Column("pages", sa.String(10), nullable=True))


def downgrade() -> None:
    """Nobody has said."""
    with op.batch_alter_table("person") as batch:
        batch.drop_column("pages")
