"""The mail by which somebody gets a seat: its token, and how to play."""

from __future__ import annotations

from pbem.campaign.table import Place, Table
from pbem.house import House
from pbem.post.stamping import welcome_id
from pbem.post.writing import Mail
from pbem.report import Welcome
from pbem.ruleset import seal


def welcome_mail(house: House, table: Table, place: Place, token: str, *, heir: bool = False) -> Mail:
    """The welcome to whoever sits at this place; an `heir` takes over a seat that was played before."""
    ruleset = house.game(table.game)
    page = Welcome(
        campaign=table.name,
        seat=place.seat,
        token=token,
        seats=table.seats,
        game=ruleset.title,
        designer=ruleset.designer,
        summary=ruleset.summary,
        gm=table.gm,
        address=house.settings.address,
        schedule=table.schedule.text,
        seal=seal(table.seed),
        word=next((each.word for each in table.words if each.seat == place.seat), "") if not heir else "",
        heir=heir,
    )
    # The first welcome of a seat has a fixed name; a later one is told from it by its token, which nobody can guess.
    later = (token,) if heir else ()
    return Mail(
        recipient=place.address,
        subject=f"[{table.name}] Welcome to {ruleset.title}",
        text=house.reporter.write(page),
        message_id=welcome_id(table.mail_key, house.settings.domain, table.name, place.seat, *later),
        reply_to=house.settings.address,
        automatic="auto-generated",
        kind="welcome",
    )
