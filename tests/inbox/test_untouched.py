"""An order form that comes back as it was mailed changes nothing; one with an order in it is a sheet."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.start import StartCampaign
from pbem.ruleset import AnyRuleset, Dice, View
from pbem.store.models import OrderSheet, Report
from tests.games import RULESETS
from tests.inbox.trusting import ANN, EVE, stand_in, told
from tests.toy.home import ADDRESS_IS_ENOUGH, Desk, open_desk, text_of
from tests.toy.ruleset import Auction

LINK = re.compile(r'href="(mailto:[^"]++)"')
OUTLOOK = (
    "-----Original Message-----\nFrom: Play by Email <orders@example.org>\nSent: Monday\nTo: Ann\nSubject: round 1\n"
)
STILL = "Your orders of Mon 2 Nov"
REFUSED = "You sent the form as it came, so nothing has changed."


class Suggesting(Auction):
    """The toy with a form of its own, whose lines have no semicolons."""

    def template(self, view: View) -> list[str]:
        return ["BID 2", "# a modest bid", "WHISPER blue deal"]


SUGGESTING = {"toy": Suggesting()}
GAMES: dict[str, AnyRuleset] = {game.key: game for game in RULESETS} | SUGGESTING


def form_in(mail: EmailMessage) -> str:
    """Return the form at the end of a mail's text."""
    found = re.search(r"^ORDERS toy1 .*?^END$", text_of(mail), re.MULTILINE | re.DOTALL)
    assert found
    return found[0]


def link_in(mail: EmailMessage, label: str = "Write orders") -> str:
    """Return the text of the mail that a link in a mail's HTML writes."""
    part = mail.get_body(("html",))
    assert part
    html = str(part.get_content())
    links = [link for link in LINK.findall(html) if html.partition(link)[2].partition(">")[2].startswith(label)]
    return unquote(unescape(links[0])).partition("&body=")[2].replace("\r\n", "\n")


def broken(text: str) -> str:
    """Return a text as a program sends it that breaks lines."""
    return "\n".join(row for line in text.split("\n") for row in textwrap.wrap(line, 44))


def is_report(mail: EmailMessage) -> bool:
    """Return True for a report with a form."""
    return any(part.get_content_subtype() == "json" for part in mail.walk()) and "\nEND\n" in text_of(mail)


def sheets(desk: Desk) -> list[OrderSheet]:
    """Return all sheets stored, oldest first."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(OrderSheet).order_by(OrderSheet.id)))


def good_orders(desk: Desk, report: EmailMessage) -> list[str]:
    """Return the orders that a bot sends in answer to a report."""
    with desk.app.store.reading() as session:
        view = json.loads(session.scalars(select(Report.view).where(Report.message_id == report["Message-ID"])).one())
    (game,) = desk.app.games.values()
    return [line for line in game.bots["standard"](view, Dice(b"bots")) if line.strip()]


def begin(desk: Desk, game: AnyRuleset) -> EmailMessage:
    """Start a campaign; return the first report that asks for orders."""
    known = game.seats
    seats = known.names[: known.least] or tuple(f"seat{number}" for number in range(1, known.least + 1))
    people = [(seat, f"{seat}@example.org") for seat in seats]
    wanted = NewCampaign(
        name="toy1", game=game.key, gm="gm@example.org", seats=people, deadline="FRI 20:00 UTC", options={}
    )
    create_campaign(desk.app, wanted, desk.now, seed=b"a seed for tests")
    desk.set_rules(**ADDRESS_IS_ENOUGH)
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.answer()
    return next(filter(is_report, desk.mails()))


@pytest.fixture(params=GAMES, scope="module")
def begun(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Begun]:
    """Yield a home with a campaign of a game, in which a good sheet answers the first report, and that report."""
    game = GAMES[request.param]
    with open_desk(tmp_path_factory.mktemp("home") / "home", games={game.key: game}) as desk:
        report = begin(desk, game)
        desk.reply(report, "\n".join([*good_orders(desk, report), "WAIT"]))
        desk.answer()
        assert [sheet.accepted for sheet in sheets(desk)] == [True]
        yield desk, report


Begun = tuple[Desk, EmailMessage]
WAYS: dict[str, Callable[[EmailMessage], str]] = {
    "the form": form_in,
    "the form below thanks": lambda mail: f"Thank you\n\n{form_in(mail)}",
    "the form above a signature": lambda mail: f"{form_in(mail)}\n-- \nAnn",
    "the form without its frame": lambda mail: "\n".join(form_in(mail).split("\n")[1:-1]),
    "the form broken by a program": lambda mail: broken(form_in(mail)),
    "the link": link_in,
    "the link below thanks": lambda mail: f"Thank you\n\n{link_in(mail)}",
    "the link above a quotation": lambda mail: f"{link_in(mail)}\n\n{OUTLOOK}\n{text_of(mail)}",
    "the link broken by a program": lambda mail: broken(link_in(mail)),
    "quoted with marks": lambda mail: textwrap.indent(text_of(mail), "> ", lambda _: True),
    "quoted without marks": lambda mail: f"\n{OUTLOOK}\n{text_of(mail)}",
}


@pytest.mark.sampled(20)
@pytest.mark.parametrize("way", WAYS)
def test_an_untouched_form_changes_nothing(begun: Begun, way: str) -> None:
    """However the form comes back, the sheet before it still counts, and the answer says what to do."""
    desk, report = begun
    before = len(sheets(desk))
    desk.reply(report, WAYS[way](report))
    answer = told(desk)[report["To"]]

    assert len(sheets(desk)) == before
    assert REFUSED in answer
    assert STILL in answer


def test_an_untouched_form_in_a_new_mail_changes_nothing(begun: Begun) -> None:
    """The same for a mail that is no reply, to the address without a code."""
    desk, report = begun
    before = len(sheets(desk))
    desk.post(link_in(report), sender=report["To"])

    assert REFUSED in told(desk)[report["To"]]
    assert len(sheets(desk)) == before


@pytest.mark.parametrize(
    "line", ["BTW nice game", "FYI I'll be 2 days late", "IMO we should ally", "LOL", "OK", "GG", "FYI: R12 was close"]
)
def test_words_to_a_person_change_nothing_in_any_game(begun: Begun, line: str) -> None:
    """Words that begin like no order, in capitals too, are no sheet of errors beside one that counts, and no order."""
    desk, report = begun
    before = len(sheets(desk))
    desk.reply(report, line)
    answer = told(desk).get(report["To"], STILL)

    assert len(sheets(desk)) == before
    assert STILL in answer


@pytest.mark.sampled(10)
@pytest.mark.parametrize("kind", ["text", "link", "below thanks", "quoted without marks"])
def test_a_line_without_its_semicolon_is_an_order(begun: Begun, kind: str) -> None:
    """A form in which one line is an order counts as a sheet with that order, wherever it stands."""
    desk, report = begun
    form = form_in(report)
    line = form.split("\n")[1]
    order = line.removeprefix("; ") if "<" not in line else good_orders(desk, report)[0]
    edited = form.replace(line, order, 1)
    kinds = {
        "text": edited,
        "link": link_in(report).replace(line, order, 1),
        "below thanks": f"Thank you\n\n{edited}",
        "quoted without marks": f"\n{OUTLOOK}\n{text_of(report).replace(form, edited)}",
    }
    desk.reply(report, kinds[kind])
    desk.answer()
    last = sheets(desk)[-1]

    assert last.accepted
    assert len(last.orders) == 1
    assert order in last.text.split("\n")


EMPTY = {
    "the frame alone": "{0}\nEND",
    "NO ORDERS": "NO ORDERS",
    "NO ORDERS in the form": "{0}\nNO ORDERS\n{1}\nEND",
    "a remark": "{0}\n# no more\nEND",
}


@pytest.mark.parametrize("text", EMPTY.values(), ids=EMPTY)
def test_an_empty_sheet_on_purpose_counts(begun: Begun, text: str) -> None:
    """The first and the last line of a form alone, and NO ORDERS, are an empty sheet that counts.

    In a game of free words a remark alone may be meant as an order, so it is asked about.
    """
    desk, report = begun
    header, *form, _ = form_in(report).split("\n")
    before = len(sheets(desk))
    desk.reply(report, text.format(header, "\n".join(form)))
    desk.answer()

    if text == EMPTY["a remark"] and any(game.free_text for game in desk.app.games.values()):
        assert "Take the # away to give them" in text_of(desk.mails()[-1])
        return
    assert len(sheets(desk)) == before + 1
    assert (sheets(desk)[-1].accepted, sheets(desk)[-1].orders) == (True, [])


def test_the_link_for_no_orders_counts(begun: Begun) -> None:
    """The link of the refusal writes an empty sheet that counts."""
    desk, report = begun
    before = len(sheets(desk))
    desk.reply(report, form_in(report))
    desk.answer()
    refusal = desk.last(report["To"])
    desk.post(link_in(refusal, "Nothing to order"), sender=report["To"], to=refusal["Reply-To"])
    desk.answer()

    assert len(sheets(desk)) == before + 1
    assert (sheets(desk)[-1].accepted, sheets(desk)[-1].orders) == (True, [])


def test_orders_behind_their_semicolons_change_nothing(begun: Begun) -> None:
    """A form that was filled in, with all semicolons left, is no empty sheet; the answer names the lines."""
    desk, report = begun
    before = len(sheets(desk))
    order = f"; {good_orders(desk, report)[0]} {good_orders(desk, report)[-1].split()[-1]}"
    header, *form = form_in(report).split("\n")
    desk.reply(report, "\n".join([header, order, *form]))
    answer = told(desk)[report["To"]]

    assert len(sheets(desk)) == before
    assert f'not orders: "{order}"' in answer
    assert STILL in answer


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[Desk]:
    """Yield a home with a campaign of the toy whose form has no semicolons of its own."""
    with open_desk(tmp_path / "home", games=SUGGESTING) as desk:
        desk.start()
        yield desk


def test_the_form_of_a_reminder_changes_nothing(toy: Desk) -> None:
    """The form and the link of a reminder are as little a sheet as those of the report."""
    toy.tick(hours=24 * 4)
    reminder = toy.last()
    assert "no orders yet" in reminder["Subject"]
    for text in (form_in(reminder), link_in(reminder)):
        toy.reply(reminder, text)
        assert REFUSED in told(toy)[ANN]

    assert sheets(toy) == []


def test_the_link_of_a_reminder_for_no_orders_counts(toy: Desk) -> None:
    """The link for no orders in a reminder writes an empty sheet that counts."""
    toy.tick(hours=24 * 4)
    toy.post(link_in(toy.last(), "Nothing to order"), to=toy.last()["Reply-To"])

    assert told(toy)[ANN].startswith("No orders, as you sent it")


def test_a_correction_sent_back_as_it_came_changes_nothing(toy: Desk) -> None:
    """A link whose lines all are said to be not possible so far brings no empty sheet."""
    toy.reply(toy.last(), "BID 2")
    toy.tick()
    toy.reply(toy.last(), "BID everything")
    toy.tick()
    text = link_in(toy.last(), "Correct my orders")
    assert "; not possible so far: BID everything" in text
    toy.reply(toy.last(), text)

    assert REFUSED in told(toy)[ANN]
    assert [sheet.accepted for sheet in sheets(toy)] == [True, False]


def test_wait_in_an_untouched_form_keeps_the_orders(toy: Desk) -> None:
    """WAIT in the form is said on purpose: the orders before it are kept, and the turn waits."""
    toy.reply(toy.last(), "BID 2")
    toy.tick()
    toy.reply(toy.last(), f"{form_in(toy.mails(ANN)[1]).removesuffix('END')}WAIT\nEND")
    toy.tick()
    last = sheets(toy)[-1]

    assert (last.accepted, last.wait, len(last.orders)) == (True, True, 1)


def test_a_quoted_form_with_an_order_is_no_untouched_one(toy: Desk) -> None:
    """Of a form that is quoted alone, with no line left as it was mailed, nothing is read, and the answer says so."""
    form = form_in(toy.last()).replace("\n; ", "\n")
    toy.reply(toy.last(), "\n".join(f"> {line}" for line in form.split("\n")))
    answer = told(toy)[ANN]

    assert 'take the ">" off them' in answer
    assert "NOT read" in answer
    assert REFUSED not in answer
    assert sheets(toy) == []


def test_a_program_that_sends_the_form_back_sends_nothing(toy: Desk) -> None:
    """The unedited form in automatic mail is no sheet, and has no answer."""
    toy.post(form_in(toy.last()), headers={"Auto-Submitted": "auto-replied"})

    assert told(toy) == {}
    assert sheets(toy) == []


def test_an_untouched_form_of_a_deputy_is_answered_to_the_deputy(toy: Desk) -> None:
    """A deputy who sends the form as it came is told so, and the player is not."""
    stand_in(toy, EVE, first=-1, last=3)
    toy.post(form_in(toy.last()), sender=EVE)
    answers = told(toy)

    assert REFUSED in answers[EVE]
    assert ANN not in answers
