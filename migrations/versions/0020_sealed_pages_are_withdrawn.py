"""Sealed pages have their seat and player, and the time when they were withdrawn from the site."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. Of pages made before, only their age is known."""
    with op.batch_alter_table("sealed_page") as page:
        page.add_column(sa.Column("seat_id", sa.Integer(), nullable=True))
        page.add_column(sa.Column("person_id", sa.Integer(), nullable=True))
        page.add_column(sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True))
        page.create_foreign_key("fk_sealed_page_seat_id", "seat", ["seat_id"], ["id"])
        page.create_foreign_key("fk_sealed_page_person_id", "person", ["person_id"], ["id"])


def downgrade() -> None:
    """Drop them, with the rows of withdrawn pages, which have no content."""
    op.execute("DELETE FROM sealed_page WHERE withdrawn_at IS NOT NULL")
    with op.batch_alter_table("sealed_page") as page:
        page.drop_constraint("fk_sealed_page_person_id", type_="foreignkey")
        page.drop_constraint("fk_sealed_page_seat_id", type_="foreignkey")
        page.drop_column("withdrawn_at")
        page.drop_column("person_id")
        page.drop_column("seat_id")
