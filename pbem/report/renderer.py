"""Renders reports and other mails from templates, and the page of a seat as one HTML file.

The page has the report, maps that can be tapped and a form for orders. It is made
from the report's mail and view alone, so it can be made again from these. It
has the reply code where the mail has it, in the order sheet, and in the data of
the form.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, NamedTuple, Self

from jinja2 import TemplateError, TemplateNotFound, TemplateSyntaxError
from markupsafe import Markup, escape

from pbem.errors import PARSE_ERRORS, ConfigError, UnusableTemplateError
from pbem.log import event
from pbem.report.attachments import Attachments
from pbem.report.changes import ReportSentences
from pbem.report.data import report_data, write_report_data
from pbem.report.facts import (
    MANY_ORDERS,
    DrawnPicture,
    OrderOutcome,
    RenderedReport,
    ReportFacts,
    abridge_outcomes,
    format_scores,
    group_outcomes,
    picture_file,
)
from pbem.report.notices import LONGEST_SUBJECT, NO_FRAME, MailFrame, MailText, Page, Together
from pbem.report.pictures import PictureRenderer
from pbem.report.plot import NAME as PLOT
from pbem.report.plot import ending_plot
from pbem.report.pool import Job, ReportPool
from pbem.report.style import with_dark_colours
from pbem.report.templates import HTML, TEXT, TextOnly, template_environment
from pbem.ruleset.drawing import Picture, interactive_svg
from pbem.ruleset.order_tree import order_form, typed_form
from pbem.ruleset.order_types import Order
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.serialization import canonical_json
from pbem.ruleset.values import Json, View
from pbem.text import cut_at_word, format_time_short
from pbem.util import plus_address
from pbem.web.page import PageAssets, json_script, page_assets
from pbem.web.sanitize import sanitize_html

TEMPLATE = "host/seat_page.html.j2"

_KEY = "pbem-draft-"

_MORE_MAPS = "<!--maps-->"
"""The place in a mail where a page shows the pictures that are attached to the mail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatPage:
    """Variables of the template of a seat's page."""

    title: str
    body: Markup
    dress: PageAssets
    seat: Markup


def render_seat_page(
    ruleset: AnyRuleset,
    view: View,
    facts: ReportFacts,
    *,
    html: str,
    pictures: Iterable[Picture],
    practice: str = "",
) -> SeatPage:
    """Return the page of a report; `html` is the HTML of its mail.

    With `practice`, an address, it sends no mail and links there instead.
    """
    tag = '<div class="map" data-name="{}">{}</div>'
    maps = {
        # Spam filters count texts that meet without a blank as words broken up by tags.
        facts.content_id(picture.name): tag.format(
            escape(picture.name.capitalize()), interactive_svg(picture).replace("</text>", "</text>\n")
        )
        for picture in pictures
    }
    maps |= Attachments(ruleset, view, facts).elements()
    # A mail shows the first picture, and has the others as files; a page shows them all.
    files = "".join(f'<img src="cid:{cid}" alt="">' for cid in maps if f"cid:{cid}" not in html)
    # Inline styles become classes, since the policy of the page allows none (decision 27).
    report = sanitize_html(html.replace(_MORE_MAPS, files, 1), maps)
    form = None if view["over"] else _order_form(ruleset, view)
    desk = form if form and form["verbs"] else None
    return SeatPage(
        title=f"{ruleset.title}, {facts.campaign}, {view['label']}: {facts.seat}",
        body=report.body,
        dress=page_assets("base.css", "map.css", "seat.css", script="seat.js").with_style(
            with_dark_colours(report.style)
        ),
        seat=json_script("seat", _seat_data(ruleset, view, facts, desk) | ({"practice": practice} if practice else {})),
    )


def _order_form(ruleset: AnyRuleset, view: View) -> Json:
    try:
        return order_form(ruleset, view)
    except Exception as error:  # noqa: BLE001 - a game may raise anything, and orders that are typed are better than none
        event("choices of a page not made", level="warning", fault=error, game=ruleset.key)
        return typed_form(ruleset.desk(view))


def _seat_data(ruleset: AnyRuleset, view: View, facts: ReportFacts, desk: Json) -> Json:
    """Return the data for the page's script. Their `key` names a draft, which outlives a correction of its report."""
    due = f" · by {format_time_short(facts.deadline, facts.zone)}" if facts.deadline else ""
    about = f"{facts.campaign}/{facts.seat}/{view['label']}"  # no reply code, which a correction changes
    return {
        "header": facts.header,
        "title": ruleset.title,
        "moment": f"{facts.seat}, {view['label']}{due}",
        "address": facts.address,
        "subject": f"[{facts.campaign}] orders of {facts.seat}, {view['label']}",
        "key": _KEY + hashlib.sha256(about.encode()).hexdigest()[:16],
        "due": facts.deadline.astimezone(dt.UTC).isoformat() if facts.deadline else None,
        "awaited": bool(view["awaited"]),
        "desk": desk,
    }


FEW, FEW_DRAWN = 24, 12
"""Reports of one turn up to which a pool is not worth it: without pictures, and with them.

Measured: text alone is rendered in 3 ms, and is not faster by way of another process; shared among processes, tables of
six took a third more processor time, and longer by the clock. Each worker has a painter, whose first sprites and labels
take 0.1 s.
"""


class GameInfo(NamedTuple):
    """A ruleset as templates see it, under the name `ruleset`."""

    key: str
    title: str
    designer: str
    version: int
    has_dice: bool


class RenderedEvent(NamedTuple):
    """One event in words: a sentence, and further lines that explain it."""

    kind: str
    lines: list[str]


class PlacedPicture(NamedTuple):
    """A picture as templates see it: its Content-ID, whether it is attached, and under which name."""

    name: str
    title: str
    width: int
    height: int
    cid: str
    drawn: bool
    file: str


class Renderer:
    """Renders with templates compiled once, and draws; many reports are shared among `jobs` processes.

    Those processes start when they are first worth it, and live until `close`.
    `template_dirs` are searched in order: a GM's own folder, then the program's;
    then the templates that the `games` bring. Without `pictures`, reports have their
    text map alone; `backgrounds` is the folder where those of pictures are kept, if
    any. Templates run in a sandbox, since they may come from a stranger; one that
    cannot be used raises ConfigError with its name and line.
    """

    def __init__(
        self,
        template_dirs: Sequence[Path],
        games: Mapping[str, AnyRuleset] = MappingProxyType({}),
        *,
        pictures: bool = True,
        backgrounds: Path | None = None,
        jobs: int = 1,
    ) -> None:
        self._templates = template_environment(template_dirs, games)
        self._games, self._pictures, self._backgrounds, self._jobs = games, pictures, backgrounds, jobs
        self._event_macros: dict[str, Callable[[Mapping[str, Any], View], str]] = {}

    # Both made when first needed: most mails have neither a picture nor many copies.
    @cached_property
    def _painter(self) -> PictureRenderer | None:
        return PictureRenderer(self._backgrounds) if self._pictures else None

    @cached_property
    def _pool(self) -> ReportPool:
        few = FEW_DRAWN if self._pictures else FEW
        return ReportPool(self._jobs, few, self._games, self.make, self._close_painter)

    def report(
        self, ruleset: AnyRuleset, view: View, facts: ReportFacts, orders: Sequence[Order] = ()
    ) -> RenderedReport:
        """Render one report in this process; arguments as in `Job`, but the view as data."""
        return self.make(Job(ruleset, canonical_json(view), facts, orders))

    def make(self, job: Job) -> RenderedReport:
        """Render one report in this process."""
        ruleset, written, facts, orders = job
        # What is read back from JSON has no reference to a state, which could disclose more (decision 1).
        view = json.loads(written)
        facts = replace(facts, ordered=_order_outcomes(ruleset, view, orders)) if orders else facts
        pictures = _all_pictures(ruleset, view, facts) if self._painter else []
        pngs = self._painter.draw(pictures) if self._painter else []
        return self._report(job._replace(facts=facts), view, list(zip(pictures, pngs, strict=True)))

    def render_trial(self, ruleset: AnyRuleset, view: View, facts: ReportFacts, *, drawn: bool) -> RenderedReport:
        """Render a report to try its templates: no picture is painted; each counts as drawn, or as failed."""
        # Painting would take a second for the first chart of each game, and templates do not see the pixels.
        pictures = [(picture, b"" if drawn else None) for picture in _all_pictures(ruleset, view, facts)]
        return self._report(Job(ruleset, canonical_json(view), facts, ()), view, pictures)

    def reports(self, jobs: Iterable[Job]) -> Iterator[RenderedReport]:
        """Yield the reports of all jobs, in their order; jobs are taken somewhat ahead."""
        return self._pool.reports(jobs)

    def text(self, ruleset: AnyRuleset, view: View, facts: ReportFacts, orders: Sequence[Order] = ()) -> str:
        """Return the text of a report alone; `view` is JSON data as of `json.loads`, `orders` are as in `Job`."""
        facts = replace(facts, ordered=_order_outcomes(ruleset, view, orders)) if orders else facts
        return self._render(
            f"{ruleset.key}/report.txt.j2", self._context(ruleset, view, facts, [], ruleset.turn_summary(view))
        )

    def write(self, page: Page, frame: MailFrame = NO_FRAME, *, around: str = "shell") -> MailText:
        """Return one of the host's mails from the record of its facts; a template for text alone gives no HTML."""
        if isinstance(page, Together):
            texts = (self.write(each, replace(of, together=True), around="piece") for each, of in page.parts)
            page = replace(page, pieces=tuple(MailText(text, Markup(html)) for text, html in texts))  # noqa: S704 - escaped
        context = {"page": page, "frame": frame}
        text = self._render(f"host/{page.page}.{TEXT}.j2", context, around)
        try:
            return MailText(text, self._render(f"host/{page.page}.{HTML}.j2", context, around))
        except TextOnly:
            return MailText(text)

    def site(self, name: str, **facts: Any) -> str:
        """Return the HTML of `templates/site/<name>.html.j2`."""
        return self._render(f"site/{name}.html.j2", facts)

    def describe_events(self, ruleset: AnyRuleset, view: View) -> list[list[str]]:
        """Return the events of a view in words: of each a sentence, and further lines that explain it."""
        return [each.lines for each in self._render_events(f"{ruleset.key}/events.j2", ruleset.current_view(view))]

    def sentences(self, ruleset: AnyRuleset, view: View, orders: Sequence[Order]) -> ReportSentences:
        """Return what a report says in sentences; arguments as in `text`."""
        return ReportSentences(
            headlines=list(ruleset.turn_summary(view)),
            events=self.describe_events(ruleset, view),
            orders=_order_outcomes(ruleset, view, orders),
        )

    def seat_page(
        self,
        ruleset: AnyRuleset,
        view: View,
        facts: ReportFacts,
        html: str,
        *,
        pictures: Iterable[Picture] | None = None,
        practice: str = "",
    ) -> bytes:
        """Return the page of a report; arguments as in `render_seat_page`, but pictures are drawn if not given."""
        if pictures is None:
            pictures = _all_pictures(ruleset, view, facts) if self._painter or practice else ()
        page = render_seat_page(ruleset, view, facts, html=html, pictures=pictures, practice=practice)
        return self._render(TEMPLATE, {"page": page}).encode()

    def paint(self, picture: Picture) -> bytes | None:
        """Return the PNG of a picture; None without pictures, and for one that is unfit or cannot be drawn."""
        return self._painter.draw([picture])[0] if self._painter else None

    def close(self) -> None:
        """End the worker processes; they start again if needed."""
        if "_pool" in vars(self):
            self._pool.close()
        self._close_painter()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _close_painter(self) -> None:
        if "_painter" in vars(self) and self._painter is not None:
            self._painter.close()

    def _report(self, job: Job, view: View, pictures: list[tuple[Picture, bytes | None]]) -> RenderedReport:
        ruleset, written, facts, _ = job
        brief = ruleset.turn_summary(view)
        data = report_data(ruleset, view, facts, brief)
        context = self._context(ruleset, view, facts, pictures, brief)
        html = self._render(f"{ruleset.key}/report.html.j2", context)
        return RenderedReport(
            seat=facts.seat,
            subject=report_subject(view, facts, brief, facts.edition),
            text=self._render(f"{ruleset.key}/report.txt.j2", context),
            html=html,
            data=write_report_data(data, written),
            pictures=tuple(
                DrawnPicture(picture.name, picture.title, png, _picture_name(picture, view, facts))
                for picture, png in pictures
            ),
            page=self.seat_page(ruleset, view, facts, html, pictures=[drawn for drawn, _ in pictures])
            if facts.page
            else None,
        )

    def _context(
        self,
        ruleset: AnyRuleset,
        view: View,
        facts: ReportFacts,
        pictures: list[tuple[Picture, bytes | None]],
        brief: Sequence[str],
    ) -> dict[str, Any]:
        placed = [_place_picture(picture, png, view, facts) for picture, png in pictures]
        view = ruleset.current_view(view)
        # Words of a player stay as they are: two lines of them may differ in one word.
        ordered = facts.ordered if ruleset.free_text else group_outcomes(facts.ordered)
        few = len(ordered) <= MANY_ORDERS or facts.full or view["over"]
        plain = 0 if few else sum(row.state == "plain" for row in facts.ordered)
        return {
            "view": view,
            "facts": facts,
            # Not the game itself: a template could call its methods.
            "ruleset": GameInfo(ruleset.key, ruleset.title, ruleset.designer, ruleset.version, ruleset.has_dice),
            "brief": brief,
            "ordered": ordered,
            "outcomes": abridge_outcomes(facts.ordered) if plain else ordered,
            "plain": plain,
            "frame": _frame(ruleset, facts),
            "scores": format_scores(view.get("memory", {}).get("scores")),
            "happened": self._render_events(f"{ruleset.key}/events.j2", view),
            "map_text": ruleset.text_map(view),
            "order_lines": ruleset.template(view) if view["awaited"] and not view["over"] else None,
            "pictures": [each for each in placed if each.name != PLOT],
            "plot": next((each for each in placed if each.name == PLOT), None),
            "enclosed": Attachments(ruleset, view, facts).by_place(),
        }

    def _render(self, name: str, context: Mapping[str, Any], around: str = "shell") -> str:
        """Render a template; one that writes both forms extends `shell`, or `base` for a game's report."""
        form = HTML if name.endswith(f".{HTML}.j2") else TEXT
        names = {"shell": around, "base": "report", "parts": "parts"}
        shared = {key: f"host/{name}.{form}.j2" for key, name in names.items()}
        with _word_faults(name):
            return self._templates.get_template(name).render(context, **shared)

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
    """Return a seat's orders of the turn reported, with the outcome that its view shows of each."""
    became = ruleset.order_outcomes(view, orders)
    return tuple(
        OrderOutcome(order.words(), said, ruleset.orders.line(order), getattr(said, "state", "done"))
        for order, said in zip(orders, became, strict=True)
    )


def _all_pictures(ruleset: AnyRuleset, view: View, facts: ReportFacts) -> list[Picture]:
    """Return the pictures of a report: those of the game, and at its end everybody's scores."""
    plot = ending_plot(facts.ending) if facts.ending else None
    return [*ruleset.pictures(view), *([plot] if plot else [])]


_LONGEST_LABEL = 32
# Signs of emphasis, which a subject would show.
_MARKUP = re.compile(r"(?<![*_`])[*_`]++(?=\w)|(?<=[\w.!?])[*_`]++")


def report_subject(view: View, facts: ReportFacts, brief: Sequence[str], edition: int) -> str:
    """Return the subject of a report's mail without its tags: what to do first, since phones show 40 characters.

    `brief` are the headlines; of the first one that has a clause for which there is room, such clauses stand last.
    """
    mover = view.get("mover")
    # A part of the label such as "red moving" is said by what stands before it.
    parts = (part for part in " ".join(view["label"].split()).split(", ") if not part.startswith(f"{mover} "))
    label = cut_at_word(", ".join(parts), _LONGEST_LABEL)
    news = [line.partition(". ")[0] for line in brief]
    if view["over"]:
        said = ["the end"]
        news = [facts.ending.title] if facts.ending and facts.ending.winners else news
    elif view["awaited"]:
        said = ["your move"] if mover == facts.seat else []
        said += [label, f"due {format_time_short(facts.deadline, facts.zone)}"] if facts.deadline else [label]
    else:
        said, news = [f"{mover} moves"] if mover else [], ["nothing to do"]
        said += [label]
    first = ", ".join(["CORRECTED", *said] if edition > 1 else said)
    room = LONGEST_SUBJECT - len(f"[{facts.campaign}] {first}: ")
    headlines = (_in_short(_as_clause(line), room) for line in news)
    headline = next((line for line in headlines if 0 < len(line) <= room), "")
    return f"{first}: {headline}" if headline else first


_SENSE_ENDS = re.compile(r"(?=; | \()|(?<=[.!?])(?= )")
# Not inside a list, which would be another one.
_IN_LIST = r"(?:(?:\d{1,9} )?[^\s,]{1,40}, ){0,9}(?:\d{1,9} )?[^\s,]{1,40} (?:and|or) "
_CLAUSE_ENDS = re.compile(rf"{_SENSE_ENDS.pattern}|(?=, )(?!, {_IN_LIST})")


def _in_short(headline: str, most: int) -> str:
    """Return a headline in at most so many characters, cut where what is left makes sense; "" if that is nowhere.

    >>> _in_short("you took Naxos; bob 4, cyd 3", 20), _in_short("fights: 2 won, against bob and cyd", 20)
    ('you took Naxos', 'fights: 2 won')
    >>> _in_short("you missed the deadline: 1 in a row", 25), _in_short("nearest to gather: 2 at 2,-4", 25)
    ('you missed the deadline', '')
    >>> _in_short("you lost C2, C1 and C4 to bob", 20), _in_short("3 units, the nearest at 2,-4", 20)
    ('', '')
    """
    if len(headline) <= most:
        return headline
    begun = headline.partition(", ")[0]
    # Behind a word or two a comma begins an apposition.
    ends = _CLAUSE_ENDS if ":" in begun or begun.count(" ") > 1 else _SENSE_ENDS
    found = [end.start() for end in ends.finditer(headline)]
    if headline.startswith("you "):  # Before its colon stands a verb, and no title of what is behind that.
        found.append(headline.find(": "))
    return headline[: max((end for end in found if 0 <= end <= most), default=0)]


def _as_clause(sentence: str) -> str:
    """Return a headline as it goes on after a colon: without emphasis and full stop, and no capital of a common word.

    >>> _as_clause("You took **Naxos**.")
    'you took Naxos'
    """
    text = _MARKUP.sub("", " ".join(sentence.split())).removesuffix(".")
    first = text.partition(" ")[0]
    return text[:1].lower() + text[1:] if first.lower() in _COMMON else text


_COMMON = {
    *(
        "a",
        "all",
        "an",
        "at",
        "from",
        "in",
        "it",
        "its",
        "no",
        "none",
        "nothing",
        "one",
        "the",
        "there",
        "they",
        "this",
    ),
    *("two", "you", "your"),
}


@contextmanager
def _word_faults(name: str) -> Iterator[None]:
    """Convert errors in a template into messages for its author."""
    try:
        yield
    except TemplateNotFound as error:
        raise ConfigError(f"the template {error.name} is missing; it is needed for {name}") from error
    except (TemplateError, MemoryError, *PARSE_ERRORS) as error:
        raise UnusableTemplateError(_locate(error, name), _explain(error)) from error


_MISSING_BLOCK = "Required block"
_MISSING_MACRO = re.compile(r"'jinja2\.environment\.TemplateModule object' has no attribute '(\w{1,80})'")
# Their macros fail for what they are given, and that stands in the template that calls them.
_SHARED = {"parts.html.j2", "parts.txt.j2"}


def _explain(error: Exception) -> str:
    """Return an error in a template in words for its author."""
    text = str(error)
    if isinstance(error, RecursionError | MemoryError):
        return "its macros, blocks or parts call themselves without end, or it takes too much memory"
    if text.startswith(_MISSING_BLOCK):
        return f"it has no block {text.removeprefix(_MISSING_BLOCK).split()[0].strip(chr(39))}, which is needed"
    macro = _MISSING_MACRO.search(text)
    return f"there is no macro {macro[1]}; host/parts.html.j2 lists those there are" if macro else text


def _locate(error: Exception, name: str) -> str:
    """Return the template and line where an error arose, of several the one that its author can mend."""
    if isinstance(error, TemplateSyntaxError):
        file = Path(error.filename) if error.filename else None
        return f"{f'{file.parent.name}/{file.name}' if file else error.name or name}, line {error.lineno}"
    places = list(_places(error))
    own = [place for place, file in places if file not in _SHARED] or [place for place, _ in places]
    # What a block of the base lacks is missing in the first template, which extends the base.
    return (own[0] if str(error).startswith(_MISSING_BLOCK) else own[-1]) if own else name


def _places(error: Exception) -> Iterator[tuple[str, str]]:
    """Yield each template through which an error went, with its line, and the name of its file."""
    for frame, line in traceback.walk_tb(error.__traceback__):
        path = Path(frame.f_code.co_filename)
        if path.suffix == ".j2":
            # Jinja gives frames their template's lines only when it renders, not when a macro is called from here.
            compiled = frame.f_globals.get("__jinja_template__")
            line = compiled.get_corresponding_lineno(line) if compiled else line
            yield f"{path.parent.name}/{path.name}, line {line}", path.name


def _place_picture(picture: Picture, png: bytes | None, view: View, facts: ReportFacts) -> PlacedPicture:
    cid, file = facts.content_id(picture.name), _picture_name(picture, view, facts)
    return PlacedPicture(picture.name, picture.title, picture.width, picture.height, cid, png is not None, file)


def _picture_name(picture: Picture, view: View, facts: ReportFacts) -> str:
    return picture_file(facts.campaign, view["label"], picture.name)


def _frame(ruleset: AnyRuleset, facts: ReportFacts) -> MailFrame:
    reply_to = plus_address(facts.address, facts.code) if facts.code else facts.address
    return MailFrame(
        address=facts.address,
        reply_to=reply_to,
        campaign=facts.campaign,
        game=ruleset.title,
        gm=facts.gm,
        site=facts.site,
        title=facts.title,
    )
