"""Questions of players to their GM, and the GM's answers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(length=10), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("code", sa.String(length=32), nullable=False),
        sa.Column("message_id", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_question_campaign_id"),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name="fk_question_seat_id"),
        sa.PrimaryKeyConstraint("id", name="pk_question"),
        sa.UniqueConstraint("campaign_id", "number", name="uq_question_campaign_id_number"),
    )
    for column in ("seat_id", "code", "message_id"):
        op.create_index(f"ix_question_{column}", "question", [column])
    op.create_table(
        "answer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("question_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("recipients", sa.Text(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_answer_campaign_id"),
        sa.ForeignKeyConstraint(["question_id"], ["question.id"], name="fk_answer_question_id"),
        sa.PrimaryKeyConstraint("id", name="pk_answer"),
    )
    for column in ("campaign_id", "question_id"):
        op.create_index(f"ix_answer_{column}", "answer", [column])


def downgrade() -> None:
    """Drop them, with all questions."""
    op.drop_table("answer")
    op.drop_table("question")
