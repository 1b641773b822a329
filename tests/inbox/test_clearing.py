"""CLEAR ORDERS and NO ORDERS: a sheet is withdrawn and comes back, or is sent without orders; and attacks on both."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action, run_query
from pbem.actions.open_turn import EnterSheet
from pbem.actions.rollback import RollBack
from pbem.actions.sheets import RestoreSheet, ShowSheets
from pbem.archive.verify import verify
from pbem.campaign.deadlines import load_open_turns
from pbem.campaign.optimistic_lock import load_read_set
from pbem.campaign.snapshot import load_campaign
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.store.models import OrderSheet, Turn
from pbem.store.session import Store
from tests.faults.local import ticked_after_kills
from tests.inbox.people import ANN, BOB, EVE, ask, insist, question, reports
from tests.inbox.people import confirm as agree
from tests.inbox.trusting import believing, rule, stamp, told
from tests.sampling import Sampler
from tests.toy.home import GAMES, Desk, open_desk, prepared, text_of

FRAME = "ORDERS toy1 red\n{}\nEND"


@pytest.fixture
@prepared
def begun(desk: Desk) -> Desk:
    """Return a desk with a campaign of red and blue, whose address is enough, and a sheet of red."""
    desk.start()
    desk.reply(desk.last(ANN), "BID 3\nWHISPER blue deal\nWAIT")
    desk.answer()
    return desk


def missing(store: Store) -> tuple[str, ...]:
    """Return the awaited seats without a sheet that counts."""
    with store.reading() as session:
        return load_open_turns(session, "toy1")[0].missing


def sheet_in(text: str) -> str:
    """Return the sheet that an answer brings back."""
    lines = text.split("\n")
    start = next(at for at, line in enumerate(lines) if line.startswith("ORDERS "))
    return "\n".join(lines[start : lines.index("END") + 1])


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "text",
    [
        *("CLEAR ORDERS", "clear orders.", "Please cancel my orders!", "withdraw my orders\n\nThanks, Ann"),
        *("PLAYER toy1 red\nCLEAR ORDERS\nEND", FRAME.format("CLEAR ORDERS"), FRAME.format("delete my orders")),
    ],
)
@pytest.mark.parametrize("replied", [True, False])
def test_orders_are_cleared_and_come_back(begun: Desk, text: str, replied: bool) -> None:
    """The sheet no longer counts; sent back as it stands in the answer, the same orders count again."""
    if replied:
        begun.reply(reports(begun, ANN)[0], text)
    else:
        begun.post(text)
    begun.answer()
    answer = begun.last(ANN)
    assert answer["Subject"].startswith("[toy1] orders cleared, round 1")
    assert "red" in missing(begun.app.store)

    begun.post(sheet_in(text_of(answer)), sender="ann.elsewhere@example.net")
    begun.answer()
    with begun.app.store.reading() as session:
        first, cleared, again = session.scalars(select(OrderSheet).order_by(OrderSheet.version))
        assert (first.accepted, cleared.accepted, again.accepted) == (False, False, True)
        assert (again.orders, again.wait) == (first.orders, True)
    assert "red" not in missing(begun.app.store)


def test_without_orders_there_is_nothing_to_clear(begun: Desk) -> None:
    """A second CLEAR ORDERS changes nothing and says so."""
    assert "withdrawn" in ask(begun, "CLEAR ORDERS")
    assert "nothing to clear" in ask(begun, "CLEAR ORDERS")

    with begun.app.store.reading() as session:
        assert len(session.scalars(select(OrderSheet)).all()) == 2


def test_a_cleared_seat_is_awaited_again(begun: Desk) -> None:
    """Red has said FINAL and blue's sheet comes, but the turn is not run before its deadline without red's orders."""
    ask(begun, FRAME.format("BID 2\nFINAL"))
    ask(begun, "CLEAR ORDERS")
    ask(begun, "ORDERS toy1 blue\nBID 4\nEND", BOB)
    begun.tick(hours=2)
    assert missing(begun.app.store) == ("red",)

    begun.tick(hours=24 * 5)
    with begun.app.store.reading() as session:
        record = session.scalars(select(Turn.record).where(Turn.number == 1)).one()
    assert json.loads(record or b"{}")["missing"] == ["red"]
    verify(begun.app.settings.archive, "toy1", games=GAMES)  # or it raises


def test_a_reply_to_an_earlier_report_clears_nothing(begun: Desk) -> None:
    """CLEAR ORDERS for a turn that was run meanwhile leaves the orders of the next one alone."""
    old = reports(begun, ANN)[0]
    begun.tick(hours=24 * 5)
    ask(begun, FRAME.format("BID 1"))
    begun.reply(old, "CLEAR ORDERS")
    begun.answer()

    assert "Your mail answers a turn that has already run" in " ".join(text_of(begun.last(ANN)).split())
    assert "red" not in missing(begun.app.store)


@pytest.mark.parametrize(
    "text", ["CLEAR ORDERS", FRAME.format("CLEAR ORDERS"), "ORDERS toy1 red {}\nCLEAR ORDERS\nEND"]
)
def test_another_player_clears_nothing(begun: Desk, text: str) -> None:
    """Neither a stranger's mail nor another player's, with a wrong key or none, clears orders."""
    for sender in (BOB, EVE):
        begun.post(text.format("a" * 20), sender=sender)
        begun.answer()

    assert "red" not in missing(begun.app.store)


def test_a_forged_sender_clears_nothing(begun: Desk) -> None:
    """By the mail server's word the sender is not Ann; where an address needs an answer, Ann is asked."""
    believing(begun)
    begun.post("CLEAR ORDERS", headers=stamp("fail"))
    begun.answer()
    rule(begun, authentication="confirm")
    begun.post("CLEAR ORDERS")
    begun.answer()
    assert "red" not in missing(begun.app.store)

    begun.reply(question(begun, ANN), "YES")
    begun.answer()
    assert "red" in missing(begun.app.store)


def test_a_confirmation_after_the_run_clears_nothing(begun: Desk) -> None:
    """The answer YES comes when the turn was run: the orders of the next turn stay."""
    rule(begun, authentication="confirm")
    ask(begun, "CLEAR ORDERS")
    begun.tick(hours=24 * 5)
    begun.reply(reports(begun, ANN)[-1], "BID 1")
    begun.answer()
    begun.reply(question(begun, ANN), "YES")
    begun.answer()

    assert "red" not in missing(begun.app.store)


def test_a_run_that_is_computed_meanwhile_is_computed_again(begun: Desk) -> None:
    """Clearing orders changes what a run has read, so that it does not commit a turn with the withdrawn sheet."""
    with begun.app.store.reading() as session:
        before = load_read_set(session, load_campaign(session, "toy1"))
    ask(begun, "CLEAR ORDERS")

    with begun.app.store.reading() as session:
        assert load_read_set(session, load_campaign(session, "toy1")) != before


def test_a_deputy_may_clear_during_their_time(begun: Desk) -> None:
    """A deputy's CLEAR ORDERS counts like a sheet of theirs: both hear of it, each with their own code."""
    insist(begun, f"DEPUTY {EVE} UNTIL 2026-11-04")
    agree(begun, EVE)
    copy = reports(begun, EVE)[-1]
    begun.reply(copy, "CLEAR ORDERS")
    mails = told(begun)
    assert mails.keys() == {ANN, EVE}
    assert sheet_in(text_of(begun.last(ANN))) != sheet_in(text_of(begun.last(EVE)))

    ask(begun, FRAME.format("BID 1"))
    begun.now = begun.now.replace(day=5)
    begun.reply(copy, "CLEAR ORDERS")
    begun.answer()
    assert "red" not in missing(begun.app.store)


def test_a_machine_that_sends_the_answer_back_brings_no_orders_back(begun: Desk) -> None:
    """An answering machine quotes the answer to CLEAR ORDERS without marks, sheet and all."""
    ask(begun, "CLEAR ORDERS")
    answer = [mail for mail in begun.mails(ANN) if "orders cleared" in mail["Subject"]][-1]
    begun.reply(answer, f"I am out of the office.\n\n{text_of(answer)}")
    begun.answer()

    assert "red" in missing(begun.app.store)


def test_the_gm_sees_and_restores_cleared_orders(begun: Desk) -> None:
    """The withdrawn sheet and the version that withdrew it are listed; the GM may enter the orders again."""
    ask(begun, "CLEAR ORDERS")
    shown = run_query(begun.app, "toy1", ShowSheets("red"), begun.now).seats[0]
    assert shown.counts is None
    assert [(sheet.accepted, sheet.cleared) for sheet in shown.others] == [(True, False), (False, True)]

    run_action(begun.app, "toy1", RestoreSheet("red"), begun.now)
    assert "red" not in missing(begun.app.store)


def test_a_sheet_that_the_gm_entered_can_be_cleared(begun: Desk) -> None:
    """The sheet that counts is withdrawn, whoever entered it, and none before it comes to count."""
    run_action(begun.app, "toy1", EnterSheet("red", ((1, "BID 1"),)), begun.now)
    ask(begun, "CLEAR ORDERS")

    assert "red" in missing(begun.app.store)
    assert "BID 1\nEND" in text_of([mail for mail in begun.mails(ANN) if "cleared" in mail["Subject"]][-1])


def test_a_rollback_keeps_what_was_cleared(begun: Desk) -> None:
    """A turn that is opened again has no sheet for the seat whose orders were withdrawn."""
    ask(begun, "CLEAR ORDERS")
    begun.tick(hours=24 * 5)
    run_action(begun.app, "toy1", RollBack(1), begun.now)

    assert "red" in missing(begun.app.store)


@pytest.mark.parametrize("text", ["NO ORDERS", "no orders this turn.", "Nothing to order", "PASS", "NO ORDERS\n\nAnn"])
@pytest.mark.parametrize("replied", [True, False])
def test_no_orders_is_a_sheet(begun: Desk, text: str, replied: bool) -> None:
    """A sheet without orders counts, replaces the one before, and is not missed."""
    if replied:
        begun.reply(reports(begun, ANN)[0], text)
    else:
        begun.post(text)
    begun.answer()

    assert text_of(begun.last(ANN)).startswith("No orders, as you sent it\n")
    assert "red" not in missing(begun.app.store)


@pytest.mark.parametrize("word", ["NO ORDERS", "CLEAR ORDERS"])
def test_beside_orders_the_orders_count(begun: Desk, word: str) -> None:
    """A sheet with orders counts as a whole, and the line is no error."""
    text = ask(begun, FRAME.format(f"BID 1\n{word}"))

    assert text.startswith("Your order is in ")
    assert f"{word} stands beside orders" in text


def test_other_commands_beside_it_are_done_without_it(begun: Desk) -> None:
    """CLEAR ORDERS among other commands is not done, and the answer says how it is."""
    assert "CLEAR ORDERS goes in a mail of its own" in ask(begun, "STATUS\nCLEAR ORDERS")
    assert "red" not in missing(begun.app.store)


def test_a_player_of_two_seats_is_asked_which(begun: Desk) -> None:
    """Without a seat or a code nothing is cleared, and the answer names both seats."""
    begun.start(name="toy2")

    assert "PLAYER toy1 red PLAYER toy2 red" in ask(begun, "CLEAR ORDERS")
    assert "red" not in missing(begun.app.store)


def test_a_kill_at_any_commit_clears_once(tmp_path: Path, sampler: Sampler) -> None:
    """After the next tick the orders are cleared, and one answer is out."""
    home = tmp_path / "home"
    with open_desk(home) as desk:
        desk.start()
        desk.post(FRAME.format("BID 3"))
        desk.answer()
        desk.post("CLEAR ORDERS")
        now = desk.now

    for app, point, sent in ticked_after_kills(home, now, sampler):
        assert "red" in missing(app.store), point
        assert sum(b"orders cleared" in mail for mail in sent) == 1, point


@pytest.fixture
def served(postgres_url: str, tmp_path: Path) -> Iterator[Desk]:
    """Yield a home on PostgreSQL with a campaign that has begun."""
    with open_desk(tmp_path / "home", database=postgres_url) as desk:
        desk.start()
        yield desk


def test_two_at_once_clear_once(served: Desk) -> None:
    """Two messages that say CLEAR ORDERS, processed at the same moment, withdraw the sheet once."""
    ask(served, FRAME.format("BID 3"))
    served.post("CLEAR ORDERS")
    served.reply(reports(served, ANN)[0], "CLEAR ORDERS")
    fetch_messages(served.app.store, open_mailbox(served.app.settings), served.now)
    workers = [threading.Thread(target=process_messages, args=(served.app, served.now)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    served.answer()

    with served.app.store.reading() as session:
        assert [sheet.version for sheet in session.scalars(select(OrderSheet))] == [1, 2]
    assert len([mail for mail in served.mails(ANN) if "orders cleared" in mail["Subject"]]) == 1
