"""What databases lack that came to 0013 while it followed on 0010: 0011 and 0012 were put between them later."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import context, op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Takes the two steps where they were not taken."""
    there = sa.inspect(op.get_bind())
    if "pages" not in {column["name"] for column in there.get_columns("person")}:
        context.script.get_revision("0011").module.upgrade()
    if not there.has_table("sealed_page"):
        context.script.get_revision("0012").module.upgrade()


def downgrade() -> None:
    """Leaves them: where they were taken in their place, they are taken back there."""
