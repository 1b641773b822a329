"""GMs have names, which their mails show beside the address."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the name; no GM has one yet."""
    with op.batch_alter_table("campaign") as campaign:
        # The default is for the rows that are there; the models have none, and a test compares both.
        campaign.add_column(sa.Column("gm_name", sa.String(60), nullable=False, server_default=""))
    with op.batch_alter_table("campaign") as campaign:
        campaign.alter_column("gm_name", server_default=None, existing_type=sa.String(60), existing_nullable=False)


def downgrade() -> None:
    """Drop the name."""
    with op.batch_alter_table("campaign") as campaign:
        campaign.drop_column("gm_name")
