"""What databases lack that came to 0013 while it followed on 0010: 0011 and 0012 were put between them later."""

from __future__ import annotations

import importlib

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Takes the two steps where they were not taken."""
    there = sa.inspect(op.get_bind())
    if "pages" not in {column["name"] for column in there.get_columns("person")}:
        importlib.import_module("migrations.versions.0011_reports_as_pages").upgrade()
    if not there.has_table("sealed_page"):
        importlib.import_module("migrations.versions.0012_reports_behind_links").upgrade()


def downgrade() -> None:
    """Leaves them: where they were taken in their place, they are taken back there."""
