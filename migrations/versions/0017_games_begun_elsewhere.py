"""A campaign may start in the middle: the number of its set-up, and until it starts the given state."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    with op.batch_alter_table("campaign") as campaign:
        campaign.add_column(sa.Column("origin", sa.Integer(), nullable=False, server_default=sa.text("0")))
        campaign.add_column(sa.Column("given", sa.LargeBinary(), nullable=True))
    with op.batch_alter_table("campaign") as campaign:
        campaign.alter_column("origin", server_default=None, existing_type=sa.Integer(), existing_nullable=False)


def downgrade() -> None:
    """Drop them."""
    with op.batch_alter_table("campaign") as campaign:
        campaign.drop_column("given")
        campaign.drop_column("origin")
