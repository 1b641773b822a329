"""People with one identity, standbys, deputies, press, the GM's actions, the fate of each mail, and withdrawn turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_ADDED: Sequence[tuple[str, str, sa.types.TypeEngine[Any], str]] = (
    ("act", "secret", sa.Boolean(), "false"),
    ("campaign", "policy", sa.Text(), "'{}'"),
    ("campaign", "gm_token_hash", sa.String(64), "''"),
    ("campaign", "held", sa.Text(), "''"),
    ("campaign", "era", sa.Integer(), "0"),
    ("outgoing", "kind", sa.String(12), "''"),
    ("outgoing", "provider", sa.String(254), "''"),
    ("outgoing", "form", sa.String(10), "'whole'"),
    ("report", "edition", sa.Integer(), "1"),
    ("seat", "paused", sa.Boolean(), "false"),
    ("seat", "muted", sa.Text(), "'[]'"),
    ("sheet", "author", sa.String(10), "'player'"),
    ("turn", "extensions", sa.Integer(), "0"),
)
"""Columns that rows already there get a value for: table, column, type and the value in SQL."""

_LIVE = sa.text("shelf_id IS NULL")


def upgrade() -> None:
    """Create the new tables and columns, and a person for each address."""
    _make_tables()
    for table, column, kind, value in _ADDED:
        with op.batch_alter_table(table) as batch:
            batch.add_column(sa.Column(column, kind, nullable=False, server_default=sa.text(value)))
        with op.batch_alter_table(table) as batch:
            batch.alter_column(column, server_default=None, existing_type=kind, existing_nullable=False)
    with op.batch_alter_table("outgoing") as batch:
        batch.add_column(sa.Column("person_id", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("topic", sa.String(120), nullable=True))
        batch.create_index("ix_outgoing_person_id", ["person_id"])
        batch.create_index("ix_outgoing_provider", ["provider", "sent_at"])
        batch.create_index("ix_outgoing_topic", ["topic", "state"])
        batch.create_foreign_key("fk_outgoing_person_id", "person", ["person_id"], ["id"])
    with op.batch_alter_table("turn") as batch:
        batch.add_column(sa.Column("shelf_id", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("ruling", sa.Text(), nullable=True))
        batch.drop_constraint("uq_turn_campaign_id_number", type_="unique")
        batch.create_foreign_key("fk_turn_shelf_id", "shelf", ["shelf_id"], ["id"])
    op.create_index(
        "uq_turn_live", "turn", ["campaign_id", "number"], unique=True, sqlite_where=_LIVE, postgresql_where=_LIVE
    )
    _seat_people()


def _seat_people() -> None:
    with op.batch_alter_table("seat") as batch:
        batch.add_column(sa.Column("person_id", sa.Integer(), nullable=True))
        batch.create_index("ix_seat_person_id", ["person_id"])
        batch.create_foreign_key("fk_seat_person_id", "person", ["person_id"], ["id"])
    op.execute(
        "INSERT INTO person (address, key, fallback, plain, created_at)"
        " SELECT min(seat.address), lower(seat.address), '', false, min(campaign.created_at)"
        " FROM seat JOIN campaign ON campaign.id = seat.campaign_id"
        " WHERE seat.address <> '' GROUP BY lower(seat.address)"
    )
    op.execute("UPDATE seat SET person_id = (SELECT id FROM person WHERE key = lower(seat.address))")
    with op.batch_alter_table("seat") as batch:
        batch.drop_column("address")


def _make_tables() -> None:
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(254), nullable=False),
        sa.Column("key", sa.String(254), nullable=False),
        sa.Column("fallback", sa.String(254), nullable=False),
        sa.Column("plain", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_person"),
        sa.UniqueConstraint("key", name="uq_person_key"),
    )
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
    op.create_table(
        "request",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=True),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_request_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_request"),
        sa.UniqueConstraint("code", name="uq_request_code"),
    )
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


def downgrade() -> None:
    """Drop the new tables and columns, with all that only they hold, and the withdrawn turns."""
    _unseat_people()
    op.drop_index("uq_turn_live", "turn")
    for table in ("sheet", "report"):
        op.execute(f"DELETE FROM {table} WHERE turn_id IN (SELECT id FROM turn WHERE shelf_id IS NOT NULL)")  # noqa: S608 - fixed names
    op.execute("DELETE FROM vote")
    op.execute("DELETE FROM turn WHERE shelf_id IS NOT NULL")
    with op.batch_alter_table("turn") as batch:
        batch.drop_constraint("fk_turn_shelf_id", type_="foreignkey")
        batch.drop_column("shelf_id")
        batch.drop_column("ruling")
        batch.create_unique_constraint("uq_turn_campaign_id_number", ["campaign_id", "number"])
    with op.batch_alter_table("outgoing") as batch:
        batch.drop_constraint("fk_outgoing_person_id", type_="foreignkey")
        for index in ("topic", "provider", "person_id"):
            batch.drop_index(f"ix_outgoing_{index}")
        batch.drop_column("person_id")
        batch.drop_column("topic")
    for table, column, _, _ in reversed(_ADDED):
        with op.batch_alter_table(table) as batch:
            batch.drop_column(column)
    for name in ("vote", "press", "gm_text", "deputy", "absence", "shelf", "request", "applicant", "person"):
        op.drop_table(name)


def _unseat_people() -> None:
    with op.batch_alter_table("seat") as batch:
        batch.add_column(sa.Column("address", sa.String(254), nullable=False, server_default=""))
    op.execute(
        "UPDATE seat SET address = (SELECT address FROM person WHERE id = seat.person_id) WHERE person_id IS NOT NULL"
    )
    with op.batch_alter_table("seat") as batch:
        batch.alter_column("address", server_default=None, existing_type=sa.String(254), existing_nullable=False)
        batch.drop_constraint("fk_seat_person_id", type_="foreignkey")
        batch.drop_index("ix_seat_person_id")
        batch.drop_column("person_id")
