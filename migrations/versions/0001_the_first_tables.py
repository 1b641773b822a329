"""The first tables: campaigns, seats, turns, reports, messages, sheets, outgoing mail and the journal."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "campaign",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("gm", sa.String(254), nullable=False),
        sa.Column("schedule", sa.String(120), nullable=False),
        sa.Column("settle_minutes", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("mail_key", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_campaign"),
        sa.UniqueConstraint("name", name="uq_campaign_name"),
    )
    op.create_table(
        "letter",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("mailbox", sa.String(200), nullable=False),
        sa.Column("uid_validity", sa.String(40), nullable=False),
        sa.Column("uid", sa.String(200), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_letter"),
        sa.UniqueConstraint("mailbox", "uid_validity", "uid", name="uq_letter_mailbox_uid_validity_uid"),
        sa.UniqueConstraint("sha256", name="uq_letter_sha256"),
    )
    op.create_index("ix_letter_state", "letter", ["state", "id"])
    op.create_table(
        "act",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String(254), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_act_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_act"),
    )
    op.create_index("ix_act_campaign_id", "act", ["campaign_id"])
    op.create_table(
        "outgoing",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=True),
        sa.Column("recipient", sa.String(254), nullable=False),
        sa.Column("message_id", sa.String(200), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_outgoing_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_outgoing"),
        sa.UniqueConstraint("message_id", name="uq_outgoing_message_id"),
    )
    op.create_index("ix_outgoing_due", "outgoing", ["state", "not_before", "id"])
    op.create_table(
        "seat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(20), nullable=False),
        sa.Column("address", sa.String(254), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("nmr_in_a_row", sa.Integer(), nullable=False),
        sa.Column("nmr_total", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_seat_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_seat"),
        sa.UniqueConstraint("campaign_id", "name", name="uq_seat_campaign_id_name"),
    )
    op.create_table(
        "turn",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("awaited", sa.Text(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.Column("state_hash", sa.String(64), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reminded_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("resolved_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("record", sa.LargeBinary(), nullable=True),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_turn_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_turn"),
        sa.UniqueConstraint("campaign_id", "number", name="uq_turn_campaign_id_number"),
    )
    op.create_table(
        "report",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("message_id", sa.String(200), nullable=False),
        sa.Column("view", sa.LargeBinary(), nullable=False),
        sa.Column("files", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name="fk_report_seat_id"),
        sa.ForeignKeyConstraint(["turn_id"], ["turn.id"], name="fk_report_turn_id"),
        sa.PrimaryKeyConstraint("id", name="pk_report"),
        sa.UniqueConstraint("code", name="uq_report_code"),
        sa.UniqueConstraint("turn_id", "seat_id", name="uq_report_turn_id_seat_id"),
    )
    op.create_index("ix_report_message_id", "report", ["message_id"])
    op.create_table(
        "sheet",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("letter_id", sa.Integer(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("accepted", sa.Boolean(), nullable=False),
        sa.Column("wait", sa.Boolean(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("orders", sa.Text(), nullable=False),
        sa.Column("findings", sa.Text(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["letter_id"], ["letter.id"], name="fk_sheet_letter_id"),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name="fk_sheet_seat_id"),
        sa.ForeignKeyConstraint(["turn_id"], ["turn.id"], name="fk_sheet_turn_id"),
        sa.PrimaryKeyConstraint("id", name="pk_sheet"),
        sa.UniqueConstraint("turn_id", "seat_id", "version", name="uq_sheet_turn_id_seat_id_version"),
    )


def downgrade() -> None:
    """Drop them."""
    op.drop_table("sheet")
    op.drop_table("report")
    op.drop_table("turn")
    op.drop_table("seat")
    op.drop_table("outgoing")
    op.drop_table("act")
    op.drop_table("letter")
    op.drop_table("campaign")
