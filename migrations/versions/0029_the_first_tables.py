"""The tables of the first release.

The revision is 0029, that of databases which were made before the release and
brought up to its tables: they are opened as they are.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = None
branch_labels = None
depends_on = None

_TABLES = (
    *("campaign", "person", "seat", "deputy", "absence", "applicant"),
    *("letter", "outgoing", "request", "fact", "worker"),
    *("shelf", "turn", "sheet", "report", "report_copy", "sealed_page", "vote", "enclosed", "roll"),
    *("press", "question", "answer", "gm_text", "act"),
)
"""All tables, in the order of their creation."""


def upgrade() -> None:
    """Create all tables."""
    _create_campaigns()
    _create_mail()
    _create_turns()
    _create_texts()


def downgrade() -> None:
    """Drop all tables."""
    for name in reversed(_TABLES):
        op.drop_table(name)


def _create_campaigns() -> None:
    op.create_table(
        "campaign",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("gm", sa.String(254), nullable=False),
        sa.Column("gm_name", sa.String(60), nullable=False),
        sa.Column("schedule", sa.String(120), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("dice_words", sa.Text(), nullable=False),
        sa.Column("mail_key", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("gm_token_hash", sa.String(64), nullable=False),
        sa.Column("hold_kind", sa.String(10), nullable=False),
        sa.Column("hold_reason", sa.Text(), nullable=False),
        sa.Column("moved_to", sa.Text(), nullable=False),
        sa.Column("era", sa.Integer(), nullable=False),
        sa.Column("origin", sa.Integer(), nullable=False),
        sa.Column("given", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_campaign"),
        sa.UniqueConstraint("name", name="uq_campaign_name"),
    )
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(254), nullable=False),
        sa.Column("key", sa.String(254), nullable=False),
        sa.Column("fallback", sa.String(254), nullable=False),
        sa.Column("plain", sa.Boolean(), nullable=False),
        sa.Column("calendar", sa.Boolean(), nullable=False),
        sa.Column("pages", sa.String(10), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_person"),
        sa.UniqueConstraint("key", name="uq_person_key"),
    )
    op.create_table(
        "seat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(20), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("muted", sa.Text(), nullable=False),
        sa.Column("dice_word", sa.Text(), nullable=False),
        sa.Column("dice_code", sa.String(32), nullable=False),
        sa.Column("nmr_in_a_row", sa.Integer(), nullable=False),
        sa.Column("nmr_total", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_seat_campaign_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_seat_person_id"),
        sa.PrimaryKeyConstraint("id", name="pk_seat"),
        sa.UniqueConstraint("campaign_id", "name", name="uq_seat_campaign_id_name"),
    )
    op.create_index("ix_seat_dice_code", "seat", ["dice_code"])
    op.create_index("ix_seat_person_id", "seat", ["person_id"])
    op.create_table(
        "deputy",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_deputy_person_id"),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name="fk_deputy_seat_id"),
        sa.PrimaryKeyConstraint("id", name="pk_deputy"),
    )
    op.create_index("ix_deputy_person_id", "deputy", ["person_id"])
    op.create_index("ix_deputy_seat_id", "deputy", ["seat_id"])
    op.create_table(
        "absence",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name="fk_absence_seat_id"),
        sa.PrimaryKeyConstraint("id", name="pk_absence"),
    )
    op.create_index("ix_absence_seat_id", "absence", ["seat_id"])
    op.create_table(
        "applicant",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("wish", sa.String(20), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_applicant_campaign_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_applicant_person_id"),
        sa.PrimaryKeyConstraint("id", name="pk_applicant"),
        sa.UniqueConstraint("campaign_id", "person_id", name="uq_applicant_campaign_id_person_id"),
    )
    op.create_index("ix_applicant_person_id", "applicant", ["person_id"])


def _create_mail() -> None:
    op.create_table(
        "letter",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("mailbox", sa.String(200), nullable=False),
        sa.Column("uid_validity", sa.String(40), nullable=False),
        sa.Column("uid", sa.String(200), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("content", sa.String(64), nullable=True),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(12), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False, server_default=sa.text("0")),
        sa.Column("sender", sa.String(254), nullable=True),
        sa.Column("verdict", sa.String(4), nullable=True),
        sa.Column("key", sa.String(40), nullable=True),
        sa.Column("unanswered", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("masked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_letter"),
        sa.UniqueConstraint("mailbox", "uid_validity", "uid", name="uq_letter_mailbox_uid_validity_uid"),
        sa.UniqueConstraint("sha256", name="uq_letter_sha256"),
    )
    op.create_index("ix_letter_content", "letter", ["content"])
    op.create_index("ix_letter_sender", "letter", ["sender", "key", "verdict", "received_at"])
    op.create_index("ix_letter_state", "letter", ["state", "id"])
    _create_partial_index("ix_letter_unanswered", "letter", ["received_at"], "unanswered")
    _create_partial_index("ix_letter_unmasked", "letter", ["state", "id"], "masked_at IS NULL")
    op.create_table(
        "outgoing",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("kind", sa.String(12), nullable=False),
        sa.Column("topic", sa.String(120), nullable=True),
        sa.Column("recipient", sa.String(254), nullable=False),
        sa.Column("provider", sa.String(254), nullable=False),
        sa.Column("form", sa.String(10), nullable=False),
        sa.Column("message_id", sa.String(200), nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.Column("masked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_outgoing_campaign_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_outgoing_person_id"),
        sa.PrimaryKeyConstraint("id", name="pk_outgoing"),
        sa.UniqueConstraint("message_id", name="uq_outgoing_message_id"),
    )
    _create_partial_index("ix_outgoing_code", "outgoing", ["code"], "code <> ''")
    op.create_index("ix_outgoing_due", "outgoing", ["state", "not_before", "id"])
    op.create_index("ix_outgoing_person_id", "outgoing", ["person_id"])
    op.create_index("ix_outgoing_provider", "outgoing", ["provider", "sent_at"])
    _create_partial_index("ix_outgoing_stranger", "outgoing", ["created_at", "provider"], "kind = 'stranger'")
    op.create_index("ix_outgoing_topic", "outgoing", ["topic", "state"])
    _create_partial_index("ix_outgoing_unmasked", "outgoing", ["state", "sent_at"], "masked_at IS NULL")
    op.create_table(
        "request",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(12), nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=True),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("message_id", sa.String(200), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_request_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_request"),
        sa.UniqueConstraint("code", name="uq_request_code"),
    )
    op.create_index("ix_request_message_id", "request", ["message_id"])
    op.create_table(
        "fact",
        sa.Column("name", sa.String(20), nullable=False),
        sa.Column("data", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_fact"),
    )
    op.create_table(
        "worker",
        sa.Column("id", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("machine", sa.String(254), nullable=False),
        sa.Column("process", sa.Integer(), nullable=False),
        sa.Column("queues", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_worker"),
    )


def _create_turns() -> None:
    op.create_table(
        "shelf",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_shelf_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_shelf"),
    )
    op.create_index("ix_shelf_campaign_id", "shelf", ["campaign_id"])
    op.create_table(
        "turn",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("shelf_id", sa.Integer(), nullable=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("awaited", sa.Text(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.Column("state_hash", sa.String(64), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deadline", sa.DateTime(timezone=True), nullable=True),
        sa.Column("reminded_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("extensions", sa.Integer(), nullable=False),
        sa.Column("ruling", sa.Text(), nullable=True),
        sa.Column("resolved_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("record", sa.LargeBinary(), nullable=True),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_turn_campaign_id"),
        sa.ForeignKeyConstraint(["shelf_id"], ["shelf.id"], name="fk_turn_shelf_id"),
        sa.PrimaryKeyConstraint("id", name="pk_turn"),
    )
    _create_partial_index("ix_turn_shelved", "turn", ["campaign_id"], "shelf_id IS NOT NULL")
    _create_partial_index("ix_turn_unarchived", "turn", ["id"], "archived_at IS NULL AND shelf_id IS NULL")
    _create_partial_index("uq_turn_live", "turn", ["campaign_id", "number"], "shelf_id IS NULL", unique=True)
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
        sa.Column("author", sa.String(10), nullable=False),
        sa.ForeignKeyConstraint(["letter_id"], ["letter.id"], name="fk_sheet_letter_id"),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name="fk_sheet_seat_id"),
        sa.ForeignKeyConstraint(["turn_id"], ["turn.id"], name="fk_sheet_turn_id"),
        sa.PrimaryKeyConstraint("id", name="pk_sheet"),
        sa.UniqueConstraint("turn_id", "seat_id", "version", name="uq_sheet_turn_id_seat_id_version"),
    )
    op.create_table(
        "report",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("message_id", sa.String(200), nullable=False),
        sa.Column("edition", sa.Integer(), nullable=False),
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
        "report_copy",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("deputy_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("message_id", sa.String(200), nullable=False),
        sa.ForeignKeyConstraint(["deputy_id"], ["deputy.id"], name="fk_report_copy_deputy_id"),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name="fk_report_copy_report_id"),
        sa.PrimaryKeyConstraint("id", name="pk_report_copy"),
        sa.UniqueConstraint("code", name="uq_report_copy_code"),
    )
    op.create_index("ix_report_copy_deputy_id", "report_copy", ["deputy_id"])
    op.create_index("ix_report_copy_message_id", "report_copy", ["message_id"])
    op.create_index("ix_report_copy_report_id", "report_copy", ["report_id"])
    op.create_table(
        "sealed_page",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("place", sa.String(60), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("written_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_sealed_page_campaign_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_sealed_page_person_id"),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name="fk_sealed_page_seat_id"),
        sa.PrimaryKeyConstraint("id", name="pk_sealed_page"),
        sa.UniqueConstraint("place", name="uq_sealed_page_place"),
    )
    _create_partial_index("ix_sealed_page_unwritten", "sealed_page", ["id"], "written_at IS NULL")
    op.create_table(
        "vote",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name="fk_vote_seat_id"),
        sa.ForeignKeyConstraint(["turn_id"], ["turn.id"], name="fk_vote_turn_id"),
        sa.PrimaryKeyConstraint("id", name="pk_vote"),
        sa.UniqueConstraint("turn_id", "seat_id", name="uq_vote_turn_id_seat_id"),
    )
    op.create_table(
        "enclosed",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("turn_id", sa.Integer(), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_enclosed_campaign_id"),
        sa.ForeignKeyConstraint(["turn_id"], ["turn.id"], name="fk_enclosed_turn_id"),
        sa.PrimaryKeyConstraint("id", name="pk_enclosed"),
        sa.UniqueConstraint("campaign_id", "sha256", name="uq_enclosed_campaign_id_sha256"),
    )
    op.create_index("ix_enclosed_turn_id", "enclosed", ["turn_id"])
    op.create_table(
        "roll",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("dice", sa.String(40), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_roll_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_roll"),
    )
    op.create_index("ix_roll_campaign_id", "roll", ["campaign_id"])


def _create_texts() -> None:
    op.create_table(
        "press",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("sender_id", sa.Integer(), nullable=True),
        sa.Column("recipients", sa.Text(), nullable=True),
        sa.Column("anonymous", sa.Boolean(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_press_campaign_id"),
        sa.ForeignKeyConstraint(["sender_id"], ["seat.id"], name="fk_press_sender_id"),
        sa.PrimaryKeyConstraint("id", name="pk_press"),
    )
    op.create_index("ix_press_campaign_id", "press", ["campaign_id"])
    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("author", sa.String(10), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("message_id", sa.String(200), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_question_campaign_id"),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name="fk_question_seat_id"),
        sa.PrimaryKeyConstraint("id", name="pk_question"),
        sa.UniqueConstraint("campaign_id", "number", name="uq_question_campaign_id_number"),
    )
    op.create_index("ix_question_code", "question", ["code"])
    op.create_index("ix_question_message_id", "question", ["message_id"])
    op.create_index("ix_question_seat_id", "question", ["seat_id"])
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
    op.create_index("ix_answer_campaign_id", "answer", ["campaign_id"])
    op.create_index("ix_answer_question_id", "answer", ["question_id"])
    op.create_table(
        "gm_text",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_gm_text_campaign_id"),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name="fk_gm_text_seat_id"),
        sa.PrimaryKeyConstraint("id", name="pk_gm_text"),
    )
    op.create_index("ix_gm_text_campaign_id", "gm_text", ["campaign_id"])
    op.create_table(
        "act",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.String(254), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("secret", sa.Boolean(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("undo", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_act_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_act"),
    )
    op.create_index("ix_act_campaign_id", "act", ["campaign_id"])


def _create_partial_index(name: str, table: str, columns: list[str], where: str, *, unique: bool = False) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition)
