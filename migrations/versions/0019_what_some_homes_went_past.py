"""Catches up on 0011 and 0012 in databases that came to 0013 before these steps were put in between."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import context, op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Run the two steps where they were not run."""
    there = sa.inspect(op.get_bind())
    if "pages" not in {column["name"] for column in there.get_columns("person")}:
        context.script.get_revision("0011").module.upgrade()
    if not there.has_table("sealed_page"):
        context.script.get_revision("0012").module.upgrade()


def downgrade() -> None:
    """Do nothing: where the steps were run in their place, they are reversed there."""
