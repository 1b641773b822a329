"""The toy auction with a picture and a text map, for tests of reports."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pbem.report.facts import ReportFacts
from pbem.report.notices import MailText
from pbem.report.renderer import Renderer
from pbem.ruleset import Dice, Picture, TurnInput, View, canonical_json
from tests.toy import Auction

TEMPLATES = [Path(__file__).parent / "templates", Path(__file__).parents[2] / "templates"]


class Greeting:
    """Record of a mail that has no facts."""

    page: ClassVar[str] = "greeting"
    subject: ClassVar[str] = ""


class Fair(Auction):
    """The auction, with a picture and a text map."""

    key = "fair"
    title = "Toy Fair"

    def pictures(self, view: View) -> Sequence[Picture]:
        return (Picture("purse", "Your purse", svg(f"{view['purse']} coins"), 120, 40),)

    def text_map(self, view: View) -> str:
        return "+---+\n| $ |\n+---+"


def svg(label: str, inside: str = "") -> str:
    """Return a small picture with a label."""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40" viewBox="0 0 120 40">'
        f'<rect width="120" height="40" fill="#eee"/>{inside}'
        f'<text x="8" y="26" font-family="DejaVu Sans" font-size="16">{label}</text></svg>'
    )


def seen(seat: str = "red", **changes: Any) -> dict[str, Any]:
    """Return a seat's view after one round of the fair, as it comes out of JSON."""
    fair = Fair()
    options = {"rounds": 3, "pace": "together", "rich": False, "purses": None}
    state = fair.setup(options, ("red", "blue"), Dice(b"seed"))
    orders = {
        "red": fair.parse(fair.view(state, "red", ()), [(1, "BID 3")]).orders,
        "blue": fair.parse(fair.view(state, "blue", ()), [(1, "WHISPER red deal deal")]).orders,
    }
    state, events = fair.resolve(state, TurnInput(orders), Dice(b"seed", ("turn", 1)))
    view: dict[str, Any] = json.loads(canonical_json(fair.view(state, seat, events)))
    return view | changes


def facts(**changes: Any) -> ReportFacts:
    """Return the facts of a report of `seen`."""
    usual: dict[str, Any] = {
        "campaign": "fair1",
        "seat": "red",
        "seats": ("red", "blue"),
        "deadline": dt.datetime(2026, 11, 27, 19, tzinfo=dt.UTC),
        "zone": "Europe/Berlin",
        "code": "abcdefghijklmnop",
        "address": "orders@example.org",
    }
    return ReportFacts(**(usual | changes))


def reporter() -> Renderer:
    """Return a renderer that draws no pictures."""
    return Renderer(TEMPLATES, pictures=False)


def drawn_lines(mail: MailText) -> list[str]:
    """Return the lines of a text that are not prose: those of quoted words, and all of a mail without HTML."""
    return [line for line in mail.text.splitlines() if not mail.html or line.startswith("|")]
