"""Orders by a thumb: real touches at coordinates of the screen, counted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Browser, Page

from tests.browser.looking import new_page

PHONE = (360, 740)

_SPOTS = """() => [...document.querySelectorAll(".board-map [data-names]")].map((each) => {
  const { x, y, width, height } = each.getBoundingClientRect();
  return { names: each.dataset.names.split("|"), lit: each.classList.contains("lit"), unit: each.dataset.unit || "",
    x: x + width / 2, y: y + height / 2, size: Math.min(width, height) };
})"""

_BUTTON = """(button) => {
  const { x, y, width, height } = button.getBoundingClientRect();
  const at = [x + width / 2, y + height / 2];
  const hit = document.elementFromPoint(...at);
  return [...at, hit !== null && (button.contains(hit) || hit.contains(button))];
}"""

# A busy machine takes longer for the move of 220 ms.
_STANDS = """() => new Promise((told) => {
  const at = () => JSON.stringify(document.querySelector(".board-map [data-names]")?.getBoundingClientRect());
  const before = at();
  requestAnimationFrame(() => requestAnimationFrame(() => told(at() === before)));
})"""

_SCROLLED = """() => [document.scrollingElement, ...document.querySelectorAll("body *")]
  .filter((each) => !each.matches(".steps-row"))
  .some((each) => each.scrollTop || each.scrollLeft)"""


class Thumb:
    """A player on a phone, who taps and nothing else."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.taps = 0

    def at(self, x: float, y: float) -> None:
        """Tap a point of the screen."""
        self.page.touchscreen.tap(x, y)
        self.taps += 1
        self.settle()

    def settle(self) -> None:
        """Wait until the map has been moved to where it goes."""
        self.page.wait_for_timeout(260)
        while not self.page.evaluate(_STANDS):
            self.page.wait_for_timeout(50)

    def press(self, selector: str) -> None:
        """Tap a button in its middle, which must be on the screen with nothing above it."""
        button = self.page.locator(selector).first
        x, y, free = button.evaluate(_BUTTON)
        assert free, f"{selector} is covered, or off the screen"
        self.at(x, y)

    def chip(self, text: str) -> None:
        """Tap a choice in the rows of the form."""
        self.press(f'.row button:text-is("{text}"), .row button:has-text("{text}")')

    def spots(self) -> list[dict[str, Any]]:
        """Return the places of the map as they stand on the screen now."""
        spots: list[dict[str, Any]] = self.page.evaluate(_SPOTS)
        return spots

    def spot(self, name: str) -> dict[str, Any]:
        """Return the place of a name."""
        return next(each for each in self.spots() if name in each["names"])

    def place(self, name: str) -> None:
        """Tap a place of the map, which must be in view."""
        spot = self.spot(name)
        top, bottom = self.room()
        wide = self.page.evaluate("innerWidth")
        assert all([top < spot["y"] < bottom, 0 < spot["x"] < wide]), f"{name} is out of view"
        self.at(spot["x"], spot["y"])

    def lit(self) -> list[dict[str, Any]]:
        """Return the places in view at which an order can be given now."""
        top, bottom = self.room()
        wide = self.page.evaluate("document.querySelector('.surface').clientWidth")
        return [each for each in self.spots() if each["lit"] and top < each["y"] < bottom and 0 < each["x"] < wide]

    def room(self) -> tuple[float, float]:
        """Return where the map that is not covered begins and ends."""
        top, bottom = self.page.evaluate("""() => {
          const map = document.querySelector(".board-map").getBoundingClientRect();
          const sheet = document.querySelector(".sheet").getBoundingClientRect();
          return [map.top, sheet.left < map.right - 1 ? sheet.top - 6 : map.bottom];
        }""")
        return top, bottom

    def send(self) -> list[str]:
        """Tap Send, and return the lines of the sheet that the mail program gets."""
        self.page.evaluate("""document.querySelector('[data-role=send]').addEventListener(
          "click", (event) => { window.mailed = !event.defaultPrevented; event.preventDefault(); })""")
        self.press("[data-role=send]")
        assert self.page.evaluate("window.mailed"), self.page.locator(".row").all_inner_texts()
        return sheet_of(self.page)

    def selected(self) -> list[str]:
        """Return what the form asks for."""
        return self.page.locator(".asked > *").all_inner_texts()

    def scrolled(self) -> bool:
        """Return whether anything was scrolled."""
        return bool(self.page.evaluate(_SCROLLED))


def sheet_of(page: Page) -> list[str]:
    """Return the lines of the sheet, without what frames them."""
    link = urlsplit(page.locator("[data-role=send]").get_attribute("href") or "")
    if not link.query:
        return []
    return parse_qs(link.query)["body"][0].split("\r\n")[1:-2]


def new_thumb(browser: Browser, size: tuple[int, int] = PHONE, **options: Any) -> Thumb:
    """Return a thumb on the screen of a phone, without a page yet."""
    page = new_page(browser, viewport={"width": size[0], "height": size[1]}, has_touch=True, **options)
    return Thumb(page)


def drafts(page: Page) -> set[str]:
    """Return the lines that are drawn on the map."""
    found: Iterable[str] = page.evaluate(
        "() => [...document.querySelectorAll('[data-draft]')].flatMap((each) => each.dataset.draft.split('|'))"
    )
    return set(found)
