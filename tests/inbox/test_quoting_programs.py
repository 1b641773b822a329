"""Replies of many mail programs to mails of every game: nothing of our own words is read as the sender's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from email.message import EmailMessage
from itertools import product
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.start import StartCampaign
from pbem.inbox.codes import find_codes
from pbem.inbox.quoted_originals import strip_our_text
from pbem.mail.message import parse_message
from pbem.ruleset import AnyRuleset, Dice
from pbem.store.models import Report
from tests.games import RULESETS
from tests.inbox.clients import CLIENTS, HTML_CLIENTS, WIDTHS, Quoted
from tests.toy.home import ADDRESS_IS_ENOUGH, Desk, open_desk, text_of
from tests.toy.ruleset import Auction

TYPED = "Thank you all"
TEMPLATES = Path(__file__).parents[2] / "templates"
# Of the games with reports in the layout of all mails.
GAMES: tuple[AnyRuleset, ...] = (
    Auction(),
    *(game for game in RULESETS if (TEMPLATES / game.key / "report.j2").exists()),
)
BY_KEY = {game.key: game for game in GAMES}
WAYS = [*product(CLIENTS, WIDTHS)]


@pytest.fixture(params=BY_KEY, scope="module")
def played(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """Yield a home in which a game was played by bots for two turns."""
    game = BY_KEY[request.param]
    with open_desk(tmp_path_factory.mktemp("home") / "home", games={game.key: game}) as desk:
        known = game.seats
        seats = known.names[: known.least] or tuple(f"seat{number}" for number in range(1, known.least + 1))
        people = [(seat, f"{seat}@example.org") for seat in seats]
        wanted = NewCampaign(
            name="toy1", game=game.key, gm="gm@example.org", seats=people, deadline="DAILY 20:00 UTC", options={}
        )
        create_campaign(desk.app, wanted, desk.now, seed=b"a seed for tests")
        desk.set_rules(**ADDRESS_IS_ENOUGH)
        run_action(desk.app, "toy1", StartCampaign(), desk.now)
        desk.answer()
        for _ in range(2):
            for _, address in people:
                order(desk, game, address)
            desk.post(
                "PRESS toy1 red\nLet us deal: I give you the west, and you give me the east.", sender=people[1][1]
            )
            desk.tick(hours=24)
        yield desk


def order(desk: Desk, game: AnyRuleset, address: str) -> None:
    """Answer the newest report to an address as a bot would."""
    report = reports(desk, address)[-1]
    with desk.app.store.reading() as session:
        stored = select(Report.view).where(Report.message_id == report["Message-ID"])
        view = json.loads(session.scalars(stored).one())
    lines = game.bots["standard"](view, Dice(b"bots").within(address, view["label"]))
    if lines:
        desk.reply(report, "\n".join(lines))


def reports(desk: Desk, address: str) -> list[EmailMessage]:
    """Return the reports to an address."""
    return [mail for mail in desk.mails(address) if any(part.get_content_subtype() == "json" for part in mail.walk())]


def newest(desk: Desk) -> list[EmailMessage]:
    """Return the newest report, and the newest other mail, of the first player who has got one."""
    address = next(mail["To"] for mail in desk.mails() if mail["To"] != "gm@example.org")
    told = reports(desk, address)
    return [told[-1], [mail for mail in desk.mails(address) if mail not in told][-1]]


def read(desk: Desk, answered: EmailMessage, content: str, kind: str = "plain") -> list[str]:
    """Return what is read as typed in a reply, but for the lines of a form, which order nothing."""
    reply = EmailMessage()
    reply["From"], reply["To"], reply["Subject"] = answered["To"], answered["Reply-To"], f"Re: {answered['Subject']}"
    reply["In-Reply-To"] = answered["Message-ID"]
    reply.set_content(content, subtype=kind)
    with desk.app.store.reading() as session:
        letter = parse_message(bytes(reply))
        lines = strip_our_text(session, letter, find_codes(session, letter, desk.app.settings.address, None)).lines
    bare = [line.strip("| ") for line in lines]
    return [line for line in bare if line and not line.startswith((";", "ORDERS ")) and line != "END"]


def html_of(mail: EmailMessage) -> str:
    """Return the HTML of a mail, "" if it has none."""
    body = mail.get_body(("html",))
    return "" if body is None else str(body.get_content())


@pytest.mark.parametrize(("client", "width"), WAYS, ids=[f"{client}, {width}" for client, width in WAYS])
@pytest.mark.sampled(20)
def test_only_what_was_typed_is_read(played: Desk, client: str, width: int) -> None:
    """However a program quotes and breaks our text, all that is read of a reply is what was typed above it."""
    for mail in newest(played):
        text, html = text_of(mail).replace("\n-- \n", "\n").rstrip("\n"), html_of(mail)
        if html or client != "HTML as text":
            left = read(played, mail, f"{TYPED}\n\n{CLIENTS[client](Quoted(text, html, width))}")
            assert [line for line in left if line not in ("Orders => Ann", "_____ Algne kiri _____")] == [TYPED]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("client", HTML_CLIENTS)
def test_only_what_was_typed_is_read_of_html(played: Desk, client: str) -> None:
    """The same for replies in HTML alone, which quote ours with its buttons, form and links."""
    for mail in filter(html_of, newest(played)):
        body = html_of(mail).partition("<body")[2].partition(">")[2].rpartition("</body>")[0]
        reply = f"<html><body><div>{TYPED}</div><br>{HTML_CLIENTS[client](body)}</body></html>"
        left = read(played, mail, reply, "html")
        assert [line for line in left if line != "Orders => Ann"] == [TYPED]


def test_orders_below_a_marked_line_are_read(played: Desk) -> None:
    """A line typed right below a marked one is read, since it does not go on with that one's words."""
    mail = newest(played)[0]
    marked = [f"> {line}" for line in text_of(mail).split("\n")[:12]]

    assert read(played, mail, "\n".join([*marked, "WAIT", *marked[-2:], "HELP"])) == ["WAIT", "HELP"]


def test_an_order_below_a_blank_marked_line_is_read(played: Desk) -> None:
    """A blank marked line is not broken, so that words of ours right below it were typed again."""
    mail = newest(played)[0]
    sentence = next(line for line in text_of(mail).split("\n") if len(line.split()) > 8)
    again = " ".join(sentence.split()[3:8])

    assert read(played, mail, f"> {sentence}\n> \n{again}") == [again]
