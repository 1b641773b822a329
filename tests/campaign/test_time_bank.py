"""The house rule `bank`: missed deadlines are covered by time of the player's own, a day at a time."""

from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import delete, func, select

from pbem.actions.base import run_action
from pbem.actions.rollback import RollBack
from pbem.actions.seats import GiveSeat
from pbem.actions.time_bank import cover_missing
from pbem.admin.health import home_status
from pbem.app import App, open_app
from pbem.campaign.deadlines import due_turns, open_turns
from pbem.store.models import BankedTime, Report, Seat, Turn
from tests.faults.local import copy_home
from tests.faults.night import tick_in_a_process
from tests.toy.home import GAMES, Desk, open_desk, text_of

ANN, BOB, CYD, GM = "ann@example.org", "bob@example.org", "cyd@example.org", "gm@example.org"
TO_DEADLINE = 106
"""Hours from the start of the campaign, Monday 9:00 UTC, to Friday 20:00 in Berlin."""
DAY = 24


def begin(desk: Desk, **rules: str) -> None:
    """Start a campaign of three with a time bank of two days, in which nothing else delays a turn."""
    desk.start(rules={"bank": "2d", "hold": "off", **rules}, seats=("red", "blue", "green"), rounds="9")


def send(desk: Desk, *players: str) -> None:
    """Answer the newest reports of players with a bid."""
    for player in players:
        report = next(mail for mail in reversed(desk.mails(player)) if "+" in mail["Reply-To"])
        desk.reply(report, "BID 1")


def words(desk: Desk, to: str) -> str:
    """Return the newest mail to an address on one line."""
    return " ".join(text_of(desk.last(to)).split())


def deadline(desk: Desk) -> str:
    """Return the deadline of the open turn, in UTC."""
    found = home_status(desk.app, "toy1").campaigns[0].deadline
    return found.isoformat()[:16] if found else ""


def left(desk: Desk) -> dict[str, int | None]:
    """Return the hours left to each seat."""
    seats = home_status(desk.app, "toy1").campaigns[0].seats
    return {each.seat: each.bank_minutes // 60 for each in seats if each.bank_minutes is not None}


def test_a_missed_deadline_costs_a_day_of_ones_own(desk: Desk) -> None:
    """The turn waits a day, as often as the bank has one; then it runs. Who sent pays nothing."""
    begin(desk)
    send(desk, ANN, BOB)

    assert desk.tick(hours=TO_DEADLINE).resolved == []
    assert (deadline(desk), left(desk)) == ("2026-11-07T19:00", {"red": 48, "blue": 48, "green": 24})
    assert desk.tick(hours=DAY).resolved == []
    assert (deadline(desk), left(desk)) == ("2026-11-08T19:00", {"red": 48, "blue": 48, "green": 0})
    assert [turn.reason for turn in desk.tick(hours=DAY).resolved] == ["deadline"]


def test_everybody_is_told_once(desk: Desk) -> None:
    """Players and GM read who did not send, until when the turn waits, and what is left."""
    begin(desk)
    send(desk, ANN, BOB)
    desk.tick()
    before = {who: len(desk.mails(who)) for who in (ANN, BOB, CYD, GM)}
    desk.tick(hours=TO_DEADLINE)
    desk.tick(hours=1)

    said = "No orders came from green. The turn has 24 hours of their own time; green has 24 hours of 2 days left."
    for who in (ANN, BOB, CYD, GM):
        assert said in words(desk, who)
        assert "Due Sat 7 Nov, 20:00 CET" in words(desk, who)
    reminded = 1  # the reminder of the day before, to who has not sent
    assert {who: len(desk.mails(who)) - before[who] for who in before} == {ANN: 1, BOB: 1, CYD: 1 + reminded - 1, GM: 1}


def test_who_has_not_heard_of_a_turn_is_told_no_names(desk: Desk) -> None:
    """Of a turn that opened for some seats alone neither mail nor journal tells the others who is late."""
    begin(desk, bank="2d")
    send(desk, ANN, BOB, CYD)
    desk.tick(hours=TO_DEADLINE)
    with desk.app.store.writing() as session:
        turn = session.scalars(select(Turn).where(Turn.number == 2)).one()
        turn.awaited = ["red", "blue"]
        mine = select(Seat.id).where(Seat.name == "green").scalar_subquery()
        session.execute(delete(Report).where(Report.turn_id == turn.id, Report.seat_id == mine))
    send(desk, ANN)
    desk.tick(hours=7 * DAY)

    assert left(desk) == {"red": 48, "blue": 24, "green": 48}
    for who in (ANN, BOB, GM):
        assert "No orders came from blue" in words(desk, who)
    assert "The deadline has moved." in words(desk, CYD)
    assert "blue" not in words(desk, CYD)
    desk.post("JOURNAL", sender=CYD)
    desk.answer()
    assert "No orders came from" not in words(desk, CYD)


def test_a_plain_reply_to_the_notice_brings_the_orders(desk: Desk) -> None:
    """A player who is covered answers the notice; the turn runs once their sheet has settled."""
    begin(desk)
    send(desk, ANN, BOB)
    desk.tick(hours=TO_DEADLINE)
    desk.reply(desk.last(CYD), "BID 2")
    desk.tick()

    assert "orders in" in desk.last(CYD)["Subject"].lower()
    assert [turn.reason for turn in desk.tick(hours=1).resolved] == ["all_in"]


def test_players_who_have_nothing_left_gain_by_those_who_have(desk: Desk) -> None:
    """The turn waits for the one whose bank covers it; the other pays nothing more."""
    begin(desk)
    send(desk, ANN, BOB)
    for _ in range(2):
        desk.tick(hours=TO_DEADLINE if deadline(desk) == "2026-11-06T19:00" else DAY)
    desk.tick(hours=DAY)
    send(desk, ANN)
    desk.tick(hours=7 * DAY - 2 * DAY)

    assert left(desk) == {"red": 48, "blue": 24, "green": 0}
    assert "No orders came from blue." in words(desk, ANN)


def test_grace_comes_before_the_bank(desk: Desk) -> None:
    """With a grace the bank pays once that is over, and a late sheet within it costs nothing."""
    begin(desk, grace="12h")
    send(desk, ANN, BOB)
    desk.tick(hours=TO_DEADLINE)
    assert left(desk)["green"] == 48
    desk.tick(hours=12)

    assert (deadline(desk), left(desk)["green"]) == ("2026-11-07T19:00", 24)


def test_periods_are_no_longer_than_the_time_between_deadlines(desk: Desk) -> None:
    """In a campaign of twelve hours a turn, a period is twelve hours."""
    desk.start(rules={"bank": "1d", "hold": "off"}, rounds="9", deadline="EVERY 12h")
    desk.tick(hours=DAY)

    assert left(desk) == {"red": 12, "blue": 12}


def test_the_last_of_a_bank_covers_as_long_as_it_is(desk: Desk) -> None:
    """Of thirty hours the first period is a day, the next six hours; then the turn runs, and all of it is spent."""
    begin(desk, bank="30h")
    send(desk, ANN, BOB)
    desk.tick(hours=TO_DEADLINE)
    assert (deadline(desk), left(desk)["green"]) == ("2026-11-07T19:00", 6)
    desk.tick(hours=DAY)
    assert (deadline(desk), left(desk)["green"]) == ("2026-11-08T01:00", 0)

    assert [turn.reason for turn in desk.tick(hours=6).resolved] == ["deadline"]


def test_after_an_outage_of_the_host_a_period_is_paid_once(desk: Desk) -> None:
    """A tick that comes three days late gives time from then on, at the usual hour, for one period."""
    begin(desk)
    send(desk, ANN, BOB)
    desk.answer()
    desk.tick(hours=TO_DEADLINE + 3 * DAY - 1)

    assert left(desk)["green"] == 24
    assert deadline(desk) == "2026-11-09T19:00"


def test_what_is_rolled_back_has_cost_nothing(desk: Desk) -> None:
    """Time belongs to turns: a turn that is withdrawn gives it back."""
    begin(desk)
    send(desk, ANN, BOB)
    for hours in (TO_DEADLINE, DAY, DAY):
        desk.tick(hours=hours)
    assert left(desk)["green"] == 0
    run_action(desk.app, "toy1", RollBack(1), desk.now)

    assert left(desk)["green"] == 48


def test_a_new_player_has_a_bank_of_their_own(desk: Desk) -> None:
    """The spending of the player before is not theirs."""
    begin(desk)
    send(desk, ANN, BOB)
    desk.tick(hours=TO_DEADLINE)
    run_action(desk.app, "toy1", GiveSeat("green", "eve@example.net"), desk.now + dt.timedelta(hours=1))

    assert left(desk)["green"] == 48


def test_status_tells_a_player_their_own(desk: Desk) -> None:
    """STATUS by mail has the reader's time alone."""
    begin(desk)
    desk.post("STATUS\n", sender=ANN)
    desk.answer()

    assert "For deadlines that you miss you have 2 days of 2 days left." in words(desk, ANN)


def test_without_the_rule_deadlines_run_turns(desk: Desk) -> None:
    """A campaign has no bank unless its GM gives it one."""
    begin(desk, bank="off")

    assert [turn.reason for turn in desk.tick(hours=TO_DEADLINE).resolved] == ["deadline"]
    assert left(desk) == {}


def _charged(app: App) -> int:
    with app.store.reading() as session:
        return session.scalars(select(func.coalesce(func.sum(BankedTime.minutes), 0))).one()


@pytest.mark.in_turn
def test_a_kill_at_any_commit_charges_once_and_tells_all(tmp_path: Path) -> None:
    """Whenever a tick is killed at a deadline, the next has charged one day and told each player once."""
    home = tmp_path / "home"
    with open_desk(home) as desk:
        begin(desk)
        desk.tick()
        now = desk.now + dt.timedelta(hours=TO_DEADLINE)
    passed = tick_in_a_process(copy_home(home, "copy"), now=now).passed
    commits = [at for at, (_, point) in enumerate(pairwise(["", *passed])) if point.startswith("commit")]
    assert commits
    for at in commits:
        copy = copy_home(home, "copy")
        assert tick_in_a_process(copy, at=at, now=now).code == -9
        with open_app(copy, GAMES) as app:
            again = Desk(app, now + dt.timedelta(minutes=5))
            again.tick()
            again.tick(hours=1)
            assert (at, _charged(app)) == (at, 3 * 24 * 60)
            notices = {mail["Message-ID"] for mail in again.mails() if "more time" in mail["Subject"]}
            assert (at, len(notices)) == (at, 3)


def test_two_at_once_charge_once(desk: Desk) -> None:
    """Of two processes that find the same turn due, one covers it."""
    begin(desk)
    now = desk.now + dt.timedelta(hours=TO_DEADLINE)
    (due,) = due_turns(open_turns(desk.app), now)
    with ThreadPoolExecutor(2) as pool:
        covered = list(pool.map(lambda _: cover_missing(desk.app, due, now), range(2)))

    assert sorted(covered) == [False, True]
    assert _charged(desk.app) == 3 * 24 * 60
