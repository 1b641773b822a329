"""Reserved for the change of this name."""

from __future__ import annotations

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing yet."""


def downgrade() -> None:
    """Change nothing yet."""
