"""The examples in docstrings are run."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import pbem

ROOT = Path(pbem.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
    for path in ROOT.rglob("*.py")
    if "    >>> " in path.read_text()
)


@pytest.mark.parametrize("module", MODULES)
def test_examples_print_what_they_show(module: str) -> None:
    """Every `>>>` line of a docstring prints the lines below it."""
    result = doctest.testmod(importlib.import_module(module))

    assert result.attempted > 0
    assert result.failed == 0


def test_the_public_interface_has_examples() -> None:
    """Authors of games find examples in several modules of the interface."""
    assert len([module for module in MODULES if module.startswith("pbem.ruleset.")]) >= 5
