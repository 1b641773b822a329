"""Messages have their senders, the credentials found in them, and the attempts to read them.

The columns are added in place: no message is written again, which would need as
much room once more as all mail ever stored. Messages read before have no sender
here, and count against no limits.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_UNANSWERED = sa.text("unanswered")
_STRANGER = sa.text("kind = 'stranger'")


def upgrade() -> None:
    """Add the columns, and the indexes by which limits are counted."""
    op.add_column("letter", sa.Column("attempts", sa.Integer(), nullable=False, server_default=sa.text("0")))
    op.add_column("letter", sa.Column("sender", sa.String(254), nullable=True))
    op.add_column("letter", sa.Column("verdict", sa.String(4), nullable=True))
    op.add_column("letter", sa.Column("key", sa.String(40), nullable=True))
    op.add_column("letter", sa.Column("unanswered", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index("ix_letter_sender", "letter", ["sender", "key", "verdict", "received_at"])
    op.create_index(
        "ix_letter_unanswered", "letter", ["received_at"], sqlite_where=_UNANSWERED, postgresql_where=_UNANSWERED
    )
    op.create_index(
        "ix_outgoing_stranger",
        "outgoing",
        ["created_at", "provider"],
        sqlite_where=_STRANGER,
        postgresql_where=_STRANGER,
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_index("ix_outgoing_stranger", "outgoing")
    op.drop_index("ix_letter_unanswered", "letter")
    op.drop_index("ix_letter_sender", "letter")
    with op.batch_alter_table("letter") as batch:
        for column in ("unanswered", "key", "verdict", "sender", "attempts"):
            batch.drop_column(column)
