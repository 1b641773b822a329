"""All that players write for a turn reaches the GM who decides it: refused lines, remarks, files, late sheets."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from email.message import EmailMessage

import pytest

from pbem.actions.base import run_action, run_query
from pbem.actions.questions import AnswerQuestion
from pbem.actions.ruling import ShowRulingForm
from pbem_rules.gm_adjudicated import RULESET
from tests.actions.test_adjudicating import ANN, BOB, DUE, GM, rule, sheet
from tests.inbox.people import EVE, ask, confirm, insist, words
from tests.report.test_examining import png
from tests.toy.home import Desk, is_report, text_of


@pytest.fixture
def war(desk: Desk) -> Iterator[Desk]:
    """Yield a home with "toy1", a started campaign of three that the GM decides."""
    toy = desk.app
    desk.app = dataclasses.replace(toy, games={"toy": RULESET, RULESET.key: RULESET})
    desk.start(seats=("red", "blue", "green"))
    yield desk
    desk.app = toy


def digest(desk: Desk) -> EmailMessage:
    """Return the newest mail to the GM with sheets."""
    return [mail for mail in desk.mails(GM) if "HOW TO RULE" in text_of(mail)][-1]


def send_files(desk: Desk, sender: str, text: str, *files: tuple[str, bytes]) -> None:
    """Answer a player's report with files."""
    report = [mail for mail in desk.mails(sender) if is_report(mail)][-1]
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, report["Reply-To"], f"Re: {report['Subject']}"
    mail["Message-ID"], mail["In-Reply-To"] = f"<{len(files)}.{len(text)}@example.org>", report["Message-ID"]
    mail.set_content(text)
    for name, content in files:
        mail.add_attachment(content, maintype="application", subtype="octet-stream", filename=name)
    (desk.home / "post" / "inbox" / "new" / f"files{len(text)}").write_bytes(bytes(mail))


def test_refused_lines_and_remarks_are_shown(war: Desk) -> None:
    """Of a sheet with more than orders, each line besides is there: what was refused is marked, with the reason."""
    sheet(war, ANN, f"March to the pass.\n; if it rains, wait\n{'x' * 2_100}\n\nThanks!\nAnn")
    war.tick(hours=DUE)
    text = " ".join(text_of(digest(war)).split())

    assert "WRITTEN BESIDES THE ORDERS" in text
    assert "besides: ; if it rains, wait" in text
    assert "REFUSED: xxxx" in text
    assert text.count("March to the pass.") == 1


def test_a_plain_sheet_has_nothing_besides(war: Desk) -> None:
    """Orders alone, in a frame or not, add nothing to the mail."""
    sheet(war, ANN, "March to the pass.")
    ask(war, "ORDERS toy1 blue\nAsk the abbot,\\\n  and wait.\nWAIT\nEND", BOB)
    war.tick(hours=DUE)

    assert "WRITTEN BESIDES" not in text_of(digest(war))


def test_a_deputy_and_a_late_sheet_are_named(war: Desk) -> None:
    """The writer is named, and that it came after the deadline; a late sheet is mailed by itself."""
    insist(war, f"DEPUTY {EVE} UNTIL 2026-11-20")
    confirm(war, EVE)
    ask(war, "ORDERS toy1 red\nMarch to the pass.\nEND", EVE)
    war.tick(hours=DUE)
    assert "red, sheet 1 (from its deputy)" in text_of(digest(war))
    sheet(war, BOB, "Ask the abbot.")
    war.tick(hours=1)
    war.tick(hours=1)

    late = text_of(digest(war))
    assert "blue, sheet 1 (late: " in late
    assert "March to the pass." not in late


def test_files_go_along(war: Desk) -> None:
    """A picture goes with the mail, named after its seat; what cannot be sent is named, with how to save it."""
    send_files(war, ANN, "March as on the map.", ("map.png", png()), ("../virus.exe", b"MZ\0"))
    war.tick()
    assert "The attached virus.exe does not go to your GM, who is told so: a mail server may refuse" in words(
        war.last(ANN)
    )
    war.tick(hours=DUE)
    mail, text = digest(war), " ".join(text_of(digest(war)).split())
    names = [part.get_filename() for part in mail.iter_attachments()]

    assert names == ["red-map.png"]
    assert "file: map.png" in text
    assert "Not attached, from red: virus.exe, since" in text
    assert "--save FOLDER" in text


FILES = {
    "photo.jpg": b"\xff\xd8\xff not a whole photo, with a place in it",
    "plan.svg": b"<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'><script>1</script></svg>",
    "notes.txt": "Größe:\r\n\tMarch\r".encode("latin-1"),
    "Dünen.PDF": b"%PDF-1.4 /JavaScript",
}
"""Files as players attach them, whatever is in them."""


def test_files_reach_the_gm_as_they_are(war: Desk) -> None:
    """The receipt says of each file that it goes as it is; byte by byte it does, once, and to no player."""
    send_files(war, ANN, "March as on the map.", *FILES.items())
    war.tick()
    receipt = words(war.last(ANN))
    send_files(war, ANN, "March as on the map, all of you.", *FILES.items())
    war.tick(hours=DUE)
    mailed = [(part.get_filename(), part.get_payload(decode=True)) for part in digest(war).iter_attachments()]

    assert [name for name in FILES if f"{name} goes to your GM as it is." not in receipt] == []
    assert "not read" not in receipt
    assert mailed == [(f"red-{name}", content) for name, content in FILES.items()]
    assert not any("plan.svg" in str(part.get_filename()) for mail in war.mails(BOB) for part in mail.walk())


def test_many_large_files_do_not_stop_the_mail(war: Desk) -> None:
    """The mail to the GM goes out whatever players attach; together the files have a limit."""
    noise = bytes(range(256)) * 2_500
    for number in range(7):
        send_files(war, ANN, f"March{'!' * number}", (f"{number}.txt", noise))
    war.tick(hours=DUE)

    assert [part.get_filename() for part in digest(war).iter_attachments()] == [f"red-{at}.txt" for at in range(6)]
    assert "Not attached, from red: 6.txt, since the files of this mail would be too large" in words(digest(war))


def test_a_file_that_is_cut_off_does_not_go_on(war: Desk) -> None:
    """Of a mail that is too big the files that came whole go on; player and GM are told of the one that is cut off."""
    send_files(war, ANN, "March.", ("map.png", png()), ("photo.jpg", b"\xff\xd8\xff" * 400_000))
    war.tick()
    receipt = words(war.last(ANN))
    war.tick(hours=DUE)

    assert "map.png goes to your GM as it is." in receipt
    cut = "its end is missing, as a mail may have 1 MB"
    assert f"The attached photo.jpg does not go to your GM, who is told so: {cut}." in receipt
    assert f"Not attached, from red: photo.jpg, since {cut}" in words(digest(war))
    assert [part.get_filename() for part in digest(war).iter_attachments()] == ["red-map.png"]


def test_a_sheet_that_does_not_count_is_shown_too(war: Desk) -> None:
    """A newer sheet of which nothing was accepted stands beside the one that counts."""
    sheet(war, ANN, "March to the pass.")
    war.tick(hours=1)
    ask(war, f"ORDERS toy1 red\n{'x' * 2_100}\nEND")
    war.tick(hours=DUE)
    text = text_of(digest(war))

    assert "  March to the pass." in text
    assert "red, sheet 2 (does not count)" in text


def test_open_questions_are_in_the_mail(war: Desk) -> None:
    """The mail with the sheets has the questions that are not answered."""
    ask(war, "ASK GM\nMay I cross the river?")
    ask(war, "ASK GM\nHow many are we?", BOB)
    run_action(war.app, "toy1", AnswerQuestion(2, "Ten."), war.now)
    war.tick(hours=DUE)
    text = text_of(digest(war))

    assert "1, from red: May I cross the river?" in text
    assert "How many are we?" not in text


def test_the_form_in_files_has_it_too(war: Desk) -> None:
    """The digest of a ruling's folder is the same."""
    sheet(war, ANN, "March.\n; if it rains, wait")
    war.tick(hours=DUE)
    rule(war, all="Snow.")

    assert "besides: ; if it rains, wait" in run_query(war.app, "toy1", ShowRulingForm(), war.now).digest


def test_the_receipt_says_that_files_go_to_the_gm_and_they_do(war: Desk) -> None:
    """A picture beside free words reaches the GM as it is, also when words of a later mail are added."""
    send_files(war, ANN, "March to the pass, as drawn.", ("sketch.png", png()))
    war.tick()
    receipt = words(war.last(ANN))
    war.reply(war.last(ANN), "ADD\nBurn the mill.")
    war.tick(hours=DUE)
    mailed = {part.get_filename(): part.get_content() for part in digest(war).iter_attachments()}

    assert "sketch.png goes to your GM as it is." in receipt
    assert "not read" not in receipt
    assert mailed["red-sketch.png"].startswith(b"\x89PNG")
