"""Removal of seats: undone until the turn is run, and by a rollback after that."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from sqlalchemy import select, update

from pbem.actions.base import CLI, DRY_RUN, run_action, run_query
from pbem.actions.deadlines import HoldCampaign
from pbem.actions.rollback import RollBack
from pbem.actions.seats import GiveSeat, OpenSeat, RemoveSeat, ResumeSeat
from pbem.actions.undo import UndoChange
from pbem.campaign.people import hash_token
from pbem.campaign.snapshot import SeatView
from pbem.errors import CampaignError
from pbem.scheduler.tick import run_campaign_now
from pbem.store.models import Campaign, Deputy, Seat, Turn
from tests.actions.acts import TOKEN
from tests.actions.history import begin, play, send, snapshot
from tests.inbox.people import ANN, BOB, CYD, EVE, GM, ask, token, words
from tests.toy.home import Desk, prepared

ALL = {"red": "BID 2", "blue": "BID 1", "green": "BID 0"}
NO_RULES = {"hold": "off"}


@pytest.fixture
@prepared
def played(desk: Desk) -> Desk:
    """Return a campaign with two of nine turns run; turn 3 is open."""
    begin(desk, rounds="9", rules=NO_RULES)
    play(desk, ALL)
    play(desk, ALL)
    return desk


def remove(desk: Desk, seat: str = "green") -> str:
    return run_action(desk.app, "toy1", RemoveSeat(seat), desk.now).done


def bring_back(desk: Desk, seat: str = "green") -> str:
    return run_action(desk.app, "toy1", ResumeSeat(seat), desk.now).done


def miss(desk: Desk) -> None:
    """Let a turn come to its deadline without a sheet of green."""
    send(desk, {"red": "BID 1", "blue": "BID 1"})
    assert len(desk.tick(hours=24 * 7).resolved) == 1
    desk.tick()


def place(desk: Desk, seat: str = "green") -> SeatView:
    return next(each for each in snapshot(desk).places if each.seat == seat)


def row(desk: Desk, seat: str = "green") -> tuple[object, ...]:
    """Return all columns of a seat."""
    with desk.app.store.reading() as session:
        return tuple(session.execute(select(*Seat.__table__.columns).where(Seat.name == seat)).one())


def removed(desk: Desk) -> list[list[str]]:
    """Return the seats whose removal each run was told, set-up first."""
    with desk.app.store.reading() as session:
        runs = select(Turn.record).where(Turn.record.is_not(None), Turn.withdrawal_id.is_(None)).order_by(Turn.number)
        return [json.loads(record or b"").get("removed", []) for record in session.scalars(runs)]


def test_the_effect_is_shown_first(played: Desk) -> None:
    """The dry run says when the seat leaves, which sheet is lost and how to undo it; nothing is changed."""
    send(played, {"green": "BID 1"})
    played.tick()
    before = row(played)
    shown = " ".join(
        RemoveSeat("green").render(run_query(played.app, "toy1", RemoveSeat("green"), played.now), DRY_RUN)
    )

    assert "it leaves the game when turn 3 is run; its sheet 1 is not used." in shown
    assert "Until then, bring it back with: pbem resume toy1 green (by mail: RESUME green)" in shown
    assert row(played) == before


def test_until_the_turn_is_run_it_is_taken_back(played: Desk) -> None:
    """Seat, token, deputy and sheet are as they were; the player is notified of both."""
    send(played, {"green": "BID 1"})
    played.tick()
    key, before = token(played, CYD), row(played)
    remove(played)
    played.tick()
    refused = ask(played, f"ORDERS toy1 green {key}\nBID 3 ; I am here again\nEND", CYD)
    said = bring_back(played)
    played.tick()

    assert "no longer plays" in refused
    assert said == "seat green is back in the game."
    assert "is back in the game: its removal was undone by the GM." in words(played.last(CYD))
    assert row(played) == before
    assert "Your order is in" in ask(played, f"ORDERS toy1 green {key}\nBID 3\nEND", CYD)
    run_campaign_now(played.app, "toy1", played.now)
    assert removed(played)[-1] == []


def test_after_the_turn_was_run_a_rollback_is_named(played: Desk) -> None:
    """After the run the removal cannot be undone; the refusal names the turn to roll back to."""
    remove(played)
    run_campaign_now(played.app, "toy1", played.now)

    with pytest.raises(CampaignError, match=r"turn 3 was run without it. .* pbem rollback toy1 3"):
        bring_back(played)
    assert removed(played)[-1] == ["green"]


@pytest.mark.parametrize("number", [2, 3])
def test_a_rollback_brings_the_seat_back(played: Desk, number: int) -> None:
    """In a turn that opened with the seat it plays again: its player is notified, and its sheets count."""
    send(played, {"green": "BID 1"})
    remove(played)
    run_campaign_now(played.app, "toy1", played.now)
    shown = list(RollBack(number).render(run_query(played.app, "toy1", RollBack(number), played.now), DRY_RUN))
    done = list(RollBack(number).render(run_action(played.app, "toy1", RollBack(number), played.now), CLI))
    played.tick()

    assert "Seat green would be in the game again, as it was then." in shown
    assert "Seat green is in the game again, as it was then." in done
    assert place(played).playing
    assert any("is back in the game" in words(mail) for mail in played.mails(CYD))
    assert any("is back in the game" in words(mail) for mail in played.mails(BOB))
    run_campaign_now(played.app, "toy1", played.now)
    assert removed(played)[-1] == []


def test_a_rollback_to_after_it_left_brings_nothing_back(played: Desk) -> None:
    """A turn that opened without the seat is open again without it."""
    remove(played)
    run_campaign_now(played.app, "toy1", played.now)
    run_campaign_now(played.app, "toy1", played.now)
    run_action(played.app, "toy1", RollBack(4), played.now)

    assert not place(played).playing
    run_campaign_now(played.app, "toy1", played.now)
    assert removed(played)[-2:] == [["green"], []]


def test_a_rollback_taken_back_takes_the_seat_out_again(played: Desk) -> None:
    """When the rollback is undone, the seat is out of the game again."""
    remove(played)
    run_campaign_now(played.app, "toy1", played.now)
    run_action(played.app, "toy1", RollBack(3), played.now)
    run_action(played.app, "toy1", UndoChange(), played.now)

    assert not place(played).playing
    run_campaign_now(played.app, "toy1", played.now)
    assert removed(played)[-2:] == [["green"], []]


def test_a_removal_during_a_hold_waits_for_the_turn(played: Desk) -> None:
    """While the campaign is held no turn is run, so the removal can be undone."""
    run_action(played.app, "toy1", HoldCampaign("a week off"), played.now)
    remove(played)
    played.tick(hours=24 * 8)

    assert bring_back(played) == "seat green is back in the game."
    assert snapshot(played).turn == 3


def test_a_seat_is_removed_once(played: Desk) -> None:
    """A second removal, or a change of the player, is refused with the command that brings the seat back."""
    remove(played)
    for wish in (RemoveSeat("green"), OpenSeat("green"), GiveSeat("green", EVE)):
        with pytest.raises(CampaignError, match=r"green is removed. Bring it back: pbem resume toy1 green"):
            run_action(played.app, "toy1", wish, played.now)


def test_a_seat_whose_player_plays_elsewhere_comes_back_open(played: Desk) -> None:
    """A person has only one seat, so the other one comes back open."""
    remove(played)
    run_action(played.app, "toy1", OpenSeat("blue"), played.now)
    run_action(played.app, "toy1", GiveSeat("blue", CYD), played.now)
    said = bring_back(played)

    assert said.startswith("seat green is back in the game, and open. To give it to a player: pbem give toy1")
    assert (place(played).address, place(played, "blue").address) == ("", CYD)


def test_a_deputy_who_gets_a_seat_meanwhile_stands_in_no_more(played: Desk) -> None:
    """The seat comes back without the deputy, who has a seat now and must not read its reports."""
    with played.app.store.writing() as session:
        seats = {each.name: each for each in session.scalars(select(Seat))}
        person = seats["red"].person_id
        assert person is not None
        until = played.now + dt.timedelta(60)
        session.add(Deputy(seat_id=seats["green"].id, person_id=person, since=played.now, until=until))
    run_action(played.app, "toy1", OpenSeat("red"), played.now)
    remove(played)
    run_action(played.app, "toy1", GiveSeat("red", ANN), played.now)
    bring_back(played)

    with played.app.store.reading() as session:
        assert [each.until for each in session.scalars(select(Deputy))] == [played.now]


def test_a_removal_by_the_house_rules_is_taken_back(desk: Desk) -> None:
    """The GM is told how; a rollback to a missed turn brings the seat back, one to a later turn does not."""
    begin(desk, rounds="9", rules={**NO_RULES, "remove_after_missed": "2"})
    for _ in range(2):
        miss(desk)
    assert not place(desk).playing
    told_gm = [words(mail) for mail in desk.mails(GM) if "no orders in turn 2" in mail["Subject"]][-1]
    assert "pbem resume toy1 green" in told_gm

    assert bring_back(desk) == "seat green is back in the game."
    remove(desk)
    miss(desk)
    run_action(desk.app, "toy1", RollBack(3), desk.now)
    assert not place(desk).playing
    run_action(desk.app, "toy1", RollBack(2), desk.now)
    assert place(desk).playing


def test_a_mail_takes_it_back(played: Desk) -> None:
    """REMOVE asks, REMOVE with YES does it, and RESUME brings the seat back."""
    with played.app.store.writing() as session:
        session.execute(update(Campaign).values(gm_token_hash=hash_token(TOKEN)))

    def mailed(line: str) -> str:
        return ask(played, f"GM toy1 {TOKEN}\n{line}\nEND", GM)

    asked = mailed("REMOVE green")
    assert "it leaves the game when turn 3 is run" in asked
    assert place(played).playing
    assert "To take it back: UNDO" in mailed("REMOVE green YES")
    assert not place(played).playing
    assert "Seat green is back in the game." in mailed("RESUME green")
    assert place(played).playing
