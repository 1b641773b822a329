"""Debian systems of their own, in which other programs are run (`system.sh`)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
SYSTEMS = Path(os.environ.get("PROGRAMS", "/var/tmp/pbem-programs"))
"""The folder that has the systems, which are kept between runs."""


def system(suite: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run an action of `system.sh` in the system of a suite."""
    known = {"PATH": os.environ["PATH"], "SUITE": suite, "PROGRAMS": str(SYSTEMS)}
    return subprocess.run(
        [HERE / "system.sh", *words], env=known, capture_output=True, text=True, timeout=900, check=False
    )
