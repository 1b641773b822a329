"""Rolls of the GM with the campaign's dice, and their turns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "roll",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("dice", sa.String(length=40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_roll_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_roll"),
    )
    op.create_index("ix_roll_campaign_id", "roll", ["campaign_id"])


def downgrade() -> None:
    """Drop it."""
    op.drop_index("ix_roll_campaign_id", table_name="roll")
    op.drop_table("roll")
