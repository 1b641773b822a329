"""`make bench` alone brings all that the measurements need."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]

IMPORTED_AS = {"axe-playwright-python": "axe_playwright_python", "dkimpy": "dkim", "pytest-xdist": "xdist"}
"""Packages whose modules have other names."""

_WITHOUT = """
import importlib, sys
without = set(sys.argv[1].split(","))
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in without:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
for name in sys.argv[2:]:
    importlib.import_module(name)
"""


def test_measurements_need_nothing_that_tests_alone_bring() -> None:
    """They can be imported where the packages are absent that only the tests' environment has."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    chosen = [*extras["dev"], *extras["dkim"]]
    names = {re.split(r"[\[>=]", package)[0] for package in chosen} - {"pbem"}
    modules = sorted(f"bench.{path.stem}" for path in (ROOT / "bench").glob("[a-z]*.py"))

    absent = ",".join(IMPORTED_AS.get(name, name) for name in names)
    ran = subprocess.run(
        [sys.executable, "-c", _WITHOUT, absent, *modules], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (ran.returncode, ran.stderr) == (0, "")
