"""Copies of a home that outlive it, and campaigns that move to another: made, proved, and taken in."""

from pbem.backup.create import Made, back_up
from pbem.backup.restore import Checked, Restored, check_backup, restore_home
from pbem.backup.transfer import Exported, Imported, export_campaign, import_campaign, take_back

__all__ = [
    "Checked",
    "Exported",
    "Imported",
    "Made",
    "Restored",
    "back_up",
    "check_backup",
    "export_campaign",
    "import_campaign",
    "restore_home",
    "take_back",
]
