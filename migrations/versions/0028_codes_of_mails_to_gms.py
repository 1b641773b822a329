"""Mails to a GM have a reply code: a reply to any of them takes commands."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, empty for mails of before."""
    with op.batch_alter_table("outgoing") as batch:
        batch.add_column(sa.Column("code", sa.String(32), nullable=False, server_default=""))
    with op.batch_alter_table("outgoing") as batch:
        batch.alter_column("code", server_default=None, existing_type=sa.String(32), existing_nullable=False)
    given = sa.text("code <> ''")
    op.create_index("ix_outgoing_code", "outgoing", ["code"], sqlite_where=given, postgresql_where=given)


def downgrade() -> None:
    """Remove it."""
    op.drop_index("ix_outgoing_code", "outgoing")
    with op.batch_alter_table("outgoing") as batch:
        batch.drop_column("code")
