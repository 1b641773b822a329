"""What is a yes: each answer to each question, and what it does."""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage

import pytest

from pbem.actions.base import run_action
from pbem.actions.seats import Invite
from pbem.inbox.consent.effects import STEPS, Act, Step, read_reply
from pbem.inbox.consent.reader import MOST_READ, load_words
from pbem.mail.message import parse_message
from tests.inbox.people import ANN, EVE, GM, form, players, question, words
from tests.toy.home import Desk, prepared, text_of

COLUMNS: tuple[Act, ...] = ("leave", "address", "offer", "odd", "mine", "welcome", "import", "press")
ROWS = """
YES                                     | do do do do do do do do
yes please                              | do do do do do do do do
Yes!                                    | do do do do do do do do
Hi,/yes/Best wishes/Ann                 | do do do do do do do do
yes, thanks                             | do do do do do do do do
Yes please, and thanks!                 | do do do do do do do do
Dear Gina,/yes!/Ann                     | again again again do do do do do
Hi Gina, count me in!                   | again again list again again do tell again
Hi unless Bob plays, yes                | again again again again again tell tell again
Ja                                      | do do do do do do do do
Oui                                     | do do do do do do do do
Sí                                      | do do do do do do do do
Si                                      | do do do do do do do do
Sim                                     | do do do do do do do do
Jawel                                   | do do do do do do do do
Potwierdzam                             | do do do do do do do do
ok                                      | again again list again again do tell again
OK thanks                               | again again list again again do tell again
Ok, thanks!                             | again again list again again do tell again
Sure, count me in                       | again again list again again do tell again
👍🏽                                      | again again list again again do tell again
I can't wait to play!                   | again again list again again do tell again
Sounds great!                           | again again list again again do tell again
Si, me apunto                           | again again again again again do tell again
Yes, why not?                           | do do do do do do do do
It was me                               | again again list again do tell tell again
Yes, that was me                        | again again again again do tell tell again
Thanks, I will think about it.          | again again list again again tell tell again
Ok. It was an accident.                 | again again list again again tell tell again
I am away until Monday                  | again again list again again tell tell again
Tak for din mail                        | again again list again again tell tell again
not yes                                 | again again list again again tell tell again
Yes if it starts in May                 | again again list again again tell tell again
Yes, that mail was forged.              | again again again again again tell tell again
Yes, but only if I can be red           | again again again again again tell tell again
Ja, aber erst ab Mai                    | again again again again again tell tell again
Yes. Unless it is a fight.              | again again again again again tell tell again
Yes/Maybe                               | again again again again again tell tell again
Yes. No.                                | again again again again again tell tell again
Yes 👎                                   | again again again again again tell tell again
Okay, what does it do?                  | tell tell list tell tell do-tell tell again
Yes! When does it start?                | tell tell again do-tell do-tell do-tell do-tell do
Who else plays?                         | tell tell list tell tell tell tell again
Sounds fun. How long does it take?      | tell tell list tell tell tell tell again
Yes, of course! I thought I had said so. | again again again again again do-tell tell again
Hi Gina!/Yes, count me in. Red, please. | again again again again again do-tell tell again
yes pls. RULES                          | again again again again again do-tell tell again
Yes! Please not red.                    | again again again again again tell tell again
Yes. Maybe from May on.                 | again again again again again tell tell again
Yes. Let me think about it.             | again again again again again tell tell again
Yes! I need to look at my calendar.     | again again again again again tell tell again
Yes?                                    | tell tell list tell tell tell tell again
Si je joue, combien de temps ?          | tell tell list tell tell tell tell again
Tak                                     | again again again again again tell tell again
Thanks!                                 | again again again again again tell tell again
Ann                                     | again again again again again tell tell again
No                                      | end end end end end end tell end
No! That was not me.                    | end end end end end end tell end
No, but maybe next year                 | end end end end end end tell end
unsubscribe                             | again again list again again end tell end
                                        | again again again again again again again again
"""
TABLE = [
    (typed.strip().replace("/", "\n"), act, step)
    for line in ROWS.strip("\n").split("\n")
    for typed, steps in [line.split("|")]
    for act, step in zip(COLUMNS, steps.split(), strict=True)
]


def letter(typed: str, sender: str = f"Ann Miller <{ANN}>") -> bytes:
    """Return the bytes of a reply."""
    mail = EmailMessage()
    mail["From"], mail["Subject"] = sender, "Re: do you want to leave? Reply YES"
    mail.set_content(typed)
    return bytes(mail)


def step_of(act: Act, typed: str) -> Step:
    """Return what an answer does."""
    return STEPS[act][read_reply(parse_message(letter(typed)), "do you want to leave? Reply YES", act)]


@pytest.mark.parametrize(("typed", "act", "step"), TABLE)
def test_an_answer_does_what_the_table_says(typed: str, act: Act, step: Step) -> None:
    """A yes is a word, what is more is asked or passed on, and nothing typed is no answer."""
    assert step_of(act, typed) == step


def test_only_a_plain_yes_does_what_cannot_be_undone() -> None:
    """For what is weighty one class of answers is enough, and no other."""
    for act in ("leave", "address", "offer"):
        assert [said for said, step in STEPS[act].items() if step in ("do", "do-tell")] == ["yes"]


@pytest.mark.parametrize("language", ["yes", "ja", "oui", "si", "sim", "potwierdzam"])
def test_a_yes_of_each_language_is_known(language: str) -> None:
    """The word files of eight languages are installed with the program."""
    assert load_words()[(language,)] in ("yes", "alone")


def test_the_command_itself_says_yes() -> None:
    """Who writes the command again has said yes to it."""
    said = read_reply(parse_message(letter("LEAVE")), "", "leave", own=("LEAVE",))

    assert STEPS["leave"][said] == "do"


def test_names_of_the_sender_alone_stand_beside_a_grave_yes() -> None:
    """A name that is not the sender's may be any word: below a closing it counts for what can be undone."""
    assert [step_of("leave", f"Yes\n\n{name}") for name in ("Ann", "A. Miller", "Maybe", "Not Now")] == [
        *("do", "do"),
        *("again", "again"),
    ]
    assert step_of("leave", "Yes\nThanks\nNot Really") == "again"
    assert step_of("welcome", "Yes\nThanks\nNancy") == "do"


SIGNATURE = "Bob O'Hara\nSenior Consultant, Corp Ltd.\nTel. +49 30 1234567"
DISCLAIMER = (
    "This e-mail is confidential and may be legally privileged. If you are not the\n"
    "intended recipient please delete it."
)


@pytest.mark.parametrize("act", COLUMNS)
def test_a_signature_without_dashes_is_no_part_of_a_yes(act: Act) -> None:
    """Lines below the sender's whole name, as an office adds them, say nothing; a sentence there does."""
    sender = "Bob O'Hara <bob@corp.example>"
    said = [
        STEPS[act][read_reply(parse_message(letter(f"Yes\n\n{below}", sender)), "", act)]
        for below in (SIGNATURE, f"{SIGNATURE}\n{DISCLAIMER}", f"{SIGNATURE}\nNot Before May", f"{SIGNATURE}\nNope")
    ]

    assert said[:2] == ["do", "do"]
    assert "do" not in said[2:]


def test_a_long_text_is_no_plain_yes() -> None:
    """Lines beyond the part that is read are taken for words."""
    assert step_of("leave", "yes\n" + "thanks\n" * MOST_READ) == "again"


@pytest.mark.parametrize("act", ["welcome", "mine"])
def test_a_subject_counts_where_it_can_be_undone(act: Act) -> None:
    """A mail without text says yes by its subject, but never to what cannot be undone."""
    empty = parse_message(letter(""))

    assert STEPS[act][read_reply(empty, "YES", act)] == "do"
    assert STEPS["leave"][read_reply(empty, "YES", "leave")] == "again"


def encrypted() -> EmailMessage:
    """Return a mail that cannot be read."""
    mail = EmailMessage()
    mail["Content-Type"] = 'multipart/encrypted; protocol="application/pgp-encrypted"; boundary="x"'
    mail.set_payload("--x\nContent-Type: application/pgp-encrypted\n\nVersion: 1\n--x--\n")
    return mail


def voice() -> EmailMessage:
    """Return a mail with nothing but a sound in it."""
    mail = EmailMessage()
    mail.add_attachment(b"sound", maintype="audio", subtype="mp4", filename="voice.m4a")
    return mail


def send(desk: Desk, mail: EmailMessage, asked: EmailMessage) -> None:
    """Put a reply to a question into the inbox, and tick."""
    mail["From"], mail["To"], mail["Subject"] = ANN, asked["Reply-To"], f"Re: {asked['Subject']}"
    mail["In-Reply-To"], mail["Message-ID"] = asked["Message-ID"], "<own@example.org>"
    inbox = desk.home / "post" / "inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    (inbox / "own.eml").write_bytes(bytes(mail))
    desk.answer()


@pytest.fixture
@prepared
def leaving(desk: Desk) -> Desk:
    """Return a home in which Ann was asked whether she wants to leave."""
    desk.start()
    desk.reply(desk.mails(ANN)[1], "LEAVE")
    desk.answer()
    return desk


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("OK thanks", "You keep your seat. Your answer to the question whether you want to leave was not a plain YES"),
        ("Ok. It was an accident.", "To leave, send YES, alone on the first line. To stay, do nothing."),
        ("", "You typed nothing in your answer to the question whether you want to leave."),
        ("-- \nAnn Miller", "You typed nothing"),
        ("Tak for din mail", "To leave, send YES, alone on the first line."),
        ("Will I get it back?", "who can answer you directly. Nothing is decided yet To leave, send YES"),
    ],
)
def test_a_seat_is_not_given_up_by_what_is_no_yes(leaving: Desk, typed: str, told: str) -> None:
    """A courtesy, an accident or nothing keeps the seat, and says what to send; that then counts."""
    leaving.reply(question(leaving, ANN), typed)
    leaving.answer()
    assert told in words(leaving.last(ANN))
    assert players(leaving)["red"] == ANN

    leaving.reply(leaving.last(ANN), "YES")
    leaving.answer()
    assert players(leaving)["red"] == ""


@pytest.mark.parametrize(("mail", "why"), [(encrypted, "The mail is encrypted"), (voice, "The attached voice.m4a")])
def test_what_cannot_be_read_is_no_answer(leaving: Desk, mail: Callable[[], EmailMessage], why: str) -> None:
    """An encrypted mail or a voice memo is told that it could not be read."""
    send(leaving, mail(), question(leaving, ANN))

    said = leaving.last(ANN)
    assert str(said["Subject"]).startswith("[toy1] your answer could not be read: nothing has changed")
    assert why in words(said)
    assert "Please send YES or NO as plain text." in words(said)
    assert players(leaving)["red"] == ANN


def test_it_is_asked_again_once_a_day_and_three_times(leaving: Desk) -> None:
    """One mail a day asks again, with the same code, and the third is the last."""
    asked, came = question(leaving, ANN), []
    for _ in range(5):
        for typed in ("ok", "okay then"):
            before = len(leaving.mails(ANN))
            leaving.reply(asked, typed)
            leaving.answer()
            came.append(sum("you have NOT left" in mail["Subject"] for mail in leaving.mails(ANN)[before:]))
        leaving.tick(hours=24)

    assert came == [1, 0, 1, 0, 1, 0, 0, 0, 0, 0]
    leaving.reply(asked, "YES")
    leaving.answer()
    assert players(leaving)["red"] == ""


@pytest.mark.parametrize("typed", ["Thanks, I will think about it.", "Yes, but only if I can be red", "Tak"])
def test_words_to_an_invitation_reach_the_gm(desk: Desk, typed: str) -> None:
    """Conditions and thanks are passed on with the words as they are, their writer is told, and no seat is given."""
    form(desk, "red", open_seats=1)
    run_action(desk.app, "toy1", Invite(EVE), desk.now)
    desk.answer()
    desk.reply(desk.last(EVE), typed)
    desk.answer()

    assert players(desk)["blue"] == ""
    assert f"| {typed}" in text_of(desk.last(GM))
    assert desk.last(GM)["Reply-To"] == EVE
    assert str(desk.last(EVE)["Subject"]).startswith("[toy1] passed on to your GM, no seat yet")


def test_a_forged_sheet_is_not_confirmed_by_saying_so(desk: Desk) -> None:
    """Yes in a sentence about the mail is none."""
    desk.start(rules={"authentication": "confirm"})
    desk.post("ORDERS toy1 red\nBID 3\nEND")
    desk.answer()
    desk.reply(question(desk, ANN), "Yes, that mail was forged.")
    desk.answer()

    assert str(desk.last(ANN)["Subject"]).startswith("[toy1] not done: reply YES or NO")
    assert "“Yes, that mail was forged.”" in text_of(desk.last(ANN))


@pytest.mark.parametrize(
    ("typed", "left"), [("LEAVE", True), ("leave.\n\nAnn", True), ("LEAVE it be", False), ("LEAVE\nnot really", False)]
)
def test_leave_said_again_is_a_yes_if_nothing_else_is(leaving: Desk, typed: str, *, left: bool) -> None:
    """The command that was asked about gives the seat up, alone, and no sentence with it does."""
    desk = leaving
    desk.reply(question(desk, ANN), typed)
    desk.answer()

    assert players(desk)["red"] == ("" if left else ANN)
