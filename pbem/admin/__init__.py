"""Administration of a home: checks, health, and stored mail."""

from pbem.admin.checks import CheckResult, Diagnosis, compare_with_archive
from pbem.admin.doctor import check_permissions, run_checks

__all__ = ["CheckResult", "Diagnosis", "check_permissions", "compare_with_archive", "run_checks"]
