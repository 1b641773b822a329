"""Reports as sealed pages, which links open."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create their table."""
    op.create_table(
        "sealed_page",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.String(60), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("written_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_sealed_page"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_sealed_page_campaign_id"),
        sa.UniqueConstraint("place", name="uq_sealed_page_place"),
    )
    unwritten = sa.text("written_at IS NULL")
    op.create_index(
        "ix_sealed_page_unwritten", "sealed_page", ["id"], sqlite_where=unwritten, postgresql_where=unwritten
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("sealed_page")
