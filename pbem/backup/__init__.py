"""Copies of a home that outlive it: made while it is at work, proved, and made a home of again."""

from pbem.backup.checking import Checked, check_backup
from pbem.backup.making import Made, back_up
from pbem.backup.restoring import Restored, restore_home

__all__ = ["Checked", "Made", "Restored", "back_up", "check_backup", "restore_home"]
