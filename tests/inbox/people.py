"""Helpers of the tests about people: campaigns that take players by mail, and the texts of mails."""

from __future__ import annotations

import re
from email.message import EmailMessage

from pbem.actions.create import NewCampaign, create_campaign
from pbem.campaign.snapshot import CampaignSnapshot, load_campaign
from tests.toy.home import ADDRESS_IS_ENOUGH, ADDRESSES, Desk, text_of

ANN, BOB, CYD, EVE, GM = "ann@example.org", "bob@example.org", "cyd@example.org", "eve@example.net", "gm@example.org"

QUESTION = re.compile(r"] (?:did you send this|do you want to leave)\? Reply YES")
"""In the subjects of questions about a message."""

ANSWER = re.compile(r"^Re: |^\[\w+\] (?:Done|Not done|Not all was|Not understood|Nothing is done yet)\b")
"""In the subjects of answers to messages, apart from receipts."""


def form(desk: Desk, *seats: str, name: str = "toy1", game: str = "toy", open_seats: int = 0, **policy: str) -> None:
    """Create a campaign that has not begun, with these seats taken and some open; an address is proof by default."""
    wanted = NewCampaign(
        name=name,
        game=game,
        gm=GM,
        seats=[(seat, ADDRESSES[seat]) for seat in seats],
        deadline="FRI 20:00 Europe/Berlin",
        options={},
        policy={**ADDRESS_IS_ENOUGH, **policy},
        open=open_seats,
    )
    create_campaign(desk.app, wanted, desk.now, seed=b"a seed for tests")


def snapshot(desk: Desk, name: str = "toy1") -> CampaignSnapshot:
    """Return the campaign as it is now."""
    with desk.app.store.reading() as session:
        return load_campaign(session, name)


def players(desk: Desk, name: str = "toy1") -> dict[str, str]:
    """Return the address that plays each seat."""
    return {place.seat: place.address for place in snapshot(desk, name).places}


def words(mail: EmailMessage) -> str:
    """Return the text of a mail on one line."""
    return " ".join(text_of(mail).split())


def ask(desk: Desk, text: str, sender: str = ANN, *, subject: str = "orders") -> str:
    """Mail a command and tick; return the text of the answer, or of the newest mail to the sender, "" if none came."""
    before = len(desk.mails(sender))
    desk.post(text, sender=sender, subject=subject)
    return _answered(desk, sender, before)


def insist(desk: Desk, text: str, sender: str = ANN) -> str:
    """Mail a command that a From alone does not prove, and confirm the question about it."""
    ask(desk, text, sender)
    before = len(desk.mails(sender))
    desk.reply(question(desk, sender), "YES")
    return _answered(desk, sender, before)


def question(desk: Desk, to: str) -> EmailMessage:
    """Return the newest question to an address about a message."""
    return [mail for mail in desk.mails(to) if QUESTION.search(mail["Subject"])][-1]


def _answered(desk: Desk, sender: str, before: int) -> str:
    desk.answer()
    new = desk.mails(sender)[before:]
    answers = [mail for mail in new if ANSWER.search(mail["Subject"])]
    return words((answers or new)[-1]) if new else ""


def code(mail: EmailMessage) -> str:
    """Return the code that a mail asks to be sent back."""
    (found,) = re.findall(r"CONFIRM (\S+)", text_of(mail))
    return str(found)


def confirm(desk: Desk, address: str) -> str:
    """Confirm the newest request to an address from there; return the text of the answer."""
    return ask(desk, f"CONFIRM {code(desk.last(address))}", address)


def token(desk: Desk, to: str = ANN) -> str:
    """Return the token in the newest welcome mail of a player."""
    welcomes = [mail for mail in desk.mails(to) if "YOUR TOKEN" in text_of(mail)]
    (line,) = [line for line in text_of(welcomes[-1]).splitlines() if line.startswith("ORDERS ")]
    return line.split()[3]


def reports(desk: Desk, to: str) -> list[EmailMessage]:
    """Return the reports mailed to an address."""
    return [mail for mail in desk.mails(to) if any(part.get_content_subtype() == "json" for part in mail.walk())]
