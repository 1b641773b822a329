"""Copies of a home that outlive it, and campaigns that move to another: made, proved, and taken in."""

from pbem.backup.checking import Checked, check_backup
from pbem.backup.exporting import Exported, export_campaign, take_back
from pbem.backup.importing import Imported, import_campaign
from pbem.backup.making import Made, back_up
from pbem.backup.restoring import Restored, restore_home

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
