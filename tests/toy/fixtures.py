"""Fixtures with the toy's home; a test package imports them into its conftest."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.toy.home import Desk, open_desk


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """Yield a fresh home, open, with no campaign yet."""
    with open_desk(tmp_path / "home") as desk:
        yield desk


@pytest.fixture(params=["sqlite", "postgresql"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    """Yield a home with a started campaign, on each database in turn."""
    url = "" if request.param == "sqlite" else request.getfixturevalue("migrated_postgres_url")
    with open_desk(tmp_path / "home", database=url) as desk:
        desk.start()
        yield desk
