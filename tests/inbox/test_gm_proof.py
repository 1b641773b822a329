"""Rights of a reply to a mail for the GM: codes that ended prove nothing, and nothing goes where it was not meant."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from pbem.actions.base import run_action
from pbem.actions.seats import GiveSeat
from pbem.actions.settings import ChangeGm, MailToken
from pbem.campaign.people import hash_token
from pbem.store.models import Campaign
from tests.inbox.gms import TOKEN, framed
from tests.inbox.test_gm_replies import ANN, GM, done, is_held, offer, question, reply
from tests.toy.home import Desk, text_of

NEW = "new@example.org"


def renew_token(desk: Desk) -> None:
    """Mail the GM a new token."""
    run_action(desk.app, "toy1", MailToken(), desk.now)
    desk.tick()


@pytest.mark.parametrize("kind", [done, offer, question])
def test_a_new_token_ends_the_codes_of_all_mails_before(running: Desk, kind) -> None:  # type: ignore[no-untyped-def]
    """A reader of an old mail of the GM, who forges their address, can do nothing without a YES to a newer one."""
    mail = kind(running)
    renew_token(running)

    assert "WOULD DO: HOLD." in reply(running, mail, "HOLD")
    assert not is_held(running)


@pytest.mark.parametrize("kind", [done, offer, question])
def test_mails_after_a_new_token_prove_the_gm(running: Desk, kind) -> None:  # type: ignore[no-untyped-def]
    """The codes of mails that are sent after the token was renewed are good."""
    renew_token(running)
    mail = question(running) if kind is question else running.last(GM)

    assert "DONE: HOLD." in reply(running, mail, "HOLD")


def test_an_answer_to_a_question_of_before_is_shown_first(running: Desk) -> None:
    """The words are not lost: the GM sees them, and YES mails them to the player."""
    mail = question(running)
    renew_token(running)
    before = len(running.mails(ANN))

    assert "WOULD DO: ANSWER 1." in reply(running, mail, "They may.")
    assert len(running.mails(ANN)) == before
    reply(running, running.last(GM), "YES")
    assert "They may." in text_of(running.last(ANN))


def test_the_codes_of_a_former_gm_prove_nothing_once_they_are_the_gm_again(running: Desk) -> None:
    """A campaign that went to another GM and back has no valid codes of before."""
    mail = offer(running)
    for gm in (NEW, GM):
        run_action(running.app, "toy1", ChangeGm(gm), running.now)

    assert "WOULD DO: HOLD." in reply(running, mail, "HOLD")


def test_yes_to_an_offer_of_before_does_nothing(running: Desk) -> None:
    """An offer made before the token was renewed is shown again."""
    mail = framed(running, "REMOVE red")
    renew_token(running)

    reply(running, mail, "YES")
    assert "(reply YES)" in running.last(GM)["Subject"]
    with running.app.store.reading() as session:
        assert session.scalar(select(Campaign.turn)) == 1


@pytest.mark.parametrize("text", ["GM toy1 0000000000wrong00000\nHOLD\nEND", "GM toy2 {token}\nHOLD\nEND"])
def test_a_gm_with_a_wrong_token_gets_one_answer(running: Desk, text: str) -> None:
    """A token that is none, or that of another campaign, brings a warning, and no list of games as for strangers."""
    running.begin(name="toy2")
    with running.app.store.writing() as session:
        session.execute(update(Campaign).where(Campaign.name == "toy2").values(gm_token_hash=hash_token("x" * 20)))
    running.tick()
    before = len(running.mails(GM))

    running.post(text.format(token=TOKEN), sender=GM)
    running.answer()
    assert len(running.mails(GM)) == before + 1
    assert not is_held(running)


def play_as_gm(desk: Desk) -> None:
    """Give blue's seat to the GM, who plays from then on."""
    run_action(desk.app, "toy1", GiveSeat("blue", GM), desk.now)
    desk.tick()


@pytest.mark.parametrize("lines", ["BID 3", "They may.\n\nBID 3\nBID 4"])
def test_a_line_that_is_an_order_of_the_gms_own_seat_is_asked_about(running: Desk, lines: str) -> None:
    """A GM who plays, and answers the mail of a question by mistake, does not tell a rival their orders."""
    mail = question(running)
    play_as_gm(running)
    before = len(running.mails(ANN))

    said = reply(running, mail, lines)
    assert "Not sent, since lines in the text look like orders of your own seat: | BID 3" in said
    assert "Else send them in a reply to your report." in said
    assert len(running.mails(ANN)) == before
    reply(running, running.last(GM), "YES")
    assert "BID 3" in text_of(running.last(ANN))


def test_the_words_of_a_gm_who_plays_are_an_answer(running: Desk) -> None:
    """Words that are no order are sent as they are."""
    mail = question(running)
    play_as_gm(running)

    reply(running, mail, "They may, I would bid.")
    assert "They may, I would bid." in text_of(running.last(ANN))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "command", ["HOLD toy2", "HOLD toy2.", "HOLD toy2 I am away", "DEADLINE toy2 24h", "STATUS toy2"]
)
@pytest.mark.parametrize("by", [reply, lambda desk, _mail, line: " ".join(text_of(framed(desk, line)).split())])
def test_a_command_that_names_another_campaign_of_the_gm_is_refused(running: Desk, command: str, by) -> None:  # type: ignore[no-untyped-def]
    """It is not done to the campaign whose mail was answered, and the refusal says how the other is reached."""
    running.begin(name="toy2")
    mail = done(running)

    said = by(running, mail, command)
    assert "toy2 is another campaign of yours: send this in a reply to a mail of toy2" in said
    assert ("or begin your reason with a word before toy2" in said) == command.startswith("HOLD")
    assert not is_held(running)


def test_a_campaign_of_another_gm_is_a_word_like_any(running: Desk) -> None:
    """The existence of a campaign is its GM's business alone."""
    running.begin(name="toy2")
    run_action(running.app, "toy2", ChangeGm(NEW), running.now)

    assert "DONE: HOLD toy2." in reply(running, done(running), "HOLD toy2")
