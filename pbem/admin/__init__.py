"""Tries everything a GM can get wrong, and says how to mend it."""

from pbem.admin.checks import Diagnosis, Examined, compare_with_archive
from pbem.admin.doctor import examine, privacy

__all__ = ["Diagnosis", "Examined", "compare_with_archive", "examine", "privacy"]
