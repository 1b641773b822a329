"""The host's mails, as mail programs show them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from pbem.report.renderer import Renderer
from tests.browser.looking import SCHEMES, Scheme, faults, shown, too_wide
from tests.report.samples import FRAME, PAGES, TEMPLATES
from tests.sampling import Sampler


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_mails_can_be_read_on_a_small_phone(browser: Browser, sampler: Sampler, scheme: Scheme) -> None:
    """Nothing is too wide at 360 pixels, and axe-core has no findings, in light and in dark."""
    with Renderer([TEMPLATES], pictures=False) as reporter:
        # The fullest sample of each mail; the others show less.
        mails = {f"{page.page} {getattr(page, 'kind', '')}": reporter.write(page, FRAME).html for page in PAGES}
    for name, html in sampler.sample([*mails.items()], len(mails) // 6):
        with shown(browser, html, {}, 360, scheme) as page:
            assert (name, too_wide(page), list(faults(page))) == (name, [], [])
