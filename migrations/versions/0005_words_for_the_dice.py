"""Dice words of the players, and entries of the journal that the next reports tell.

Started campaigns keep their dice: they have no words. The seats of forming ones
get the code with which a word is sent.
"""

from __future__ import annotations

import base64
import secrets

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_ADDED = (
    ("campaign", "dice_words", sa.Text(), "'[]'"),
    ("seat", "dice_word", sa.Text(), "''"),
    ("seat", "dice_code", sa.String(32), "''"),
)
"""Columns that rows already there get a value for: table, column, type and the value in SQL."""

_FORMING = sa.text(
    "SELECT seat.id FROM seat JOIN campaign ON campaign.id = seat.campaign_id"
    " WHERE campaign.status = 'forming' AND seat.person_id IS NOT NULL"
)


def upgrade() -> None:
    """Add the columns, and a code for each player whose campaign is forming."""
    for table, column, kind, value in _ADDED:
        with op.batch_alter_table(table) as batch:
            batch.add_column(sa.Column(column, kind, nullable=False, server_default=sa.text(value)))
        with op.batch_alter_table(table) as batch:
            batch.alter_column(column, server_default=None, existing_type=kind, existing_nullable=False)
    op.create_index("ix_seat_dice_code", "seat", ["dice_code"])
    with op.batch_alter_table("act") as batch:
        batch.add_column(sa.Column("turn", sa.Integer(), nullable=True))
    for (seat_id,) in op.get_bind().execute(_FORMING).all():
        code = base64.b32encode(secrets.token_bytes(10)).decode().lower()
        op.get_bind().execute(
            sa.text("UPDATE seat SET dice_code = :code WHERE id = :id"), {"code": code, "id": seat_id}
        )


def downgrade() -> None:
    """Drop the columns; a campaign with words can no longer be resolved as it was."""
    op.drop_index("ix_seat_dice_code", "seat")
    with op.batch_alter_table("act") as batch:
        batch.drop_column("turn")
    for table, column, _, _ in reversed(_ADDED):
        with op.batch_alter_table(table) as batch:
            batch.drop_column(column)
