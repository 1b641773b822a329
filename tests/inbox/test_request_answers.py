"""Answers to invitations and other requests of ours, as people write them."""

from __future__ import annotations

import datetime as dt
import threading
from email.message import EmailMessage

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.seats import Invite
from pbem.inbox.process import process_messages
from pbem.inbox.rate_limits import ANSWERS_A_DAY, PASSED_ON_A_DAY
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.store.models import JournalEntry
from tests.inbox.people import ANN, BOB, CYD, EVE, GM, ask, confirm, form, players, question, token, words
from tests.toy.home import Desk, prepared, text_of

QUOTE = "On Mon, 2 Nov 2026 at 09:00, PBEM <orders@example.org> wrote:\n{quoted}"
OUTLOOK = "-----Original Message-----\nFrom: PBEM <orders@example.org>\nSent: Monday\nSubject: YES or NO?\n\n{original}"

YES = {
    "the word": "YES",
    "politely": "yes, please",
    "gladly": "Yes, gladly!\n\nBea",
    "after a greeting": "Hi,\n\nyes, I am in.\n\nBest wishes\nBea",
    "in": "Count me in!",
    "to a friend": "Hi Gina,\n\nyes please, and thanks for the invite!\n\nBea",
    "love to": "I'd love to play.",
    "of course": "Of course, with pleasure",
    "no problem": "No problem, I'll play.",
    "ok": "ok",
    "with a question": "Yes! When does it start?",
    "with a signature": "Yes please\n\n-- \nBea Example\nNo. 7, If Street",
    "from a telephone": "Yes\n\nSent from my iPhone",
    "above a quotation": f"Gladly, yes.\n\n{QUOTE}",
    "yes above a quotation": f"YES\n\n{QUOTE}",
    "below a quotation": f"{QUOTE}\n\nYes, I would like to play.",
    "above an unmarked original": f"Yes!\n\n{OUTLOOK}",
    "German": "Ja, gerne!\n\nViele Grüße\nBea",
    "German, dabei": "Ich bin dabei.",
    "French": "Oui, avec plaisir",
    "Spanish": "Sí, claro",
    "Spanish without accent": "Si, me apunto",
    "Italian": "Sì, volentieri",
    "Portuguese": "Sim, com prazer",
    "Dutch": "Ja, graag",
    "Polish": "Tak, z przyjemnością",
    "a thumb": "\U0001f44d",
}
NO = {
    "the word": "NO",
    "thanks": "No thanks",
    "politely": "Sorry, I can't this time.\nGood luck!\nBea",
    "above a quotation": f"No, thank you.\n\n{QUOTE}",
    "below a quotation": f"{QUOTE}\n\nNo",
    "German": "Nein danke, leider keine Zeit.",
    "French": "Non merci",
    "Spanish": "No, gracias",
    "Portuguese": "Não, obrigado",
    "Dutch": "Nee, geen tijd",
    "a condition": "No, but maybe next year",
}
EMPTY = {
    "nothing typed": "",
    "only a quotation": QUOTE,
}
OTHER = {
    "a reservation": "Yes, but only if Bob plays too.",
    "a condition": "Yes if it starts in May",
    "in German": "Ja, aber erst ab Mai",
    "both": "Yes and no.",
    "not": "Not yes",
    "a sentence later": "Yes. Unless it is a fight.",
    "thanks": "Thanks, I will think about it.",
    "thanks in Danish": "Tak for din mail",
    "an answering machine without marks": "I am away until Monday",
    "in a language without a list": "Ano, rád si zahraji",
    "a question": "Who else plays?",
    "two questions": "Hello,\n\nhow long is a turn? Can I say yes next week?\n\nBea",
    "a thought": "Let me think about it.",
    "an uncertain word": "Yes?",
    "a condition alone": "If Bob plays.",
    "like a command": "Status of the game?",
    "in French": "Si je joue, combien de temps dure un tour ?",
}


@pytest.fixture
@prepared
def invited(desk: Desk) -> Desk:
    """Return a home with a campaign to which Eve is invited; the first mails are sent."""
    form(desk, "red", open_seats=2)
    run_action(desk.app, "toy1", Invite(EVE), desk.now)
    desk.answer()
    return desk


def invitation(desk: Desk) -> EmailMessage:
    """Return the newest invitation to Eve."""
    return [mail for mail in desk.mails(EVE) if mail["Subject"].startswith("gm invites you")][-1]


def reply(desk: Desk, typed: str, **changes: str) -> str:
    """Answer the invitation; return the text of the answer, or of the newest mail, "" if none came."""
    mail, sender = invitation(desk), changes.get("sender", EVE)
    original = text_of(mail)
    quoted = "".join(f"> {line}\n" for line in original.splitlines())
    before = len(desk.mails(sender))
    desk.reply(mail, typed.format(quoted=quoted, original=original), **changes)
    desk.answer()
    new = desk.mails(sender)[before:]
    answers = [mail for mail in new if mail["Subject"].startswith("Re:")]
    return words((answers or new)[-1]) if new else ""


def seated(desk: Desk) -> bool:
    """Return True if Eve plays."""
    return EVE in players(desk).values()


@pytest.mark.sampled(8)
@pytest.mark.parametrize("typed", YES.values(), ids=YES.keys())
def test_a_yes_in_plain_words_gives_the_seat(invited: Desk, typed: str) -> None:
    """YES in any plain words, above, below or without a quotation, gives the seat."""
    assert "You play blue in toy1" in reply(invited, typed)
    assert seated(invited)


@pytest.mark.parametrize("typed", NO.values(), ids=NO.keys())
def test_a_no_in_plain_words_ends_the_invitation(invited: Desk, typed: str) -> None:
    """NO ends the invitation: it is answered, and the GM is told."""
    assert "You said NO to the invitation to toy1. It has ended" in reply(invited, typed)
    assert f"{EVE}, whom you invited to toy1, has declined" in words(invited.last(GM))
    assert not seated(invited)


def test_a_no_by_mistake_is_undone_by_a_yes(invited: Desk) -> None:
    """Who said NO may say YES as long as the invitation would have been open; it does not bring a second seat."""
    reply(invited, "No")

    assert "You play blue in toy1" in reply(invited, "YES")
    assert "You play blue in toy1 already" in reply(invited, "Yes!")
    assert list(players(invited).values()).count(EVE) == 1


def test_a_yes_long_after_a_no_is_too_late(invited: Desk) -> None:
    """After two weeks a NO stands, and a YES is told who can invite again."""
    reply(invited, "No")
    invited.tick(hours=24 * 15)

    assert "write to the GM, gm@example.org, who can invite you again" in reply(invited, "YES")
    assert not seated(invited)


def test_a_question_beside_a_yes_goes_to_the_gm(invited: Desk) -> None:
    """A yes with a question seats, the question reaches the GM, and the writer is told so."""
    reply(invited, "Yes! When does it start?")

    heard = {str(mail["Subject"]): words(mail) for mail in invited.mails(EVE)[1:]}
    assert any("You play blue in toy1" in text for text in heard.values())
    (told,) = [text for subject, text in heard.items() if subject.startswith("[toy1] your question went to your GM")]
    assert "passed on to the GM, gm@example.org, who can answer you directly. --" in told
    assert "| Yes! When does it start?" in text_of(invited.last(GM))
    assert "no plain YES" not in text_of(invited.last(GM))


@pytest.mark.parametrize("typed", EMPTY.values(), ids=EMPTY.keys())
def test_an_empty_answer_is_asked_again(invited: Desk, typed: str) -> None:
    """An answer in which nothing was typed is told what to write; that then counts."""
    assert "You typed nothing in your answer to the invitation to toy1. Nothing is decided yet" in reply(invited, typed)
    assert not seated(invited)

    invited.reply(invited.last(EVE), "YES")
    invited.answer()
    assert seated(invited)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("typed", OTHER.values(), ids=OTHER.keys())
def test_other_words_are_passed_on(invited: Desk, typed: str) -> None:
    """Other words go to the GM, who reads that no seat is taken by them; the sender is told what to write."""
    said = reply(invited, typed)

    assert "Your words were passed on to the GM, gm@example.org" in said
    assert "To say yes, reply YES; to decline, reply NO." in said
    assert invited.last(GM)["Reply-To"] == EVE
    assert "That was no plain YES or NO, so they were asked for one." in words(invited.last(GM))
    assert f"| {typed.splitlines()[0]}" in text_of(invited.last(GM))
    assert not seated(invited)


def test_html_alone_is_read(invited: Desk) -> None:
    """A mail without plain text is read too."""
    mail = invitation(invited)
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = EVE, mail["Reply-To"], f"Re: {mail['Subject']}"
    message.set_content("<p>Yes, <b>gladly</b>!</p><p>Bea</p><blockquote>PBEM: YES or NO?</blockquote>", subtype="html")
    inbox = invited.home / "post" / "inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    (inbox / "html.eml").write_bytes(bytes(message))
    invited.tick()

    assert seated(invited)


@pytest.mark.parametrize(
    ("subject", "yes"), [("[toy1] YES", True), ("Re: yes please", True), ("Re: YES or NO?", False)]
)
def test_a_subject_alone_is_read(invited: Desk, subject: str, *, yes: bool) -> None:
    """A mail without text says what its subject says in a word; the subject of the question itself says nothing."""
    reply(invited, "", subject=subject)

    assert seated(invited) is yes


def test_the_code_in_the_subject_is_enough(invited: Desk) -> None:
    """A program that drops the plus address does no harm."""
    reply(invited, "Yes, gladly!", to="orders@example.org")

    assert seated(invited)


def test_a_yes_twice_takes_one_seat(invited: Desk) -> None:
    """A second YES is told of the seat."""
    reply(invited, "YES")

    assert "You play blue in toy1 already, so there is nothing to do." in reply(invited, "Yes!")
    assert list(players(invited).values()).count(EVE) == 1


def test_a_no_after_a_yes_takes_nothing(invited: Desk) -> None:
    """The code is used up: a seat is given up by LEAVE alone."""
    reply(invited, "YES")

    assert "You play blue in toy1 already" in reply(invited, "No thanks")
    assert seated(invited)


def test_an_old_invitation_is_told_so(invited: Desk) -> None:
    """A YES that comes too late is answered, and a question still goes to the GM."""
    invited.tick(hours=24 * 15)

    assert "that was too long ago" in reply(invited, "YES")
    assert "passed on to the GM" in reply(invited, "Is there still a seat?")
    assert not seated(invited)


def test_two_answers_at_once_take_one_seat(shared: Desk) -> None:
    """On either database, of two YES processed at once one gets the seat, and both are answered."""
    form(shared, "red", name="toy2", open_seats=2)
    run_action(shared.app, "toy2", Invite(EVE), shared.now)
    shared.answer()
    for typed in ("YES", "Yes, gladly"):
        shared.reply(invitation(shared), typed)
    _process_at_once(shared)

    assert list(players(shared, "toy2").values()).count(EVE) == 1
    subjects = [mail["Subject"] for mail in shared.mails(EVE)[1:]]
    assert sorted("] welcome: you play" in subject for subject in subjects) == [False, True]


def test_a_yes_and_a_no_at_once_are_one_of_them(shared: Desk) -> None:
    """On either database both are answered, and the seat is given once at most: a YES may undo the NO before it."""
    form(shared, "red", name="toy2", open_seats=2)
    run_action(shared.app, "toy2", Invite(EVE), shared.now)
    shared.answer()
    for typed in ("YES", "No thanks"):
        shared.reply(invitation(shared), typed)
    _process_at_once(shared)

    said = " ".join(map(words, shared.mails(EVE)[1:]))
    assert list(players(shared, "toy2").values()).count(EVE) <= 1
    assert EVE in players(shared, "toy2").values() or "You said NO" in said


def _process_at_once(desk: Desk) -> None:
    fetch_messages(desk.app.store, open_mailbox(desk.app.settings), desk.now)
    desks = [threading.Thread(target=process_messages, args=(desk.app, desk.now)) for _ in range(2)]
    for each in desks:
        each.start()
    for each in desks:
        each.join()
    desk.answer()


def test_a_guessed_code_is_a_strangers_mail(invited: Desk) -> None:
    """A YES with a code that no mail had is answered as every stranger's mail is."""
    said = reply(
        invited, "YES", to="orders+aaaaaaaaaaaaaaa2@example.org", subject="Re: hello", sender="zed@example.net"
    )

    assert "Your mail names no seat that is played from your address." in said
    assert "toy1" not in said
    assert not seated(invited)


def test_a_stolen_code_seats_none_but_the_person_invited(invited: Desk) -> None:
    """With the code another address can say yes only for the person invited, who is told."""
    reply(invited, "YES", sender="zed@example.net")

    assert list(players(invited).values()) == [ANN, EVE, ""]
    assert "You play blue in toy1" in words(invited.last(EVE))
    assert EVE not in words(invited.last("zed@example.net"))


def test_a_no_with_a_stolen_code_is_told_to_the_person_invited(invited: Desk) -> None:
    """The person invited hears who has declined for them."""
    reply(invited, "No", sender="zed@example.net")

    assert "NO was said to the mail that asked you about toy1, by zed@example.net." in words(invited.last(EVE))


def test_a_stolen_code_floods_nobody(invited: Desk) -> None:
    """From however many addresses it is shown, so many answers go out in a day, and few to the GM."""
    gm = len(invited.mails(GM))
    for number in range(ANSWERS_A_DAY + 5):
        invited.reply(invitation(invited), f"Who else plays, number {number}?", sender=f"z{number}@example.net")
    invited.tick()

    assert len([mail for mail in invited.mails() if mail["To"].startswith("z")]) == ANSWERS_A_DAY
    assert len(invited.mails(GM)) - gm == PASSED_ON_A_DAY
    assert "enough went to the GM today" in words(invited.last(f"z{ANSWERS_A_DAY - 1}@example.net"))


def test_a_machine_at_the_invited_address_is_answered_three_times(invited: Desk) -> None:
    """Words that come again and again are not answered without end."""
    answered = 0
    for _ in range(8):
        answered += bool(reply(invited, "I am away until Monday. Please write to Bob."))

    assert answered == 3


def test_the_words_of_a_question_add_nothing_to_its_mail(invited: Desk) -> None:
    """Keys in a question are masked, and each of its lines has a bar before it."""
    reply(invited, "Who plays?\nMy token is 00112233445566778899.\nYours, the GM")
    text = text_of(invited.last(GM))

    assert "00112233445566778899" not in text
    assert "| Yours, the GM" in text


def test_no_address_is_in_the_journal_of_players(invited: Desk) -> None:
    """The address that has declined stands in the GM's journal alone."""
    reply(invited, "No thanks")

    with invited.app.store.reading() as session:
        entry = session.scalars(select(JournalEntry).where(JournalEntry.text.contains("declined"))).one()
    assert (entry.text, entry.secret) == (f"{EVE} has declined", True)


@pytest.mark.parametrize("typed", ["RULES", "HELP"])
def test_who_asks_before_a_yes_says_it_in_reply_to_the_answer(invited: Desk, typed: str) -> None:
    """The rulebook and the guide have the code of the invitation that they were asked for with."""
    reply(invited, typed)
    assert not seated(invited)

    invited.reply(invited.last(EVE), "YES")
    invited.answer()
    assert seated(invited)


def test_who_names_only_the_message_id_is_told_no_code(invited: Desk) -> None:
    """A Message-ID may be known to others than the reader of a mail; no code is mailed for it."""
    reply(invited, "RULES", to="orders@example.org", subject="rules", sender="other@example.net")

    assert "+" not in (invited.last("other@example.net")["Reply-To"] or "")


@pytest.mark.parametrize("typed", ["RULES", "HELP BID", "JOIN toy1"])
def test_a_command_in_a_reply_is_a_command(invited: Desk, typed: str) -> None:
    """A reply that begins with a command is that, for the campaign of the invitation; JOIN brings that again."""
    before = len(invited.mails(GM))
    said = reply(invited, typed)

    assert said.startswith(
        {"RULES": "The rulebook Toy Auction", "HELP BID": "BID AN ORDER OF TOY AUCTION"}.get(typed, "")
    )
    assert ("invites you to play" in said) == (typed == "JOIN toy1")
    assert len(invited.mails(GM)) == before
    assert not seated(invited)


@pytest.mark.parametrize("typed", ["yes", "ok", "No thanks", "Ja, gerne!"])
def test_a_word_in_reply_to_a_report_is_no_answer(desk: Desk, typed: str) -> None:
    """A reply to a report is read as orders, as ever: plain words do nothing there."""
    form(desk, "red", open_seats=1)
    run_action(desk.app, "toy1", Invite(BOB), desk.now)
    desk.answer()
    desk.reply(desk.mails(ANN)[0], typed)
    desk.answer()

    assert players(desk) == {"red": ANN, "blue": ""}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("typed", "moved"),
    [
        ("YES", True),
        ("Ja", True),
        ("Yes, that was me", False),
        ("Gladly", False),
        ("ok", False),
        ("sounds good", False),
        ("Yes, but later", False),
        ("Yes if I can change it back", False),
        ("not yes", False),
        ("Yes and no", False),
        ("What does it mean?", False),
        ("", False),
    ],
)
def test_a_change_of_address_needs_a_clear_yes(desk: Desk, typed: str, *, moved: bool) -> None:
    """Phrases, conditions and silence do not move a player to another address; each is answered."""
    desk.start()
    ask(desk, f"PLAYER toy1 red {token(desk)}\nADDRESS {EVE}\nEND")
    desk.reply(desk.last(ANN), typed)
    desk.answer()

    assert bool(desk.mails(EVE)) is moved
    assert moved or "reply YES" in words(desk.last(ANN))


@pytest.mark.parametrize(
    ("typed", "left"), [("Yes", True), ("Yes, but not yet", False), ("No!", False), ("Why?", False)]
)
def test_a_seat_is_given_up_by_a_clear_yes_alone(desk: Desk, typed: str, *, left: bool) -> None:
    """The question whether LEAVE is meant needs a clear YES."""
    desk.start()
    desk.reply(desk.mails(ANN)[1], "LEAVE")
    desk.answer()
    desk.reply(question(desk, ANN), typed)
    desk.answer()

    assert players(desk)["red"] == ("" if left else ANN)


def test_a_deputy_may_decline(desk: Desk) -> None:
    """A NO ends the request, and its player is told."""
    desk.start()
    ask(desk, f"PLAYER toy1 red {token(desk)}\nDEPUTY {CYD} UNTIL 2026-12-24\nEND")
    desk.reply(desk.last(CYD), "No, I have no time")
    desk.answer()

    assert f"{CYD} has declined to be your deputy for red in toy1." in words(desk.last(ANN))
    assert "was used already" in confirm(desk, CYD) if "CONFIRM" in text_of(desk.last(CYD)) else True


def test_an_answer_belongs_to_the_campaign_that_is_joined(desk: Desk) -> None:
    """Subject and reply code are those of the campaign joined, also for a player of another one."""
    desk.begin()
    form(desk, "green", name="toy2", open_seats=2, signup="on")
    desk.answer()
    ask(desk, "JOIN toy2", ANN)
    assert str(desk.last(ANN)["Subject"]).startswith("[toy2] reply YES to join [")
    before = desk.mails(ANN)
    desk.reply(desk.last(ANN), "Yes, gladly!")
    desk.answer()

    (said,) = desk.mails(ANN)[len(before) :]
    assert said["Subject"].startswith("[toy2] welcome: you play red")
    assert said["Reply-To"] not in {mail["Reply-To"] for mail in before}
    desk.reply(said, "DICE a word of mine")
    desk.answer()
    assert "Your word for the dice of toy2 is now" in words(desk.last(ANN))


def test_an_answer_of_a_newer_code_does_not_wait_for_others(invited: Desk) -> None:
    """A second invitation after a NO is one of its own."""
    reply(invited, "No")
    invited.now += dt.timedelta(hours=1)
    run_action(invited.app, "toy1", Invite(EVE), invited.now)
    invited.tick()

    assert "You play blue in toy1" in reply(invited, "Yes after all!")


def test_a_yes_too_late_is_told_what_does_it_now(desk: Desk) -> None:
    """A YES after a NO to LEAVE changes nothing, and the answer says how to ask for it once more."""
    desk.start()
    ask(desk, "LEAVE")
    asked = question(desk, ANN)
    desk.reply(asked, "NO")
    desk.answer()
    desk.reply(asked, "YES")
    desk.answer()

    assert players(desk)["red"] == ANN
    said = "If what it asked for is still wanted, send it again, as a reply to your latest report."
    assert said in words(desk.last(ANN))
