"""The time zone of a person.

Until they name one, times are told in the zone of each campaign, as before.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the zone."""
    op.add_column("person", sa.Column("zone", sa.String(64), nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    """Take it back."""
    with op.batch_alter_table("person") as person:
        person.drop_column("zone")
