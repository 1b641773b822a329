"""Mail from programs: never answered, but a sheet is a sheet; and machines that answer each other come to an end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.store.models import InboxMessage, OrderSheet
from tests.inbox.trusting import ANN, EVE, TAKEN, code, token, told
from tests.toy.home import Desk, open_desk, text_of

MARKS = [
    {"Auto-Submitted": "auto-generated"},
    {"Precedence": "list", "List-Id": "<friends.example.net>"},
    {"X-Auto-Response-Suppress": "All"},
]
AWAY = {"Auto-Submitted": "auto-replied"}


@pytest.fixture(autouse=True)
def _campaign(desk: Desk) -> None:
    desk.begin()
    desk.tick()


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

    assert told(desk) == {}
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
    for number in range(60):
        desk.post(f"Thank you for your mail number {number}!")
        answered.update(told(desk).keys())

    assert answered == {"ann@example.org": 3, "gm@example.org": 1}


def test_automatic_mail_has_a_note(desk: Desk) -> None:
    """Mail that is not processed is kept, with the reason."""
    desk.post("I am away.", headers=AWAY)
    desk.tick()

    with desk.app.store.reading() as session:
        notes = session.scalars(select(InboxMessage.note)).all()
    assert notes == ["automatic mail: a program sent it (Auto-Submitted)"]
