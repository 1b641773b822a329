"""Fixtures on the toy's home; a test package takes them into its conftest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.toy.home import Desk, open_desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A fresh home, open, with no campaign yet."""
    with open_desk(tmp_path / "home") as desk:
        yield desk
