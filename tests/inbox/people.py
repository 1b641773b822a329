"""Helpers of the tests about people: campaigns that take players by mail, and what stands in mails."""

from __future__ import annotations

from email.message import EmailMessage

from pbem.actions.create import NewCampaign, create_campaign
from pbem.campaign.snapshot import CampaignSnapshot, load_campaign
from tests.toy.home import ADDRESS_IS_ENOUGH, ADDRESSES, Desk, text_of

ANN, BOB, CYD, EVE, GM = "ann@example.org", "bob@example.org", "cyd@example.org", "eve@example.net", "gm@example.org"


def form(desk: Desk, *seats: str, name: str = "toy1", game: str = "toy", open_seats: int = 0, **policy: str) -> None:
    """A campaign that has not begun, with these seats taken and some open; an address is enough unless it says more."""
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
    """The campaign as it stands."""
    with desk.app.store.reading() as session:
        return load_campaign(session, name)


def players(desk: Desk, name: str = "toy1") -> dict[str, str]:
    """Who sits where."""
    return {place.seat: place.address for place in snapshot(desk, name).places}


def words(mail: EmailMessage) -> str:
    """The text of a mail on one line."""
    return " ".join(text_of(mail).split())


def ask(desk: Desk, text: str, sender: str = ANN, *, subject: str = "orders") -> str:
    """Mails a command and ticks; the text of the answer that its sender gets, or of his last mail, "" if none comes."""
    before = len(desk.mails(sender))
    desk.post(text, sender=sender, subject=subject)
    return _answered(desk, sender, before)


def insist(desk: Desk, text: str, sender: str = ANN) -> str:
    """Mails a command that a From alone does not prove, and answers the question whether it is his."""
    ask(desk, text, sender)
    before = len(desk.mails(sender))
    desk.reply(question(desk, sender), "")
    return _answered(desk, sender, before)


def question(desk: Desk, to: str) -> EmailMessage:
    """The last question that an address was asked about a letter."""
    return [mail for mail in desk.mails(to) if "Is this mail yours?" in mail["Subject"]][-1]


def _answered(desk: Desk, sender: str, before: int) -> str:
    desk.tick()
    new = desk.mails(sender)[before:]
    answers = [mail for mail in new if mail["Subject"].startswith("Re:")]
    return words((answers or new)[-1]) if new else ""


def code(mail: EmailMessage) -> str:
    """The code that a mail asks to be sent back."""
    (line,) = [line for line in text_of(mail).splitlines() if line.strip().startswith("CONFIRM ")]
    return line.split()[1]


def confirm(desk: Desk, address: str) -> str:
    """Confirms what an address was last asked for, from there; the text of the answer."""
    return ask(desk, f"CONFIRM {code(desk.last(address))}", address)


def token(desk: Desk, to: str = ANN) -> str:
    """The token in the last welcome mail of a player."""
    welcomes = [mail for mail in desk.mails(to) if "Welcome to" in mail["Subject"]]
    (line,) = [line for line in text_of(welcomes[-1]).splitlines() if line.startswith("ORDERS ")]
    return line.split()[3]


def reports(desk: Desk, to: str) -> list[EmailMessage]:
    """The reports an address was mailed."""
    return [
        mail for mail in desk.mails(to) if "report for" in mail["Subject"] and not mail["Subject"].startswith("Re:")
    ]
