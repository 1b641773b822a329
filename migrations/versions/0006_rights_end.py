"""Questions that a reply answers, and codes that end with a deputy's time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the mail that asked for it to each request, and codes of their own for deputies."""
    with op.batch_alter_table("request") as batch:
        # The default is for the rows that are there; the models have none, and a test compares both.
        batch.add_column(sa.Column("message_id", sa.String(200), nullable=False, server_default=""))
    with op.batch_alter_table("request") as batch:
        batch.alter_column("message_id", server_default=None, existing_type=sa.String(200), existing_nullable=False)
        batch.create_index("ix_request_message_id", ["message_id"])
    op.create_table(
        "report_copy",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("deputy_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("message_id", sa.String(200), nullable=False),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name="fk_report_copy_report_id"),
        sa.ForeignKeyConstraint(["deputy_id"], ["deputy.id"], name="fk_report_copy_deputy_id"),
        sa.PrimaryKeyConstraint("id", name="pk_report_copy"),
        sa.UniqueConstraint("code", name="uq_report_copy_code"),
    )
    for column in ("report_id", "deputy_id", "message_id"):
        op.create_index(f"ix_report_copy_{column}", "report_copy", [column])


def downgrade() -> None:
    """Drop both: open questions can no longer be answered, and the codes of deputies are lost."""
    op.drop_table("report_copy")
    op.execute("DELETE FROM request WHERE kind = 'letter'")
    with op.batch_alter_table("request") as batch:
        batch.drop_index("ix_request_message_id")
        batch.drop_column("message_id")
