"""The newest change of the GM is undone by restoring the rows that it changed; those who were mailed are notified."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, update

from pbem.actions.base import Change as Deed
from pbem.actions.base import attempt, do_as_shown, run_action, run_query
from pbem.actions.deadlines import ExtendDeadline, HoldCampaign, ReleaseCampaign
from pbem.actions.open_turn import EnterSheet, RollDice
from pbem.actions.press import Announce, AnnounceInReport
from pbem.actions.rerun import EditState, ShowState
from pbem.actions.rollback import RollBack
from pbem.actions.ruling import SubmitRuling
from pbem.actions.run_turn import run_turn
from pbem.actions.seats import GiveSeat, Invite, OpenSeat, PauseSeat, RemoveSeat, ResumeSeat, SwapSeats
from pbem.actions.settings import SetHouseRule, ShowJournal
from pbem.actions.undo import UndoChange, UndoResult
from pbem.actions.withdraw_ruling import ShowRuling
from pbem.actions.withdrawal import find_inconsistency
from pbem.app import App
from pbem.campaign.deadlines import open_turns
from pbem.campaign.snapshot import Context, load_campaign
from pbem.errors import CampaignError, Conflict
from pbem.ruleset import Order, View
from pbem.scheduler.tick import run_campaign_now
from pbem.store.models import Announcement, Base, JournalEntry, OrderSheet, OutgoingMail, Turn
from tests.actions.acts import STAGES, choose, form
from tests.actions.history import begin, play
from tests.inbox.people import insist
from tests.toy.home import Desk, open_desk, prepared, text_of
from tests.toy.ruleset import Auction

ALL = {"red": "BID 2", "blue": "BID 1", "green": "BID 0"}


@pytest.fixture
@prepared
def running(desk: Desk) -> Desk:
    """Return a campaign with turn 2 open, whose mails are all sent."""
    begin(desk, rounds="9")
    play(desk, ALL)
    desk.tick()
    return desk


def act(desk: Desk, deed: Deed[Any]) -> Any:
    """Do an action as on the command line, without being asked."""
    return run_action(desk.app, "toy1", deed, desk.now)


def undo(desk: Desk, entry: int | None = None) -> UndoResult:
    """Undo the newest change, or that of an entry."""
    result: UndoResult = act(desk, UndoChange(None if entry is None else str(entry)))
    return result


def rows(app: App) -> dict[str, list[str]]:
    """Return all rows but those of mail and journal."""
    with app.store.reading() as session:
        return {
            table.name: [repr(row) for row in session.execute(select(*table.columns).order_by(*table.primary_key))]
            for table in Base.metadata.sorted_tables
            if table.name not in ("act", "fact", "inbox", "outgoing", "person")
        }


def outbox(desk: Desk, state: str = "queued") -> list[str]:
    """Return the recipients of all mail in this state."""
    with desk.app.store.reading() as session:
        mails = select(OutgoingMail.recipient).where(OutgoingMail.state == state).order_by(OutgoingMail.id)
        return list(session.scalars(mails))


REVERSIBLE: dict[str, Deed[Any]] = {
    "deadline": ExtendDeadline("24h"),
    "schedule": SetHouseRule({"schedule": "DAILY 20:00 UTC"}),
    "house rules": SetHouseRule({"grace": "2h"}),
    "hold": HoldCampaign("on a train"),
    "give": GiveSeat("green", "dan@example.org"),
    "swap": SwapSeats("red", "green"),
    "open": OpenSeat("green"),
    "pause": PauseSeat("green"),
    "remove": RemoveSeat("green"),
    "invite": Invite("dan@example.org"),
}


@pytest.mark.parametrize("kind", REVERSIBLE)
def test_what_was_not_mailed_is_undone_without_a_trace_in_the_outbox(running: Desk, kind: str) -> None:
    """Undone before the next tick, a change leaves all rows as they were, and no mail; nothing is asked."""
    before = rows(running.app)
    act(running, REVERSIBLE[kind])
    queued = len(outbox(running))
    tried = attempt(running.app, "toy1", UndoChange(), running.now)

    assert tried.read_set is None
    assert (tried.facts.mailed, tried.facts.dropped) == (0, queued)
    assert rows(running.app) == before
    assert outbox(running) == []


def journal(desk: Desk) -> list[str]:
    """Return the texts of the entries that are marked as such that can be undone, oldest first."""
    return [each.text for each in run_query(desk.app, "toy1", ShowJournal(), desk.now).entries if each.undoable]


def refused(desk: Desk, entry: int | None = None) -> str:
    """Return why nothing is undone; all rows stay as they are."""
    before = rows(desk.app)
    with pytest.raises(CampaignError) as error:
        undo(desk, entry)
    assert rows(desk.app) == before
    return str(error.value)


def last_entry(desk: Desk) -> int:
    """Return the number of the newest entry of a change of the GM."""
    with desk.app.store.reading() as session:
        changes = select(func.max(JournalEntry.id)).where(JournalEntry.undo.is_not(None))
        return session.scalars(changes).one() or 0


@pytest.mark.parametrize("kind", ["deadline", "schedule", "hold", "remove"])
def test_those_who_were_mailed_are_notified(running: Desk, kind: str) -> None:
    """Once its mails went out, undoing a change is asked about; then each reader gets one mail."""
    before = rows(running.app)
    act(running, REVERSIBLE[kind])
    told = sorted(outbox(running))
    running.tick()
    tried = attempt(running.app, "toy1", UndoChange(), running.now)
    assert tried.read_set is not None
    assert (tried.facts.mailed, tried.facts.dropped) == (len(told), 0)

    do_as_shown(running.app, "toy1", UndoChange().confirmed(tried.facts), running.now, tried.read_set)
    assert rows(running.app) == before
    assert sorted(outbox(running)) == told


def test_a_seat_is_given_until_its_player_was_mailed(running: Desk) -> None:
    """Once the new player has the token, the seat is given back by its own command, which is named."""
    act(running, REVERSIBLE["give"])
    running.tick()

    assert "pbem give toy1 green to cyd@example.org" in refused(running)


def test_undo_never_skips_the_newest_change(running: Desk) -> None:
    """After a change that cannot be undone, an earlier one is not undone either, unless it is named."""
    act(running, REVERSIBLE["house rules"])
    entry = last_entry(running)
    act(running, Announce("Be brave", ("all",)))
    assert "an announcement is mailed at once" in refused(running)

    undo(running, entry)
    assert "has undone something itself. Do it again: pbem set toy1 grace=2h" in refused(running)
    assert "was undone already" in refused(running, entry)


AGAIN = {
    "deadline": "pbem deadline toy1 2026-11-07T20:00 (by mail: DEADLINE 2026-11-07T20:00)",
    "schedule": 'pbem set toy1 schedule="DAILY 20:00 UTC" (by mail: SET schedule="DAILY 20:00 UTC")',
    "house rules": "pbem set toy1 grace=2h (by mail: SET grace=2h)",
    "give": "pbem give toy1 green to dan@example.org (by mail: GIVE green TO dan@example.org)",
    "invite": "pbem invite toy1 dan@example.org (by mail: INVITE dan@example.org)",
    "sheet": "pbem sheet toy1 green back (by mail: SHEET green BACK)",
}


@pytest.mark.parametrize("kind", AGAIN)
def test_what_was_undone_is_done_again_by_a_command_that_can_be_copied(running: Desk, kind: str) -> None:
    """The answer to a second UNDO names the real time, rules, seat and address, and no placeholder."""
    act(running, {**REVERSIBLE, "sheet": EnterSheet("green", [(1, "BID 3")])}[kind])
    undo(running)

    assert refused(running).endswith(f"Do it again: {AGAIN[kind]}")


def test_a_roll_is_final(running: Desk) -> None:
    """Dice that were rolled are never taken back."""
    with running.app.store.writing() as session:
        session.execute(update(JournalEntry).values(undo=None))
        last = session.scalars(select(func.max(JournalEntry.id))).one()
        session.execute(update(JournalEntry).where(JournalEntry.id == last).values(undo={"action": "roll"}))

    assert refused(running) == "a roll is final"
    assert RollDice.kind == "roll"


def test_a_deadline_is_final_once_its_turn_was_run(running: Desk) -> None:
    """A change for a turn that was run is not undone; the command that reopens it is named."""
    act(running, REVERSIBLE["deadline"])
    entry = last_entry(running)
    run_campaign_now(running.app, "toy1", running.now)

    expected = "turn 2 was run. Reopen it: pbem rollback toy1 2 (by mail: ROLLBACK 2)"
    assert refused(running, entry) == expected
    assert refused(running) == expected


def test_what_has_changed_since_is_named(running: Desk) -> None:
    """An earlier change whose row was changed since stays as it is."""
    act(running, ExtendDeadline("24h"))
    entry = last_entry(running)
    act(running, ExtendDeadline("2h"))

    assert "the deadline was changed since" in refused(running, entry)


def test_changes_of_other_rows_do_not_matter(running: Desk) -> None:
    """An earlier change is undone by its number if nothing has touched its rows."""
    act(running, PauseSeat("green"))
    entry = last_entry(running)
    act(running, PauseSeat("blue"))
    undo(running, entry)

    with running.app.store.reading() as session:
        paused = {place.seat: place.paused for place in load_campaign(session, "toy1").places}
    assert paused == {"red": False, "blue": True, "green": False}


def test_the_journal_marks_what_can_be_undone(running: Desk) -> None:
    """The GM sees which entries can be undone now; a player sees no mark."""
    act(running, ExtendDeadline("24h"))
    act(running, PauseSeat("green"))
    assert [text.split()[0] for text in journal(running)] == ["turn", "seat"]

    running.post("PLAYER toy1 red\nHISTORY\nEND", sender="ann@example.org")
    running.tick()
    assert "undo" not in text_of(running.last()).lower()
    undo(running)
    assert [text.split()[0] for text in journal(running)] == ["turn"]


def test_a_removed_seat_comes_back_with_its_sheet(running: Desk) -> None:
    """The other way of bringing a seat back, RESUME, is undone too."""
    act(running, RemoveSeat("green"))
    before = rows(running.app)
    act(running, ResumeSeat("green"))
    undo(running)

    assert rows(running.app) == before


def test_released_again(running: Desk) -> None:
    """A release is undone to the same hold, with its reason."""
    act(running, HoldCampaign("on a train"))
    before = rows(running.app)
    act(running, ReleaseCampaign())
    undo(running)

    assert rows(running.app) == before


def test_an_invitation_is_undone_until_it_is_accepted(running: Desk) -> None:
    """Its code is void then; an accepted invitation stays."""
    act(running, OpenSeat("green"))
    act(running, Invite("dan@example.org"))
    entry = last_entry(running)
    running.tick()
    running.reply(running.last("dan@example.org"), "YES")
    running.tick()

    assert "the invitation was changed since" in refused(running, entry)


def test_a_sheet_that_was_entered_no_longer_counts(running: Desk) -> None:
    """The sheet stays, with its number and receipt, and the player's own counts again."""
    running.reply(running.last(), "BID 1")
    running.tick()
    act(running, EnterSheet("red", [(1, "BID 3")]))
    undo(running)

    with running.app.store.reading() as session:
        sheets = session.execute(select(OrderSheet.accepted, OrderSheet.author).order_by(OrderSheet.id)).all()
    assert [tuple(row) for row in sheets[-2:]] == [(True, "player"), (False, "gm")]
    assert act(running, EnterSheet("red", [(1, "BID 3")])).version == 3


@pytest.mark.parametrize("sheet", ["BID 1", "BIT 1"])
def test_a_sheet_that_is_undone_holds_no_turn(running: Desk, sheet: str) -> None:
    """After the undo of a sheet with a refused line the turn waits for what it waited for before."""
    report = running.last()
    running.reply(report, "BID 2")
    running.tick()
    running.reply(report, sheet)
    running.tick()
    (before,) = open_turns(running.app)
    act(running, EnterSheet("red", [(1, "BID 3"), (2, "BIT 4")]))
    (between,) = open_turns(running.app)
    undo(running)
    (after,) = open_turns(running.app)

    assert [turn.is_held_by("red") for turn in (before, between, after)] == [sheet == "BIT 1", True, sheet == "BIT 1"]


def test_a_sheet_undone_while_its_turn_is_computed_does_not_count(running: Desk) -> None:
    """The turn is computed again with the sheet before it."""
    undone: list[UndoResult] = []

    class Interrupted(Auction):
        """Auction in which the GM undoes a sheet while defaults are asked for."""

        def defaults(self, view: View, kept: tuple[Order, ...]) -> tuple[Order, ...]:
            if not undone:
                undone.append(undo(running))
            return super().defaults(view, kept)

    running.reply(running.last(), "BID 1")
    running.tick()
    act(running, EnterSheet("red", [(1, "BID 3")]))
    run_turn(replace(running.app, games={"toy": Interrupted()}), "toy1", running.now, reason="test")

    with running.app.store.reading() as session:
        kept = session.scalar(select(Turn.record).where(Turn.number == 2))
    assert kept is not None
    assert (len(undone), json.loads(kept)["orders"]["red"]) == (1, [{"order": "bid", "coins": 1}])


def test_words_for_reports_are_taken_out(running: Desk) -> None:
    """A text in the next reports is undone; another before it stays."""
    act(running, AnnounceInReport("Be brave"))
    act(running, AnnounceInReport("And wise"))
    undo(running)

    with running.app.store.reading() as session:
        assert session.scalars(select(Announcement.text)).all() == ["Be brave"]


def test_an_edited_state_is_made_again_what_it_was(running: Desk) -> None:
    """The state before the edit counts again, by a rerun that the archive proves."""
    before = run_query(running.app, "toy1", ShowState(), running.now).state
    act(running, EditState([{"op": "replace", "path": "/purses/1", "value": 40}]))
    done = undo(running)

    assert run_query(running.app, "toy1", ShowState(), running.now).state == before
    assert done.corrected == ("blue",)
    assert "has undone something itself" in refused(running)


def test_a_rollback_is_undone(running: Desk) -> None:
    """The turns that it withdrew are reinstated, and each player has one mail, not two."""
    act(running, RollBack(1))
    undo(running)

    assert run_query(running.app, "toy1", ShowState(), running.now).turn == 2
    assert sorted(outbox(running)) == ["ann@example.org", "bob@example.org", "cyd@example.org"]


def test_rollbacks_are_undone_one_by_one(running: Desk) -> None:
    """Changes that could be undone before a rollback can be again once that is undone."""
    play(running, ALL)
    entries = []
    for deed in (ExtendDeadline("24h"), RollBack(2), ExtendDeadline("24h"), RollBack(1)):
        act(running, deed)
        entries.append(last_entry(running))
    extended, first, between, second = entries

    assert undo(running, second).what == "rolled back from turn 2 to turn 1"
    assert undo(running, between).what.startswith("turn 2 extended")
    assert undo(running, first).what == "rolled back from turn 3 to turn 2"
    assert "was undone already" in refused(running, second)
    assert undo(running, extended).what.startswith("turn 3 extended")


def test_a_mail_that_goes_out_meanwhile_is_a_conflict(running: Desk) -> None:
    """A mail shown as dropped may be sent before that is done: then nothing is done, and it is asked again."""
    act(running, ExtendDeadline("24h"))
    wish = UndoChange()
    with running.app.store.reading() as session:
        plan = wish.plan(Context(session, running.app, load_campaign(session, "toy1"), running.now))
    running.tick()
    with running.app.store.writing() as session, pytest.raises(Conflict):
        wish.keep(Context(session, running.app, load_campaign(session, "toy1"), running.now), plan)


HOSTILE: dict[str, Any] = {
    "no object": [1],
    "unknown action": {"action": "shell"},
    "another table": {"action": "pause", "rows": [{"table": "person", "id": 1, "before": {"key": "a"}, "after": {}}]},
    "a table of another action": {
        "action": "pause",
        "rows": [{"table": "campaign", "id": 1, "before": {"policy": "{}"}, "after": {"policy": "{}"}}],
    },
    "another column": {
        "action": "pause",
        "rows": [{"table": "seat", "id": 1, "before": {"id": 9}, "after": {"id": 1}}],
    },
    "a wrong value": {
        "action": "pause",
        "rows": [{"table": "seat", "id": 1, "before": {"paused": "no"}, "after": {"paused": False}}],
    },
    "a wrong word": {
        "action": "remove",
        "rows": [{"table": "seat", "id": 1, "before": {"status": "king"}, "after": {"status": "playing"}}],
    },
    "an address that is none": {
        "action": "give",
        "rows": [{"table": "seat", "id": 1, "before": {"token_hash": "'; DROP"}, "after": {"token_hash": ""}}],
    },
    "half a row": {"action": "text", "rows": [{"table": "gm_text", "id": 1, "before": {"text": "x"}, "after": None}]},
    "a whole campaign": {"action": "schedule", "rows": [{"table": "campaign", "id": 1, "before": None, "after": {}}]},
    "a seat of nobody": {
        "action": "pause",
        "rows": [{"table": "seat", "id": 999, "before": {"paused": True}, "after": {"paused": False}}],
    },
    "numbers that are none": {"action": "pause", "mails": ["1; DROP"], "rows": []},
    "too large numbers": {"action": "pause", "turn": 2**70},
    "deep": {"action": "pause", "rows": {"a": [[[[[]]]]]}},
    "a text for a stranger's seat": {
        "action": "drop text",
        "turn": 2,
        "rows": [
            {
                "table": "gm_text",
                "id": 77,
                "before": {"campaign_id": 1, "turn": 3, "seat_id": 555, "text": "x", "at": "2026-11-02 09:00:00+00:00"},
                "after": None,
            }
        ],
    },
    "a person that is not there": {
        "action": "give",
        "turn": 2,
        "rows": [{"table": "seat", "id": 1, "before": {"person_id": 4444}, "after": {"person_id": 1}}],
    },
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_what_a_stranger_stored_in_the_journal_writes_nothing(running: Desk, kind: str) -> None:
    """Data of an entry that no action left is refused in a sentence, and the journal is shown all the same."""
    with running.app.store.writing() as session:
        last = session.scalars(select(func.max(JournalEntry.id))).one()
        session.execute(update(JournalEntry).where(JournalEntry.id == last).values(undo=HOSTILE[kind]))

    assert refused(running)
    assert run_query(running.app, "toy1", ShowJournal(), running.now).entries


def test_data_that_is_no_json_is_refused(running: Desk) -> None:
    """A damaged value stops the undoing of its own entry alone."""
    act(running, PauseSeat("green"))
    with running.app.store.writing() as session:
        session.connection().exec_driver_sql("UPDATE act SET undo = '{[' WHERE undo IS NOT NULL")

    assert "cannot be undone: what was stored with it cannot be used" in refused(running)
    assert run_query(running.app, "toy1", ShowJournal(), running.now).entries


def test_a_player_may_have_changed_the_row(running: Desk) -> None:
    """A seat that its player has paused or resumed since is left as it is."""
    act(running, PauseSeat("red"))
    insist(running, "PLAYER toy1 red\nRESUME\nEND")

    assert "seat red was changed since" in refused(running)


def test_two_at_once_undo_once(shared: Desk) -> None:
    """Of two who undo the same change at once, on either database, one does it; the other is told that it is done."""
    act(shared, PauseSeat("red"))
    entry, said = last_entry(shared), []

    def work() -> None:
        try:
            undo(shared, entry)
            said.append("done")
        except CampaignError as error:
            said.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(said)[0] == "done"
    assert "done" not in sorted(said)[1:]


def test_an_undo_meets_the_tick_that_runs_the_turn(shared: Desk) -> None:
    """Either the deadline is undone before its turn is run, or undoing it is refused."""
    act(shared, ExtendDeadline("1h"))
    entry, said = last_entry(shared), []

    def work() -> None:
        try:
            said.append(undo(shared, entry).what)
        except CampaignError as error:
            said.append(str(error))

    threads = [
        threading.Thread(target=work),
        threading.Thread(target=run_campaign_now, args=(shared.app, "toy1", shared.now)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(said) == 1
    with shared.app.store.reading() as session:
        assert load_campaign(session, "toy1").turn == 2
        assert find_inconsistency(session, load_campaign(session, "toy1")) is None


def test_a_ruling_is_undone_to_the_one_before(tmp_path: Path) -> None:
    """The ruling that was replaced counts again, and the first is dropped; what is undone is kept with the earlier."""
    stage = STAGES["ruled"]
    with open_desk(tmp_path / "home", games=stage.games) as desk:
        desk.now = stage.prepare(desk)
        act(desk, SubmitRuling({"all.txt": "It rained."}))
        first = last_entry(desk)
        act(desk, SubmitRuling({"all.txt": "It snowed."}))
        assert "the ruling was changed since" in refused(desk, first)

        undo(desk)
        shown = run_query(desk.app, "toy1", ShowRuling(), desk.now)
        assert "It rained." in " ".join(shown.parts.values())
        undo(desk, first)
        shown = run_query(desk.app, "toy1", ShowRuling(), desk.now)
        assert (dict(shown.parts), len(shown.earlier)) == ({}, 2)


def test_a_seat_changes_back_before_the_start(desk: Desk) -> None:
    """Before the start too a seat is given back with the dice word of its player, until the tick mails the other."""
    form(desk)
    choose(desk.app, desk.now)
    before = rows(desk.app)
    act(desk, GiveSeat("red", "dan@example.org"))
    undo(desk)

    assert rows(desk.app) == before
