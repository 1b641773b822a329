"""The page of a seat: its report, with maps that can be tapped and a desk for orders, as one file for a browser.

It is made of what the report's mail holds, its view and nothing else, so it can
be made again whenever that is at hand. The reply code stands in it as in the
mail: in the sheet of the report and in the data of the desk.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from markupsafe import Markup, escape

from pbem.report.enclosed import Enclosures
from pbem.report.facts import ReportFacts
from pbem.ruleset.drawing import Picture, live_svg
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import Json, View
from pbem.web.page import Dress, dress, island
from pbem.web.sanitize import embedded

TEMPLATE = "host/seat_page.html.j2"

_KEY = "pbem-draft-"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPage:
    """What the template of a seat's page is given."""

    title: str
    body: Markup
    dress: Dress
    seat: Markup


def seat_page(
    ruleset: AnyRuleset, view: View, facts: ReportFacts, *, html: str, pictures: Iterable[Picture]
) -> SeatPage:
    """The page of a report, of which `html` is that of its mail."""
    maps = {facts.content_id(picture.name): _map(picture) for picture in pictures}
    maps |= Enclosures(ruleset, view, facts).elements()
    report = embedded(html, maps)
    desk = None if view["over"] else ruleset.desk(view)
    desk = desk if desk and desk["verbs"] else None
    return SeatPage(
        title=f"{ruleset.title}, {facts.campaign}, {view['label']}: {facts.seat}",
        body=report.body,
        dress=dress("base.css", "map.css", "seat.css", script="seat.js").with_style(report.style),
        seat=island("seat", _seat(view, facts, desk)),
    )


def _map(picture: Picture) -> str:
    return f'<div class="map" data-name="{escape(picture.name.capitalize())}">{live_svg(picture)}</div>'


def _seat(view: View, facts: ReportFacts, desk: Json) -> Json:
    """What the page's script knows of its report; a draft outlives a correction of its report."""
    about = f"{facts.campaign}/{facts.seat}/{view['label']}"
    return {
        "header": facts.header,
        "address": facts.address,
        "subject": f"[{facts.campaign}] orders of {facts.seat}, {view['label']}",
        "key": _KEY + hashlib.sha256(about.encode()).hexdigest()[:16],
        "due": facts.deadline.astimezone(dt.UTC).isoformat() if facts.deadline else None,
        "awaited": bool(view["awaited"]),
        "desk": desk,
    }
