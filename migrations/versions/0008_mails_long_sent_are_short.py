"""Of mails that were sent long ago the text alone is kept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Those that were gone through for tokens are gone through again, some in each tick."""
    op.execute(sa.text("UPDATE outgoing SET masked_at = NULL WHERE state = 'sent'"))


def downgrade() -> None:
    """What was left out stays out."""
