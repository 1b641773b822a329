"""Backups of a home, and transfer of a campaign to another home."""

from pbem.backup.create import BackupCreated, create_backup
from pbem.backup.restore import BackupCheck, RestoreResult, check_backup, restore_home
from pbem.backup.transfer import ExportResult, ImportResult, export_campaign, import_campaign, undo_export

__all__ = [
    "BackupCheck",
    "BackupCreated",
    "ExportResult",
    "ImportResult",
    "RestoreResult",
    "check_backup",
    "create_backup",
    "export_campaign",
    "import_campaign",
    "restore_home",
    "undo_export",
]
