"""The mail by which somebody gets a seat: its token, and how to play."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy.orm import Session

from pbem.app import House
from pbem.campaign.notices import Postman
from pbem.campaign.piles import batches
from pbem.campaign.snapshot import CampaignSnapshot, Place
from pbem.games import rulebook
from pbem.mail.compose import Part
from pbem.mail.outbox import welcome_id
from pbem.report.markdown import as_text
from pbem.report.notices import Welcome
from pbem.ruleset.dice import seal
from pbem.ruleset.protocol import Adjudicated, AnyRuleset


def welcome(
    session: Session,
    house: House,
    snapshot: CampaignSnapshot,
    tokens: Mapping[Place, str],
    now: dt.datetime,
    *,
    heir: bool = False,
    moved: bool = False,
) -> None:
    """Queues the welcomes to whoever sits at some places.

    An `heir` takes over a seat that was played before; by himself, in another home, if the campaign has `moved`.
    """
    postman, ruleset = Postman.of(house, snapshot), house.game(snapshot.game)
    rules = Part(_rules_file(ruleset), "text/plain; charset=utf-8", as_text(rulebook(ruleset)).encode())
    mails = (
        postman.mail(
            place.address,
            f"Welcome to {ruleset.title}",
            replace(_page(house, snapshot, place, token, heir=heir), moved=moved),
            # The first has a fixed name; a later one is told from it by its token, which nobody can guess.
            welcome_id(
                snapshot.mail_key, house.settings.domain, snapshot.name, place.seat, *((token,) if heir else ())
            ),
            kind="welcome",
            files=(rules,),
        )
        for place, token in tokens.items()
    )
    for some in batches(mails):
        postman.send(session, now, *some)


def _options(ruleset: AnyRuleset, chosen: Mapping[str, Any]) -> Iterator[str]:
    """The options of a campaign in words; one begun under an earlier version of its game has no newer ones."""
    told = (option.told(chosen[option.name]) for option in ruleset.options if option.name in chosen)
    return filter(None, told)


def _rules_file(ruleset: AnyRuleset) -> str:
    return f"{ruleset.key.replace('_', '-')}-rules.txt"


def _page(house: House, snapshot: CampaignSnapshot, place: Place, token: str, *, heir: bool) -> Welcome:
    ruleset = house.game(snapshot.game)
    return Welcome(
        campaign=snapshot.name,
        seat=place.seat,
        token=token,
        seats=snapshot.seats,
        game=ruleset.title,
        designer=ruleset.designer,
        summary=ruleset.summary,
        gm=snapshot.gm,
        address=house.settings.address,
        schedule=snapshot.schedule.text,
        rules=_rules_file(ruleset),
        options=tuple(_options(ruleset, snapshot.options)),
        seal=seal(snapshot.seed),
        word=next((each.word for each in snapshot.words if each.seat == place.seat), "") if not heir else "",
        judged=isinstance(ruleset, Adjudicated),
        heir=heir,
    )
