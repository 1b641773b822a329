"""Pictures and files that GMs attach to their rulings, each content once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "enclosed",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_enclosed_campaign_id"),
        sa.ForeignKeyConstraint(["turn_id"], ["turn.id"], name="fk_enclosed_turn_id"),
        sa.PrimaryKeyConstraint("id", name="pk_enclosed"),
        sa.UniqueConstraint("campaign_id", "sha256", name="uq_enclosed_campaign_id_sha256"),
    )
    op.create_index("ix_enclosed_turn_id", "enclosed", ["turn_id"])


def downgrade() -> None:
    """Drop it."""
    op.drop_index("ix_enclosed_turn_id", table_name="enclosed")
    op.drop_table("enclosed")
