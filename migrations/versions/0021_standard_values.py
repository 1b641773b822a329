"""Standard words for states and kinds; the hold of a campaign as a kind and a reason, apart from its new address.

The table of report batches is dropped: the reports of a turn are rendered by one machine.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

_VALUES = (
    ("letter", "state", "done", "processed"),
    ("outgoing", "state", "replaced", "superseded"),
    ("outgoing", "form", "whole", "full"),
    ("outgoing", "form", "plain", "text"),
    ("applicant", "status", "listed", "waiting"),
    ("applicant", "status", "withdrawn", "left"),
    ("request", "kind", "newaddress", "new_address"),
    ("request", "kind", "moved", "import"),
    ("request", "kind", "letter", "message"),
    ("shelf", "kind", "forward", "undo"),
    ("shelf", "kind", "mend", "repair"),
    ("press", "kind", "letter", "press"),
    ("person", "pages", "no", "off"),
)
"""Table, column, value before and after."""

_PAUSE = re.compile(r"paused by the GM(?:: )?(?P<reason>.*)", re.DOTALL)
_MISSING = re.compile("[0-9]+ of [0-9]+ sheets have not come")
_RESTORED = re.compile("it stands again as it did .*, since its home was restored from a backup")
_IMPORTED = "it has moved here, and goes on when its GM says so"
_FIXED = {
    "": "none",
    "not one mail has come in since the turn opened": "no_mail",
    "every seat is open or paused, so nobody would send orders": "no_players",
    "it awaits your review": "review",
    "it awaits the GM's ruling": "ruling",
    "it has the GM's ruling, and goes on when he releases it": "ruled",
}
_SENTENCES = {kind: sentence for sentence, kind in _FIXED.items()}

_CAMPAIGN = sa.table("campaign", *map(sa.column, ("id", "status", "held", "hold_kind", "hold_reason", "moved_to")))
_HOLD = (("hold_kind", sa.String(10), "none"), ("hold_reason", sa.Text(), ""), ("moved_to", sa.Text(), ""))


def upgrade() -> None:
    """Replace `held` by the columns of holds, change the values, and drop the batches."""
    with op.batch_alter_table("campaign") as campaign:
        for name, kind, value in _HOLD:
            # The default is for the rows that are there; the models have none, and a test compares both.
            campaign.add_column(sa.Column(name, kind, nullable=False, server_default=value))
    for row in _read("status", "held"):
        _write(row.id, _split(row.status, row.held))
    with op.batch_alter_table("campaign") as campaign:
        for name, kind, _ in _HOLD:
            campaign.alter_column(name, server_default=None, existing_type=kind, existing_nullable=False)
        campaign.drop_column("held")
    _set_width(before=10, after=12)
    for table, column, before, after in _VALUES:
        _replace(table, column, before, after)
    op.drop_table("batch")


def downgrade() -> None:
    """Change the values back, join each hold into a sentence, and create the empty table of batches."""
    op.create_table(
        "batch",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("request", sa.LargeBinary(), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_batch"),
    )
    for table, column, before, after in _VALUES:
        _replace(table, column, after, before)
    _set_width(before=12, after=10)
    with op.batch_alter_table("campaign") as campaign:
        campaign.add_column(sa.Column("held", sa.Text(), nullable=False, server_default=""))
    for row in _read("hold_kind", "hold_reason", "moved_to"):
        _write(row.id, {"held": row.moved_to or _join(row.hold_kind, row.hold_reason)})
    with op.batch_alter_table("campaign") as campaign:
        campaign.alter_column("held", server_default=None, existing_type=sa.Text(), existing_nullable=False)
        for name, _, _ in _HOLD:
            campaign.drop_column(name)


def _read(*columns: str) -> Sequence[Any]:
    return op.get_bind().execute(sa.select(_CAMPAIGN.c.id, *(_CAMPAIGN.c[name] for name in columns))).all()


def _write(campaign_id: int, values: Mapping[str, str]) -> None:
    op.execute(_CAMPAIGN.update().where(_CAMPAIGN.c.id == campaign_id).values(**values))


def _replace(table: str, column: str, before: str, after: str) -> None:
    rows = sa.table(table, sa.column(column))
    op.execute(rows.update().where(rows.c[column] == before).values({column: after}))


def _set_width(*, before: int, after: int) -> None:
    """Set the width of the kind of a request: "new_address" is longer than any before."""
    with op.batch_alter_table("request") as request:
        request.alter_column("kind", type_=sa.String(after), existing_type=sa.String(before), existing_nullable=False)


def _split(status: str, held: str) -> dict[str, str]:
    """Return the columns for a sentence; an unknown one becomes a hold of which players were not told."""
    if status == "moved":
        return {"moved_to": held}
    if pause := _PAUSE.fullmatch(held):
        return {"hold_kind": _pause_kind(pause["reason"]), "hold_reason": pause["reason"]}
    if held in _FIXED:
        return {"hold_kind": _FIXED[held]}
    return {"hold_kind": "missing" if _MISSING.fullmatch(held) else "review", "hold_reason": held}


def _pause_kind(reason: str) -> str:
    if reason == _IMPORTED:
        return "imported"
    return "restored" if _RESTORED.match(reason) else "gm"


def _join(kind: str, reason: str) -> str:
    if kind in ("gm", "restored", "imported"):
        return f"paused by the GM: {reason}" if reason else "paused by the GM"
    return reason or _SENTENCES[kind]
