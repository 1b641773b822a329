"""Data that machines share: remembered values, the partition keys of messages, and the workers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables, and the column of messages in place: none is written again."""
    op.add_column("letter", sa.Column("lane", sa.String(40), nullable=True))
    op.create_table(
        "fact",
        sa.Column("name", sa.String(20), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_fact"),
    )
    op.create_table(
        "worker",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("machine", sa.String(254), nullable=False),
        sa.Column("process", sa.Integer(), nullable=False),
        sa.Column("queues", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_worker"),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("worker")
    op.drop_table("fact")
    with op.batch_alter_table("letter") as batch:
        batch.drop_column("lane")
