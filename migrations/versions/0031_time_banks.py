"""The time that turns have had of their players' banks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "banked_time",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("minutes", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["turn_id"], ["turn.id"], name=op.f("fk_banked_time_turn_id")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_banked_time_seat_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_banked_time")),
    )
    op.create_index(op.f("ix_banked_time_turn_id"), "banked_time", ["turn_id"])


def downgrade() -> None:
    """Drop it."""
    op.drop_table("banked_time")
