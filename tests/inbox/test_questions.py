"""Questions to the GM and their answers by mail: who reads what, who may answer, and what is kept."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from sqlalchemy import func, select, update

from pbem.actions.base import CLI, attempt, run_action, run_query
from pbem.actions.fork import ForkCampaign
from pbem.actions.press import ShowPress
from pbem.actions.questions import ALL, ALLIES, AnswerQuestion, ShowQuestions
from pbem.actions.settings import mail_gm_token
from pbem.actions.start import StartCampaign
from pbem.archive.record import folder_name
from pbem.campaign.archive_sync import prove_archive
from pbem.campaign.snapshot import Context, load_campaign
from pbem.errors import CampaignError
from pbem.mail.message import parse_message
from pbem.ruleset import SeatName, View
from pbem.store.models import Campaign, InboxMessage, OrderSheet, OutgoingMail, Question, QuestionAnswer
from tests.inbox.people import ANN, BOB, CYD, EVE, GM, ask, confirm, form, insist, reports, words
from tests.inbox.trusting import believing, stamp, version_taken
from tests.toy.home import Desk, open_desk, prepared, text_of
from tests.toy.ruleset import Auction


@pytest.fixture(autouse=True)
@prepared
def _begun(desk: Desk) -> None:
    """Start a campaign of red, blue and green."""
    form(desk, "red", "blue", "green", hold="off")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.answer()


def gm_token(desk: Desk) -> str:
    """Return the GM's token."""
    with desk.app.store.writing() as session:
        mail_gm_token(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))
    desk.answer()
    found = re.search(r"^GM toy1 ([0-9a-f]+)$", text_of(desk.last(GM)), re.MULTILINE)
    assert found is not None
    return found[1]


def command(desk: Desk, token: str, *lines: str) -> str:
    """Mail commands of the GM; return the text of the answer."""
    return ask(desk, "\n".join([f"GM toy1 {token}", *lines, "END"]), GM)


def reply(desk: Desk, text: str, *, sender: str = GM) -> str:
    """Answer the newest mail of a question; return the newest mail to the GM."""
    asked = [mail for mail in desk.mails(GM) if "] question " in mail["Subject"]][-1]
    desk.reply(asked, text, sender=sender)
    desk.answer()
    return words(desk.last(GM))


def answers(desk: Desk, address: str) -> list[str]:
    """Return the texts of the answers that an address got."""
    return [words(mail) for mail in desk.mails(address) if text_of(mail).startswith("Answer of your GM")]


def count(desk: Desk, table: type[Question | QuestionAnswer | OrderSheet]) -> int:
    """Count the rows of a table."""
    with desk.app.store.reading() as session:
        return session.scalars(select(func.count()).select_from(table)).one()


@pytest.mark.parametrize("line", ["ASK GM", "PRESS TO GM", "Question", "a question to the GM", "ASK GM: May I?"])
def test_a_question_is_mailed_to_the_gm(desk: Desk, line: str) -> None:
    """It comes at once with its number, seat and turn; the player is told no number."""
    said = ask(desk, f"{line}\nMay ships dock?")

    assert "] question 1 from red, round 1 [" in desk.last(GM)["Subject"]
    assert "| May ships dock?" in text_of(desk.last(GM))
    assert "Mailed to your GM, gm@example.org. The answer comes to ann@example.org." in said
    assert "uestion 1" not in said


def test_a_reply_of_the_gm_goes_to_the_player_alone(desk: Desk) -> None:
    """A plain reply is the answer: from the program, without the GM's address as sender, to no one else."""
    ask(desk, "ASK GM\nMay ships dock?")
    said = reply(desk, "They may.\n\n-- \nThe GM, Main Street 1")

    assert "Question 1 of red is answered, by mail to red." in said
    (told,) = answers(desk, ANN)
    assert "| They may." in told
    assert "The question that you asked: | May ships dock?" in told
    assert desk.last(ANN)["Subject"] == "[toy1] from the GM: They may."
    assert answers(desk, BOB) == answers(desk, CYD) == []


@pytest.mark.parametrize("first", ["TO ALL", "to all:", "ANSWER TO ALL", "Answer 1 to all", "REPLY 1 TO ALL."])
def test_a_reply_to_all_does_not_tell_who_asked(desk: Desk, first: str) -> None:
    """With TO ALL as first line every seat reads question and answer, and not whose the question is."""
    ask(desk, "ASK GM\nMay ships dock?")
    reply(desk, f"{first}\nThey may.")

    for address, whose in ((ANN, "that you asked"), (BOB, "of a player"), (CYD, "of a player")):
        (told,) = answers(desk, address)
        assert f"The question {whose}: | May ships dock?" in told
        assert "TO ALL" not in told.upper().replace("· TO ALL", "")
    assert "red" not in answers(desk, BOB)[0]


def test_a_reply_for_another_number_is_no_audience(desk: Desk) -> None:
    """A first line that names another question may be a command, so nothing is sent before the GM says what it is."""
    ask(desk, "ASK GM\nMay ships dock?")
    reply(desk, "ANSWER 2 TO ALL\nThey may.")

    assert answers(desk, BOB) == answers(desk, ANN) == []
    assert "ANSWER 2 TO ALL" in text_of(desk.last(GM))


@pytest.mark.parametrize(("sender", "verdict"), [(BOB, ""), (EVE, ""), (GM, "fail")])
def test_no_one_else_answers_for_the_gm(desk: Desk, sender: str, verdict: str) -> None:
    """The code does not suffice: a reply that is not from the GM's address is not sent on, and the GM is warned."""
    believing(desk)
    ask(desk, "ASK GM\nMay ships dock?")
    asked = desk.last(GM)
    desk.post(
        "They may not.",
        sender=sender,
        subject=asked["Subject"],
        headers={"In-Reply-To": asked["Message-ID"], **(stamp(verdict) if verdict else {})},
    )
    desk.answer()

    assert answers(desk, ANN) == []
    assert count(desk, QuestionAnswer) == 0
    assert "not from your address: not sent on." in words(desk.last(GM))


def test_an_answer_needs_the_token(desk: Desk) -> None:
    """ANSWER outside of a frame, or with a wrong token, answers nothing."""
    ask(desk, "ASK GM\nMay ships dock?")
    for text in ("ANSWER 1\nNo.", f"GM toy1 {'0' * 20}\nANSWER 1\nNo.\nEND"):
        for sender in (GM, BOB):
            ask(desk, text, sender)

    assert count(desk, QuestionAnswer) == 0


def test_the_gm_answers_by_number(desk: Desk) -> None:
    """ANSWER with a number and a text answers; alone it lists, with a number it shows; QUESTIONS is it."""
    token = gm_token(desk)
    assert "No questions in toy1." in command(desk, token, "QUESTIONS")
    ask(desk, "ASK GM\nMay ships dock?")
    ask(desk, "ASK GM\nMay I bid twice?", BOB)

    assert "2 questions not answered. Answer: ANSWER 1" in command(desk, token, "ANSWER")
    assert "May I bid" not in command(desk, token, "ANSWER 1")
    assert "is answered, by mail to blue." in command(desk, token, "ANSWER 2", "You may.")
    assert "by mail to red, blue and green." in command(desk, token, "ANSWER 1 TO ALL", "They may.")
    listed = command(desk, token, "QUESTIONS")
    assert "Question 2 of blue, turn 1" in listed
    assert "not answered" not in listed
    assert (len(answers(desk, ANN)), len(answers(desk, BOB)), len(answers(desk, CYD))) == (1, 2, 1)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (("ANSWER 2", "No."), "toy1 has no question 2. Questions: 1"),
        (("ANSWER", "No."), "which question do you answer?"),
        (("ANSWER 1 TO ALLIES", "No."), "there are no alliances in toy1, as the game declares none"),
        (("ANSWER 1 TO blue", "No."), "one of ALL, ALLIES, SENDER"),
        (("ANSWER 999999999999999999999", "No."), ""),
        (("ANSWER -1", "No."), ""),
        (("ANSWER 1", "x" * 9_000), "8000 at the most"),
    ],
)
def test_what_cannot_be_answered_is_told(desk: Desk, lines: tuple[str, ...], why: str) -> None:
    """A wrong number, a missing one, allies in a game without them, or too long a text: nothing is mailed."""
    token = gm_token(desk)
    ask(desk, "ASK GM\nMay ships dock?")

    assert why in command(desk, token, *lines)
    assert count(desk, QuestionAnswer) == 0


def test_a_second_answer_asks(desk: Desk) -> None:
    """The first one has been mailed: the second shows it, replaces it with YES, and says so to its readers."""
    token = gm_token(desk)
    ask(desk, "ASK GM\nMay ships dock?")
    command(desk, token, "ANSWER 1", "They may.")

    assert "Would replace your answer to question 1, which went to red: | They may." in command(
        desk, token, "ANSWER 1 TO ALL", "They may not."
    )
    assert count(desk, QuestionAnswer) == 1
    assert "Would replace" in reply(desk, "They may not.")
    assert "Replaced your answer" in command(desk, token, "ANSWER 1 TO ALL YES", "They may not.")
    assert "This answer replaces the one that you have." in answers(desk, ANN)[-1]
    assert "replaces" not in answers(desk, BOB)[-1]


def test_two_answers_at_once_are_one(desk: Desk) -> None:
    """An answer that was shown as the first is not given when another has come meanwhile."""
    ask(desk, "ASK GM\nMay ships dock?")
    first = attempt(desk.app, "toy1", AnswerQuestion(1, "Yes."), desk.now)
    second = attempt(desk.app, "toy1", AnswerQuestion(1, "No."), desk.now)

    assert first.read_set is None
    assert second.read_set is not None
    assert count(desk, QuestionAnswer) == 1


def test_an_answer_is_kept_and_mailed_or_neither(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure behind the mails leaves no answer: all is one transaction."""
    ask(desk, "ASK GM\nMay ships dock?")

    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pbem.actions.questions.add_entry", fail)
    with pytest.raises(KeyboardInterrupt):
        run_action(desk.app, "toy1", AnswerQuestion(1, "Yes."), desk.now)

    assert count(desk, QuestionAnswer) == 0
    with desk.app.store.reading() as session:
        subjects = [parse_message(raw).subject for raw in session.scalars(select(OutgoingMail.raw))]
    assert not any("from the GM" in subject for subject in subjects)


def test_orders_beside_a_question_are_not_lost_without_a_word(desk: Desk) -> None:
    """Orders in the text of a question are taken, and the question waits for a YES; those above count as well."""
    ask(desk, "ASK GM\nIs this right?\nORDERS toy1 red\nBID 9\nEND")
    taken, asked = desk.mails(ANN)[-2:]
    assert version_taken(words(taken)) == 1
    assert 'Read as orders, as they stand in a text of yours that was not sent: "BID 9"' in words(taken)
    desk.reply(asked, "YES")
    desk.answer()
    assert ("Is this right?" in words(desk.last(GM)), "BID 9" in words(desk.last(GM))) == (True, False)

    assert version_taken(ask(desk, "ORDERS toy1 red\nBID 3\nEND\n\nA question: may I?")) == 2


def test_a_deputy_may_ask(desk: Desk) -> None:
    """The GM is told who wrote; question and answer go to the player and the deputy, and no code of the player's."""
    insist(desk, f"DEPUTY {EVE} UNTIL 2026-11-20")
    confirm(desk, EVE)
    said = ask(desk, "PLAYER toy1 red\nASK GM\nMay ships dock?\nEND", EVE)
    code = re.search(r"\[([a-z2-7]{16})\]", reports(desk, ANN)[0]["Subject"])

    assert "The answer comes to ann@example.org and eve@example.net." in said
    assert f"asked by the deputy, {EVE}" in words(desk.last(GM))
    assert code is not None
    assert not any(code[1].encode() in bytes(mail) for mail in desk.mails(EVE))
    reply(desk, "They may.")
    assert len(answers(desk, ANN)) == len(answers(desk, EVE)) == 1


def test_a_deputy_may_do_nothing_else(desk: Desk) -> None:
    """Beside ASK GM, or alone, other commands of a deputy are refused."""
    insist(desk, f"DEPUTY {EVE} UNTIL 2026-11-20")
    confirm(desk, EVE)
    for text in ("PLAYER toy1 red\nPAUSE\nASK GM\nMay I?\nEND", "PLAYER toy1 red\nPRESS TO blue\nHello.\nEND"):
        ask(desk, text, EVE)

    assert count(desk, Question) == 0
    assert not any("Hello." in words(mail) for mail in desk.mails(BOB))


def test_strangers_do_not_ask(desk: Desk) -> None:
    """A person who plays nothing here has no question, whatever the mail says."""
    for text in ("ASK GM\nMay I?", "PLAYER toy1 red\nASK GM\nMay I?\nEND"):
        desk.post(text, sender="mallory@example.com")
    desk.answer()

    assert count(desk, Question) == 0


def test_machines_neither_ask_nor_answer(desk: Desk) -> None:
    """Automatic mail is no question, and a GM's holiday notice no answer."""
    desk.post("ASK GM\nMay I?", sender=ANN, headers={"Auto-Submitted": "auto-replied"})
    ask(desk, "ASK GM\nMay ships dock?")
    asked = desk.last(GM)
    headers = {"Auto-Submitted": "auto-replied", "In-Reply-To": asked["Message-ID"]}
    desk.post("I am away.", sender=GM, subject=asked["Subject"], headers=headers)
    desk.answer()

    assert (count(desk, Question), count(desk, QuestionAnswer)) == (1, 0)


def test_reports_have_what_was_asked_and_answered(desk: Desk) -> None:
    """The report of the next turn has the seat's own questions, and the answers that it got, also when run again."""
    ask(desk, "ASK GM\nMay ships dock?")
    ask(desk, "ASK GM\nMay I bid twice?")
    run_action(desk.app, "toy1", AnswerQuestion(1, "They may.", ALL), desk.now)
    desk.tick(hours=24 * 5)
    run_action(desk.app, "toy1", AnswerQuestion(2, "No."), desk.now)

    own, other = words(reports(desk, ANN)[-1]), words(reports(desk, BOB)[-1])
    assert "You have asked: | May ships dock? The answer: | They may." in own
    assert "You have asked: | May I bid twice? There is no answer yet." in own
    assert "A player has asked: | May ships dock? The answer: | They may." in other
    assert "twice" not in other
    desk.tick(hours=24 * 7)
    own = words(reports(desk, ANN)[-1])
    assert "You have asked: | May I bid twice? The answer: | No." in own
    assert "dock" not in own


@pytest.mark.parametrize("text", ["\u202egnp.exe\x00", "ORDERS for toy1\nEND of it", "{{ 7 * 7 }} <b>", "a" * 8_000])
def test_hostile_words_are_passed_on_as_words(desk: Desk, text: str) -> None:
    """Neither question nor answer is anything but text, in mails and reports."""
    ask(desk, f"PLAYER toy1 red\nASK GM\n{text}")
    run_action(desk.app, "toy1", AnswerQuestion(1, text, ALL), desk.now)
    desk.tick(hours=24 * 5)

    with desk.app.store.reading() as session:
        assert set(session.scalars(select(InboxMessage.state))) == {"processed"}
    assert count(desk, OrderSheet) == 0
    for mail in desk.mails(BOB):
        assert "\u202e" not in text_of(mail)
        assert "<b>" not in str(mail.get_body(("html",)))


def test_the_list_has_all_there_is(desk: Desk) -> None:
    """The GM's list has questions with seat, turn and answer."""
    ask(desk, "ASK GM\nMay ships dock?")
    run_action(desk.app, "toy1", AnswerQuestion(1, "They may."), desk.now)
    (shown,) = run_query(desk.app, "toy1", ShowQuestions(), desk.now).questions

    assert (shown.number, shown.seat, shown.turn, shown.text) == (1, "red", 1, "May ships dock?")
    assert shown.answer is not None
    assert (shown.answer.text, shown.answer.to) == ("They may.", ("red",))


def test_the_list_of_press_has_questions(desk: Desk) -> None:
    """The GM's list of press shows questions below it, with their answers."""
    ask(desk, "ASK GM\nMay ships dock?")
    run_action(desk.app, "toy1", AnswerQuestion(1, "They may.", ALL), desk.now)
    shown = ShowPress()
    lines = "\n".join(shown.render(run_query(desk.app, "toy1", shown, desk.now), CLI))

    assert "Question 1 of red, turn 1" in lines
    assert "to all:" in lines
    assert "There is no press." not in lines


class Allied(Auction):
    """The toy with an alliance of red and blue."""

    def allies(self, view: View) -> Sequence[SeatName]:
        """Return the other of the two."""
        return {"red": ("blue",), "blue": ("red",)}.get(view["seat"], ())


def test_allies_read_an_answer(desk: Desk) -> None:
    """TO ALLIES reaches the seat and its allies, and no others; a seat without allies is told to the GM."""
    desk.app = dataclasses.replace(desk.app, games={"toy": Allied()})
    ask(desk, "ASK GM\nMay ships dock?")
    assert "with TO ALLIES" in words(desk.last(GM))
    assert "by mail to red and blue" in reply(desk, "TO ALLIES\nThey may.")
    ask(desk, "ASK GM\nMay I?", CYD)
    assert "green has no allies now" in reply(desk, "TO ALLIES\nYes.")

    assert [len(answers(desk, address)) for address in (ANN, BOB, CYD)] == [1, 1, 0]
    assert "to you and allies" in answers(desk, BOB)[0]


def test_allies_are_those_of_the_game(desk: Desk) -> None:
    """A game without alliances has no allies to answer."""
    ask(desk, "ASK GM\nMay ships dock?")

    with pytest.raises(CampaignError, match="there are no alliances in toy1"):
        run_action(desk.app, "toy1", AnswerQuestion(1, "Yes.", ALLIES), desk.now)


def test_the_archive_has_them_for_those_who_read_them(desk: Desk) -> None:
    """Reports in the archive have question and answer, each for its readers, and the archive proves itself."""
    ask(desk, "ASK GM\nMay ships dock?")
    ask(desk, "ASK GM\nMay I bid twice?")
    run_action(desk.app, "toy1", AnswerQuestion(1, "They may.", ALL), desk.now)
    run_action(desk.app, "toy1", AnswerQuestion(2, "You may not."), desk.now)
    desk.tick(hours=24 * 5)
    reports_of = desk.app.settings.archive / "toy1" / folder_name(1) / "reports"

    for seat, secret in (("red", True), ("blue", False), ("green", False)):
        text = (reports_of / f"{seat}.txt").read_text()
        assert "They may." in text
        assert ("You may not." in text) is secret
    prove_archive(desk.app, "toy1")


def test_numbers_and_mails_do_not_tell_what_others_asked(desk: Desk) -> None:
    """What a seat is told is the same, the answer to the byte, whether others ask and are answered or not."""
    mails = []
    for name, others in (("one", 0), ("two", 3)):
        with open_desk(desk.home.parent / name) as other:
            form(other, "red", "blue", "green", hold="off")
            with other.app.store.writing() as session:
                session.execute(update(Campaign).values(mail_key=bytes(32)))
            run_action(other.app, "toy1", StartCampaign(), other.now)
            other.tick()
            before = len(other.mails(BOB))
            for number in range(others):
                ask(other, f"ASK GM\nQuestion {number}?")
                run_action(other.app, "toy1", AnswerQuestion(number + 1, "No."), other.now)
            ask(other, "ASK GM\nMay I?", BOB)
            run_action(other.app, "toy1", AnswerQuestion(others + 1, "You may."), other.now)
            other.tick()
            done, told = other.mails(BOB)[before:]
            # The first answers the message, whose id is not the same in both homes.
            mails.append((done["Subject"], text_of(done), bytes(told)))

    assert mails[0] == mails[1]


def test_a_fork_has_questions_up_to_its_turn(desk: Desk, tmp_path: Path) -> None:
    """Answers of later turns are left out, and no reply by mail is an answer there."""
    ask(desk, "ASK GM\nMay ships dock?")
    desk.tick(hours=24 * 5)
    run_action(desk.app, "toy1", AnswerQuestion(1, "They may."), desk.now)
    desk.tick(hours=24 * 7)
    with open_desk(tmp_path / "fork") as there:
        run_action(desk.app, "toy1", ForkCampaign(1, there.app), desk.now)
        with there.app.store.reading() as session:
            (copied,) = session.scalars(select(Question))
            assert (copied.text, copied.code, copied.message_id) == ("May ships dock?", "", "")
            assert session.scalars(select(QuestionAnswer)).all() == []
