"""A map in a page: zoomed, panned and tapped, by mouse, thumb and keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from pbem.web.page import PageAssets, bundle_modules, page_assets
from tests.browser.looking import faults, new_page

SPOTS = "".join(
    f'<polygon data-names="{name}" tabindex="0" role="button" aria-label="the field {name}" '
    f'points="{x},{y} {x + 100},{y} {x + 100},{y + 100} {x},{y + 100}"/>'
    for name, x, y in (("A1|ship", 0, 0), ("B1", 100, 0), ("A2", 0, 100), ("B2", 100, 100))
)
SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200" viewBox="0 0 200 200"><title>a board</title>'
    f'<rect width="200" height="200" fill="#ffffff"/><g class="spots">{SPOTS}</g></svg>'
)
TRY = """
window.map = new LiveMap(document.querySelector(".map"), (spot) => (document.title += ` ${spot.names.join("+")}`));
"""


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Yield a page with a map of four fields, whose title has the picked ones."""
    worn = PageAssets(page_assets("base.css", "map.css").styles, bundle_modules("map.js") + TRY)
    opened = new_page(browser, viewport={"width": 400, "height": 700}, has_touch=True)
    opened.set_content(f'<!DOCTYPE html><html lang="en"><head>{worn.head}<title>picked</title></head><body><main>'
                       f'<h1>Map</h1><div class="map">{SVG}</div></main>{worn.foot}</body></html>')  # fmt: skip
    yield opened
    opened.close()


def shown(page: Page) -> list[float]:
    """Return the visible part of the picture."""
    return [float(each) for each in str(page.locator(".map svg").get_attribute("viewBox")).split()]


def test_a_spot_is_picked_by_a_click(page: Page) -> None:
    """A click on a spot hands on all its names."""
    page.get_by_label("the field A1|ship").click()
    page.get_by_label("the field B2").click()

    assert page.title() == "picked A1+ship B2"


def test_keys_go_from_spot_to_spot(page: Page) -> None:
    """The map is one stop for Tab; arrows choose the next field, Enter picks, + and 0 zoom."""
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.title() == "picked B2"

    page.keyboard.press("+")
    assert shown(page)[2] < 200
    page.keyboard.press("0")
    assert shown(page) == [0, 0, 200, 200]

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Closer"


def test_a_picture_that_is_near_is_moved_by_the_mouse(page: Page) -> None:
    """Dragging moves the picture within its edges, and picks nothing."""
    for _ in range(3):
        page.get_by_role("button", name="Closer").click()
    before = shown(page)
    page.mouse.move(200, 250)
    page.mouse.down()
    page.mouse.move(150, 250, steps=5)
    page.mouse.up()

    assert shown(page)[0] > before[0]
    assert shown(page)[1:] == before[1:]
    assert page.title() == "picked"


def test_a_tap_on_something_tiny_comes_closer_first(page: Page) -> None:
    """A tap on a field too small for a thumb zooms; the second tap picks."""
    page.evaluate("document.querySelector('.map-view').style.width = '40px'")
    page.get_by_label("the field B1").tap()
    assert (page.title(), shown(page)[2] < 200) == ("picked", True)

    page.get_by_label("the field B1").tap()
    assert page.title() == "picked B1"


def test_marks_are_of_the_names_that_orders_use(page: Page) -> None:
    """A possible target is marked wherever one of its names is."""
    page.evaluate("window.map.mark('possible', ['ship', 'A2'])")

    marked = page.locator(".possible")
    assert [each.get_attribute("data-names") for each in marked.all()] == ["A1|ship", "A2"]


def test_a_map_is_accessible(page: Page) -> None:
    """axe-core has no findings."""
    assert faults(page) == []
