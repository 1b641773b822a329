"""Seats given, opened and removed by the GM, and the notices to all concerned."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from sqlalchemy import select

from pbem.actions.base import Change, TextResult, run_action, run_query
from pbem.actions.run_turn import run_turn
from pbem.actions.seats import GiveSeat, Invite, OpenSeat, PauseSeat, RemoveSeat, ResumeSeat
from pbem.actions.settings import SetHouseRule, ShowHouseRules
from pbem.actions.start import StartCampaign
from pbem.admin.health import home_status
from pbem.campaign.house_rules import HouseRules
from pbem.errors import CampaignError
from pbem.ruleset import Dice, Event, TurnInput
from pbem.store.models import JournalEntry, OutgoingMail, Report, Turn
from pbem.store.types import OutgoingState
from tests.inbox.people import ANN, BOB, CYD, EVE, GM, ask, confirm, form, players, reports, snapshot, token, words
from tests.toy.home import Desk
from tests.toy.ruleset import Auction

CHANGES: Mapping[str, Callable[[str], Change[TextResult]]] = {
    "open": OpenSeat,
    "remove": RemoveSeat,
    "pause": PauseSeat,
    "resume": ResumeSeat,
}
"""The changes of a seat, by a word for each."""


@pytest.fixture(autouse=True)
def _begun(desk: Desk) -> None:
    """Start a campaign of red and blue."""
    form(desk, "red", "blue")
    run_action(desk.app, "toy1", StartCampaign(), desk.now)
    desk.tick()


def act(desk: Desk, seat: str, what: str, address: str = "") -> str:
    """Do a GM's action on a seat."""
    wish = GiveSeat(seat, address) if what == "give" else CHANGES[what](seat)
    return run_action(desk.app, "toy1", wish, desk.now).done


def test_the_gm_hands_a_seat_over(desk: Desk) -> None:
    """The new player gets token and report, the former player and the others a notice, and the GM the result."""
    said = act(desk, "red", "give", EVE)
    desk.tick()

    assert said == "Seat red of toy1 is played by eve@example.net now, who is mailed a new token and its newest report."
    assert "The game is under way, and another person played this seat before you." in words(desk.mails(EVE)[0])
    assert len(reports(desk, EVE)) == 1
    assert "You no longer play the seat red of toy1: seated by the GM." in words(desk.last(ANN))
    assert "has a new player" in words(desk.last(BOB))
    assert desk.mails(GM) == []


def test_the_former_token_is_dead(desk: Desk) -> None:
    """No sheet with the former player's token is accepted."""
    key = token(desk)
    act(desk, "red", "give", EVE)
    desk.post(f"ORDERS toy1 red {key}\nBID 3\nEND", sender=ANN)
    desk.tick()

    assert not any(words(mail).startswith("Sheet") for mail in desk.mails())


def test_codes_of_all_reports_are_dead(desk: Desk) -> None:
    """The codes of earlier reports are void too, as a rollback would make them count again."""
    desk.tick(hours=24 * 5)
    codes = {mail["Reply-To"].partition("+")[2][:16] for mail in reports(desk, ANN)}
    act(desk, "red", "give", EVE)

    with desk.app.store.reading() as session:
        assert codes.isdisjoint(session.scalars(select(Report.code)))


def test_a_report_on_its_way_is_kept_from_the_former_player(desk: Desk) -> None:
    """A queued report goes to the new player alone."""
    desk.tick(hours=24 * 5)
    with desk.app.store.writing() as session:
        for mail in session.scalars(
            select(OutgoingMail).where(OutgoingMail.kind == "report", OutgoingMail.recipient == ANN)
        ):
            mail.state = OutgoingState.QUEUED
    act(desk, "red", "give", EVE)

    with desk.app.store.reading() as session:
        rows = session.execute(select(OutgoingMail.recipient, OutgoingMail.state).where(OutgoingMail.kind == "report"))
        assert [tuple(row) for row in rows if row.recipient != BOB][-2:] == [(ANN, "superseded"), (EVE, "queued")]


def test_a_sheet_of_the_former_player_counts_until_another_comes(desk: Desk) -> None:
    """A seat that changes hands loses no orders."""
    ask(desk, "ORDERS toy1 red\nBID 3\nEND")
    act(desk, "red", "give", EVE)
    desk.tick()

    assert "Your sheet 1 counts" in ask(desk, "STATUS", EVE)
    assert ask(desk, "ORDERS toy1 red\nBID 4\nEND", EVE).startswith("Your order is in")


def test_an_open_seat_is_not_waited_for(desk: Desk) -> None:
    """An open seat has the game's default orders, and no mail without a recipient is queued."""
    assert act(desk, "red", "open") == "Seat red is open: opened by the GM. Nobody is on the standby list."
    desk.post("ORDERS toy1 blue\nBID 1\nEND", sender=BOB)
    desk.tick()

    assert [turn.reason for turn in desk.tick(hours=1).resolved] == ["all sheets in"]
    with desk.app.store.reading() as session:
        assert "" not in set(session.scalars(select(OutgoingMail.recipient)))


def test_a_removed_seat_reaches_the_rules(desk: Desk) -> None:
    """The record of the next turn names a removed seat, once; its player's sheets are refused."""
    act(desk, "red", "remove")
    assert "Seat red in toy1 no longer plays, so your orders do not count." in ask(desk, "ORDERS toy1 red\nBID 3\nEND")
    desk.tick(hours=24 * 5)
    desk.tick(hours=24 * 7)

    with desk.app.store.reading() as session:
        records = session.scalars(select(Turn.record).where(Turn.record.is_not(None)).order_by(Turn.number)).all()
    assert [json.loads(record or b"")["removed"] for record in records[1:]] == [["red"], []]


def test_an_invitation_brings_the_seat(desk: Desk) -> None:
    """The invited person gets a code; with its confirmation they have the seat, and the GM is notified."""
    act(desk, "red", "open")
    said = run_action(desk.app, "toy1", Invite(EVE, "red"), desk.now).done
    desk.tick()

    assert said == "eve@example.net is invited to seat red; the code in the mail holds for 14 days."
    assert "gm@example.org invites you to play by mail, in toy1 as red." in words(desk.last(EVE))
    assert "You have the seat red" in confirm(desk, EVE)
    assert players(desk)["red"] == EVE
    assert "invited by the GM" in words(desk.last(GM))


def test_standbys_come_in_their_order(desk: Desk) -> None:
    """Each seat that becomes free goes to the standby who has waited longest."""
    run_action(desk.app, "toy1", SetHouseRule({"signup": "yes"}), desk.now)
    for address in (CYD, EVE):
        ask(desk, "JOIN toy1", address)
        confirm(desk, address)

    act(desk, "blue", "open")
    act(desk, "red", "open")

    assert players(desk) == {"red": EVE, "blue": CYD}


@pytest.mark.parametrize(
    ("seat", "what", "address", "said"),
    [
        ("rde", "open", "", "toy1 has no seat 'rde': did you mean red?"),
        ("red", "give", "nobody", "'nobody' cannot be the address of seat red: write it like ann@example.org"),
        ("red", "give", "ANN@example.org", "seat red of toy1 is played by ann@example.org already"),
    ],
)
def test_what_cannot_be_done_is_told(desk: Desk, seat: str, what: str, address: str, said: str) -> None:
    """A sentence names what is wrong and the nearest valid value; nothing is changed."""
    with pytest.raises(CampaignError) as refused:
        act(desk, seat, what, address)

    assert str(refused.value) == said
    assert players(desk)["red"] == ANN


def test_a_pause_and_its_end_say_what_is_so_now(desk: Desk) -> None:
    """The answer has the present state, whether anything was changed or not."""
    said = [act(desk, "red", what) for what in ("resume", "pause", "pause", "resume")]

    assert said == [
        "Seat red of toy1 was not paused: turns wait for it.",
        "Seat red of toy1 is paused: turns do not wait for it.",
        "Seat red of toy1 is paused already: turns do not wait for it.",
        "Seat red of toy1 is no longer paused: turns wait for it again.",
    ]


def test_a_new_player_has_missed_nothing(desk: Desk) -> None:
    """The misses of the former player are not counted against a new one."""
    desk.tick(hours=24 * 5)
    missed = [home_status(desk.app, "toy1").campaigns[0].seats[0].nmr_total]
    act(desk, "red", "give", EVE)
    missed.append(home_status(desk.app, "toy1").campaigns[0].seats[0].nmr_total)

    assert missed == [1, 0]


@pytest.mark.parametrize("what", ["open", "give", "pause"])
def test_a_removed_seat_stays_removed(desk: Desk, what: str) -> None:
    """A removed seat cannot be opened, given or paused."""
    act(desk, "red", "remove")

    with pytest.raises(CampaignError, match="seat red is out of the game in toy1"):
        act(desk, "red", what, EVE)


def test_who_is_known_to_the_journal(desk: Desk) -> None:
    """Players read in the journal that a seat changed hands, but no address."""
    act(desk, "red", "give", EVE)

    with desk.app.store.reading() as session:
        texts = list(session.scalars(select(JournalEntry.text).where(~JournalEntry.secret)))
    assert texts[-1] == "seat red has a new player: seated by the GM"
    assert not any("@" in text for text in texts)


def test_other_players_hear_only_where_they_may_read_the_journal(desk: Desk) -> None:
    """If only the GM reads the journal, other players are not notified of a new player."""
    run_action(desk.app, "toy1", SetHouseRule({"journal": "gm"}), desk.now)
    before = len(desk.mails(BOB))
    act(desk, "red", "give", EVE)
    desk.tick()

    assert len(desk.mails(BOB)) == before


class Interrupted(Auction):
    """The toy, with an action that is done while a turn is resolved for the first time."""

    def __init__(self, happens: Callable[[], object]) -> None:
        self.happens: list[Callable[[], object]] = [happens]

    def resolve(self, state: Any, turn: TurnInput, dice: Dice) -> tuple[Any, tuple[Event, ...]]:
        while self.happens:
            self.happens.pop()()
        return super().resolve(state, turn, dice)


def test_a_seat_that_changes_hands_during_a_run_gets_its_report(desk: Desk) -> None:
    """A turn that was computed for the former player is computed again for the new one."""
    game = Interrupted(lambda: act(desk, "red", "give", EVE))
    run_turn(dataclasses.replace(desk.app, games={"toy": game}), "toy1", desk.now, reason="deadline")
    desk.tick()

    assert len(reports(desk, ANN)) == 1
    assert "round 2" in reports(desk, EVE)[-1]["Subject"]


def test_house_rules_are_changed_and_told(desk: Desk) -> None:
    """Values are read as typed and shown as they may be typed again; the journal has them."""
    changes = {"grace": "90m", "least": "2d", "holidays": "2026-12-24"}
    run_action(desk.app, "toy1", SetHouseRule(changes), desk.now)

    rules = {rule.name: rule for rule in run_query(desk.app, "toy1", ShowHouseRules(), desk.now).rules}
    assert snapshot(desk).policy == HouseRules(accept="address", grace=90, least=2880, holidays=("2026-12-24",))
    assert [rules[name].value for name in ("grace", "least", "holidays", "diary")] == ["90m", "2d", "2026-12-24", "yes"]
    assert [rules[name].default for name in ("grace", "diary")] == [False, True]


def test_nobody_is_seated_when_the_game_is_over(desk: Desk) -> None:
    """Seats of a finished game stay as they are."""
    for _ in range(3):
        desk.tick(hours=24 * 8)

    with pytest.raises(CampaignError, match="toy1 is over"):
        act(desk, "red", "open")
