"""Messages are answered one after the other, each in its own transaction, however many are fetched at once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.inbox import process
from pbem.inbox.process import process_messages
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.mail.message import parse_message
from pbem.ruleset import ParsedSheet, View
from pbem.store.models import InboxMessage, JournalEntry, OrderSheet, OutgoingMail, PendingRequest
from pbem.util import redact_all
from tests.inbox.trusting import ANN, BOB, CYD, EVE, code, stand_in, token
from tests.toy.home import Desk, open_desk
from tests.toy.ruleset import Auction

Post = Callable[[Desk], None]


def _plain(sender: str, text: str, subject: str = "orders") -> Post:
    return lambda desk: desk.post(text, sender=sender, subject=subject)


def _by_code(to: str, campaign: str, text: str, sender: str = "") -> Post:
    return lambda desk: desk.post(text, sender=sender or to, subject=f"Re: turn 1 [{code(desk, to, campaign)}]")


def _by_token(to: str, seat: str, campaign: str, sender: str = "") -> Post:
    def post(desk: Desk) -> None:
        desk.post(f"ORDERS {campaign} {seat} {token(desk, to, campaign)}\nBID 2\nEND", sender=sender or to)

    return post


def _replying(to: str, text: str) -> Post:
    return lambda desk: desk.reply(desk.mails(to)[0], text)


BAG: tuple[Post, ...] = (
    *(_by_code(to, name, "BID 3") for to, name in ((ANN, "toy1"), (BOB, "toy1"), (ANN, "toy2"), (CYD, "toy2"))),
    _by_code(BOB, "toy1", "BID many\nBID 1"),
    _by_code(ANN, "toy1", "BID 1", sender=EVE),
    _by_code(ANN, "toy2", "WAIT"),
    _by_code(CYD, "toy2", "EXTEND"),
    _by_token(BOB, "blue", "toy1"),
    _by_token(ANN, "red", "toy2", sender=EVE),
    _replying(ANN, "BID 2"),
    _replying(BOB, "BID two"),
    _replying(CYD, "Thanks for running this!"),
    _plain(ANN, "ORDERS toy1 red\nBID 1\nEND"),
    _plain(BOB, "ORDERS toy1 blue\nBID 1\nEND"),
    _plain(BOB, "ORDERS toy1 red\nBID 4\nEND"),
    _plain(CYD, "ORDERS toy2 green aaaa1111bbbb2222\nBID 1\nEND"),
    _plain(CYD, "ORDERS toy2 grene\nBID 1\nEND"),
    _plain(EVE, "ORDERS toy2 green\nBID 1\nEND"),
    _plain("dee@example.org", "ORDERS toy1 blue\nBID 1\nEND"),
    _plain(ANN, "HELP"),
    _plain(BOB, "STATUS"),
    _plain(CYD, "PAUSE"),
    _plain(EVE, "What is this?"),
    _plain(ANN, "", subject=""),
    _plain(BOB, "PRESS TO red\nHello", subject="[toy1]"),
)
"""Messages of all kinds, to campaigns with three players and a deputy."""


@contextmanager
def desk_of(folder: Path) -> Iterator[Desk]:
    """Yield a home with two campaigns, one of which takes an address for proof only with a question."""
    with open_desk(folder) as desk:
        desk.begin()
        desk.start(seats=("red", "green"), name="toy2", rules={"authentication": "confirm"})
        stand_in(desk, "dee@example.org", first=-1, last=5, seat="blue")
        yield desk


def came_of(desk: Desk) -> list[tuple[object, ...]]:
    """Return everything stored and mailed, without what is drawn at random."""
    kept: list[tuple[object, ...]] = []
    with desk.app.store.reading() as session:
        kept += [
            (row.state, redact_all(row.note), row.sender, row.verdict, (row.key or "")[:5], row.unanswered)
            for row in session.scalars(select(InboxMessage).order_by(InboxMessage.id))
        ]
        for sheet in session.scalars(
            select(OrderSheet).order_by(OrderSheet.turn_id, OrderSheet.seat_id, OrderSheet.version)
        ):
            kept.append((sheet.turn_id, sheet.seat_id, sheet.version, sheet.text, sheet.orders, sheet.wait))
            kept.append((sheet.inbox_id, sheet.author, sheet.digest, sheet.findings, sheet.received_at))
        kept += [
            (act.campaign_id, act.text, act.secret)
            for act in session.scalars(select(JournalEntry).order_by(JournalEntry.id))
        ]
        kept += [
            (asked.kind, asked.data) for asked in session.scalars(select(PendingRequest).order_by(PendingRequest.id))
        ]
        for mail in session.scalars(select(OutgoingMail).order_by(OutgoingMail.recipient, OutgoingMail.id)):
            text = parse_message(mail.raw).text
            kept.append((mail.recipient, mail.kind, mail.topic, mail.campaign_id, redact_all(text).split()))
    return kept


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.sampled(1)
def test_results_do_not_depend_on_the_size_of_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Results do not depend on how many messages are loaded at a time."""
    letters = random.Random(seed).choices(BAG, k=40)
    results = []
    for at_once in (process.AT_ONCE, 1):
        monkeypatch.setattr(process, "AT_ONCE", at_once)
        with desk_of(tmp_path / str(at_once)) as desk:
            for post in letters:
                post(desk)
            desk.answer()
            results.append(came_of(desk))
    assert results[0] == results[1]


def sheets_of(desk: Desk) -> list[str]:
    """Return the texts of all sheets stored."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(OrderSheet.text).order_by(OrderSheet.id)))


def test_a_sheet_at_which_the_game_raises_is_quarantined_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sheet at which the game raises is quarantined alone."""

    def parse(self: Auction, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        numbered = list(lines)
        if any("BID 7" in line for _, line in numbered):
            raise RuntimeError("this game stumbles over a seven")
        return read(self, view, numbered)

    read = Auction.parse
    monkeypatch.setattr(Auction, "parse", parse)
    with desk_of(tmp_path / "home") as desk:
        for post in (_by_code(ANN, "toy1", "BID 3"), _by_code(BOB, "toy1", "BID 7"), _by_code(CYD, "toy2", "BID 1")):
            post(desk)
        done = desk.answer()
        assert (done.processed.messages, done.processed.sheets, done.processed.quarantined) == (3, 2, 1)
        assert sheets_of(desk) == ["BID 3\n", "BID 1\n"]


def test_two_processes_at_once_save_each_sheet_once(postgres_url: str, tmp_path: Path) -> None:
    """Two processes with the same messages save each sheet once."""
    with open_desk(tmp_path / "home", database=postgres_url) as desk:
        for name in ("toy1", "toy2", "toy3"):
            desk.begin(name=name)
        desk.answer()
        for _, name in product(range(3), ("toy1", "toy2", "toy3")):
            for to in (ANN, BOB):
                _by_code(to, name, "BID 1")(desk)
        fetch_messages(desk.app.store, open_mailbox(desk.app.settings), desk.now)
        with ThreadPoolExecutor(2) as desks:
            done = [desks.submit(process_messages, desk.app, desk.now) for _ in range(2)]
        assert sum(each.result().sheets for each in done) == 18
        assert sheets_of(desk) == ["BID 1\n"] * 18
