"""Test that `make bench` alone installs all that the benchmarks need."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

IMPORTED_AS = {"axe-playwright-python": "axe_playwright_python", "dkimpy": "dkim", "pytest-xdist": "xdist"}
"""Packages whose modules have different names."""

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


def packages(extra: str) -> set[str]:
    """Return the packages of an extra of pyproject.toml, including those of the extras that it names."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    found: set[str] = set()
    for name, inner in re.findall(r"^([\w-]+)(?:\[([^]]*)\])?", "\n".join(extras[extra]), re.MULTILINE):
        found |= set().union(*map(packages, inner.split(","))) if name == "pbem" else {name}
    return found


@pytest.mark.in_turn
def test_measurements_need_nothing_that_tests_alone_bring() -> None:
    """The benchmarks can be imported without the packages that only the tests need."""
    names = packages("dev") - packages("bench")
    modules = sorted(f"bench.{path.stem}" for path in (ROOT / "bench").glob("[a-z]*.py"))

    absent = ",".join(IMPORTED_AS.get(name, name) for name in names)
    ran = subprocess.run(
        [sys.executable, "-c", _WITHOUT, absent, *modules], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (ran.returncode, ran.stderr) == (0, "")
