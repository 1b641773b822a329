"""Mails that were sent long ago keep their text alone."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Mark mails whose tokens are masked as unmasked, so that ticks process them again."""
    op.execute(sa.text("UPDATE outgoing SET masked_at = NULL WHERE state = 'sent'"))


def downgrade() -> None:
    """Do nothing: deleted parts stay deleted."""
