"""Renders reports and other mails from templates, and the page of a seat as one HTML file.

The page has the report, maps that can be tapped and a form for orders. It is made
from the report's mail and view alone, so it can be made again from these. The
reply code stands in it as in the mail: in the order sheet of the report and in
the data of the form.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, NamedTuple, Self

from jinja2 import TemplateError, TemplateNotFound, TemplateSyntaxError
from markupsafe import Markup, escape

from pbem.errors import ConfigError, UnusableTemplateError
from pbem.report.attachments import Attachments
from pbem.report.data import report_data, write_report_data
from pbem.report.facts import DrawnPicture, OrderOutcome, RenderedReport, ReportFacts, format_scores
from pbem.report.notices import Page
from pbem.report.pictures import PictureRenderer
from pbem.report.pool import Job, ReportPool
from pbem.report.templates import LETTER, limited, template_environment
from pbem.report.typed_text import is_plain
from pbem.ruleset.drawing import Picture, interactive_svg
from pbem.ruleset.order_types import Order
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.values import Json, View
from pbem.text import format_time_short, quote_block
from pbem.web.page import PageAssets, json_script, page_assets
from pbem.web.sanitize import sanitize_html

TEMPLATE = "host/seat_page.html.j2"

_KEY = "pbem-draft-"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPage:
    """What the template of a seat's page is given."""

    title: str
    body: Markup
    dress: PageAssets
    seat: Markup


def render_seat_page(
    ruleset: AnyRuleset, view: View, facts: ReportFacts, *, html: str, pictures: Iterable[Picture]
) -> SeatPage:
    """The page of a report, of which `html` is that of its mail."""
    tag = '<div class="map" data-name="{}">{}</div>'
    maps = {
        facts.content_id(picture.name): tag.format(escape(picture.name.capitalize()), interactive_svg(picture))
        for picture in pictures
    }
    maps |= Attachments(ruleset, view, facts).elements()
    report = sanitize_html(html, maps)
    desk = None if view["over"] else ruleset.desk(view)
    desk = desk if desk and desk["verbs"] else None
    return SeatPage(
        title=f"{ruleset.title}, {facts.campaign}, {view['label']}: {facts.seat}",
        body=report.body,
        dress=page_assets("base.css", "map.css", "seat.css", script="seat.js").with_style(report.style),
        seat=json_script("seat", _seat_data(view, facts, desk)),
    )


def _seat_data(view: View, facts: ReportFacts, desk: Json) -> Json:
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


FEW, FEW_DRAWN = 24, 2
"""Reports of a turn without pictures, and of all turns with them, up to which other processes are not worth it.

Measured: text alone is made in 3 ms, and sent to others and back is no sooner there; shared, tables of six took a third
more of the processors, and longer by the clock. A painter takes a second for the first charts of a game; to begin with
one here, and end it for others, would spend that again.
"""


class GameInfo(NamedTuple):
    """What templates are told of a ruleset, under the name `ruleset`."""

    key: str
    title: str
    designer: str
    version: int


class RenderedEvent(NamedTuple):
    """One event in words: a sentence, and further lines that explain it."""

    kind: str
    lines: list[str]


class PlacedPicture(NamedTuple):
    """A picture as templates see it; `cid` is its Content-ID, `drawn` whether it is attached."""

    name: str
    title: str
    width: int
    height: int
    cid: str
    drawn: bool


class Renderer:
    """Renders with templates compiled once, and draws; many reports are shared among `jobs` processes.

    Those processes start when they are first worth it, and live until `close`.
    `template_dirs` are searched in order: a GM's own folder, then the
    program's; then what the game itself brings, of those in `games`. Without
    `pictures`, reports have their text map alone. Templates run in a sandbox,
    since they may come from a stranger; one that cannot be used raises
    ConfigError with its name and line.
    """

    def __init__(
        self,
        template_dirs: Sequence[Path],
        games: Mapping[str, AnyRuleset] = MappingProxyType({}),
        *,
        pictures: bool = True,
        jobs: int = 1,
    ) -> None:
        self._templates = template_environment(template_dirs, games)
        self._painter = PictureRenderer() if pictures else None
        few = FEW_DRAWN if pictures else FEW
        self._pool = ReportPool(jobs, few, games, self.make, self._close_painter, together=pictures)
        self._event_macros: dict[str, Callable[[Mapping[str, Any], View], str]] = {}

    def report(
        self, ruleset: AnyRuleset, view: View, facts: ReportFacts, orders: Sequence[Order] = ()
    ) -> RenderedReport:
        """One report, made here; what it is made of as in `Job`, but for its view."""
        return self.make(Job(ruleset, canonical_json(view), facts, orders))

    def make(self, job: Job) -> RenderedReport:
        """One report, made here."""
        ruleset, written, facts, orders = job
        view = json.loads(written)
        facts = replace(facts, ordered=_order_outcomes(ruleset, view, orders)) if orders else facts
        pictures = list(ruleset.pictures(view)) if self._painter else []
        pngs = self._painter.draw(pictures) if self._painter else []
        return self._report(job._replace(facts=facts), view, list(zip(pictures, pngs, strict=True)))

    def tried(self, ruleset: AnyRuleset, view: View, facts: ReportFacts, *, drawn: bool) -> RenderedReport:
        """A report to try templates by: no picture is painted, each stands as if it had been, or could not be."""
        pictures = [(picture, b"" if drawn else None) for picture in ruleset.pictures(view)]
        return self._report(Job(ruleset, canonical_json(view), facts, ()), view, pictures)

    def reports(self, jobs: Iterable[Job]) -> Iterator[RenderedReport]:
        """The reports of all jobs, in their order. Jobs are taken somewhat ahead of the reports that are handed out."""
        return self._pool.reports(jobs)

    def text(self, ruleset: AnyRuleset, view: View, facts: ReportFacts, orders: Sequence[Order] = ()) -> str:
        """The text of a report alone. `view` is JSON data, as `json.loads` returned it; `orders` as in `Job`."""
        facts = replace(facts, ordered=_order_outcomes(ruleset, view, orders)) if orders else facts
        return self._render(
            f"{ruleset.key}/report.txt.j2", self._context(ruleset, view, facts, [], ruleset.turn_summary(view))
        )

    def write(self, page: Page) -> str:
        """The text of one of the host's own mails, from the record of its facts."""
        return self.page(page.page, page=page)

    def write_html(self, page: Page) -> str:
        """The same as HTML, for a page that has it."""
        return self._render(f"host/{page.page}.html.j2", {"page": page})

    def letter(self, text: str, words: str, level: int = 0) -> str:
        """The HTML of a mail whose `text` passes on somebody's words behind bars; `level` is that of their titles.

        It is "" if it would show no more than the text, or if the text does not have those words just once.
        """
        parts = text.split(quote_block(words)) if words and not is_plain(words) else []
        if len(parts) != 2:
            return ""
        above, below = ([each for each in part.split("\n\n") if each.strip()] for part in parts)
        return self._render(LETTER, {"above": above, "words": words, "below": below, "level": level})

    def site(self, name: str, **facts: Any) -> str:
        """The HTML of `templates/site/<name>.html.j2`."""
        return self._render(f"site/{name}.html.j2", facts)

    def happened(self, ruleset: AnyRuleset, view: View) -> list[list[str]]:
        """What happened as a view tells it: of each event a sentence, and further lines that explain it."""
        return [each.lines for each in self._render_events(f"{ruleset.key}/events.j2", view)]

    def seat_page(self, ruleset: AnyRuleset, view: View, facts: ReportFacts, html: str) -> bytes:
        """The page of a report, of which `html` is that of its mail."""
        return self._seat_page(ruleset, view, facts, html, ruleset.pictures(view) if self._painter else ())

    def _seat_page(
        self, ruleset: AnyRuleset, view: View, facts: ReportFacts, html: str, pictures: Iterable[Picture]
    ) -> bytes:
        page = render_seat_page(ruleset, view, facts, html=html, pictures=pictures)
        return self._render(TEMPLATE, {"page": page}).encode()

    def page(self, name: str, **facts: Any) -> str:
        """The text of `templates/host/<name>.txt.j2`."""
        return self._render(f"host/{name}.txt.j2", facts)

    def close(self) -> None:
        """Ends the worker processes; they start again if needed."""
        self._pool.close()
        self._close_painter()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _close_painter(self) -> None:
        if self._painter is not None:
            self._painter.close()

    def _report(self, job: Job, view: View, pictures: list[tuple[Picture, bytes | None]]) -> RenderedReport:
        ruleset, written, facts, _ = job
        data = report_data(ruleset, view, facts)
        context = self._context(ruleset, view, facts, pictures, data["brief"])
        html = self._render(f"{ruleset.key}/report.html.j2", context)
        return RenderedReport(
            seat=facts.seat,
            subject=report_subject(ruleset.title, view, facts, facts.edition),
            text=self._render(f"{ruleset.key}/report.txt.j2", context),
            html=html,
            data=write_report_data(data, written),
            pictures=tuple(DrawnPicture(picture.name, picture.title, png) for picture, png in pictures),
            page=self._seat_page(ruleset, view, facts, html, [drawn for drawn, _ in pictures]) if facts.page else None,
        )

    def _context(
        self,
        ruleset: AnyRuleset,
        view: View,
        facts: ReportFacts,
        pictures: list[tuple[Picture, bytes | None]],
        brief: Sequence[str],
    ) -> dict[str, Any]:
        return {
            "view": view,
            "facts": facts,
            "ruleset": GameInfo(ruleset.key, ruleset.title, ruleset.designer, ruleset.version),
            "brief": brief,
            "scores": format_scores(view.get("memory", {}).get("scores")),
            "happened": self._render_events(f"{ruleset.key}/events.j2", view),
            "map_text": ruleset.text_map(view),
            "order_lines": ruleset.template(view) if view["awaited"] and not view["over"] else None,
            "pictures": [_place_picture(picture, png, facts) for picture, png in pictures],
            "enclosed": Attachments(ruleset, view, facts).placed(),
        }

    def _render(self, name: str, context: Mapping[str, Any]) -> str:
        with _word_faults(name):
            return self._templates.get_template(name).render(context)

    def _render_events(self, name: str, view: View) -> list[RenderedEvent]:
        with _word_faults(name):
            if name not in self._event_macros:
                module: Any = self._templates.get_template(name).module
                self._event_macros[name] = module.event
            texts = [(event["kind"], self._event_macros[name](event, view)) for event in view["events"]]
        happened = [
            RenderedEvent(kind, [line.strip() for line in text.splitlines() if line.strip()]) for kind, text in texts
        ]
        return [happening for happening in happened if happening.lines]


def _order_outcomes(ruleset: AnyRuleset, view: View, orders: Sequence[Order]) -> tuple[OrderOutcome, ...]:
    """A seat's orders of the turn before, and what its view tells of each."""
    became = ruleset.order_outcomes(view, orders)
    return tuple(OrderOutcome(order.words(), said) for order, said in zip(orders, became, strict=True))


def report_subject(title: str, view: View, facts: ReportFacts, edition: int) -> str:
    """The subject of a report's mail, without the tags before and behind it. First comes what must not be cut off."""
    due = f"by {format_time_short(facts.deadline, facts.zone)}: " if facts.deadline and view["awaited"] else ""
    kind = "report" if edition == 1 else f"corrected report (edition {edition})"
    return f"{due}{view['label']}, {kind} for {facts.seat} ({title})"


@contextmanager
def _word_faults(name: str) -> Iterator[None]:
    """Words what goes wrong in a template for whoever wrote it."""
    try:
        with limited():
            yield
    except TemplateNotFound as error:
        raise ConfigError(f"the template {error.name} is missing; it is needed for {name}") from error
    except (TemplateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise UnusableTemplateError(_locate(error, name), str(error)) from error


def _locate(error: Exception, name: str) -> str:
    """The template and line where the error arose."""
    if isinstance(error, TemplateSyntaxError):
        return f"{error.name or name}, line {error.lineno}"
    place = name
    for frame, line in traceback.walk_tb(error.__traceback__):
        path = Path(frame.f_code.co_filename)
        if path.suffix == ".j2":
            # Jinja gives frames their template's lines only when it renders, not when a macro is called from here.
            compiled = frame.f_globals.get("__jinja_template__")
            line = compiled.get_corresponding_lineno(line) if compiled else line
            place = f"{path.parent.name}/{path.name}, line {line}"
    return place


def _place_picture(picture: Picture, png: bytes | None, facts: ReportFacts) -> PlacedPicture:
    cid = facts.content_id(picture.name)
    return PlacedPicture(picture.name, picture.title, picture.width, picture.height, cid, png is not None)
