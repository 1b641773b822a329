"""Samples of the host's mails, with words as they may be."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

from pbem.report import small
from pbem.report.answers import OpenGames, RulebookPage
from pbem.report.markdown import UNBROKEN, as_html, as_text
from pbem.report.notices import MailFrame, Notice, Page
from pbem.report.template_check import sample_pages

TEMPLATES = Path(__file__).parents[2] / "templates"
HOST = TEMPLATES / "host"
AT = dt.datetime(2026, 11, 6, 19, tzinfo=dt.UTC)
FRAME = MailFrame(
    address="orders@example.org",
    reply_to="orders+k3v7mq2xw5n4tzpa@example.org",
    campaign="trap7",
    game="The Singularity Trap",
    gm="gm@example.org",
    site="https://club.example.org/c/trap7/",
)
RULES = (
    "# Toy Fair\n\nA game.\n\n## Orders\n\nBid coins.\n\n- one\n- two\n\n| verb | use |\n|---|---|\n| BID | a bid |\n"
)
SAID = (
    "# Deal?\n\nLet us **deal** at dawn, and share the eastern planets and all that is on them, as good friends do.\n"
)
FIELDS: Mapping[str, Any] = {
    "zone": "Europe/Berlin",
    "campaign": "trap7",
    "game": "The Singularity Trap",
    "seat": "red",
    "by": "red",
    "label": "turn 3",
    "gm": "gm@example.org",
    "address": "orders@example.org",
    "header": "ORDERS trap7 red k3v7mq2xw5n4tzpa",
    "order_lines": ("MOVE L2 NW NW", "BUILD Cruiser AT J7+3"),
    "absent": "ABSENT 2026-11-06 TO 2026-11-19",
    "without": "Without orders nothing is built or moved for you.",
    "to": ("blue", "green"),
    "text": SAID,
    "title": "red has left the game",
    "blocks": ("The seat red of trap7 has left the game.", "You may still read along."),
    "preheader": "The seat red of trap7 has left the game, and you may still read along.",
    "about": "ann@example.org",
    "html": as_html(RULES, top=2),
    "rules_url": "https://club.example.org/rules.html",
    "look_url": "https://club.example.org/c/trap6/",
    "site": "https://club.example.org/",
    "join": "mailto:orders@example.org?subject=JOIN%20trap7&body=JOIN%20trap7",
}
MORE = (
    small.two_seats(address="orders@example.org", campaign="", seat=""),
    small.gm_mismatch(campaign="trap7", sender="eve@example.org", reply=False),
    small.words_for_gm(campaign="trap7", kind="invite", sender="gus", words="", declined=True, seated=False),
    *(
        small.too_much_mail(of=of, most=50, campaign="trap7", seat="red", player="ann", to_gm=True, gm="gm")
        for of in get_args(small.FloodOf)
    ),
)
"""Small mails in their other words."""


def filled(page: Page) -> Page:
    """Return a sample of a mail with words as they may be."""
    assert dataclasses.is_dataclass(page)
    given = {
        each.name: FIELDS[each.name]
        for each in dataclasses.fields(page)
        if each.name in FIELDS and getattr(page, each.name) not in ("", (), None)
    }
    if isinstance(page, RulebookPage):
        given["text"] = as_text(RULES, UNBROKEN)
    if isinstance(page, Notice):
        given["about"] = ("red",)
    if isinstance(page, OpenGames):
        given["games"] = tuple(dataclasses.replace(each, join=FIELDS["join"]) for each in page.games)
    changed: Page = dataclasses.replace(page, **given)
    return changed


def host_pages() -> Iterator[Page]:
    """Yield a sample of each mail that has the layout, with few fields and with all."""
    yield from MORE
    own = [make() for make in small.SAMPLES]
    yield from own
    others = (page for page in sample_pages() if page not in own)
    yield from (filled(page) for page in others if (HOST / f"{page.page}.j2").exists())


PAGES = list(host_pages())
