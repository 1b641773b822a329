"""Copies of a mail are known by what they have in common."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; messages that came before are not compared."""
    op.add_column("letter", sa.Column("content", sa.String(64), nullable=True))
    op.create_index("ix_letter_content", "letter", ["content"])


def downgrade() -> None:
    """Drop the column."""
    op.drop_index("ix_letter_content", "letter")
    op.drop_column("letter", "content")
