"""Mail from programs: never answered, but a sheet is a sheet; and machines that answer each other come to an end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.admin.health import home_notices
from pbem.store.models import InboxMessage, OrderSheet
from tests.inbox.trusting import ANN, EVE, TAKEN, code, token, told
from tests.toy.home import Desk, open_desk, text_of

MARKS = [
    {"Auto-Submitted": "auto-generated"},
    {"Precedence": "list", "List-Id": "<friends.example.net>"},
    {"X-Auto-Response-Suppress": "All"},
]
GM = "gm@example.org"
AWAY = {"Auto-Submitted": "auto-replied"}


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.start()


def sheets(desk: Desk) -> int:
    """Return the number of sheets stored."""
    with desk.app.store.reading() as session:
        return len(session.scalars(select(OrderSheet.id)).all())


@pytest.mark.parametrize("marks", MARKS, ids=lambda marks: next(iter(marks)))
@pytest.mark.parametrize("key", [token, code])
def test_a_whole_sheet_with_its_key_is_taken(desk: Desk, marks: dict[str, str], key: object) -> None:
    """A sheet sent by an odd mail program, or through a list, counts; its receipt goes to the seat's own address."""
    assert callable(key)
    desk.post(f"ORDERS toy1 red {key(desk)}\nBID 3\nEND\n-- \nfriends list", sender=EVE, headers=marks)
    answers = told(desk)

    assert answers.keys() == {ANN}
    assert answers[ANN].startswith(TAKEN)


NOT_WHOLE = {
    "no key": "ORDERS toy1 red\nBID 3\nEND",
    "a wrong key": "ORDERS toy1 red 00112233445566778899\nBID 3\nEND",
    "no end": "ORDERS toy1 red {token}\nBID 3",
    "no orders": "ORDERS toy1 red {token}\nEND",
    "text above it": "I am away.\n\nORDERS toy1 red {token}\nBID 3\nEND",
    "quoted": "I am away.\n\n> ORDERS toy1 red {token}\n> BID 3\n> END",
    "quoted without marks": "I am away.\n\n-----Original Message-----\nORDERS toy1 red {token}\nBID 3\nEND",
    "quoted with nothing above": "-----Original Message-----\nORDERS toy1 red {token}\nBID 3\nEND",
    "a plain reply": "BID 3",
    "a request": "PLAYER toy1 red {token}\nPAUSE\nEND",
    "help": "HELP",
}


@pytest.mark.parametrize("text", NOT_WHOLE.values(), ids=NOT_WHOLE.keys())
def test_anything_less_is_left_alone(desk: Desk, text: str) -> None:
    """An answering machine sends none of what makes a sheet beyond doubt; it is neither read nor answered."""
    desk.post(text.format(token=token(desk)), to=f"orders+{code(desk)}@example.org", headers=AWAY)

    assert told(desk).keys() <= {GM}
    assert sheets(desk) == 0


@pytest.mark.parametrize(
    "marks", [{"X-Pbem-Loop": "orders@example.org"}, {"Return-Path": "<>"}, {"Content-Type": "multipart/report"}]
)
def test_our_own_mail_and_delivery_reports_are_no_sheets(desk: Desk, marks: dict[str, str]) -> None:
    """Mail of ours and delivery reports are no sheets, whatever they quote."""
    head = "".join(f"{name}: {value}\r\n" for name, value in marks.items())
    raw = f"From: {ANN}\r\n{head}\r\nORDERS toy1 red {token(desk)}\r\nBID 3\r\nEND\r\n"
    (desk.home / "post" / "inbox" / "0.eml").write_bytes(raw.encode())

    assert told(desk) == {}
    assert sheets(desk) == 0


@pytest.mark.parametrize("prefix", ["> ", ""])
@pytest.mark.parametrize("above", ["I am away until Monday.", ""])
def test_an_absence_note_that_quotes_a_report_is_no_sheet(desk: Desk, prefix: str, above: str) -> None:
    """An absence note with the code of the open turn, in its address and in the quoted form, is no sheet."""
    report = desk.last()
    quoted = "\n".join(prefix + line for line in text_of(report).splitlines())
    desk.post(f"{above}\n\nOn Monday the house wrote:\n{quoted}", to=report["Reply-To"], headers=AWAY)

    assert told(desk).keys() <= {GM}
    assert sheets(desk) == 0


LISTED = {"Precedence": "list", "List-Id": "<friends.example.net>", "List-Unsubscribe": "<mailto:leave@example.net>"}


@pytest.mark.parametrize("marks", [LISTED, {"X-Auto-Response-Suppress": "All"}, {"Precedence": "junk"}])
def test_orders_with_the_right_code_count_through_a_list(desk: Desk, marks: dict[str, str]) -> None:
    """Signs of bulk mail stop the answer, not the sheet: its receipt goes to the seat's own address."""
    desk.post("BID 3\n-- \nfriends list", sender=EVE, to=desk.last()["Reply-To"], headers=marks)
    answers = told(desk)

    assert answers.keys() == {ANN}
    assert answers[ANN].startswith(TAKEN)


def test_bulk_mail_without_orders_is_told_to_the_gm_once_a_day(desk: Desk) -> None:
    """With a right code and without orders it is not answered; the GM is told once, and the status counts them."""
    report = desk.last()
    for number in range(3):
        desk.post(f"I read this on day {number}.", to=report["Reply-To"], headers=LISTED)
        desk.answer()
    mails = [mail["Subject"] for mail in desk.mails() if mail["To"] == GM]

    assert mails[-1:] == ["[toy1] bulk mail without orders for red"]
    assert sheets(desk) == 0
    with desk.app.store.reading() as session:
        assert "3 messages were not answered" in "".join(home_notices(session))


def test_bulk_mail_without_a_code_is_left_alone(desk: Desk) -> None:
    """A newsletter to the order address is neither a sheet nor answered, whatever it says."""
    desk.post("BID 3", headers=LISTED)

    assert told(desk) == {}
    assert sheets(desk) == 0


def test_what_an_answering_machine_says_goes_to_the_gm_once_a_week(desk: Desk) -> None:
    """The GM reads that a player may be away, in the machine's words; more of them in that week are not told."""
    for words in ("I am away until Monday.", "I am away until Monday.", "Back on Monday!"):
        desk.post(words, headers=AWAY)
        desk.answer()

    (mail,) = [mail for mail in desk.mails() if mail["Subject"] == "[toy1] red may be away"]
    assert "has an answering machine that says: 'I am away until Monday.'" in " ".join(text_of(mail).split())


def test_the_gm_is_offered_to_pause_who_is_away(desk: Desk) -> None:
    """The line that the GM reads beside a player's absence pauses the seat, as a reply."""
    desk.post("I am away until Monday.", headers=AWAY)
    desk.answer()
    (mail,) = [mail for mail in desk.mails() if mail["Subject"] == "[toy1] red may be away"]
    assert "Reply PAUSE red if turns shall not wait" in text_of(mail)

    desk.reply(mail, "PAUSE red")
    desk.answer()
    assert "Done: pause seat red" in desk.last(str(mail["To"]))["Subject"]


def test_a_recall_is_answered(desk: Desk) -> None:
    """A mail cannot be recalled; the answer says what withdraws orders."""
    desk.reply(desk.last(), 'Ann would like to recall the message, "my orders".', subject="Recall: my orders")

    assert "The line CLEAR ORDERS, as a mail, withdraws it." in told(desk)[ANN]
    assert sheets(desk) == 0


def list_mail(desk: Desk) -> bytes:
    """Return what mlmmj writes about Ann's report to a list that does not take it."""
    raw = (Path(__file__).parents[1] / "mail" / "returned" / "mlmmj.eml").read_bytes()
    raw = re.sub(rb"<qjj\w+@example.org>", desk.last()["Message-ID"].encode(), raw)
    return raw.replace(b"dudyt6suggx3l5jw", code(desk).encode())


def test_a_list_that_refuses_a_mail_is_told_to_the_gm(desk: Desk) -> None:
    """It is mail that came back, and the reason does not show the player's code."""
    (desk.home / "post" / "inbox" / "0.eml").write_bytes(list_mail(desk))
    answers = told(desk)

    assert answers.keys() == {GM}
    assert "because you are not a list subscriber" in " ".join(answers[GM].split())
    assert code(desk) not in answers[GM]


def test_the_question_of_a_list_manager_is_not_answered(desk: Desk) -> None:
    """An answer to mlmmj, which has no mark but its Message-ID, would join the list, and release what it holds."""
    raw = list_mail(desk).replace(b"Post_to_closed=40lists.example.org_denied", b"Confirm_subscription")
    (desk.home / "post" / "inbox" / "0.eml").write_bytes(raw)

    assert told(desk) == {}
    assert sheets(desk) == 0


REACTIONS = {
    "typed": ("Content-Type: text/vnd.google.email-reaction+json", '{"version":1,"emoji":"👍"}'),
    "disposed": ("Content-Disposition: reaction", "👍"),
    "calendar": ("Content-Type: text/calendar; method=REPLY; charset=utf-8", "BEGIN:VCALENDAR\nEND:VCALENDAR"),
    "in words": ("X: y", "👍\nAnn reacted via Gmail"),
    "read": ("Subject: Read: [toy1] round 1", "Your message was read on Monday."),
}


@pytest.mark.parametrize(("field", "text"), REACTIONS.values(), ids=REACTIONS.keys())
def test_a_reaction_says_nothing(desk: Desk, field: str, text: str) -> None:
    """A reaction, an answer to a date and a read receipt are no sheet, no answer to a question, and not answered."""
    code_ = code(desk)
    raw = f"From: {ANN}\nTo: orders+{code_}@example.org\nMIME-Version: 1.0\n{field}\n\n{text}\n"
    (desk.home / "post" / "inbox" / "0.eml").write_bytes(raw.encode())

    assert told(desk) == {}
    assert sheets(desk) == 0


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Desk]:
    """Yield a second home, which gets all that the first one sends."""
    with open_desk(tmp_path / "other") as other:
        other.begin()
        other.tick()
        yield other


def carry(source: Desk, target: Desk, seen: set[Path]) -> int:
    """Move all new mail that a home has sent into the inbox of another; return its number."""
    new = [path for path in sorted((source.home / "post" / "sent" / "new").iterdir()) if path not in seen]
    for path in new:
        (target.home / "post" / "inbox" / f"{path.name}.eml").write_bytes(path.read_bytes())
    seen.update(new)
    return len(new)


def test_two_homes_do_not_write_to_each_other_without_end(desk: Desk, other: Desk) -> None:
    """Each of two homes gets all that the other sends, reports, receipts and refusals; neither answers any of it."""
    desk.post("ORDERS toy1 red\nBID 3\nEND")
    desk.post("hello?", sender=EVE)
    seen: set[Path] = set()
    carried = []
    for _ in range(4):
        for source, target in [(desk, other), (other, desk)]:
            source.tick(hours=1)
            carried.append(carry(source, target, seen))

    assert all(carried[:2])
    assert carried[2:] == [0] * 6


def test_a_machine_that_hides_what_it_is_is_answered_for_a_while(desk: Desk) -> None:
    """A machine that answers every mail without a mark gets three answers a day; its GM is told once."""
    answered = Counter[str]()
    for number in range(25):
        desk.post(f"Thank you for your mail number {number}!")
        answered.update(told(desk).keys())

    assert answered == {"ann@example.org": 3, "gm@example.org": 1}


def test_automatic_mail_has_a_note(desk: Desk) -> None:
    """Mail that is not processed is kept, with the reason."""
    desk.post("I am away.", headers=AWAY)
    desk.answer()

    with desk.app.store.reading() as session:
        notes = session.scalars(select(InboxMessage.note)).all()
    assert notes == ["automatic mail: a program sent it (Auto-Submitted); warned gm@example.org"]
