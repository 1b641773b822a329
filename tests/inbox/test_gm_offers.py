"""A reply YES does what a GM was shown: once, from the GM's own address, and as long as nothing has changed."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select, update

from pbem.actions.base import run_action
from pbem.actions.deadlines import HoldCampaign
from pbem.actions.settings import ChangeGm, mail_gm_token
from pbem.campaign.snapshot import Context, load_campaign
from pbem.store.models import Campaign, InboxMessage, PendingRequest
from tests.actions.history import journal
from tests.inbox.gms import TOKEN, framed
from tests.toy.home import Desk, text_of

GM, ANN, EVE = "gm@example.org", "ann@example.org", "eve@example.org"


def said(desk: Desk) -> str:
    """Return the newest mail to the GM, its lines joined."""
    return " ".join(text_of(desk.last(GM)).split())


def is_removed(desk: Desk) -> bool:
    """Return True if red is out of the game."""
    with desk.app.store.reading() as session:
        return not load_campaign(session, "toy1").places[0].playing


def last_note(desk: Desk) -> str:
    """Return the note on the newest message."""
    with desk.app.store.reading() as session:
        return session.scalars(select(InboxMessage.note).order_by(InboxMessage.id)).all()[-1]


def test_a_yes_does_what_was_shown(running: Desk) -> None:
    """The mail that shows the effect is answered with YES; nothing has to be sent again."""
    offer = framed(running, "REMOVE red")
    assert re.fullmatch(r"\[toy1\] Would do: remove seat red \(reply YES\) \[[a-z2-7]+\]", offer["Subject"])
    assert "WOULD DO: REMOVE red. Nothing has changed yet." in said(running)
    assert "Reply YES to do it. The offer ends when turn 1 is run or toy1 changes." in said(running)
    assert not is_removed(running)

    running.reply(offer, "YES")
    running.answer()
    assert is_removed(running)
    assert "DONE: REMOVE red." in said(running)
    assert running.last(GM)["Subject"] == "[toy1] Done: remove seat red"


@pytest.mark.parametrize(
    ("commands", "done"),
    [
        (("RERUN red", "BID 2"), "DONE: RERUN red."),
        (("STATE", '[{"op": "replace", "path": "/purses/1", "value": 99}]'), "DONE: STATE."),
    ],
)
def test_what_is_noted_when_it_is_shown_can_be_done(running: Desk, commands: tuple[str, ...], done: str) -> None:
    """A look at other sheets or states stands in the journal, which does not count as a change of the campaign."""
    running.tick(hours=24 * 8)
    offer = framed(running, *commands)
    assert "(reply YES)" in offer["Subject"]
    running.reply(offer, "YES")
    running.answer()

    assert done in said(running)


@pytest.mark.parametrize("text", ["Yes, please.\n\nGm", "yes\n\n> WOULD DO: REMOVE red.\n> Reply YES to do it.", "JA"])
def test_a_yes_in_plain_words(running: Desk, text: str) -> None:
    """A YES in other words, or above a quotation, counts."""
    running.reply(framed(running, "REMOVE red"), text)
    running.answer()

    assert is_removed(running)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("NO", "You said NO"),
        ("No, thanks", "You said NO"),
        ("Yes, but only if blue agrees", "reply with YES alone"),
        ("> Reply YES to do it.", "reply with YES alone"),
        ("I am away until Monday.\nReply YES to do it.\nYES", "reply with YES alone"),
        ("Who is red?\nYES", "reply with YES alone"),
        ("STATUS", "DONE: STATUS."),
        ("Is red away?", "The first line is no command: 'Is red away?'."),
        ("", "reply with YES alone"),
    ],
)
def test_all_else_does_nothing(running: Desk, text: str, answer: str) -> None:
    """A NO, a condition, a quoted YES and other words change nothing, and are answered."""
    running.reply(framed(running, "REMOVE red"), text)
    running.answer()

    assert not is_removed(running)
    assert answer in said(running)


def test_an_automatic_reply_does_nothing(running: Desk) -> None:
    """A holiday notice with a YES in it neither does anything nor is answered."""
    offer = framed(running, "REMOVE red")
    before = len(running.mails(GM))
    running.post(
        "YES",
        sender=GM,
        to=offer["Reply-To"],
        headers={"In-Reply-To": offer["Message-ID"], "Auto-Submitted": "auto-replied"},
    )
    running.answer()

    assert not is_removed(running)
    assert len(running.mails(GM)) == before


@pytest.mark.parametrize("sender", [EVE, ANN, "GM@example.net"])
def test_a_yes_of_another_does_nothing(running: Desk, sender: str) -> None:
    """The code alone is not enough: a stranger's or player's YES is refused, and the GM is warned; the offer stays."""
    offer = framed(running, "REMOVE red")
    running.reply(offer, "YES", sender=sender)
    running.answer()
    assert not is_removed(running)
    assert "answered a mail to you as the GM of toy1" in said(running)

    running.reply(offer, "YES")
    running.answer()
    assert is_removed(running)


def test_a_forged_sender_does_nothing(running: Desk) -> None:
    """The GM's address is not enough either: without the code of the offer a YES is for nothing."""
    offer = framed(running, "REMOVE red")
    running.reply(
        offer, "YES", to="orders@example.org", subject="Re: Would do: remove seat red", in_reply_to="<x@example.org>"
    )
    running.answer()
    assert not is_removed(running)

    running.post("YES", sender=GM, to="orders+aaaaaaaaaaaaaaa2@example.org")
    running.answer()
    assert not is_removed(running)


def test_a_yes_counts_once(running: Desk) -> None:
    """The same YES twice, also in one tick, does it once, and the second is told so."""
    offer = framed(running, "ROLL 3d6 ann storms the gate", "REMOVE red")
    running.reply(offer, "YES")
    running.reply(offer, "YES")
    running.answer()

    assert is_removed(running)
    assert sum("ann storms the gate" in line for line in journal(running)) == 1
    assert "This offer was accepted before" in said(running)


def test_a_no_ends_the_offer(running: Desk) -> None:
    """A YES after a NO is for nothing."""
    offer = framed(running, "REMOVE red")
    running.reply(offer, "NO")
    running.answer()
    running.reply(offer, "YES")
    running.answer()

    assert not is_removed(running)
    assert "You have said NO to it before" in said(running)


def test_a_change_ends_the_offer(running: Desk) -> None:
    """If the campaign has changed, nothing is done, and the new effect is offered; YES to that does it."""
    offer = framed(running, "REMOVE red")
    running.post("ORDERS toy1 red\nBID 3\nEND", sender=ANN)
    running.answer()
    running.reply(offer, "YES")
    running.answer()
    assert not is_removed(running)
    assert "NOT DONE: toy1 changed meanwhile. This is what REMOVE red would do now:" in said(running)
    assert "its sheet 1 is not used" in said(running)

    running.reply(running.last(GM), "YES")
    running.answer()
    assert is_removed(running)


def test_an_old_offer_is_not_done(running: Desk) -> None:
    """After two weeks an offer has ended, and a YES to it is told so."""
    run_action(running.app, "toy1", HoldCampaign(""), running.now)
    offer = framed(running, "REMOVE red")
    running.tick(hours=15 * 24)
    running.reply(offer, "YES")
    running.answer()

    assert not is_removed(running)
    assert "or is too old" in said(running)


def test_a_former_gm_cannot_accept(running: Desk) -> None:
    """An offer to a former GM is not theirs to accept, and a new token ends the offers before it."""
    offer = framed(running, "REMOVE red")
    run_action(running.app, "toy1", ChangeGm("new@example.org"), running.now)
    running.reply(offer, "YES")
    running.answer()
    assert not is_removed(running)

    with running.app.store.writing() as session:
        session.execute(update(Campaign).values(gm=GM, gm_token_hash=""))
        mail_gm_token(Context(session, running.app, load_campaign(session, "toy1"), running.now))
    running.tick()
    running.reply(offer, "YES")
    running.answer()
    assert not is_removed(running)
    assert "changed meanwhile" in said(running)


def test_commands_are_shown_and_done_together(running: Desk) -> None:
    """Where one of several commands asks, all are shown; what was tried is in the journal, and YES does all."""
    offer = framed(running, "PAUSE blue", "REMOVE red", "DEADLINE 24h")
    assert offer["Subject"].startswith("[toy1] Would do: 3 commands (reply YES)")
    assert "WOULD DO: 3 commands." in said(running)
    assert not any("paused" in line for line in journal(running))

    running.reply(offer, "YES")
    running.answer()
    assert is_removed(running)
    assert "DONE: 3 commands." in said(running)
    assert any("paused" in line for line in journal(running))


def test_what_is_seen_beside_is_disclosed(running: Desk) -> None:
    """A look at what another sheet would have done is in the journal, also where nothing of the mail is done yet."""
    framed(running, "RUN YES")
    running.tick()
    framed(running, "PAUSE blue", "RERUN red", "BID 3")

    assert "WOULD DO: 2 commands." in said(running)
    assert "looked at what turn 1 would have come to with other sheets" in journal(running)
    assert not any("paused" in line for line in journal(running))


def test_a_roll_beside_is_not_told_before_it_stands(running: Desk) -> None:
    """Dice that are rolled beside a command that asks are not shown: they could be tried until they suit."""
    framed(running, "ROLL 3d6 ann storms the gate", "REMOVE red")

    assert "3d6: " not in said(running)
    assert "Done together with the others." in said(running)


def test_a_yes_in_a_frame(running: Desk) -> None:
    """YES in a frame with the token accepts the offer that the mail answers, from any address."""
    offer = framed(running, "REMOVE red")
    running.reply(offer, f"GM toy1 {TOKEN}\nYES\nEND", sender="away@example.org")
    running.answer()

    assert is_removed(running)
    assert running.mails("away@example.org") == []


def test_a_sheet_is_entered_by_yes(running: Desk) -> None:
    """The lines below the command are kept with the offer."""
    running.post("ORDERS toy1 red\nBID 3\nEND", sender=ANN)
    running.answer()
    running.reply(framed(running, "SHEET red", "BID 1"), "YES")
    running.answer()

    assert "DONE: SHEET red." in said(running)
    assert "counts BID 1" in " ".join(text_of(framed(running, "SHEET red")).split())


def test_no_token_is_kept_with_an_offer(running: Desk) -> None:
    """Lines with words like a token are not kept: then the command has to be sent again."""
    framed(running, "REMOVE red", f"HOLD {TOKEN}")

    assert "To do it, send the same with: REMOVE red YES 1" in said(running)
    with running.app.store.reading() as session:
        assert not any(TOKEN in str(row.data) for row in session.scalars(select(PendingRequest)))


def test_help_needs_no_token(running: Desk) -> None:
    """HELP from the GM's address brings the GM's list to that address, and HELP RULING explains one command."""
    running.post("HELP", sender=GM)
    running.answer()
    assert "- ROLLBACK [turn]: Reopen an earlier turn" in said(running)
    running.post("HELP ruling", sender=GM)
    running.answer()

    assert "FILE all.txt" in said(running)
    assert "Also understood: ADJUDICATE, JUDGE." in said(running)


def test_a_machine_of_the_gm_is_not_answered_without_end(running: Desk) -> None:
    """The same words from the GM's address are answered a few times a day."""
    for _ in range(8):
        running.post("I am on holiday and read no mail.", sender=GM)
        running.answer()

    assert sum("is no command" in text_of(mail) for mail in running.mails(GM)) == 3
    assert "not answered" in last_note(running)


def test_a_player_is_no_gm(running: Desk) -> None:
    """HELP of a player brings the player's guide."""
    running.post("HELP", sender=ANN)
    running.answer()

    assert "How to play by mail" in text_of(running.last(ANN))
