"""Tries everything a GM can get wrong, and says how to mend it."""

from pbem.doctor.database import compare_with_archive
from pbem.doctor.examining import examine
from pbem.doctor.privacy import privacy
from pbem.doctor.verdict import Diagnosis, Examined

__all__ = ["Diagnosis", "Examined", "compare_with_archive", "examine", "privacy"]
