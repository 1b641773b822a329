"""Several sheets in one mail: each is judged as if it had come alone, and one mail answers all of one reader."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable

import pytest
from sqlalchemy import select, update

from pbem.inbox.rate_limits import UNPROVEN_SHEETS_A_DAY
from pbem.store.models import Campaign, InboxMessage, OrderSheet, OutgoingMail, Seat
from pbem.store.types import CampaignState
from tests.toy.home import Desk, is_report, prepared, text_of

ANN, BOB = "ann@example.org", "bob@example.org"
Sheets = dict[str, list[str]]


@prepared
def two_games(desk: Desk, **rules: str) -> dict[str, str]:
    """Begin toy1 and toy2; return the codes of all seats, by campaign and seat."""
    for name in ("toy1", "toy2"):
        desk.begin(name=name, rules=rules)
    desk.tick()
    codes = {}
    for mail in filter(is_report, desk.mails()):
        campaign, seat = re.findall(r"^ORDERS (\w+) (\w+) ", text_of(mail), re.MULTILINE)[0]
        codes[f"{campaign} {seat}"] = re.findall(r"\+(\w+)@", mail["Reply-To"])[0]
    return codes


def frame(seat: str, code: str, *orders: str) -> str:
    return "\n".join([f"ORDERS {seat} {code}", *orders, "END", ""])


def sheets(desk: Desk) -> Sheets:
    """Return the texts of all sheets, by campaign and seat."""
    found: Sheets = {}
    columns = select(Campaign.name, Seat.name, OrderSheet.text).join(Seat, Seat.id == OrderSheet.seat_id)
    with desk.app.store.reading() as session:
        for campaign, seat, text in session.execute(columns.join(Campaign, Campaign.id == Seat.campaign_id)):
            found.setdefault(f"{campaign} {seat}", []).append(text)
    return found


def notes(desk: Desk) -> list[str]:
    with desk.app.store.reading() as session:
        return list(session.scalars(select(InboxMessage.note).order_by(InboxMessage.id)))


def since(desk: Desk, count: int) -> list[tuple[str, str]]:
    """Return recipient and subject of the mails sent after the first `count`."""
    return [(mail["To"], mail["Subject"]) for mail in desk.mails()[count:]]


def test_two_games_have_one_answer(desk: Desk) -> None:
    """Both sheets count, each is kept without a word of the other, and one mail has both verdicts."""
    codes = two_games(desk)
    count = len(desk.mails())
    desk.post(
        f"Hi\n{frame('toy1 red', codes['toy1 red'], 'BID 3')}\n{frame('toy2 red', codes['toy2 red'], 'BIDD', 'BID 2')}"
    )
    done = desk.answer()

    assert done.processed.sheets == 2
    assert sheets(desk) == {
        "toy1 red": ["ORDERS toy1 red ********\nBID 3\nEND\n"],
        "toy2 red": ["ORDERS toy2 red ********\nBIDD\nBID 2\nEND\n"],
    }
    assert since(desk, count) == [(ANN, "[toy1, toy2] toy2: 1 line NOT accepted, round 1; toy1: orders in: 1 of 1")]
    said = text_of(desk.last())
    assert "TOY1 RED: YOUR ORDER IS IN" in said
    assert "TOY2 RED: 1 OF 2 ORDERS NOT ACCEPTED" in said
    assert f"reply with ORDERS toy2 red {codes['toy2 red']}, and below it all your orders" in said


def test_a_zone_is_offered_once(desk: Desk) -> None:
    """Of several sheets that were written by another clock, one verdict offers its zone."""
    codes = two_games(desk)
    shown = desk.now.astimezone(dt.timezone(dt.timedelta(hours=2))).strftime("%a, %d %b %Y %H:%M:%S +0200")
    text = "\n".join(frame(seat, codes[seat], "BID 1") for seat in ("toy1 red", "toy2 red"))
    desk.post(text, headers={"Date": shown})
    desk.answer()

    assert text_of(desk.last(ANN)).count("ZONE Europe/Athens") == 1


def test_two_seats_of_different_players(desk: Desk) -> None:
    """Each verdict goes to the registered address of its seat, whoever sent the mail, and to nobody else."""
    codes = two_games(desk)
    count = len(desk.mails())
    desk.post(
        frame("toy1 red", codes["toy1 red"], "BID 3") + frame("toy2 blue", codes["toy2 blue"], "BID 2"),
        sender="friend@example.org",
    )
    desk.answer()

    assert since(desk, count) == [
        (ANN, f"[toy1] orders in: 1 of 1, round 1 [{codes['toy1 red']}]"),
        (BOB, f"[toy2] orders in: 1 of 1, round 1 [{codes['toy2 blue']}]"),
    ]
    assert "toy2" not in str(desk.last(ANN))
    assert "toy1" not in str(desk.last(BOB))


def wrong_code(desk: Desk, codes: dict[str, str]) -> str:
    return frame("toy2 red", "zzzzzzzzzzzzzzz2", "BID 2")


def code_of_another(desk: Desk, codes: dict[str, str]) -> str:
    return frame("toy2 red", codes["toy2 blue"], "BID 2")


def code_of_the_other_game(desk: Desk, codes: dict[str, str]) -> str:
    return frame("toy2 red", codes["toy1 red"], "BID 2")


def seat_of_another(desk: Desk, codes: dict[str, str]) -> str:
    return frame("toy2 blue", "", "BID 2")


def no_such_seat(desk: Desk, codes: dict[str, str]) -> str:
    return frame("toy2 rod", codes["toy2 red"], "BID 2")


def misspelt(desk: Desk, codes: dict[str, str]) -> str:
    return frame("toy3 red", codes["toy2 red"], "BID 2")


def empty(desk: Desk, codes: dict[str, str]) -> str:
    return frame("toy2 red", codes["toy2 red"])


def ended(desk: Desk, codes: dict[str, str]) -> str:
    with desk.app.store.writing() as session:
        session.execute(update(Campaign).where(Campaign.name == "toy2").values(status=CampaignState.OVER))
    return frame("toy2 red", codes["toy2 red"], "BID 2")


def stale(desk: Desk, codes: dict[str, str]) -> str:
    for seat in ("red", "blue"):
        desk.post(frame(f"toy2 {seat}", codes[f"toy2 {seat}"], "BID 1"))
    desk.tick()
    desk.tick(hours=1)
    return frame("toy2 red", codes["toy2 red"], "BID 2")


@pytest.mark.parametrize(
    "other",
    [wrong_code, code_of_another, code_of_the_other_game, seat_of_another, no_such_seat, misspelt, empty, ended, stale],
)
@pytest.mark.parametrize("sender", [ANN, "friend@example.org"])
@pytest.mark.parametrize("first", [True, False])
def test_another_sheet_does_no_more_than_alone(
    desk: Desk, other: Callable[[Desk, dict[str, str]], str], sender: str, first: bool
) -> None:
    """Beside a good sheet the other one saves what it would save alone, and no one else is written to."""
    codes = two_games(desk, authentication="code")
    good = frame("toy1 red", codes["toy1 red"], "BID 3")
    second = other(desk, codes)
    before, count = sheets(desk), len(desk.mails())
    desk.post(second + good if first else good + second, sender=sender)
    desk.answer()
    both, told = sheets(desk), {to for to, _ in since(desk, count)}
    count = len(desk.mails())
    desk.post(second, sender=sender)
    desk.answer()

    assert both.pop("toy1 red") == ["ORDERS toy1 red ********\nBID 3\nEND\n"]
    alone = sheets(desk)
    gained = {seat: len(texts) - len(both.get(seat, ())) for seat, texts in alone.items() if seat != "toy1 red"}
    assert {seat: len(both.get(seat, ())) - len(before.get(seat, ())) for seat in gained} == gained
    assert told <= {ANN} | {to for to, _ in since(desk, count)} | {"gm@example.org"}


def test_a_reply_to_one_report_with_both_sheets(desk: Desk) -> None:
    """The code of the report that is answered belongs to its own sheet, and does not speak against the other."""
    codes = two_games(desk)
    report = next(mail for mail in desk.mails(ANN) if is_report(mail))
    desk.reply(report, frame("toy2 red", codes["toy2 red"], "BID 2") + frame("toy1 red", codes["toy1 red"], "BID 3"))
    desk.answer()

    assert sheets(desk).keys() == {"toy1 red", "toy2 red"}


def test_the_same_sheet_twice(desk: Desk) -> None:
    """A sheet that stands twice in a mail is one, and another one for the seat is not read, which the answer tells."""
    codes = two_games(desk)
    one = frame("toy1 red", codes["toy1 red"], "BID 3")
    desk.post(one + one + frame("toy2 red", codes["toy2 red"], "BID 2") + frame("toy1 red", codes["toy1 red"], "BID 9"))
    desk.answer()

    assert {seat: len(texts) for seat, texts in sheets(desk).items()} == {"toy1 red": 1, "toy2 red": 1}
    assert "Only the first sheet for toy1 red was read" in text_of(desk.last())


@pytest.mark.parametrize(
    ("wrong", "named", "said"),
    [
        ("toy22 red", "toy22", "TOY22: NO SUCH CAMPAIGN"),
        ("toy2 rde", "rde in toy2", "There is no seat called rde in toy2. Did you mean red?"),
    ],
)
def test_a_slip_in_one_header_is_named(desk: Desk, wrong: str, named: str, said: str) -> None:
    """Subject and heading of a sheet for what is not there say which of them it is."""
    codes = two_games(desk)
    desk.post(frame("toy1 red", codes["toy1 red"], "BID 3") + frame(wrong, codes["toy2 red"], "BID 2"))
    desk.answer()

    assert desk.last(ANN)["Subject"] == f"[toy1] {named}: NOT accepted; toy1: orders in: 1 of 1, round 1"
    assert said in " ".join(text_of(desk.last(ANN)).split())


def test_orders_above_the_sheets(desk: Desk) -> None:
    """With orders above them sheets may be older ones: the orders are read, and what is not read is told."""
    codes = two_games(desk)
    desk.post("BID 5\n" + frame("toy1 red", codes["toy1 red"], "BID 3") + frame("toy2 red", codes["toy2 red"], "BID 2"))
    desk.answer()

    assert list(sheets(desk)) == ["toy1 red"]
    assert "BID 5" in sheets(desk)["toy1 red"][0]
    assert "The sheet for toy2 red was NOT read: send it in a mail of its own." in text_of(desk.last())


def test_words_between_the_sheets_are_told(desk: Desk) -> None:
    """Commands outside of the frames are not read, and the answer tells it in the part of the sheet above them."""
    codes = two_games(desk)
    desk.post(
        f"{frame('toy1 red', codes['toy1 red'], 'BID 3')}\nPRESS TO blue\nHello\n\n"
        f"{frame('toy2 red', codes['toy2 red'], 'BID 2')}"
    )
    desk.answer()

    first, _, second = text_of(desk.last()).partition("TOY2 RED")
    assert "Not read, as it stands below END" in first
    assert "PRESS TO blue" in first
    assert "Not read" not in second


def test_press_above_the_sheets(desk: Desk) -> None:
    """Below a text to another player all sheets are read."""
    codes = two_games(desk)
    desk.reply(
        next(mail for mail in desk.mails(ANN) if is_report(mail)),
        "PRESS TO blue\nHello\nEND\n"
        + frame("toy1 red", codes["toy1 red"], "BID 3")
        + frame("toy2 red", codes["toy2 red"], "BID 2"),
    )
    desk.answer()

    assert sheets(desk).keys() == {"toy1 red", "toy2 red"}


def test_one_that_is_asked_about(desk: Desk) -> None:
    """A sheet without proof is asked about, and the YES takes that one alone; the other counted at once."""
    codes = two_games(desk, authentication="confirm")
    desk.post(frame("toy1 red", codes["toy1 red"], "BID 3") + frame("toy2 red", "", "BID 2"))
    desk.answer()
    assert list(sheets(desk)) == ["toy1 red"]
    question = next(mail for mail in reversed(desk.mails(ANN)) if "BID 2" in text_of(mail))
    assert "BID 3" not in text_of(question)
    desk.reply(question, "YES")
    desk.answer()

    assert {seat: len(texts) for seat, texts in sheets(desk).items()} == {"toy1 red": 1, "toy2 red": 1}


def test_two_that_are_asked_about(desk: Desk) -> None:
    """Each of two sheets without proof has its question, and one answer leaves the other open."""
    two_games(desk, authentication="confirm")
    desk.post(frame("toy1 red", "", "BID 3") + frame("toy2 red", "", "BID 2"))
    desk.answer()
    first, second = desk.mails(ANN)[-2:]
    desk.reply(second, "YES")
    desk.answer()
    assert list(sheets(desk)) == ["toy2 red"]
    desk.reply(first, "YES")
    desk.answer()

    assert sheets(desk).keys() == {"toy1 red", "toy2 red"}


def test_a_proof_is_no_account_of_the_other_sheet(desk: Desk) -> None:
    """Sheets that are proved by their sender alone are as few a day beside a proved one as without."""
    codes = two_games(desk)
    for bid in range(UNPROVEN_SHEETS_A_DAY + 3):
        desk.post(frame("toy1 blue", codes["toy1 blue"], f"BID {bid}") + frame("toy2 red", "", f"BID {bid}"))
    desk.answer()

    found = sheets(desk)
    assert len(found["toy2 red"]) == UNPROVEN_SHEETS_A_DAY
    assert len(found["toy1 blue"]) == UNPROVEN_SHEETS_A_DAY + 3


def test_a_copy_of_the_mail(desk: Desk) -> None:
    """A second copy of a mail with two sheets does nothing."""
    codes = two_games(desk)
    both = frame("toy1 red", codes["toy1 red"], "BID 3") + frame("toy2 red", codes["toy2 red"], "BID 2")
    for _ in range(2):
        desk.post(both, headers={"Date": "Mon, 02 Nov 2026 09:00:00 +0000"})
    count = len(desk.mails())
    desk.answer()

    assert {seat: len(texts) for seat, texts in sheets(desk).items()} == {"toy1 red": 1, "toy2 red": 1}
    assert len(desk.mails()) == count + 1


def test_a_list_and_a_program(desk: Desk) -> None:
    """Through a list both sheets are read; of a program's mail only the first, and that is told."""
    codes = two_games(desk)

    def both(bid: int) -> str:
        seats = ("toy1 red", "toy2 red")
        return "".join(frame(seat, codes[seat], f"BID {bid}") for seat in seats)

    desk.post(both(1), headers={"List-Id": "<club.example.org>", "Precedence": "list"})
    desk.answer()
    desk.post(both(2), headers={"Auto-Submitted": "auto-generated"})
    desk.answer()

    assert {seat: len(texts) for seat, texts in sheets(desk).items()} == {"toy1 red": 2, "toy2 red": 1}
    assert "sheet for toy2 red NOT read" in desk.last()["Subject"]


def test_a_plain_reply_to_the_answer(desk: Desk) -> None:
    """Orders in reply to an answer about two seats are for neither: it is asked for which."""
    codes = two_games(desk)
    desk.post(frame("toy1 red", codes["toy1 red"], "BID 3") + frame("toy2 red", codes["toy2 red"], "BID 2"))
    desk.answer()
    answer = desk.last()
    desk.reply(answer, "BID 4")
    desk.answer()
    assert "For which of your seats?" in text_of(desk.last())
    desk.reply(answer, frame("toy2 red", codes["toy2 red"], "BID 4"))
    desk.answer()

    assert {seat: len(texts) for seat, texts in sheets(desk).items()} == {"toy1 red": 1, "toy2 red": 2}


def test_two_seats_of_one_campaign(desk: Desk) -> None:
    """One person who plays two seats of a campaign gets one mail about both."""
    codes = two_games(desk)
    with desk.app.store.writing() as session:
        ann = select(Seat.person_id).where(Seat.name == "red").limit(1).scalar_subquery()
        session.execute(update(Seat).values(person_id=ann))
    desk.post(frame("toy1 red", codes["toy1 red"], "BID 3") + frame("toy1 blue", codes["toy1 blue"], "BID 2"))
    desk.answer()

    assert desk.last()["Subject"] == "[toy1] red: orders in: 1 of 1, round 1; blue: orders in: 1 of 1, round 1"
    with desk.app.store.reading() as session:
        # It may be about several campaigns, so it leaves with none of them.
        assert session.scalars(select(OutgoingMail.campaign_id).order_by(OutgoingMail.id.desc())).first() is None
