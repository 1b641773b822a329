"""The database: tables, sessions, locking, migrations, copies."""

from pbem.store.copy import (
    LEFT_BEHIND,
    PASSED_BY,
    add_rows,
    as_one_file,
    copy_in,
    copy_out,
    damage_of,
    is_empty,
    open_file,
    revision_of,
)
from pbem.store.migrate import (
    NOT_EMPTY,
    downgrade,
    has_tables,
    knows_revision,
    migrate,
    misfit,
    require_current,
    require_unchanged,
    schema_is_current,
    sqlite_path,
)
from pbem.store.session import Store, flushed, insert_new, restoring
from pbem.store.untrusted import take_rows

__all__ = [
    "LEFT_BEHIND",
    "NOT_EMPTY",
    "PASSED_BY",
    "Store",
    "add_rows",
    "as_one_file",
    "copy_in",
    "copy_out",
    "damage_of",
    "downgrade",
    "flushed",
    "has_tables",
    "insert_new",
    "is_empty",
    "knows_revision",
    "migrate",
    "misfit",
    "open_file",
    "require_current",
    "require_unchanged",
    "restoring",
    "revision_of",
    "schema_is_current",
    "sqlite_path",
    "take_rows",
]
