"""No key is stored, logged, archived or mailed again, however malformed its frame is."""

from __future__ import annotations

import json
import re

import pytest
from sqlalchemy import func, select

from pbem.actions.run_turn import run_turn
from pbem.actions.settings import mail_gm_token
from pbem.campaign.snapshot import Context, load_campaign
from pbem.store.models import InboxMessage, JournalEntry, OrderSheet, OutgoingMail
from pbem.util import MASK, redact_all, redact_credentials
from tests.inbox.trusting import token
from tests.toy.home import Desk, is_report, prepared, text_of

GM, ANN = "gm@example.org", "ann@example.org"

MALFORMED = [
    "GM toy1, {gm}",
    "GM toy1 {gm} please",
    "gm: toy1 {gm}",
    "HOLD, by the GM with the token {gm}",
    "GM toy1 {slip}",
    "PLAYER toy1 red {own} please\nSTATUS",
    "PLAYER toy1 {own}",
    "ORDERS toy1 red the token is {own}",
    "BID 3 {other}",
    "STATUS\nGM toy1 {gm}",
    "PLAYER toy1 red {own}\nPLAYER toy1 red {own}\nEND",
    "GM toy1 {gm}\nGM toy1 {gm}\nSTATUS\nEND",
    "GM toy1 {gm}\nRUN {gm}\nEND",
    "GM toy1 {gm}\nSHEET red\nBID 3\nORDERS toy1 red the token is {own}\nEND",
]


@prepared
def begin(desk: Desk) -> str:
    """Begin a campaign; return its GM's token."""
    desk.begin()
    return gm_token(desk)


def gm_token(desk: Desk) -> str:
    """Return the token that the GM is mailed."""
    with desk.app.store.writing() as session:
        mail_gm_token(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))
    desk.answer()
    return str(re.findall(r"^GM toy1 ([0-9a-f]+)$", text_of(desk.last(GM)), re.MULTILINE)[0])


def kept(desk: Desk, since: int) -> str:
    """Return all that is stored because of a message: rows, mails queued since, the archive and the log."""
    with desk.app.store.reading() as session:
        rows = [[sheet.text, sheet.orders, sheet.findings] for sheet in session.scalars(select(OrderSheet))]
        notes = [*session.scalars(select(InboxMessage.note)), *session.scalars(select(JournalEntry.text))]
        mails = [raw.decode() for raw in session.scalars(select(OutgoingMail.raw).where(OutgoingMail.id > since))]
    files = [path.read_text("utf-8", "replace") for path in (desk.home / "turns").rglob("*") if path.is_file()]
    return "\n".join([json.dumps(rows), *notes, *mails, *files])


@pytest.mark.sampled(5)
@pytest.mark.parametrize("text", MALFORMED)
def test_a_key_in_a_malformed_frame_is_masked(desk: Desk, text: str) -> None:
    """A key of the GM or a player, mistyped or not, is masked in any form of frame."""
    by_gm = begin(desk)
    keys = {"gm": by_gm, "slip": by_gm[:-1], "own": token(desk), "other": token(desk, "bob@example.org")}
    with desk.app.store.reading() as session:
        since = session.scalars(select(func.max(OutgoingMail.id))).one()
    desk.reply([mail for mail in desk.mails(ANN) if is_report(mail)][-1], text.format_map(keys))
    desk.answer()
    run_turn(desk.app, "toy1", desk.now, reason="test")

    found = kept(desk, since)
    assert [name for name, key in keys.items() if key in found] == []


def test_a_key_in_a_subject_is_masked(desk: Desk) -> None:
    """An answer repeats the subject of its message, but no key in it."""
    desk.start()
    own = token(desk)
    desk.post("Here they are.", subject=f"ORDERS toy1 red {own}")
    desk.answer()

    assert desk.last(ANN)["Subject"] == f"Re: [toy1] ORDERS toy1 red {MASK}"


@pytest.mark.parametrize(
    "line", ["PLAYER blue is my friend", "gm is away", "orders for abcdefabcdefabcdef", "SAY deadbeef"]
)
def test_words_are_left_as_they_are(line: str) -> None:
    """Text that only resembles a frame or a key is kept as it was written."""
    assert redact_credentials(line) == line


def test_frames_are_masked_in_logs() -> None:
    """The last word of a player's frame is a key, whatever its form."""
    assert redact_all("PLAYER toy1 red whatever1\nSTATUS") == f"PLAYER toy1 red {MASK}\nSTATUS"
