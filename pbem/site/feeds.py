"""Feeds (Atom, RFC 4287) and calendars (iCalendar, RFC 5545) of the website."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from pbem.report.data import CalendarEntry, deadlines_ics
from pbem.ruleset.drawing import svg_escape
from pbem.site.data import CampaignPage, ClubPage, TurnOpened
from pbem.store.types import CampaignState
from pbem.text import format_time

_ATOM = "http://www.w3.org/2005/Atom"
MOST_ENTRIES = 40


@dataclass(frozen=True, slots=True)
class Entry:
    """Entry of a feed; `page` is its web page, from the root of the site."""

    id: str
    title: str
    text: str
    at: dt.datetime
    page: str


def calendar(club: ClubPage, campaigns: Iterable[CampaignPage], name: str) -> bytes:
    """Return the open deadlines of campaigns, each with a UID that stays, so that calendars move it."""
    due = [
        CalendarEntry(
            f"{each.name}@{club.domain}",
            f"Orders for {each.heading} ({each.game.title}) are due",
            each.due,
            each.last.at,
            each.zone,
        )
        for each in campaigns
        if each.due and each.last
    ]
    return deadlines_ics(name, due)


def campaign_feed(club: ClubPage, campaign: CampaignPage) -> bytes:
    return _feed(
        club, campaign.heading, _tag(club, campaign), _page(campaign), campaign.since, _entries(club, campaign)
    )


def club_feed(club: ClubPage) -> bytes:
    entries = [entry for each in club.campaigns for entry in _entries(club, each)]
    # A feed without entries must have a time, too (RFC 4287, 4.1.1).
    since = max((each.since for each in club.campaigns), default=dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
    return _feed(club, club.name, f"tag:{club.domain},2020:pbem", "index.html", since, entries)


def _entries(club: ClubPage, campaign: CampaignPage) -> list[Entry]:
    tag, page, called = _tag(club, campaign), _page(campaign), campaign.heading
    found = [
        Entry(f"{tag}/turn/{each.number}", f"{called}: {each.label}", _describe(campaign, each), each.at, page)
        for each in campaign.openings
    ]
    found += [
        Entry(
            f"{tag}/news/{issue.opened.number}",
            f"{called}: the newspaper of {issue.opened.label}",
            "\n\n".join(f"{piece.by or 'Unsigned'}:\n{piece.text}" for piece in issue.pieces),
            issue.opened.at,
            page,
        )
        for issue in campaign.issues
    ]
    found.append(
        Entry(f"{tag}/made", f"{called}: {campaign.game.title}", campaign.game.summary, campaign.created, page)
    )
    return found


def _describe(campaign: CampaignPage, opened: TurnOpened) -> str:
    if campaign.status == CampaignState.OVER and opened == campaign.last:
        return "The game is over."
    if campaign.status == CampaignState.MOVED and opened == campaign.last:
        return "The game is played in another home now."
    if campaign.waits and opened == campaign.last:
        return "The deadline is past: the turn waits for the GM."
    return (
        f"Orders are due {format_time(opened.deadline, campaign.zone)}." if opened.deadline else "The turn has begun."
    )


def _tag(club: ClubPage, campaign: CampaignPage) -> str:
    """Return the tag URI of a campaign (RFC 4151), which stays the same wherever the site moves."""
    return f"tag:{club.domain},{campaign.created:%Y-%m-%d}:pbem/{campaign.name}"


def _page(campaign: CampaignPage) -> str:
    return f"c/{campaign.name}/index.html"


def _feed(club: ClubPage, title: str, id_: str, page: str, since: dt.datetime, entries: Sequence[Entry]) -> bytes:
    feed = ET.Element("feed", xmlns=_ATOM)
    _add(feed, "title", title)
    _add(feed, "id", id_)
    _add(feed, "updated", _atom_time(since))
    # Required, since no entry has an author (RFC 4287, 4.1.1).
    _add(ET.SubElement(feed, "author"), "name", club.name)
    up = "../" * (page.count("/"))
    ET.SubElement(feed, "link", href=(club.url or up) + page if club.url else "index.html")
    for entry in sorted(entries, key=lambda entry: entry.at, reverse=True)[:MOST_ENTRIES]:
        item = ET.SubElement(feed, "entry")
        _add(item, "title", entry.title)
        _add(item, "id", entry.id)
        _add(item, "updated", _atom_time(entry.at))
        ET.SubElement(item, "link", href=(club.url or up) + entry.page)
        _add(item, "content", entry.text)
    return bytes(ET.tostring(feed, encoding="utf-8", xml_declaration=True))


def _add(parent: ET.Element, name: str, text: str) -> None:
    # XML 1.0 forbids some characters, which the serializer would write as they are; it escapes all others.
    allowed = "".join("?" if svg_escape(sign) == "?" else sign for sign in text)
    ET.SubElement(parent, name).text = allowed


def _atom_time(at: dt.datetime) -> str:
    return at.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
