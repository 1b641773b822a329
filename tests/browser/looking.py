"""Views of a page as its readers have them: on a phone or a screen, in light or dark."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

from axe_playwright_python.base import AXE_SCRIPT
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from tests.browser.firefox import Firefox
from tests.patience import PATIENCE

Scheme = Literal["light", "dark"]

WIDTHS = (360, 390, 1100)
"""A small phone, a usual one, and a screen, in CSS pixels."""

SCHEMES: tuple[Scheme, ...] = ("light", "dark")

_OF_MAIL = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]},
    "resultTypes": ["violations"],  # else axe lists all passed checks too, which takes megabytes for a map
}
# Rules of axe for web pages, not for mails, which are shown inside the page of a mail program.
_NOT_OF_MAIL = {"region", "landmark-one-main", "page-has-heading-one"}

_TOO_WIDE = """() => {
  const wide = document.documentElement.clientWidth;
  const scrolls = (element) => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
  return [...document.querySelectorAll("body *")]
    .filter((each) => !each.closest(".surface svg")) // a map that is moved goes on beyond its frame
    .filter((each) => each.getBoundingClientRect().right > wide + 1
      || (scrolls(each) && each.scrollWidth > each.clientWidth + 1))
    .map((each) => each.tagName + ": " + each.textContent.trim().slice(0, 60));
}"""

_LOST_PICTURES = """async () => {
  const pictures = [...document.images];
  for (const each of pictures) each.loading = "eager";
  await Promise.all(pictures.map((each) => each.decode().catch(() => {})));
  return pictures.filter((each) => !each.naturalWidth).map((each) => each.src);
}"""


def new_page(browser: Browser, **options: Any) -> Page:
    """Return an empty page of the browser, whose waits end only where nothing more will come."""
    page = browser.new_page(**options)
    page.set_default_timeout(1000 * PATIENCE)
    return page


@contextmanager
def shown(browser: Browser, html: str, pictures: Mapping[str, bytes], width: int, scheme: Scheme) -> Iterator[Page]:
    """Open a page with its pictures, which a mail carries beside it."""
    for cid, png in pictures.items():
        html = html.replace(f"cid:{cid}", f"data:image/png;base64,{base64.b64encode(png).decode()}")
    page = new_page(browser, viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=True)
    try:
        page.set_content(html)
        yield page
    finally:
        page.close()


def too_wide(page: Page | Firefox) -> list[str]:
    """Return the parts of a page that are wider than the page, or have to be scrolled sideways themselves."""
    found: list[str] = page.run(f"return ({_TOO_WIDE})()") if isinstance(page, Firefox) else page.evaluate(_TOO_WIDE)
    return found


def lost_pictures(page: Page) -> list[str]:
    """Return the addresses of pictures that cannot be shown."""
    found: list[str] = page.evaluate(_LOST_PICTURES)
    return found


def faults(page: Page | Firefox) -> list[str]:
    """Return the findings of axe-core, which keep some people from reading the page."""
    if isinstance(page, Firefox):
        results = page.run(f"{AXE_SCRIPT}; return axe.run(arguments[0])", _OF_MAIL)
    else:
        results = Axe().run(page, options=_OF_MAIL).response
    return [
        f"{each['id']}: {node['html'][:120]} {node.get('failureSummary', '')[:200]}"
        for each in results["violations"]
        if each["id"] not in _NOT_OF_MAIL
        for node in each["nodes"][:3]
    ]
