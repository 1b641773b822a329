"""Orders of a form that was edited in the quotation, beside what was typed elsewhere in the mail."""

from __future__ import annotations

from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.store.models import OrderSheet
from tests.inbox.clients import DIVIDER, WROTE, marked
from tests.inbox.test_untouched import SUGGESTING, form_in
from tests.inbox.trusting import ANN, EVE, stand_in, told
from tests.toy.home import Desk, open_desk, text_of

BID, DEAL = "; BID 2", "; WHISPER blue deal"


@pytest.fixture
def toy(tmp_path: Path) -> Iterator[Desk]:
    """Yield a home with a campaign of the toy, whose form has several orders."""
    with open_desk(tmp_path / "home", games=SUGGESTING) as desk:
        desk.start()
        yield desk


def quoted(desk: Desk, *lines: str, top: str = "", text: str = "") -> str:
    """Return a reply to Ann's newest report in which these lines of the form are freed, with other lines on top."""
    text = text or text_of(desk.last())
    for line in lines:
        text = text.replace(line, line.removeprefix("; "))
    return f"{top}\n\n{WROTE}\n{marked(text)}\n"


def lines(desk: Desk) -> list[list[str]]:
    """Return the orders of all accepted sheets, oldest first, each by its verb and what it is about."""
    with desk.app.store.reading() as session:
        sheets = session.scalars(select(OrderSheet).where(OrderSheet.accepted).order_by(OrderSheet.id))
        return [
            [f"{order['order']} {order.get('coins') or order.get('talk')[0]}" for order in it.orders] for it in sheets
        ]


def reply(desk: Desk, text: str) -> tuple[str, str]:
    """Send Ann's reply to her report; return the subject and the text of the answer."""
    desk.reply(desk.last(), text)
    desk.answer()
    return str(desk.last()["Subject"]), " ".join(text_of(desk.last()).split())


READ = {
    "nothing": ("", ["bid 2"]),
    "thanks": ("Thank you, Ann", ["bid 2"]),
    "another order": ("WHISPER blue hello", ["whisper hello", "bid 2"]),
    "the same order": ("BID 2", ["bid 2"]),
}


@pytest.mark.parametrize(("top", "orders"), READ.values(), ids=READ)
def test_a_freed_line_counts_beside_what_was_typed(toy: Desk, top: str, orders: list[str]) -> None:
    """A line of the form freed in the quotation counts, alone or below the orders typed on top."""
    subject, text = reply(toy, quoted(toy, BID, top=top))

    assert lines(toy) == [orders]
    assert f"orders in: {len(orders)} of {len(orders)}" in subject
    assert "quoted" not in text


def test_a_turn_behind_a_semicolon_takes_what_is_below_it_out(toy: Desk) -> None:
    """A turn that was written into the form as a remark is told, and what is freed below it counts for no turn."""
    text = text_of(toy.last()).replace(BID, "; TURN 3\nBID 2")
    _, said = reply(toy, quoted(toy, text=text))

    assert lines(toy) == []
    assert 'take the ; away to keep them. Neither kept nor given: "BID 2".' in said


AGAINST = {
    "against the freed one": ("WHISPER blue hello", ["whisper hello"]),
    "a sheet": ("ORDERS toy1 red\nBID 4\nEND", ["bid 4"]),
}


@pytest.mark.parametrize(("top", "orders"), AGAINST.values(), ids=AGAINST)
def test_typed_orders_go_before_freed_ones(toy: Desk, top: str, orders: list[str]) -> None:
    """What was typed counts alone where the form says otherwise, and the subject says that the form was not read."""
    subject, text = reply(toy, quoted(toy, BID, DEAL, top=top))

    assert lines(toy) == [orders]
    assert "1 order in, " in subject
    assert "in the quotation NOT read, round 1" in subject
    assert '"WHISPER blue deal"' in text


def test_a_form_alone_counts_while_a_line_is_behind_its_semicolon(toy: Desk) -> None:
    """Without our words around it, the form is known by a line that is as we mailed it."""
    reply(toy, marked(form_in(toy.last()).replace(BID, "BID 2")))

    assert lines(toy) == [["bid 2"]]


def test_a_form_alone_goes_behind_typed_orders(toy: Desk) -> None:
    """What is known by its own lines alone is not added to typed orders."""
    form = marked(form_in(toy.last()).replace(BID, "BID 2"))
    subject, _ = reply(toy, f"WHISPER blue hello\n\n{form}")

    assert lines(toy) == [["whisper hello"]]
    assert "1 order in, 1 order in the quotation NOT read" in subject


def test_what_may_be_an_own_older_sheet_is_told(toy: Desk) -> None:
    """A quoted frame that nothing shows to be our form changes nothing, and the subject says so."""
    header = form_in(toy.last()).split("\n")[0]
    subject, text = reply(toy, marked(f"Here are mine.\n{header}\nBID 5\nEND\nSee you"))

    assert lines(toy) == []
    assert "1 order in the quotation NOT read, round 1" in subject
    assert "nothing shows that it is the form of my mail" in text


def test_an_own_mail_quoted_deeper_is_not_read(toy: Desk) -> None:
    """The form that the sender had edited in an earlier mail, quoted in this one, is told."""
    own = quoted(toy, BID, top="Here it is.")
    subject, _ = reply(toy, f"WHISPER blue hello\n\n{WROTE}\n{marked(own)}")

    assert lines(toy) == [["whisper hello"]]
    assert "1 order in the quotation NOT read" in subject


def test_an_edited_form_that_was_sent_is_quoted_in_silence(toy: Desk) -> None:
    """The same form quoted deeper is no news once its orders were sent."""
    own = quoted(toy, BID, top="Here it is.")
    report = toy.last()
    for text in (own, f"WHISPER blue hello\n\n{WROTE}\n{marked(own)}"):
        toy.reply(report, text)
        toy.answer()

    assert lines(toy) == [["bid 2"], ["whisper hello"]]
    assert "NOT read" not in toy.last()["Subject"]


def test_an_original_without_marks(toy: Desk) -> None:
    """A line freed in an original without marks counts below an order on top."""
    text = text_of(toy.last()).replace(BID, "BID 2")
    reply(toy, f"WHISPER blue hello\n\n{DIVIDER}\n{text}")

    assert lines(toy) == [["whisper hello", "bid 2"]]


HEADS = {
    "a divider and two fields": f"{DIVIDER.splitlines()[0]}\nFrom: Orders <orders@example.org>\nSubject: round 1\n",
    "blank lines below the fields": f"{DIVIDER}\n\n\n",
    "blank lines between the fields": DIVIDER.replace("\n", "\n\n"),
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_orders_below_an_original_without_marks(toy: Desk, head: str) -> None:
    """Orders typed below our mail count, whatever head a program has put above that."""
    reply(toy, f"{head}\n{text_of(toy.last())}\n\nBID 4\n")

    assert lines(toy) == [["bid 4"]]


def test_two_forms_that_say_the_same(toy: Desk) -> None:
    """A report that is quoted twice, edited in the same way, counts once."""
    form = quoted(toy, BID)
    subject, _ = reply(toy, f"{form}\n{form}")

    assert lines(toy) == [["bid 2"]]
    assert "NOT read" not in subject


def test_two_forms_that_differ(toy: Desk) -> None:
    """Nobody guesses which of two edited forms counts: the answer names both, and the orders on top count."""
    subject, text = reply(toy, f"{quoted(toy, BID, top='BID 7')}\n{quoted(toy, DEAL)}")

    assert lines(toy) == [["bid 7"]]
    assert "1 order in, 2 orders in the quotation NOT read" in subject
    assert "there are several, which differ" in text


def test_a_deputy_answers_by_the_code_alone(toy: Desk) -> None:
    """The form of a deputy's report is known by its code too, where a program names no mail that it answers."""
    stand_in(toy, EVE, first=-1, last=9)
    toy.tick(hours=24 * 5)
    report = toy.last(EVE)
    toy.post(quoted(toy, BID, text=text_of(report)), sender=EVE, to=report["Reply-To"])
    toy.answer()

    assert lines(toy) == [["bid 2"]]


def test_a_machine_is_not_read(toy: Desk) -> None:
    """An edited form in what an answering machine quotes is no sheet."""
    toy.post(quoted(toy, BID), headers={"Auto-Submitted": "auto-replied"}, to=toy.last()["Reply-To"])

    assert told(toy) == {}
    assert lines(toy) == []


def test_a_deputy_edits_their_own_report(toy: Desk) -> None:
    """The form of a deputy's report has a code of its own, and counts as well."""
    stand_in(toy, EVE, first=-1, last=9)
    toy.tick(hours=24 * 5)
    report = toy.last(EVE)
    toy.reply(report, quoted(toy, BID, text=text_of(report)))
    toy.answer()

    assert lines(toy) == [["bid 2"]]


def test_a_note_names_a_line_that_is_still_behind_its_semicolon(toy: Desk) -> None:
    """A line changed behind its semicolon is no order, and the answer says which."""
    _, text = reply(toy, quoted(toy, text=text_of(toy.last()).replace(BID, "; BID 7")))

    assert lines(toy) == []
    assert "; BID 7" in text


def test_ann_edits_again(toy: Desk) -> None:
    """Who frees another line in a later reply replaces the sheet as a whole, as ever."""
    report = toy.last()
    for line in (BID, DEAL, BID):
        toy.reply(report, quoted(toy, line, text=text_of(report)))
        toy.answer()

    assert lines(toy) == [["bid 2"], ["whisper deal"], ["bid 2"]]
    assert ANN in str(toy.last()["To"])


BARE = {
    "one freed": (["> BID 2", "> ; WHISPER blue deal"], [["bid 2"]]),
    "one freed, in an original of notmuch": (
        ["> BID 2", "> ; WHISPER blue deal", "Attachment: x.json (a/b)"],
        [["bid 2"]],
    ),
    "blank lines between": (["> BID 2", ">", "> ; WHISPER blue deal"], [["bid 2"]]),
    "none freed": (["> ; BID 2", "> ; WHISPER blue deal"], []),
    "all freed": (["> BID 2", "> WHISPER blue deal"], []),
    "another line between": (["> BID 2", "> Hello", "> ; WHISPER blue deal"], []),
    "changed": (["> BID 3", "> ; WHISPER blue deal"], []),
}


@pytest.mark.parametrize(("form", "orders"), BARE.values(), ids=BARE)
def test_a_form_without_its_frame(toy: Desk, form: list[str], orders: list[list[str]]) -> None:
    """Of neighbouring quoted lines of the form, one still behind its semicolon, the freed ones count word for word."""
    reply(toy, "\n".join([WROTE, *form]))

    assert lines(toy) == orders


def test_a_form_without_its_frame_goes_behind_typed_orders(toy: Desk) -> None:
    """It is known by its own lines alone, so that it is not added to typed orders."""
    subject, _ = reply(toy, f"WHISPER blue hello\n\n{WROTE}\n> BID 2\n> ; WHISPER blue deal")

    assert lines(toy) == [["whisper hello"]]
    assert "1 order in, 1 order in the quotation NOT read" in subject


def test_our_own_files_that_come_back(toy: Desk) -> None:
    """No file is complained of that has name and size of one in the mail which is forwarded; another one is."""
    report = toy.last()
    own = [(part.get_filename(), part.get_content_type(), part.get_payload(decode=True)) for part in report.walk()]
    sent = [(name, kind, content) for name, kind, content in own if name and isinstance(content, bytes)]
    assert sent

    for files in (sent, [(name, kind, content + b" ") for name, kind, content in sent]):
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = ANN, report["Reply-To"], "Fwd: report"
        mail["Message-ID"], mail["In-Reply-To"] = f"<{len(str(files))}@example.org>", report["Message-ID"]
        mail.set_content("BID 4")
        for name, kind, content in files:
            maintype, _, subtype = kind.partition("/")
            mail.add_attachment(content, maintype=maintype, subtype=subtype, filename=name)
        (toy.home / "post" / "inbox").mkdir(parents=True, exist_ok=True)
        (toy.home / "post" / "inbox" / "forwarded.eml").write_bytes(bytes(mail))
        toy.tick()
        notes = text_of(toy.last())
        assert ("not read" in notes) == (files is not sent)
