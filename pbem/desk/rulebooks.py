"""RULES: the rulebook of the writer's game by mail, whole or the sections about something.

Whoever plays nowhere learns no more than which campaigns take players by mail, as all may.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from pbem.desk.commands import Rules
from pbem.desk.replies import Case, send_rulebook, sent_today, to_stranger, was_sent
from pbem.desk.requests import AskedByPerson, PersonHandlers
from pbem.desk.seats import games_of, taking_players
from pbem.games import rulebook
from pbem.report.answers import RulebookPage
from pbem.report.markdown import Section, as_html, as_text, find_sections, headed_sections, sections
from pbem.ruleset.order_types import Order
from pbem.ruleset.protocol import AnyRuleset

RULES_A_DAY = 20
"""Rulebooks are large: nobody is mailed more of them, or parts of them, in a day."""

UNPROVEN_RULES_A_DAY = 3
"""The same because of letters that anybody could have written."""

_ENOUGH_RULES = "You have had {most} mails with rules today; please ask tomorrow."


def _rules(asked: AskedByPerson, order: Rules) -> str:
    own = games_of(asked.case.session, asked.to, asked.case.now)
    campaign, words = _named(asked, order, own)
    if campaign:
        key = own.get(campaign) or taking_players(asked.case.session)[campaign]
        return _brought(asked, asked.case.house.game(key), words)
    if asked.spot is not None:
        return _brought(asked, asked.case.house.game(asked.spot.game), words)
    if len(set(own.values())) == 1:
        return _brought(asked, asked.case.house.game(next(iter(own.values()))), words)
    return _which(asked.case, own, words) if own else _for_no_player(asked)


def names_section(ruleset: AnyRuleset, order: Order, campaign: str) -> bool:
    """Whether what is asked for is the rulebook of a campaign, or a section, by words of its heading or by one word
    that it has: no sentence is that short."""
    if not isinstance(order, Rules):
        return False
    words = order.about[1:] if order.about and order.about[0].lower() == campaign else order.about
    find = find_sections if len(words) == 1 else headed_sections
    return not words or bool(find(rulebook(ruleset), words))


def _named(asked: AskedByPerson, order: Rules, own: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """The campaign that comes first among the words, "" if none does of which the writer may know, and the others."""
    name = order.about[0].lower() if order.about else ""
    may_know = name in own or (asked.person is not None and name in taking_players(asked.case.session))
    return (name, order.about[1:]) if name and may_know else ("", order.about)


def _which(case: Case, own: Mapping[str, str], words: tuple[str, ...]) -> str:
    """Asks a player of several games which he means, with the lines to mail."""
    lines = [f"{' '.join(('RULES', name, *words))} ({case.house.game(key).title})" for name, key in own.items()]
    return "\n".join(("You are in campaigns of several games. Please mail one of these lines:", *lines))


def _for_no_player(asked: AskedByPerson) -> str:
    """What somebody gets who plays nowhere: the campaigns that take players, or what all strangers are told."""
    campaigns = taking_players(asked.case.session)
    if not campaigns and asked.person is None:
        to_stranger(asked.case)
        return ""
    titles = [f"{name} ({asked.case.house.game(key).title})" for name, key in campaigns.items()]
    taking = f"These campaigns take players by mail: {', '.join(titles)}." if titles else ""
    return f"You play in no campaign here now. {taking}".strip()


def _brought(asked: AskedByPerson, ruleset: AnyRuleset, words: tuple[str, ...]) -> str:
    """Mails the rulebook, or its sections about some words, which is answer enough; else names all that could come."""
    whole = rulebook(ruleset)
    found = find_sections(whole, words) if words else ()
    if words and not found:
        titles = (f"RULES {each.title}" for each in sections(whole) if each.level > 1)
        nothing = f"Nothing in the rulebook of {ruleset.title} speaks of {' '.join(words)}. It has these sections:"
        return "\n".join((nothing, *titles))
    refused = _refused(asked, words, ruleset)
    if not refused:
        _send(asked, ruleset, words, whole, found)
    return refused


def _refused(asked: AskedByPerson, words: tuple[str, ...], ruleset: AnyRuleset) -> str:
    case = asked.case
    if was_sent(case, _topic(case, ruleset, words)):
        return "These rules come already, in a mail of their own."
    most = RULES_A_DAY if case.proven else UNPROVEN_RULES_A_DAY
    return _ENOUGH_RULES.format(most=most) if sent_today(case, _begins(case), asked.to) >= most else ""


def _send(
    asked: AskedByPerson, ruleset: AnyRuleset, words: tuple[str, ...], whole: str, found: tuple[Section, ...]
) -> None:
    source = "\n\n".join(section.source for section in found) or whole
    about = f"the rules about {' '.join(words)}" if words else "the rulebook"
    page = RulebookPage(game=ruleset.title, about=about, text=as_text(source), html=as_html(source))
    send_rulebook(asked.case, asked.to, page, topic=_topic(asked.case, ruleset, words))


def _begins(case: Case) -> str:
    return f"rules {case.account} "


def _topic(case: Case, ruleset: AnyRuleset, words: tuple[str, ...]) -> str:
    """What the mail is about: for each letter, each text once."""
    asked = hashlib.sha256(f"{ruleset.key} {' '.join(words).lower()}".encode()).hexdigest()
    return f"{_begins(case)}{case.letter_id} {asked[:16]}"


RULES_HANDLERS: PersonHandlers = {Rules: _rules}
"""What is done for the command of this module."""
