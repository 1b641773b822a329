"""Questions that a reply answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Lets a request be found by the mail that asked for it."""
    with op.batch_alter_table("request") as batch:
        batch.add_column(sa.Column("message_id", sa.String(200), nullable=False, server_default=""))
    with op.batch_alter_table("request") as batch:
        batch.alter_column("message_id", server_default=None, existing_type=sa.String(200), existing_nullable=False)
        batch.create_index("ix_request_message_id", ["message_id"])


def downgrade() -> None:
    """Takes it away; a question that waits is answered no more."""
    op.execute("DELETE FROM request WHERE kind = 'letter'")
    with op.batch_alter_table("request") as batch:
        batch.drop_index("ix_request_message_id")
        batch.drop_column("message_id")
