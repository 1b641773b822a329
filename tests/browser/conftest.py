"""A real browser, started once for all pages of a worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.patience import PATIENCE

CHROMIUM = "/usr/bin/chromium-headless-shell"
"""Path in the Debian package of that name; `tests/install_parts.sh` installs it."""


expect.set_options(timeout=1000 * PATIENCE)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Yield the browser. It has no network: pages are given to it whole."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()
