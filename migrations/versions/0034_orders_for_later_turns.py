"""The orders that players keep for later turns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "later_sheet",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("used", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("author", sa.String(10), nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_later_sheet_seat_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_later_sheet")),
        sa.UniqueConstraint("seat_id", "turn", name=op.f("uq_later_sheet_seat_id_turn")),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("later_sheet")
