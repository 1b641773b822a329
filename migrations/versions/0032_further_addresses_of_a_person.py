"""The first address of a person who also writes from another one.

Until they confirm one, each address is a person of its own, as before.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("person", sa.Column("also", sa.String(254), nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("person") as person:
        person.drop_column("also")
