"""Attempts to act for another's seat: by sender, name and key, with a question before anything is done."""

from __future__ import annotations

import dataclasses
import re
from email.message import EmailMessage

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.start import StartCampaign
from pbem.store.models import Absence, Deputy, ExtensionVote, OrderSheet, Person, Press, Seat, Standby
from tests.inbox.people import ANN, BOB, EVE, QUESTION, ask, code, form, reports, token
from tests.inbox.trusting import believing, stamp, told
from tests.toy.home import Desk, prepared, text_of

DAN = "dan@example.net"
SHEET = "ORDERS toy1 red{key}\nBID 3\nEND"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Way:
    """A mail whose sender is not red's player, or cannot be told from such a one.

    `key` is what it shows: "", "code", "old code" or "token"; `{key}` in its
    text has it there, else it comes in the plus-address.
    """

    text: str
    sender: str = ANN
    key: str = ""
    verdict: str = "none"


FORGED = {
    "a sheet": Way(text=SHEET),
    "a letter to another": Way(text="PRESS TO blue\nI shall betray you."),
    "a letter to all": Way(text="PLAYER toy1 red\nPRESS TO ALL\nI give up.\nEND"),
    "news": Way(text="NEWS\nRed is lost."),
    "a diary": Way(text="DIARY\nDear diary"),
    "a vote": Way(text="EXTEND"),
    "a pause": Way(text="PAUSE"),
    "the end of a pause": Way(text="RESUME"),
    "an absence": Way(text="ABSENT 2026-11-10 TO 2026-11-20"),
    "the end of absences": Way(text="PRESENT"),
    "muting": Way(text="MUTE blue"),
    "another form of reports": Way(text="FORMAT PLAIN"),
    "another time zone": Way(text="ZONE Athens"),
    "no second address": Way(text=f"FALLBACK {ANN}"),
    "leaving": Way(text="LEAVE"),
    "a deputy": Way(text=f"DEPUTY {EVE} UNTIL 2026-11-20"),
    "no deputy": Way(text="UNDEPUTE"),
    "a look-up with a change behind it": Way(text="STATUS\nPAUSE"),
}
"""Commands with nothing but a From line."""

WEIGHTY = {
    "leaving": "LEAVE",
    "a deputy": f"DEPUTY {EVE} UNTIL 2026-11-20",
    "no deputy": "UNDEPUTE",
    "a pause": "PAUSE",
    "the end of a pause": "RESUME",
    "another address": f"ADDRESS {EVE}",
    "a further address": f"ALSO {EVE}",
    "no second address": f"FALLBACK {ANN}",
}

FORWARDED = {
    **{f"{act} from elsewhere": Way(text=text, sender=EVE, key="code") for act, text in WEIGHTY.items()},
    **{f"{act} in the player's name": Way(text=text, key="code") for act, text in WEIGHTY.items()},
    **{
        f"{act} with the token from elsewhere": Way(text=text, sender=EVE, key="token") for act, text in WEIGHTY.items()
    },
    "leaving in another player's name": Way(text="LEAVE", sender=BOB, key="code"),
    "leaving, vouched for as a stranger's": Way(text="LEAVE", sender=EVE, key="code", verdict="pass"),
    "leaving with the token in a forged name": Way(text="LEAVE", key="token", verdict="fail"),
}
"""Weighty commands with the code of a forwarded report, or with the token."""

OLD = {
    "leaving by an old code": Way(text="LEAVE", key="old code"),
    "a deputy by an old code": Way(text=f"DEPUTY {EVE} UNTIL 2026-11-20", key="old code"),
    "a pause by an old code": Way(text="PAUSE", key="old code"),
}
"""Commands with a report of an earlier turn, in the player's name."""

WAYS = {**FORGED, **FORWARDED, **OLD}


@pytest.fixture
def begun(desk: Desk) -> Desk:
    """Return a campaign in its second turn; red has a deputy, an absence, and a second address."""
    _begin(desk)
    believing(desk)
    return desk


@prepared
def _begin(desk: Desk) -> None:
    form(desk, "red", "blue", "green", hold="off", signup="on", authentication="confirm")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.answer()
    desk.tick(hours=24 * 5)
    stand_by(desk, DAN)


def stand_by(desk: Desk, deputy: str) -> None:
    """Give red a deputy, an absence and a second address."""
    for line in (f"DEPUTY {deputy} UNTIL 2026-11-20", "ABSENT 2026-12-01"):
        ask(desk, f"PLAYER toy1 red {token(desk)}\n{line}\nEND")
    ask(desk, f"CONFIRM {code(desk.last(deputy))}", deputy)
    ask(desk, "FALLBACK ann@example.com")
    ask(desk, f"CONFIRM {code(desk.last(ANN))}")


def shown(desk: Desk, key: str) -> str:
    """Return a key of red, as its player has it."""
    mailed = [str(mail["Reply-To"]).partition("+")[2].partition("@")[0] for mail in reports(desk, ANN)]
    return {"": "", "code": mailed[-1], "old code": mailed[0], "token": token(desk)}[key]


def send(desk: Desk, way: Way) -> None:
    """Post a mail as described."""
    key = shown(desk, way.key)
    text = f"PLAYER toy1 red {key}\n{way.text}\nEND" if way.key == "token" else way.text.format(key="")
    to = f"orders+{key}@example.org" if key and way.key != "token" else "orders@example.org"
    desk.post(text, sender=way.sender, to=to, headers=stamp(way.verdict))


def standing(desk: Desk) -> list[object]:
    """Return all that such mails could change."""
    with desk.app.store.reading() as session:
        return [
            *session.execute(select(Seat.name, Seat.person_id, Seat.paused, Seat.muted)),
            *session.execute(select(Deputy.person_id, Deputy.until)),
            *session.execute(select(Person.key, Person.fallback, Person.plain, Person.zone).where(Person.key == ANN)),
            *session.execute(select(Standby.person_id, Standby.status)),
            *[len(session.scalars(select(kind.id)).all()) for kind in (Absence, Press, OrderSheet, ExtensionVote)],
        ]


def questions(desk: Desk, to: str = ANN) -> list[EmailMessage]:
    """Return the mails to an address that ask for a confirmation."""
    return [mail for mail in desk.mails(to) if QUESTION.search(mail["Subject"]) or "CONFIRM " in text_of(mail)]


@pytest.mark.sampled(15)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_one_answer_of_its_player_does_it_and_nothing_else(begun: Desk, way: Way) -> None:
    """The player alone is asked, where the seat is played; one reply does it, or is told why not."""
    before, asked = standing(begun), len(questions(begun))
    send(begun, way)
    answers = told(begun)

    assert standing(begun) == before
    assert answers.keys() == {ANN}
    assert len(questions(begun)) == asked + 1

    begun.reply(begun.last(), "YES")
    heard = told(begun)
    assert heard.keys() & {ANN, "gm@example.org"}
    assert len(questions(begun)) == asked + 1
    assert (
        standing(begun) != before
        or " not " in heard[ANN]
        or re.search("was asked to stand in|was mailed a code", heard[ANN])
    )
