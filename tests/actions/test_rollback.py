"""Rollbacks to an earlier turn, and their undoing."""

from __future__ import annotations

import dataclasses
import datetime as dt

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from pbem.actions.base import CLI, run_action, run_query
from pbem.actions.rollback import RollBack
from pbem.actions.run_turn import always, run_turn
from pbem.actions.seats import GiveSeat
from pbem.actions.status import ShowStatus
from pbem.actions.undo import UndoChange
from pbem.admin.health import home_status
from pbem.campaign.snapshot import Context, locked_campaign
from pbem.errors import CampaignError
from pbem.store.models import InboxMessage, JournalEntry, OrderSheet, Seat, Turn
from tests.actions.history import ANN, BOB, begin, journal, live_turns, play, proof, rows, send, snapshot, subjects
from tests.toy.home import Desk, prepared, text_of
from tests.toy.ruleset import Auction

ALL = {"red": "BID 2", "blue": "BID 1", "green": "BID 0"}


@pytest.fixture
@prepared
def played(desk: Desk) -> Desk:
    """Return a campaign with two of five turns run; turn 3 is open."""
    begin(desk, rounds="5")
    play(desk, ALL)
    play(desk, {"red": "BID 1"})
    return desk


def test_a_rollback_opens_an_earlier_turn(played: Desk) -> None:
    """Turn 1 is open again with the state it had, and a deadline of its own; the journal says so."""
    before = live_turns(played)[1]
    rolled = run_action(played.app, "toy1", RollBack(1), played.now)

    now_open = live_turns(played)[-1]
    assert (now_open.number, now_open.state_hash, now_open.resolved_at) == (1, before.state_hash, None)
    assert now_open.deadline == rolled.deadline
    assert (snapshot(played).turn, snapshot(played).revision, snapshot(played).status) == (1, 1, "running")
    assert journal(played)[-1] == "rolled back from turn 3 to turn 1"


def test_nothing_rolled_back_is_lost(played: Desk) -> None:
    """The withdrawn turns keep their records, and their folders are moved to withdrawn/."""
    run_action(played.app, "toy1", RollBack(1), played.now)

    withdrawn = [turn for turn in rows(played, Turn) if turn.withdrawal_id is not None]
    assert [turn.number for turn in withdrawn] == [1, 2, 3]
    assert [bool(turn.record) for turn in withdrawn] == [True, True, False]
    folders = sorted(path.name[:4] for path in (played.home / "turns" / "toy1" / "withdrawn").iterdir())
    assert folders == ["0001", "0002"]


def test_players_are_told_of_a_rollback(played: Desk) -> None:
    """All players are told which turn is open, what no longer counts, and which of their sheets does."""
    run_action(played.app, "toy1", RollBack(2), played.now)
    played.tick()

    text = text_of(played.last(ANN))
    assert "round 2 is open again" in played.last(ANN)["Subject"]
    assert "Your GM rolled toy1 back: round 2 is open again." in text
    assert "Your orders, sheet 1, still count." in text
    assert "No orders of yours count yet." in text_of(played.last(BOB))


def test_a_reply_to_the_notice_is_a_sheet(played: Desk) -> None:
    """An answer to the notice of a rollback is a sheet for the turn that is open again."""
    run_action(played.app, "toy1", RollBack(2), played.now)
    played.tick()
    played.reply(played.last(BOB), "BID 5")
    played.tick()

    assert "Your order is in\nToy Auction · toy1 · blue · round 2\n" in text_of(played.last(BOB))


def test_old_sheets_do_not_run_the_turn_at_once(played: Desk) -> None:
    """After a rollback a turn with all sheets waits for its deadline, until all have sent again."""
    run_action(played.app, "toy1", RollBack(1), played.now)
    assert played.tick(hours=2).resolved == []

    send(played, ALL)
    played.tick()
    assert [turn.turn for turn in played.tick(hours=2).resolved] == [1]


def test_status_says_of_old_sheets_what_is_so(played: Desk) -> None:
    """The status says that the turn waits for its deadline because of them, as for a sheet with WAIT."""
    run_action(played.app, "toy1", RollBack(1), played.now)
    told = "\n".join(ShowStatus().render(home_status(played.app).campaigns[0], CLI))

    assert told.count("sheet 1, WAIT") == len(ALL)


def test_a_turn_run_again_without_new_sheets_comes_out_the_same(played: Desk) -> None:
    """The old sheets count, with the same dice, and the archive is proved."""
    first = live_turns(played)[2].state_hash
    run_action(played.app, "toy1", RollBack(1), played.now)
    play(played, {})

    assert live_turns(played)[2].state_hash == first
    assert proof(played).turns == 1


def test_reports_after_a_rollback_have_codes_of_their_own(played: Desk) -> None:
    """No code and no Message-ID is used twice, though the turn has the same number."""
    old = played.last(ANN)
    run_action(played.app, "toy1", RollBack(2), played.now)
    play(played, {"blue": "BID 3"})

    new = [mail for mail in played.mails(ANN) if "round 3" in mail["Subject"]]
    assert len({mail["Reply-To"] for mail in [*new, old]}) == 2
    assert len({mail["Message-ID"] for mail in played.mails()}) == len(played.mails())


def test_nobody_is_counted_what_another_missed_in_his_place(played: Desk) -> None:
    """After rollback and undo a new player has missed only what was missed since they came."""

    def blue() -> tuple[int, int]:
        seat = rows(played, Seat)[1]
        return seat.nmr_in_a_row, seat.nmr_total

    missed = [blue()]
    run_action(played.app, "toy1", GiveSeat("blue", "eve@example.net"), played.now)
    run_action(played.app, "toy1", RollBack(2), played.now)
    missed.append(blue())
    run_action(played.app, "toy1", UndoChange(), played.now)
    missed.append(blue())
    play(played, {"red": "BID 1"})
    missed.append(blue())
    run_action(played.app, "toy1", RollBack(2), played.now)
    missed.append(blue())

    assert missed == [(1, 1), (0, 0), (0, 0), (1, 1), (0, 0)]


def test_missed_sheets_are_counted_as_before(played: Desk) -> None:
    """Misses of withdrawn turns are not counted."""
    run_action(played.app, "toy1", RollBack(2), played.now)
    back = [(seat.nmr_in_a_row, seat.nmr_total) for seat in rows(played, Seat)]
    run_action(played.app, "toy1", UndoChange(), played.now)

    assert back == [(0, 0)] * 3
    assert [(seat.nmr_in_a_row, seat.nmr_total) for seat in rows(played, Seat)] == [(0, 0), (1, 1), (1, 1)]


def test_forward_takes_a_rollback_back(played: Desk) -> None:
    """All turns are as they were, replies to the last report count again, and the archive is proved."""
    report = played.last(ANN)
    run_action(played.app, "toy1", RollBack(1), played.now)
    run_action(played.app, "toy1", UndoChange(), played.now)
    played.tick()
    played.reply(report, "BID 3")
    played.tick()

    assert [turn.number for turn in live_turns(played)] == [0, 1, 2, 3]
    assert "back at round 3" in subjects(played, ANN)[-2]
    assert "Your order is in\nToy Auction · toy1 · red · round 3\n" in text_of(played.last(ANN))
    assert proof(played).turns == 2


def test_a_deadline_that_passed_meanwhile_is_set_anew(played: Desk) -> None:
    """A turn that is open again after weeks is not run at the next tick."""
    run_action(played.app, "toy1", RollBack(1), played.now)
    later = played.now + dt.timedelta(days=30)
    run_action(played.app, "toy1", UndoChange(), later)

    deadline = live_turns(played)[-1].deadline
    assert deadline is not None
    assert deadline > later


def test_two_rollbacks_are_taken_back_one_by_one(played: Desk) -> None:
    """The newest rollback is undone first."""
    run_action(played.app, "toy1", RollBack(2), played.now)
    first = next(entry.id for entry in rows(played, JournalEntry)[::-1] if entry.undo)
    run_action(played.app, "toy1", RollBack(1), played.now)

    run_action(played.app, "toy1", UndoChange(), played.now)
    assert snapshot(played).turn == 2
    run_action(played.app, "toy1", UndoChange(str(first)), played.now)
    assert snapshot(played).turn == 3
    played.tick()
    assert proof(played).turns == 2


def test_a_rollback_that_was_played_on_stands(played: Desk) -> None:
    """A rollback cannot be undone once the turn was run; the refusal says how to roll back again."""
    run_action(played.app, "toy1", RollBack(1), played.now)
    play(played, {})

    with pytest.raises(CampaignError, match=r"turn 1 was run\. Reopen it: pbem rollback toy1 1"):
        run_action(played.app, "toy1", UndoChange(), played.now)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (3, "turn 3 of toy1 is the one that is open: there is nothing to take back"),
        (4, "toy1 has no turn 4 to go back to: it can be 1 to 2"),
        (0, "toy1 has no turn 0 to go back to: it can be 1 to 2"),
    ],
)
def test_only_turns_that_were_run_can_be_opened_again(played: Desk, number: int, said: str) -> None:
    """A wrong turn is refused with those that are possible."""
    with pytest.raises(CampaignError, match=said):
        run_action(played.app, "toy1", RollBack(number), played.now)


def test_a_rollback_may_be_looked_at_first(played: Desk) -> None:
    """A dry run changes nothing and sends no mail."""
    queued = len(played.mails())
    rolled = run_query(played.app, "toy1", RollBack(1), played.now)
    played.tick()

    assert (rolled.before, rolled.turn, rolled.sheets) == (3, 1, {"red": 1, "blue": 1, "green": 1})
    assert (snapshot(played).turn, len(played.mails())) == (3, queued)


def test_a_crash_before_the_folders_are_moved_is_made_good(played: Desk) -> None:
    """After the commit the next tick moves the folders to withdrawn/ and writes the new ones."""
    with played.app.store.writing() as session:
        RollBack(1).do(Context(session, played.app, locked_campaign(session, "toy1"), played.now))
    with pytest.raises(CampaignError, match="withdrawn turn 1 is not archived yet; run: pbem tick"):
        proof(played)
    play(played, {"red": "BID 4"})

    assert proof(played).turns == 1


def go_twice(session: Session, played: Desk) -> None:
    """Roll back twice in one transaction; the second is refused."""
    for _ in range(2):
        RollBack(1).do(Context(session, played.app, locked_campaign(session, "toy1"), played.now))


def test_a_rollback_that_fails_changes_nothing(played: Desk) -> None:
    """A rollback is one transaction."""
    with pytest.raises(CampaignError), played.app.store.writing() as session:
        go_twice(session, played)

    assert snapshot(played).turn == 3
    assert proof(played).turns == 2


def test_rolling_to_and_fro_keeps_the_archive_whole(played: Desk) -> None:
    """After rollback, undo, run, another rollback and run the archive is proved each time."""
    run_action(played.app, "toy1", RollBack(2), played.now)
    run_action(played.app, "toy1", UndoChange(), played.now)
    play(played, ALL)
    assert proof(played).turns == 3

    run_action(played.app, "toy1", RollBack(2), played.now)
    play(played, {"blue": "BID 3"})
    play(played, {"blue": "BID 2"})
    assert proof(played).turns == 3


def test_a_game_that_was_over_goes_on(desk: Desk) -> None:
    """The campaign runs again; the GM and the journal are told that the dice are known."""
    begin(desk, rounds="1")
    play(desk, ALL)
    rolled = run_action(desk.app, "toy1", RollBack(1), desk.now)

    assert rolled.seed_known
    assert snapshot(desk).status == "running"
    assert journal(desk)[-1].endswith("the seed of the dice had been told")
    run_action(desk.app, "toy1", UndoChange(), desk.now)
    assert (live_turns(desk)[-1].deadline, snapshot(desk).status) == (None, "over")


def test_the_codes_of_a_game_that_was_over_open_no_seat(desk: Desk) -> None:
    """Readers of the archive have all its codes, so the notice of the rollback brings new ones."""
    begin(desk, rounds="1")
    play(desk, ALL)
    report = (desk.home / "turns" / "toy1" / "0000" / "reports" / "red.txt").read_text()
    line = next(line for line in report.splitlines() if line.startswith("ORDERS toy1 red "))
    desk.post("RESEND", sender="eve@example.net", to=f"orders+{line.split()[-1]}@example.org")
    desk.tick()
    assert last_key(desk) == ""

    run_action(desk.app, "toy1", RollBack(1), desk.now)
    desk.tick()
    desk.post(f"{line}\nBID 5\nEND", sender="eve@example.net")
    desk.reply(desk.last(ANN), "BID 1", sender="eve@example.net")

    assert desk.tick().processed.sheets == 1


def last_key(desk: Desk) -> str:
    """Return the name of the credential in the last message, by which limits are counted."""
    return str(rows(desk, InboxMessage)[-1].key)


def test_reports_still_unsent_are_not_sent(played: Desk) -> None:
    """Queued reports of a withdrawn turn are not sent; after the undo they are."""
    sent = len(subjects(played, ANN))
    run_turn(played.app, "toy1", played.now, reason="test", still=always)
    run_action(played.app, "toy1", RollBack(3), played.now)
    played.tick()
    assert [("round 4" in subject) for subject in subjects(played, ANN)[sent:]].count(True) == 0

    run_action(played.app, "toy1", UndoChange(), played.now)
    played.tick()
    assert any("round 4" in subject for subject in subjects(played, ANN))


def test_an_older_state_is_read_by_the_version_that_wrote_it(played: Desk) -> None:
    """After an update of the game a rollback to an older turn finds its state readable."""

    class Grown(Auction):
        version = 2

    grown = dataclasses.replace(played.app, games={"toy": Grown()})
    play(Desk(grown, played.now), {})
    assert snapshot(played).version == 2
    run_action(played.app, "toy1", RollBack(2), played.now)

    assert snapshot(played).version == 1


def test_sheets_sent_after_a_rollback_stay_with_it(played: Desk) -> None:
    """The undo of a rollback withdraws the sheets sent since, and reinstates those from before."""
    run_action(played.app, "toy1", RollBack(2), played.now)
    send(played, {"red": "BID 5"})
    played.tick()
    run_action(played.app, "toy1", UndoChange(), played.now)

    with played.app.store.reading() as session:
        kept = session.scalars(
            select(Turn.withdrawal_id).join(OrderSheet, OrderSheet.turn_id == Turn.id).where(OrderSheet.version == 2)
        ).all()
    assert kept == [2]
