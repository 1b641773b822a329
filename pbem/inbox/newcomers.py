"""Answers to people without a seat: the games that they can join, whatever they wrote; and wishes to join one.

Nothing is told of campaigns that take no players by mail: whether they exist is not
disclosed.
"""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from pbem.campaign.invitations import describe_open_game, renew_invitation
from pbem.campaign.snapshot import load_campaign
from pbem.errors import CampaignError
from pbem.inbox.command_parser import CommandList
from pbem.inbox.context import MessageContext, Outcome
from pbem.inbox.rate_limits import reply_limit_reason
from pbem.inbox.replies import answer, bare_subject
from pbem.inbox.seat_lookup import is_known, taking_players
from pbem.mail.message import find_reply_codes
from pbem.report.answers import OpenGame, OpenGames
from pbem.util import redact_all

if TYPE_CHECKING:
    from pbem.inbox.facts import Reading

MOST_OFFERED = 20
"""Games that are offered in one mail."""

_EXCERPT = 120
"""Characters of a message that are quoted back."""

_MOST_READ = 10
"""Lines in which a wish to join is looked for."""

_WISH = re.compile(
    r"\b(?:join|joining|sign(?:ing)?[ ](?:me[ ])?up|play(?:ing)?[ ]in|take[ ]part|seat[ ]in|enter"
    r"|mitspielen|mitmachen|beitreten|teilnehmen|anmelden|dabei|rejoindre|participer|jouer|inscrire"
    r"|unirme|participar|jugar|jogar|partecipare|giocare|meedoen|deelnemen|delta|gå[ ]med|dołączyć|zagrać"
    r"|zahrát|присоединиться|сыграть|играть)\b|参加|加入|참가",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|no|never|nicht|kein|pas|non|nao|não|niet|inte|ikke|nie|ne|не|нет)\b|n't\b", re.IGNORECASE)
_FRAME = re.compile(r"\A\s*+(?:orders|player|gm)\s++\S++\s++\S", re.IGNORECASE)
_LINK = re.compile(r"://|www\.|@|\.[a-z]{2,}/", re.IGNORECASE)
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*+")
_AS = re.compile(r"\bas[ ]+(?:the[ ]+)?([a-z0-9-]{1,20}+)", re.IGNORECASE)


def answer_stranger(mail: Reading) -> Outcome:
    """Answer a message of a person without a seat."""
    return to_stranger(mail.context), False


def to_stranger(context: MessageContext) -> str:
    """Answer a message of an unknown sender; return what to note of it.

    The answer is the same whether or not what the message names exists.
    """
    if context.message.sender is None:
        return context.silent("no sender can be read")
    return offer_games(context, context.message.sender)


def offer_games(context: MessageContext, to: str, *, asked: str = "") -> str:
    """Mail a person without a seat their invitation again, or the games to join; return what to note of it.

    `asked` is the campaign that they ask to join, and that takes no players.
    """
    if not (context.key or is_known(context.session, to)) and (why := reply_limit_reason(context, to, "answer")):
        return context.silent(why)  # before campaigns are loaded, for the sake of floods
    if invited := renew_invitation(context.app, context.session, to, context.now):
        return answer(context, to, invited, code=invited.code)
    games = _open_games(context)
    gms = {game.gm.lower(): game.gm for game in games}
    settings = context.app.settings
    page = OpenGames(
        address=context.address,
        wrote=_excerpt(context) if games else "",
        seated=_is_for_seat(context),
        games=tuple(games[:MOST_OFFERED]),
        asked=asked,
        hint=_nearest(asked or _misspelt(context), [game.campaign for game in games]),
        site=settings.site_url if settings.has_site else "",
        gm=next(iter(gms.values())) if len(gms) == 1 else "",
    )
    return answer(context, to, page)


def _open_games(context: MessageContext) -> list[OpenGame]:
    """Return the campaigns that take players by mail, those with a free seat first."""
    found = []
    for name in taking_players(context.session):
        try:
            found.append(describe_open_game(context.app, load_campaign(context.session, name)))
        except CampaignError:  # its game is not installed here, or cannot be used
            continue
    return sorted(found, key=lambda game: not game.free)


def _excerpt(context: MessageContext) -> str:
    """Return the beginning of a message to be quoted back; without keys, frames, links and addresses.

    The answer may go to a forged address: it must not carry a text of another's choice.
    """
    if _is_for_seat(context):
        return ""
    text = redact_all(context.message.text if context.message.text.strip() else bare_subject(context.message.subject))
    words = [word for word in text.split() if not _LINK.search(word)]
    said = " ".join(words).replace('"', "'")
    return said if len(said) <= _EXCERPT else f"{said[:_EXCERPT].rstrip()} ..."


def _is_for_seat(context: MessageContext) -> bool:
    """Return True if a message has a frame, or a code that is not known: it is from a person who plays somewhere."""
    return any(map(_FRAME.match, context.message.lines)) or bool(find_reply_codes(context.message, context.address))


def _nearest(word: str, names: list[str]) -> str:
    return next(iter(difflib.get_close_matches(word.lower(), names, n=1, cutoff=0.6)), "") if word else ""


def find_join_wish(context: MessageContext) -> CommandList | None:
    """Return the JOIN that a message without orders or commands means in plain words; None if it means none.

    A line of it, or its subject, has a word for joining and the name of a campaign that takes players. JOIN changes
    nothing before its sender has said YES, so that a message taken for one by mistake does no harm.
    """
    if context.key:
        return None
    open_ = taking_players(context.session)
    for line in _first_lines(context):
        if _WISH.search(line) and not _NOT.search(line):
            named = next((word for word in _NAME.findall(line.lower()) if word in open_), "")
            if named:
                return CommandList(None, ((1, f"JOIN {named}{_wished_seat(line)}"),), texts={1: context.message.text})
    return None


def _wished_seat(line: str) -> str:
    found = _AS.search(line)
    return f" AS {found[1].lower()}" if found else ""


def _misspelt(context: MessageContext) -> str:
    """Return the word behind a wish to join that may be the name of a campaign, misspelt; "" if there is none."""
    for line in _first_lines(context):
        if found := _WISH.search(line):
            behind = _NAME.findall(line.lower()[found.end() :])
            return next((word for word in behind if any(map(str.isdigit, word))), behind[0] if behind else "")
    return ""


def _first_lines(context: MessageContext) -> list[str]:
    lines = [line[:1_000] for line in context.message.lines if line.strip()]
    return [bare_subject(context.message.subject), *lines[:_MOST_READ]]
