"""Starting campaigns and running turns."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from sqlalchemy import select, update

from pbem.actions.base import run_action
from pbem.actions.run_turn import run_turn
from pbem.actions.start import StartCampaign
from pbem.campaign.optimistic_lock import ATTEMPTS
from pbem.errors import CampaignError
from pbem.games import rulebook
from pbem.report.markdown import as_text
from pbem.ruleset import Json, Order, View
from pbem.store.models import Campaign, JournalEntry, OutgoingMail, Report, Seat, Turn
from tests.toy.home import GAMES, MONDAY, Desk, text_of
from tests.toy.ruleset import Auction, Table

ANN, BOB, CYD = "ann@example.org", "bob@example.org", "cyd@example.org"


def _renamed(data: Json, old: str, new: str) -> Json:
    return {new if name == old else name: value for name, value in data.items()}


class Grown(Auction):
    """A later version of the toy, which calls the purses coins in its saves."""

    version = 2
    upgrades = (lambda data: _renamed(data, "purses", "coins"),)

    def dump(self, state: Table) -> Json:
        return _renamed(super().dump(state), "purses", "coins")

    def read(self, data: Json) -> Table:
        return super().read(_renamed(data, "coins", "purses"))


def rows(desk: Desk, snapshot: Any) -> list[Any]:
    """Return all rows of a table."""
    with desk.app.store.reading() as session:
        return list(session.scalars(select(snapshot).order_by(snapshot.id)))


def record(desk: Desk, number: int) -> dict[str, Any]:
    """Return the record of a turn."""
    (turn,) = [turn for turn in rows(desk, Turn) if turn.number == number]
    return dict(json.loads(turn.record))


def test_a_start_mails_welcome_token_report_and_seal(desk: Desk) -> None:
    """Each player gets a welcome with a token and a first report; only the token's hash is stored."""
    desk.start()
    welcome, report = desk.mails(ANN)
    token = text_of(welcome).partition("ORDERS toy1 red ")[2].split()[0]

    assert "FAIR DICE" in text_of(welcome)
    assert "The dice are sealed." in text_of(report)
    assert [seat.token_hash for seat in rows(desk, Seat)].count(token) == 0
    assert token not in text_of(desk.mails(BOB)[0])


def test_a_welcome_brings_the_rulebook_and_tells_the_options_of_the_campaign(desk: Desk) -> None:
    """The welcome has the rules as a file, and lists the options of this campaign that are not as usual."""
    desk.start(rounds="9")
    welcome = desk.mails(ANN)[0]
    (file,) = welcome.iter_attachments()

    assert (file.get_filename(), file.get_content_type()) == ("toy-rules.txt", "text/plain")
    assert file.get_content().replace("\r\n", "\n").strip() == as_text(rulebook(GAMES["toy"])).strip()
    assert "The rulebook is attached: toy-rules.txt." in " ".join(text_of(welcome).split())
    assert "- rounds to play: 9 (usually 3)\n" in text_of(welcome)
    assert "twice the coins" not in text_of(welcome)


def test_a_campaign_starts_once(desk: Desk) -> None:
    """A second start is refused and sends no mail."""
    desk.begin()
    queued = len(rows(desk, OutgoingMail))

    with pytest.raises(CampaignError, match="campaign toy1 is running: it was started already"):
        run_action(desk.app, "toy1", StartCampaign(), MONDAY)
    assert len(rows(desk, OutgoingMail)) == queued


def test_an_unknown_campaign_gets_its_nearest(desk: Desk) -> None:
    """The error for a misspelt name lists the existing campaign."""
    desk.begin()

    with pytest.raises(CampaignError, match=r'no campaign "toy2"\. Campaigns: toy1'):
        run_turn(desk.app, "toy2", MONDAY, reason="test")


def test_a_turn_uses_the_last_good_sheets(desk: Desk) -> None:
    """Of several sheets the last accepted one counts; the record names its version."""
    desk.start()
    for text in ("BID 9", "BID 1", "nonsense"):
        desk.reply(desk.mails(ANN)[1], text)
    desk.tick()
    run_turn(desk.app, "toy1", desk.now, reason="test")

    assert record(desk, 1)["orders"] == {"red": [{"order": "bid", "coins": 1}], "blue": []}
    assert record(desk, 1)["sheets"]["red"]["version"] == 2
    assert record(desk, 1)["missing"] == ["blue"]


def test_missing_sheets_are_counted_and_defaults_used(desk: Desk) -> None:
    """A missing sheet is replaced by the game's defaults from last turn's orders, and counted until a sheet comes."""
    desk.start()
    desk.reply(desk.last(), "BID 2\nWHISPER blue deal")
    desk.tick()
    run_turn(desk.app, "toy1", desk.now, reason="test")
    run_turn(desk.app, "toy1", desk.now, reason="test")

    assert record(desk, 2)["orders"]["red"] == [{"order": "bid", "coins": 2}]
    assert [(seat.nmr_in_a_row, seat.nmr_total) for seat in rows(desk, Seat)] == [(1, 1), (2, 2)]


def test_a_sheet_ends_the_row_of_missed_ones(desk: Desk) -> None:
    """The count in a row starts again; the total stays."""
    desk.begin()
    run_turn(desk.app, "toy1", desk.now, reason="test")
    desk.tick()
    desk.reply(desk.last(), "BID 2")
    desk.tick()
    run_turn(desk.app, "toy1", desk.now, reason="test")

    assert [(seat.nmr_in_a_row, seat.nmr_total) for seat in rows(desk, Seat)] == [(0, 1), (2, 2)]


def test_an_empty_sheet_is_not_a_missing_one(desk: Desk) -> None:
    """An empty sheet orders nothing, and no defaults are used."""
    desk.start()
    desk.post("ORDERS toy1 red\nEND")
    desk.tick()
    run_turn(desk.app, "toy1", desk.now, reason="test")

    assert record(desk, 1)["orders"]["red"] == []
    assert record(desk, 1)["missing"] == ["blue"]


def test_the_end_reveals_the_seed(desk: Desk) -> None:
    """The last report has the seed of the dice; the campaign is over and takes no more turns."""
    desk.begin(rounds="1")
    run_turn(desk.app, "toy1", desk.now, reason="test")
    desk.tick()

    assert b"a seed for tests".hex() in text_of(desk.last())
    assert rows(desk, Campaign)[0].status == "over"
    with pytest.raises(CampaignError, match="campaign toy1 is over: it has no open turn"):
        run_turn(desk.app, "toy1", desk.now, reason="test")


def test_no_mail_before_the_end_has_the_seed(desk: Desk) -> None:
    """The seed stays secret while the game goes on."""
    desk.begin(rounds="2")
    run_turn(desk.app, "toy1", desk.now, reason="test")
    desk.tick()

    assert not any(b"a seed for tests".hex() in bytes(mail).decode() for mail in desk.mails())


def test_no_mail_tells_the_turns_number(desk: Desk) -> None:
    """Subjects begin with the label of the view, which the game chooses, and the deadline."""
    desk.begin()
    run_turn(desk.app, "toy1", desk.now, reason="test")
    desk.tick()

    assert [mail["Subject"][:40] for mail in desk.mails(ANN)] == [
        "[toy1] the game starts: you play red",
        "[toy1] round 1, due Fri 6 Nov 20:00 CET:",
        "[toy1] round 2, due Fri 6 Nov 20:00 CET:",
    ]


def test_seats_not_told_keep_their_report(desk: Desk) -> None:
    """Seats without a new report get no mail; their last code stays valid, and their next report has all events."""
    desk.start(pace="in_turn", rounds="6")
    bobs = desk.last(BOB)
    desk.reply(desk.last(ANN), "BID 1\nWHISPER blue hello")
    desk.tick()
    run_turn(desk.app, "toy1", desk.now, reason="test")
    desk.reply(desk.last(ANN), "WHISPER blue deal")
    desk.tick()
    run_turn(desk.app, "toy1", desk.now, reason="test")
    run_turn(desk.app, "toy1", desk.now, reason="test")
    desk.tick()

    assert [len(desk.mails(ANN)), len(desk.mails(BOB))] == [2 + 2 + 1, 2 + 2]
    assert "red whispered to you: hello" in text_of(desk.mails(BOB)[2])
    assert bobs["Reply-To"] != desk.last(BOB)["Reply-To"]


def test_a_seat_hears_of_all_turns_since_its_last_report(desk: Desk) -> None:
    """With three seats in turn, two turns pass between a seat's reports; the next one has both."""
    desk.start(seats=("red", "blue", "green"), pace="in_turn", rounds="9")
    greens = desk.last(CYD)
    desk.reply(desk.last(ANN), "BID 1\nWHISPER green hello")
    desk.tick()
    run_turn(desk.app, "toy1", desk.now, reason="test")
    desk.tick()
    desk.reply(desk.last(BOB), "BID 1\nWHISPER green deal")
    desk.reply(greens, "WHISPER red never")
    desk.tick()
    run_turn(desk.app, "toy1", desk.now, reason="test")
    desk.tick()

    text = text_of(desk.last(CYD))
    assert "red whispered to you: hello" in text
    assert "blue whispered to you: deal" in text
    assert record(desk, 2)["orders"]["green"] == [{"order": "whisper", "to": "red", "talk": ["never"]}]


def test_a_removed_seat_is_told_to_the_game_once(desk: Desk) -> None:
    """A seat removed by the GM is in `removed` of the next turn alone; it gets no mail and is not awaited."""
    desk.start(seats=("red", "blue", "green"))
    with desk.app.store.writing() as session:
        session.execute(update(Seat).where(Seat.name == "blue").values(status="removed"))
    run_turn(desk.app, "toy1", desk.now, reason="test")
    run_turn(desk.app, "toy1", desk.now, reason="test")
    desk.tick()

    assert [record(desk, number)["removed"] for number in (1, 2)] == [["blue"], []]
    assert record(desk, 1)["missing"] == ["green", "red"]
    assert len(desk.mails(BOB)) == 2


def test_what_was_done_stands_in_the_journal(desk: Desk) -> None:
    """The journal has creation, start and every turn with its reason and missing sheets."""
    desk.begin(rounds="1")
    run_turn(desk.app, "toy1", desk.now, reason="deadline")

    texts = [act.text for act in rows(desk, JournalEntry)]
    assert texts[0].startswith("created: Toy Auction, seats red, blue; dice seal ")
    assert texts[1].startswith("started; dice seal ")
    assert texts[2:] == [
        "turn 1 run (deadline); game over: all rounds played",
        "turn 1: no sheet from blue, red",
    ]


@pytest.mark.parametrize("times", [1, ATTEMPTS])
def test_a_sheet_that_comes_while_computing_is_not_lost(desk: Desk, times: int) -> None:
    """The turn is computed again with a sheet that came meanwhile; if sheets keep coming, they are made to wait."""
    coins = iter(range(1, times + 1))

    class Interrupted(Auction):
        """Auction in which a sheet comes in while its defaults are asked for."""

        def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
            if view["seat"] == "blue" and (bid := next(coins, None)) is not None:
                desk.reply(desk.mails(ANN)[1], f"BID {bid}")
                desk.tick()
            return super().defaults(view, kept)

    desk.start()
    run_turn(dataclasses.replace(desk.app, games={"toy": Interrupted()}), "toy1", desk.now, reason="test")

    assert record(desk, 1)["orders"]["red"] == [{"order": "bid", "coins": times}]
    assert len(rows(desk, Report)) == 4


def test_the_number_guards_against_the_next_turn(desk: Desk) -> None:
    """A turn that was resolved meanwhile is not resolved again."""
    desk.begin()
    assert run_turn(desk.app, "toy1", desk.now, reason="test", number=1)

    assert not run_turn(desk.app, "toy1", desk.now, reason="test", number=1)
    assert rows(desk, Campaign)[0].turn == 2


def test_a_later_version_of_a_game_reads_what_earlier_ones_saved(desk: Desk) -> None:
    """A seat's report has turns saved by two versions, and the campaign goes on."""
    desk.begin(seats=("red", "blue", "green"), pace="in_turn", rounds="9")
    desk.app = dataclasses.replace(desk.app, games={"toy": Grown()})
    desk.tick()
    desk.reply(desk.last(ANN), "WHISPER green hello")
    desk.tick()
    for _ in range(2):
        run_turn(desk.app, "toy1", desk.now, reason="test")
    desk.tick()

    assert "red whispered to you: hello" in text_of(desk.last(CYD))


def test_a_report_says_what_became_of_each_order(desk: Desk) -> None:
    """Below each restated order the report has its outcome, as far as the seat may know it."""
    desk.begin()
    desk.post("ORDERS toy1 red\nBID 2\nWHISPER blue deal\nEND")
    desk.tick()
    run_turn(desk.app, "toy1", desk.now, reason="test")
    desk.tick()

    assert "- BID 2\n  You won.\n- WHISPER blue deal\n\n" in text_of(desk.last(ANN))
