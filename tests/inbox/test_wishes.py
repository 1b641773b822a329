"""Commands in other words, days as people write them, and sentences that wish for a command."""

from __future__ import annotations

import dataclasses
import datetime as dt
import re

import pytest
from sqlalchemy import select

from pbem.actions.days import fill_years, write_span
from pbem.inbox.command_parser import COMMANDS, VERBS, find_commands
from pbem.inbox.synonyms import as_command, load_table
from pbem.inbox.wishes import answer_slip, answer_wish
from pbem.store.models import Absence, InboxMessage, OrderSheet
from tests.inbox.people import ANN, BOB, EVE, GM, QUESTION, ask, confirm, form, reports, snapshot, words
from tests.inbox.test_requests import Essay
from tests.inbox.trusting import version_taken
from tests.toy.home import Desk, text_of

TODAY = dt.date(2026, 11, 24)


@pytest.fixture
def begun(desk: Desk) -> Desk:
    """Return a desk with a campaign of red and blue, whose address is enough."""
    desk.start()
    return desk


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("24.12. TO 27.12.", "2026-12-24 TO 2026-12-27"),
        ("from 24.12. until 27.12.", "2026-12-24 TO 2026-12-27"),
        ("24/12 - 27/12", "2026-12-24 TO 2026-12-27"),
        ("24 Dec to 27 Dec", "2026-12-24 TO 2026-12-27"),
        ("24-27 December", "2026-12-24 TO 2026-12-27"),
        ("24.-27.12.", "2026-12-24 TO 2026-12-27"),
        ("24.12.-27.12.2026", "2026-12-24 TO 2026-12-27"),
        ("24.12.26 bis 3.1.", "2026-12-24 TO 2027-01-03"),
        ("Dec 24 through Jan 3", "2026-12-24 TO 2027-01-03"),
        ("the 24th of December until the 2nd of January", "2026-12-24 TO 2027-01-02"),
        ("20 Nov to 28 Nov", "2026-11-20 TO 2026-11-28"),
        ("until 27.12.", "2026-11-24 TO 2026-12-27"),
        ("tomorrow", "2026-11-25"),
        ("12/24", "2026-12-24"),
        ("29 Feb", "2028-02-29"),
        ("3/3", "2027-03-03"),
    ],
)
def test_days_are_read_as_people_write_them(typed: str, meant: str) -> None:
    """A day without a year is the next such day; the first of a range is the last such day before its end."""
    assert fill_years(f"ABSENT {write_span(typed)}", TODAY) == f"ABSENT {meant}"


@pytest.mark.parametrize("typed", ["31.2.", "the castle to the lake", "24", "24.12. 27.12.", "to to", "99.99.", "0/0"])
def test_other_words_are_no_days(typed: str) -> None:
    """Days that no calendar has, and lines that are not all days, are left alone."""
    assert write_span(typed) == ""


def test_a_day_that_may_be_two_is_refused_with_both(begun: Desk) -> None:
    """3/4 is April in one country and March in another."""
    text = ask(begun, "I'm away from 3/4 to 5/4")

    assert "3/4 may be 3 Apr or 4 Mar" in text
    with begun.app.store.reading() as session:
        assert session.scalars(select(Absence)).all() == []


def test_an_absence_in_other_words_is_noted_and_ended(begun: Desk) -> None:
    """A sentence with days is ABSENT, and "I am back" is PRESENT."""
    assert "from 2026-12-24 to 2026-12-27" in ask(begun, "I am away from 24.12. until 27.12.")
    assert "Your absences are cancelled" in ask(begun, "I am back!\n\nAnn")


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("ABSENT until Monday", "from 2026-11-02 to 2026-11-09. The last day is Monday, 9 November, by the clocks of"),
        ("absent until next friday.", "from 2026-11-02 to 2026-11-06. The last day is Friday, 6 November"),
        ("Absent: this Sat to Mon please", "from 2026-11-07 to 2026-11-09."),
        (
            "1. ABSENT on Thursday!",
            "on 2026-11-05. The last day is Thursday, 5 November, by the clocks of Europe/Berlin.",
        ),
    ],
)
def test_days_of_the_week_are_understood_behind_absent(begun: Desk, line: str, days: str) -> None:
    """A day of the week is the next one after today, and the answer has its date; in a reply and in a mail alone."""
    assert f"You are absent {days}" in ask(begun, f"{line}\n\nThanks\nAnn")
    ask(begun, "PRESENT")
    begun.reply(reports(begun, ANN)[0], line)
    begun.answer()

    assert f"You are absent {days}" in words(begun.last(ANN))


@pytest.mark.parametrize(
    "line",
    [
        "Absent until Monday, I'll send orders then",
        "ABSENT until Monday evening",
        "I am absent until Monday",
        "I'm away until Monday. For urgent matters, call the office.",
    ],
)
def test_prose_about_an_absence_is_told_the_line_with_its_days(begun: Desk, line: str) -> None:
    """A person and a machine may write it: nothing is noted, and the answer has what to send."""
    said = ask(begun, line)
    begun.reply(reports(begun, ANN)[0], line)
    begun.answer()

    assert "ABSENT 2026-11-02 TO 2026-11-09" in said
    assert "ABSENT 2026-11-02 TO 2026-11-09" in words(begun.last(ANN))
    assert absences(begun) == []


@pytest.mark.parametrize("again", ["ABSENT 20 Dec TO 3 Jan", "ABSENT 24 Dec"])
def test_an_absence_that_is_known_is_noted_once(begun: Desk, again: str) -> None:
    """The same days, or some of them, are answered as known; days beyond them are another absence."""
    ask(begun, "ABSENT 20 Dec TO 3 Jan")

    assert "as you told before" in ask(begun, again)
    assert len(absences(begun)) == 1
    assert "as you told before" not in ask(begun, "ABSENT 20 Dec TO 4 Jan")
    assert len(absences(begun)) == 2


def absences(desk: Desk) -> list[Absence]:
    """Return all absences that are noted."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(Absence)))


@pytest.mark.parametrize("header", ["Auto-Submitted: auto-replied", "Precedence: auto_reply", "X-Autoreply: yes"])
def test_an_answering_machine_is_not_absent(begun: Desk, header: str) -> None:
    """Mail of a program is no command, and is not answered, whatever its words."""
    name, _, value = header.partition(": ")
    before = len(begun.mails(ANN))
    begun.post("ABSENT until Monday", headers={name: value})
    begun.answer()

    assert absences(begun) == []
    assert len(begun.mails(ANN)) == before


def test_a_day_is_that_of_the_players_clock_when_the_mail_came(desk: Desk) -> None:
    """It is Monday in Berlin before it is in Greenwich; a YES some days later makes it no other Monday."""
    desk.start(rules={"authentication": "confirm"})
    desk.now = dt.datetime(2026, 11, 8, 23, 30, tzinfo=dt.UTC)
    ask(desk, "DEPUTY bob@example.org UNTIL Monday")
    desk.now += dt.timedelta(days=3)
    desk.reply(desk.last(ANN), "YES")
    desk.answer()

    assert "2026-11-16" in words(desk.last(ANN))


def test_every_synonym_is_a_command() -> None:
    """Each sentence of the table means a line that is read without an error."""
    alone = {command: row["alone"] for command, row in load_table("player").items() if "alone" in row}
    for command, sentences in alone.items():
        assert COMMANDS.parse({}, [(1, command)]).errors == (), command
        assert {as_command(f"{sentence.capitalize()}, please.") for sentence in sentences} == {command}


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("tell blue", "PRESS TO blue"),
        ("Write to blue and green:", "PRESS TO blue green"),
        ("PRESS ANONYMOUS TO blue", "UNSIGNED TO blue"),
        ("ignore blue", "MUTE blue"),
        ("MUTE blue OFF", "UNMUTE blue"),
        ("substitute bob@example.org until 3.1.2027", "DEPUTY bob@example.org UNTIL 2027-01-03"),
        ("second address ann@example.net", "FALLBACK ann@example.net"),
        ("FALLBACK OFF", "FALLBACK OFF"),
        ("EXTEND by 2 days", "EXTEND 2d"),
        ("more time please", "EXTEND"),
        ("FORMAT plain text", "FORMAT TEXT"),
        ("FORMAT WHOLE", "FORMAT HTML"),
        ("FORMAT CALENDAR OFF", "FORMAT NOCALENDAR"),
        ("HISTORY", "JOURNAL"),
        ("Deputy off.", "UNDEPUTE"),
        ("question for the GM: may I dock?", "ASK GM"),
    ],
)
def test_commands_in_other_words(typed: str, line: str) -> None:
    """Beginnings of lines mean commands, if what stands behind them fits."""
    found = find_commands([typed, "more"], {"toy1"})
    assert found is not None

    assert COMMANDS.line(found.parse().orders[0]) == line


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "line",
    [
        *("From the castle to the lake", "Tell the king to go home", "Question the prisoner", "Ignore all of them"),
        *("Leave the castle", "No mercy", "Clear the forest", "Ask the king", "Away with them!", "Write to your wife"),
    ],
)
def test_orders_in_free_words_are_no_synonyms(desk: Desk, line: str) -> None:
    """In a game that accepts any words, such lines in a reply are orders."""
    desk.app = dataclasses.replace(desk.app, games={"toy": Essay()})
    desk.start()
    desk.reply(reports(desk, ANN)[0], line)
    desk.answer()

    with desk.app.store.reading() as session:
        assert [sheet.text.strip() for sheet in session.scalars(select(OrderSheet))] == [line]


WISHES = {
    "I need more time, my cat is ill": "EXTEND asks the other players; ABSENT 3 Nov TO 17 Nov says that you are away",
    "Could we have an extension?": "EXTEND asks",
    "who has not sent orders yet?": "STATUS shows how your campaign stands",
    "TELL blue we attack at dawn": "send PRESS TO and their seat as the first line",
    "Message blue: shall we ally?": "send PRESS TO and their seat as the first line",
    "please wait for me": "WAIT, on a line of its own",
    "Forget everything I sent": "CLEAR ORDERS",
    "same as last turn": "Orders are for one turn",
    "Who are you?": "This is the program that runs the game",
    "undo my last mail": "a new sheet replaces the one before",
    "I have a question": "send ASK GM as the first line",
    "I need a break": "PAUSE lets turns go on",
    "I am away until my exam is over": "ABSENT 3 Nov TO 17 Nov says that you are away",
    "I quit, no time any more": "LEAVE, in a mail of its own, gives your seat to someone else",
    "Sorry guys I have no time any more, I quit": "LEAVE, in a mail of its own",
    "Who is winning?": "is in your newest report",
    "Hi Bob, shall we be allies? I'd take the west and you the east.": "send PRESS TO and their seat",
}


@pytest.mark.parametrize(("line", "told"), WISHES.items())
def test_a_wish_is_pointed_to_its_command(begun: Desk, line: str, told: str) -> None:
    """In a mail of its own, in a reply, and beside orders: never as an error, and without a list of verbs."""
    begun.reply(reports(begun, ANN)[0], f"{line}\n\nAnn")
    begun.answer()
    answers = [words(begun.last(ANN)), ask(begun, f"{line}\n\nThanks\nAnn")]
    receipt = ask(begun, f"ORDERS toy1 red\nBID 3\n{line}\nEND")

    assert all(told in text for text in (*answers, receipt))
    assert not any("Possible:" in text or "not an order" in text for text in (*answers, receipt))
    assert version_taken(receipt) == 1


def test_wait_that_answers_no_report_is_told_where_it_counts(begun: Desk) -> None:
    """WAIT and FINAL in a new mail say nothing of a sheet."""
    assert "WAIT and FINAL count below your orders, or alone in a reply" in ask(begun, "Wait!\n\nAnn")
    assert "WAIT and FINAL count" in ask(begun, "FINAL\n\nORDERS toy1 red\nBID 3\nEND")


def test_a_wish_above_a_sheet_is_answered_in_its_receipt(begun: Desk) -> None:
    """Words above a framed sheet do not keep it from being read, and the receipt points to the command."""
    for line in ("I need more time", "A question"):
        text = ask(begun, f"{line}\nMay I?\n\nORDERS toy1 red\nBID 3\nEND")
        assert version_taken(text) > 0
        assert f"'{line}': " in text


def test_wishes_do_not_hide_errors(begun: Desk) -> None:
    """A mistyped order beside a wish is told, and the good sheet still counts."""
    ask(begun, "ORDERS toy1 red\nBID 3\nEND")
    text = ask(begun, "ORDERS toy1 red\nBDI 4\nI need more time\nEND")

    assert "There is no order BDI. Perhaps: BID 4" in text
    assert "EXTEND asks" in text
    assert "Your orders of Mon 2 Nov, 10:00 CET count: - BID 3" in text


def test_a_question_names_the_help_of_its_order(begun: Desk) -> None:
    """A question with the word of an order is told how that is looked up, and that the GM has not seen it."""
    begun.reply(reports(begun, ANN)[0], "I want to bid more than Bob. How do I do that?")
    begun.answer()

    assert "HELP BID brings that order, with examples. Your GM has not seen this." in words(begun.last(ANN))


def test_a_line_beside_a_question_is_told(begun: Desk) -> None:
    """A line that may have been meant as an order is named as not read, and the sheet that still counts is told."""
    ask(begun, "ORDERS toy1 red\nBID 3\nEND")
    begun.reply(reports(begun, ANN)[0], "Three gold pieces on the vase!!\nWho is winning?")
    begun.answer()

    assert "Your orders of Mon 2 Nov, 10:00 CET still count." in words(begun.last(ANN))
    assert 'Not read, as they begin like no order: "Three gold pieces on the vase!!".' in words(begun.last(ANN))


def test_a_machine_that_repeats_a_wish_is_answered_no_more(begun: Desk) -> None:
    """An answering machine without a mark does not get answers without end."""
    for _ in range(6):
        begun.post("If I have a question, I will write again. I read mail on Mondays.")
        begun.answer()

    with begun.app.store.reading() as session:
        notes = session.scalars(select(InboxMessage.note).order_by(InboxMessage.id)).all()
    assert ["answering machine" in note for note in notes] == [False] * 3 + [True] * 3


@pytest.mark.parametrize(("typed", "near"), [("STAUTS", "STATUS"), ("absnt 24.12.", "ABSENT"), ("RESNED", "RESEND")])
def test_a_mistyped_command_is_answered_with_the_nearest(begun: Desk, typed: str, near: str) -> None:
    """In a mail, in a reply, in a frame and behind HELP."""
    begun.reply(reports(begun, ANN)[0], typed)
    begun.answer()
    word = typed.split()[0].upper()

    assert f"There is no command {word}. Perhaps: {near}" in words(begun.last(ANN))
    assert f"There is no command {word}. Perhaps: {near}" in ask(begun, typed)
    framed = ask(begun, f"PLAYER toy1 red\n{typed}\nEND")
    assert re.search(rf"There is no command {typed.split()[0]}\. (?:Perhaps:|Did you mean) {near}", framed)
    assert f"There is no order or command {word}. Perhaps: {near}" in ask(begun, f"HELP {word}")
    assert "Nothing is done yet" in [mail["Subject"] for mail in begun.mails(ANN)][-3]


def test_no_command_is_taken_for_a_slip_or_a_wish() -> None:
    """Commands in their own words are neither; a line of prose is no slip."""
    assert not any(answer_slip(verb) or answer_wish(verb, TODAY) for verb in VERBS)
    assert answer_slip("Statues are what I would like to see") == ""


def test_the_gm_is_asked_and_can_answer(begun: Desk) -> None:
    """The question comes with campaign, seat and turn, without keys, and its answer goes to the player."""
    ask(begun, "ASK GM: may ships dock?\nFrom: ann@example.org\nYours, Ann")
    mail = begun.last(GM)

    assert re.fullmatch(r"\[toy1\] question 1 from red, round 1 \[[a-z2-7]{16}\]", mail["Subject"])
    assert "| may ships dock?" in text_of(mail)
    assert "ann@example.org" not in text_of(mail)


def test_questions_are_limited_and_journalled(begun: Desk) -> None:
    """Twenty a day are mailed; the journal has them for the GM alone."""
    for number in range(21):
        begun.post(f"PLAYER toy1 red\nASK GM\nQuestion {number}?\nEND", subject=str(number))
    begun.tick()

    assert len([mail for mail in begun.mails(GM) if " from red, round 1" in mail["Subject"]]) == 20
    assert "question" not in ask(begun, "JOURNAL", BOB).lower()


def test_extend_with_a_span_says_what_a_vote_gives(begun: Desk) -> None:
    """The span of the house rules is used, and told where another was asked for."""
    assert "An extension by the players is 2 days here" in ask(begun, "EXTEND 24 hours")
    assert "whatever span" not in ask(begun, "EXTEND 2d")


def test_leave_takes_one_off_the_standby_list(desk: Desk) -> None:
    """LEAVE with the name of a campaign, or alone where there is one list and no seat, is WITHDRAW."""
    form(desk, "red", "blue", signup="on")
    for line in ("LEAVE toy1", "LEAVE", "WITHDRAW toy1"):
        ask(desk, "JOIN toy1", EVE)
        confirm(desk, EVE)
        ask(desk, line, EVE)
        if QUESTION.search(desk.last(EVE)["Subject"]):
            desk.reply(desk.last(EVE), "YES")
            desk.answer()
        assert "You are off the standby list of toy1" in words(desk.last(EVE)), line


def test_leave_with_the_name_of_a_campaign_gives_up_the_seat_there(begun: Desk) -> None:
    """Of two seats the one in the campaign named is given up, once its player has said so."""
    begun.start(name="toy2")
    ask(begun, "LEAVE toy2")
    begun.reply(begun.last(ANN), "YES")
    begun.answer()

    assert [place.address for place in snapshot(begun, "toy2").places] == ["", BOB]
    assert [place.address for place in snapshot(begun).places] == [ANN, BOB]


def test_press_to_everyone_goes_to_all(begun: Desk) -> None:
    """EVERYONE and EVERYBODY are ALL."""
    assert "to all other seats" in ask(begun, "PRESS TO everyone\nHello.")
    assert "to all other seats" in ask(begun, "WRITE TO everybody\nHello again.")
