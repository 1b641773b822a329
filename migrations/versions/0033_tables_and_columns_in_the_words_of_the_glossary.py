"""Names in the words of the glossary: inbox for letter, withdrawal for shelf, revision for era.

Tables and columns, constraints and indexes that are named after them, and keys of stored JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

_TABLES = {"letter": "inbox", "shelf": "withdrawal"}
_COLUMNS = (("campaign", "era", "revision"), ("sheet", "letter_id", "inbox_id"), ("turn", "shelf_id", "withdrawal_id"))
_NAMES = {
    "inbox": {
        **{f"{kind}_letter{rest}": f"{kind}_inbox{rest}" for kind, rest in (("pk", ""), ("uq", "_sha256"))},
        "uq_letter_mailbox_uid_validity_uid": "uq_inbox_mailbox_uid_validity_uid",
        **{f"ix_letter_{of}": f"ix_inbox_{of}" for of in ("state", "sender", "content", "unanswered", "unmasked")},
    },
    "withdrawal": {
        "pk_shelf": "pk_withdrawal",
        "fk_shelf_campaign_id": "fk_withdrawal_campaign_id",
        "ix_shelf_campaign_id": "ix_withdrawal_campaign_id",
    },
    "sheet": {"fk_sheet_letter_id": "fk_sheet_inbox_id"},
    "turn": {"fk_turn_shelf_id": "fk_turn_withdrawal_id", "ix_turn_shelved": "ix_turn_withdrawn"},
}
"""Constraints and indexes, by the newer names of their tables."""

_JSON = (
    ("act", "undo", {"era": "revision", "shelf": "withdrawal"}),
    ("request", "data", {"era": "revision", "letter": "inbox_id"}),
)


def upgrade() -> None:
    """Give all of them their newer names."""
    for old, new in _TABLES.items():
        op.rename_table(old, new)
    for table, old, new in _COLUMNS:
        _rename_column(table, old, new)
    for table, names in _NAMES.items():
        _rename_constraints(table, names)
    for table, column, keys in _JSON:
        _rename_keys(table, column, keys)


def downgrade() -> None:
    """Give them back their former names."""
    for table, column, keys in _JSON:
        _rename_keys(table, column, _turn_round(keys))
    for table, names in _NAMES.items():
        _rename_constraints(table, _turn_round(names))
    for table, old, new in _COLUMNS:
        _rename_column(table, new, old)
    for old, new in _TABLES.items():
        op.rename_table(new, old)


def _turn_round(names: Mapping[str, str]) -> dict[str, str]:
    return {new: old for old, new in names.items()}


def _rename_column(table: str, old: str, new: str) -> None:
    # In SQL: it renames the column in keys and in the conditions of indexes too, which rebuilding the table does not.
    op.execute(f"ALTER TABLE {table} RENAME COLUMN {old} TO {new}")


def _rename_constraints(table: str, names: Mapping[str, str]) -> None:
    if op.get_bind().dialect.name == "sqlite":
        # SQLite has no statement for it: the table is rebuilt from what is there.
        there = sa.Table(table, sa.MetaData(), autoload_with=op.get_bind(), resolve_fks=False)
        named: tuple[sa.Constraint | sa.Index, ...] = (*there.constraints, *there.indexes)
        for each in named:
            each.name = names.get(str(each.name), each.name)
        with op.batch_alter_table(table, copy_from=there, recreate="always"):
            pass
        return
    for old, new in names.items():
        if old.startswith("ix_"):
            op.execute(f"ALTER INDEX {old} RENAME TO {new}")
        else:
            op.execute(f"ALTER TABLE {table} RENAME CONSTRAINT {old} TO {new}")


def _rename_keys(table: str, column: str, keys: Mapping[str, str]) -> None:
    rows = sa.table(table, sa.column("id", sa.Integer), sa.column(column, sa.Text))
    stored = rows.c[column]
    for id_, text in op.get_bind().execute(sa.select(rows.c.id, stored).where(stored.is_not(None))).all():
        data = json.loads(text)
        if isinstance(data, dict) and not data.keys().isdisjoint(keys):
            renamed = {keys.get(key, key): value for key, value in data.items()}
            new = json.dumps(renamed, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
            op.execute(rows.update().where(rows.c.id == id_).values({column: new}))
