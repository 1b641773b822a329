"""Samples of each game for people who do not play it yet: a report, a page to try, and a receipt.

They are made of the ruleset alone, by a sample game of its bots with a fixed seed, and
never from a campaign.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from dataclasses import dataclass

from markupsafe import Markup

from pbem.campaign.guide import sample_receipt
from pbem.report.facts import ReportFacts
from pbem.report.notices import MailFrame
from pbem.report.renderer import Renderer
from pbem.report.sample_game import TURNS, SampleTurn, latest_awaited, play_turns
from pbem.ruleset.drawing import Picture
from pbem.ruleset.protocol import AnyRuleset
from pbem.ruleset.values import SeatName, View
from pbem.site.pictures import first_safe, is_safe_picture
from pbem.web.sanitize import SanitizedHtml, sanitize_html

_CAMPAIGN, _CODE = "sample", "EXAMPLE"
# An address that no mail reaches (RFC 2606): nothing of a sample is meant to be sent.
_ADDRESS = "orders@example.org"
_DEADLINE = dt.datetime(2026, 11, 27, 19, 0, tzinfo=dt.UTC)
_MOST_ORDERS = 8
_WRITES = re.compile(r'<a href="mailto:[^"<>]*+"[^<>]*+>((?>(?:(?!</?a\b).)*))</a>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class SampleMail:
    """A mail of a sample: its subject and what is in it; `message` are the lines that it answers, if it does."""

    subject: str
    content: SanitizedHtml
    message: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GameSamples:
    """Samples of a turn of a game; `page` is a whole page, `receipt` is None where a bot gives no orders."""

    board: Picture | None
    seat: SeatName
    label: str
    report: SampleMail
    page: bytes
    receipt: SampleMail | None


def make_samples(reporter: Renderer, ruleset: AnyRuleset) -> GameSamples:
    """Return the samples of a game. A game may raise anything."""
    turns = [*play_turns(ruleset, TURNS)]
    found = latest_awaited(turns)
    if found is None:
        raise ValueError("in a sample game no seat is asked for orders")
    turn, seat = found
    view = turn.views[seat]
    ordered = reporter.sentences(ruleset, view, turn.orders.get(seat, ())).orders
    facts = ReportFacts(
        campaign=_CAMPAIGN,
        seat=seat,
        seats=tuple(turn.views),
        deadline=_DEADLINE,
        zone="UTC",
        code=_CODE,
        address=_ADDRESS,
        ordered=tuple(ordered),
    )
    mail = reporter.render_trial(ruleset, view, facts, drawn=True)
    # Without a deadline: the page would say that it has passed.
    open_end = dataclasses.replace(facts, deadline=None)
    html = reporter.render_trial(ruleset, view, open_end, drawn=True).html
    pictures = [picture for picture in ruleset.pictures(view) if is_safe_picture(picture)]
    shown = {facts.content_id(each.name): f'<div class="map">{each.svg}</div>' for each in pictures}
    report = SampleMail(f"[{_CAMPAIGN}] {mail.subject}", _read_only(sanitize_html(mail.html, shown)))
    return GameSamples(
        board=_board(ruleset, turns[-1]),
        seat=seat,
        label=str(view["label"]),
        report=report,
        page=reporter.seat_page(ruleset, view, open_end, html, practice="../../index.html"),
        receipt=_receipt(reporter, ruleset, view),
    )


def _board(ruleset: AnyRuleset, turn: SampleTurn) -> Picture | None:
    """Return a board as all may see it, or else as one seat does."""
    public = ruleset.public_view(turn.views)
    own = ruleset.pictures(next(iter(turn.views.values())))
    return first_safe([*(public.pictures if public else ()), *own])


def _receipt(reporter: Renderer, ruleset: AnyRuleset, view: View) -> SampleMail | None:
    sample = sample_receipt(ruleset, view, _MOST_ORDERS, _CAMPAIGN, _DEADLINE)
    if sample is None:
        return None
    frame = MailFrame(address=_ADDRESS, reply_to=_ADDRESS, campaign=_CAMPAIGN, game=ruleset.title)
    html = reporter.write(sample.receipt, frame).html or ""
    return SampleMail(f"[{_CAMPAIGN}] {sample.receipt.subject}", _read_only(sanitize_html(html, {})), sample.message)


def _read_only(content: SanitizedHtml) -> SanitizedHtml:
    """Return a mail without its links that write mails."""
    body = Markup(_WRITES.sub(r"\1", content.body))  # noqa: S704 - it was safe, and loses elements alone
    return SanitizedHtml(body, content.style)
