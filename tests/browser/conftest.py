"""Real browsers, each started once for all pages of a worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.firefox import Firefox, running_firefox
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


@pytest.fixture(scope="session")
def _firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    with running_firefox(tmp_path_factory.mktemp("firefox")) as started:
        yield started


@pytest.fixture
def firefox(_firefox: Firefox) -> Iterator[Firefox]:
    """Yield the Firefox, on a screen as a phone has; errors in a page, or against its policy, fail the test."""
    _firefox.look(360)
    _firefox.complaints()
    yield _firefox
    assert _firefox.complaints() == []
