"""Writes orders line by line on the page of a seat, as a player does who clicks word after word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page

from pbem.ruleset import split_words


def put_line(page: Page, line: str) -> list[str]:
    """Put an order into the sheet, word by word; return the words that had to be typed since none was offered."""
    open_lines(page)
    words = split_words(line)
    if page.locator(".offers").get_by_role("button", name=words[0], exact=True).count():
        typed = _choose_all(page, words)
    else:
        page.get_by_label("An order", exact=True).fill(line)
        typed = words
    page.get_by_role("button", name="Add", exact=True).click()
    return typed


def open_lines(page: Page) -> None:
    """Open the sheet as lines, where orders can be typed."""
    if not page.get_by_label("An order", exact=True).is_visible():
        if not page.locator(".tabs").is_visible():
            page.locator(".count").click()
        page.locator(".tabs").get_by_role("button", name="Orders").click()


def written(page: Page) -> str:
    """Return the line as it is."""
    return page.get_by_label("An order", exact=True).input_value()


def mailed(page: Page) -> tuple[str, str, str]:
    """Return address, subject and text of the mail that the page opens."""
    link = urlsplit(page.locator(".sending a").get_attribute("href") or "")
    fields = {name: values[0] for name, values in parse_qs(link.query).items()}
    return link.path, fields["subject"], fields["body"]


def _choose_all(page: Page, words: Sequence[str]) -> list[str]:
    """Choose words one after the other, and two that are offered as one, such as "3,-2"; return those typed."""
    typed, left = [], list(words)
    while left:
        both = ",".join(left[:2])
        if len(left) > 1 and _offered(page, both) and choose(page, both):
            del left[:2]
        elif not choose(page, word := left.pop(0)):
            typed.append(word)
    return typed


def _offered(page: Page, word: str) -> bool:
    return word in page.locator(".offers option, .offers button").all_text_contents()


def choose(page: Page, word: str) -> bool:
    """Click a word, or its pieces one by one, and return True; type it if it is not offered, and return False."""
    offers = page.locator(".offers")
    first, *more = word.split("/")
    if _click(offers, word) or _select(offers, word) or _number(offers, word):
        return True
    if more and _click(offers, first) and all(_click(offers, f"with {piece}") for piece in more):
        return True
    page.get_by_label("An order", exact=True).fill(f"{written(page).strip()} {word} ".lstrip())
    return False


def _click(offers: Locator, text: str) -> bool:
    button = offers.get_by_role("button", name=re.compile(f"^{re.escape(text)}$", re.IGNORECASE))
    if not button.count():
        return False
    button.first.click()
    return True


def _select(offers: Locator, word: str) -> bool:
    for choice in offers.locator("select").all():
        labels = [str(text) for text in choice.locator("option").all_text_contents()]
        for label in labels:
            if label.lower() == word.lower():
                choice.select_option(label=label)
                return True
    return False


def _number(offers: Locator, word: str) -> bool:
    if not re.fullmatch(r"-?\d+", word) or not offers.locator("input").count():
        return False
    offers.locator("input").first.fill(word)
    offers.get_by_role("button", name="Put in").first.click()
    return True
