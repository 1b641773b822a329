"""The database: tables, sessions, locking, migrations, copies."""

from pbem.store.copy import (
    LEFT_BEHIND,
    PASSED_BY,
    checkpoint,
    copy_from_file,
    copy_to_file,
    find_damage,
    import_rows,
    is_empty,
    open_file,
    revision_of,
)
from pbem.store.migrate import (
    NOT_EMPTY,
    downgrade,
    find_schema_problem,
    has_tables,
    knows_revision,
    migrate,
    require_current_schema,
    require_unchanged_schema,
    schema_is_current,
    sqlite_path,
)
from pbem.store.session import Store, flushed_connection, insert_ignore, restoring
from pbem.store.untrusted import take_rows

__all__ = [
    "LEFT_BEHIND",
    "NOT_EMPTY",
    "PASSED_BY",
    "Store",
    "checkpoint",
    "copy_from_file",
    "copy_to_file",
    "downgrade",
    "find_damage",
    "find_schema_problem",
    "flushed_connection",
    "has_tables",
    "import_rows",
    "insert_ignore",
    "is_empty",
    "knows_revision",
    "migrate",
    "open_file",
    "require_current_schema",
    "require_unchanged_schema",
    "restoring",
    "revision_of",
    "schema_is_current",
    "sqlite_path",
    "take_rows",
]
