"""Reruns of the last turn: corrected reports, unchanged ones, and the sheets that still count."""

from __future__ import annotations

import dataclasses
import datetime as dt

import pytest

from pbem.actions.base import DRY_RUN, MOST_LINES, attempt, diff_lines, do_as_shown, run_action, run_query
from pbem.actions.open_turn import EnterSheet
from pbem.actions.press import AnnounceInReport
from pbem.actions.rerun import EditState, RerunTurn, apply_rerun
from pbem.actions.rerun_plan import RerunChanges, RerunImpact, plan_rerun
from pbem.actions.rollback import RollBack
from pbem.actions.undo import UndoChange
from pbem.campaign.order_sheets import Lines
from pbem.campaign.snapshot import Context, locked_campaign
from pbem.errors import CampaignError, Conflict
from pbem.ruleset import Json
from pbem.store.models import JournalEntry, OrderSheet, Report, Seat, Turn
from tests.actions.history import ANN, BOB, CYD, begin, journal, live_turns, play, proof, rows, send, snapshot
from tests.actions.test_turns import Grown
from tests.toy.home import ADDRESSES, Desk, prepared, text_of
from tests.toy.ruleset import Table


class Strict(Grown):
    """Ruleset that reads saves of its own version; older ones only after their upgrade."""

    def read(self, data: Json) -> Table:
        return super().read({**data, "coins": data["coins"]})


def lines(text: str) -> Lines:
    """Return order lines with their numbers."""
    return list(enumerate(text.split("\n"), start=1))


def again(desk: Desk, *, sure: bool = True, **sheets: str) -> RerunImpact:
    """Run the last turn again with other sheets."""
    changes = RerunChanges(sheets={seat: lines(text) for seat, text in sheets.items()})
    return (run_action if sure else run_query)(desk.app, "toy1", RerunTurn(changes), desk.now)


@pytest.fixture
@prepared
def played(desk: Desk) -> Desk:
    """Return a campaign with turn 1 run: red won, and whispered to blue; green sent nothing."""
    begin(desk, rounds="5")
    play(desk, {"red": "BID 2\nWHISPER blue deal", "blue": "BID 1"})
    return desk


def test_what_was_shown_can_be_confirmed(played: Desk) -> None:
    """The entry that the GM looked is no change of the campaign; press that comes meanwhile is."""
    wish = RerunTurn(RerunChanges(sheets={"red": lines("BID 1")}))
    shown = attempt(played.app, "toy1", wish, played.now)
    assert shown.read_set is not None
    do_as_shown(played.app, "toy1", wish, played.now, shown.read_set)

    wish = RerunTurn(RerunChanges(sheets={"red": lines("BID 2")}))
    shown = attempt(played.app, "toy1", wish, played.now)
    assert shown.read_set is not None
    run_action(played.app, "toy1", AnnounceInReport("Hear all"), played.now)
    with pytest.raises(Conflict):
        do_as_shown(played.app, "toy1", wish, played.now, shown.read_set)


def test_only_those_told_otherwise_get_a_corrected_report(played: Desk) -> None:
    """Red's words to blue are corrected: red and blue get a mail; green, who knows of none, does not."""
    before = {to: len(played.mails(to)) for to in (ANN, BOB, CYD)}
    impact = again(played, red="BID 2\nWHISPER blue never")
    played.tick()

    assert [touched.seat for touched in impact.touched] == ["red", "blue"]
    assert impact.untouched == ("green",)
    assert {to: len(played.mails(to)) - count for to, count in before.items()} == {ANN: 1, BOB: 1, CYD: 0}


def test_a_corrected_report_says_so_and_what_differs(played: Desk) -> None:
    """Subject and title say so; sentences on what differs are above the report, and every changed line is below it."""
    again(played, red="BID 2\nWHISPER blue never")
    played.tick()
    mail = played.last(BOB)

    different, _, below = text_of(mail).partition("TO SEND ORDERS")
    assert mail["Subject"].startswith("[toy1] CORRECTED, round 2, due Fri 6 Nov 20:00 CET ")
    assert different.startswith("Round 2, corrected\n")
    assert "- New: red whispered to you: never.\n- No longer: red whispered to you: deal.\n" in different
    assert "EVERY CHANGED LINE\n\n- - red whispered to you: deal.\n+ - red whispered to you: never.\n" in below
    assert [report.edition for report in rows(played, Report)[-2:]] == [2, 2]


def test_the_first_turn_after_an_update_of_the_game_is_run_again(played: Desk) -> None:
    """A turn is run again whose state the older version of the game had written."""
    updated = Desk(dataclasses.replace(played.app, games={"toy": Strict()}), played.now)
    play(updated, {"red": "BID 1"})
    impact = again(updated)

    assert (impact.touched, snapshot(updated).version) == ((), 2)


def test_the_html_is_marked_and_escaped(played: Desk) -> None:
    """The HTML part of a corrected report has the same sentences and lines."""
    again(played, red="BID 2\nWHISPER blue never")
    played.tick()
    body = played.last(BOB).get_body(("html",))

    assert body is not None
    assert "Your GM corrected this report" in body.get_content()
    assert "New: red whispered to you: never.</li>" in body.get_content()
    assert "+ - red whispered to you: never." in body.get_content()


def test_a_report_names_the_sheet_that_was_used_in_the_end(played: Desk) -> None:
    """The GM's sheet is the seat's second, and the corrected report has its number."""
    again(played, red="BID 2\nWHISPER blue never")
    played.tick()
    sheet = rows(played, OrderSheet)[-1]

    assert (sheet.version, sheet.author) == (2, "gm")
    assert "This report is made of your sheet 2." in text_of(played.last(ANN))


def test_the_code_of_an_untouched_report_stays_good(played: Desk) -> None:
    """An answer to an unchanged report counts."""
    report = played.last(CYD)
    again(played, red="BID 2\nWHISPER blue never")
    played.reply(report, "BID 3")
    played.tick()

    assert "Your order is in" in text_of(played.last(CYD))


def test_the_corrected_report_can_be_answered(played: Desk) -> None:
    """The corrected report has a new code, which counts for the open turn."""
    old = played.last(BOB)
    again(played, red="BID 2\nWHISPER blue never")
    played.tick()
    new = played.last(BOB)
    played.reply(new, "BID 3")
    played.tick()

    assert new["Reply-To"] != old["Reply-To"]
    assert "Your order is in" in text_of(played.last(BOB))


def test_a_dry_run_changes_nothing(played: Desk) -> None:
    """A dry run returns the impact and changes nothing."""
    turns, mails = rows(played, Turn), len(played.mails())
    impact = again(played, sure=False, red="BID 9\nWHISPER blue deal")
    played.tick()

    assert {touched.seat for touched in impact.touched} == {"red"}
    assert [turn.id for turn in rows(played, Turn)] == [turn.id for turn in turns]
    assert len(played.mails()) == mails


def test_nothing_put_right_touches_nobody(played: Desk) -> None:
    """The same sheets and dice give the same reports: no mail, and every code stays valid."""
    codes = [report.code for report in rows(played, Report)]
    impact = again(played)

    assert (impact.touched, impact.untouched) == ((), ("red", "blue", "green"))
    assert [report.code for report in rows(played, Report)] == codes


def test_a_sheet_that_still_fits_is_kept(played: Desk) -> None:
    """A player whose report changes keeps the sheet for the open turn, which waits until they are ready."""
    send(played, {"red": "BID 3", "blue": "BID 3", "green": "BID 3"})
    played.tick()
    impact = again(played, red="BID 2\nWHISPER blue never")
    played.tick()

    assert [touched.sheet for touched in impact.touched] == ["kept", "kept"]
    assert "Your orders for round 2 still count. You can change them until the deadline." in text_of(played.last(BOB))
    assert played.tick(hours=2).resolved == []
    play(played, {})
    assert proof(played).turns == 2


def test_a_sheet_of_an_untouched_seat_is_kept_as_it_is(played: Desk) -> None:
    """The sheet of an unchanged seat does not even wait."""
    send(played, {"green": "BID 3"})
    played.tick()
    again(played, red="BID 2\nWHISPER blue never")

    kept = rows(played, OrderSheet)[-1]
    assert (kept.wait, kept.turn_id) == (False, live_turns(played)[-1].id)


def test_a_missing_sheet_can_be_entered_afterwards(played: Desk) -> None:
    """With green's lost sheet the turn has another result, and green has missed nothing."""
    impact = again(played, green="BID 9")
    green = rows(played, Seat)[2]

    assert [touched.seat for touched in impact.touched] == ["red", "blue", "green"]
    assert (green.nmr_in_a_row, green.nmr_total) == (0, 0)
    assert live_turns(played)[-1].awaited == ["blue", "green", "red"]


def test_the_deadline_stays(played: Desk) -> None:
    """A rerun does not move the deadline."""
    deadline = live_turns(played)[-1].deadline
    again(played, red="BID 9")

    assert live_turns(played)[-1].deadline == deadline


def test_a_deadline_that_has_passed_is_set_anew(played: Desk) -> None:
    """Players whose reports change get a new deadline if the turn was about to be run."""
    played.now += dt.timedelta(days=7)
    impact = again(played, red="BID 9")

    assert impact.deadline is not None
    assert impact.deadline > played.now
    assert impact.moved
    assert live_turns(played)[-1].deadline == impact.deadline
    assert played.tick().resolved == []
    for reader, said in {"red": "The deadline had passed; now due Fri 13 Nov", "green": "more time"}.items():
        mail = played.last(ADDRESSES[reader])
        assert said in f"{mail['Subject']} {' '.join(text_of(mail).split())}"


def test_a_rerun_that_changes_nothing_has_nothing_to_do(played: Desk) -> None:
    """Without changes the preview says so, and nothing is asked."""
    tried = attempt(played.app, "toy1", RerunTurn(), played.now)

    assert [*RerunTurn().render(tried.facts, DRY_RUN)][-1] == "Nothing to do: no report would change."


def test_a_sheet_without_any_order_is_refused(played: Desk) -> None:
    """The error names the line and what is wrong with it."""
    with pytest.raises(CampaignError, match=r"nothing in the sheet of red is understood: line 1, .*BIT"):
        again(played, red="BIT 3")


def test_an_unknown_seat_gets_its_nearest(played: Desk) -> None:
    """The error for an unknown seat lists the existing ones."""
    with pytest.raises(CampaignError, match=r'toy1 has no seat "rad"\. Seats: red, blue, green\.'):
        again(played, rad="BID 3")


def test_before_the_first_run_there_is_nothing_to_run_again(desk: Desk) -> None:
    """Before the first run the GM is referred to the command for the open turn."""
    begin(desk)

    with pytest.raises(
        CampaignError, match="toy1 has run no turn yet: a sheet for the open one is entered with pbem sheet"
    ):
        again(desk, red="BID 3")


def test_players_may_read_what_was_done_but_not_whom_it_touched(played: Desk) -> None:
    """A corrected report of blue would tell of red's secret words, so only the GM's part of the journal names it."""
    again(played, red="BID 2\nWHISPER blue never")
    public = [act.text for act in rows(played, JournalEntry) if not act.secret]

    assert public[-1] == "turn 1 was run again with another sheet of red"
    assert journal(played)[-1] == "turn 1 was run again: corrected reports to red, blue"


def test_a_second_correction_is_the_third_edition(played: Desk) -> None:
    """Each correction is compared with the one before, and the archive is proved."""
    again(played, red="BID 2\nWHISPER blue never")
    again(played, red="BID 2\nWHISPER blue hello")
    played.tick()

    text = text_of(played.last(BOB))
    assert text.startswith("Round 2, corrected\n")
    assert "- New: red whispered to you: hello.\n- No longer: red whispered to you: never.\n" in text
    assert [report.edition for report in rows(played, Report)[-2:]] == [3, 3]
    assert proof(played).turns == 1


def test_a_corrected_game_goes_on(played: Desk) -> None:
    """Later turns are run, rolled back and run again, and the archive is proved after each."""
    again(played, green="BID 9")
    play(played, {"red": "BID 1"})
    again(played, blue="BID 4")
    assert proof(played).turns == 2

    run_action(played.app, "toy1", RollBack(1), played.now)
    run_action(played.app, "toy1", UndoChange(), played.now)
    played.tick()
    assert proof(played).turns == 2


def test_a_rerun_ends_what_was_undoable(played: Desk) -> None:
    """A rollback from before a rerun cannot be undone, and the error says so."""
    play(played, {"red": "BID 1"})
    run_action(played.app, "toy1", RollBack(2), played.now)
    rollback = next(entry.id for entry in rows(played, JournalEntry)[::-1] if entry.undo)
    again(played, green="BID 9")

    with pytest.raises(CampaignError, match="cannot be undone: the turns of toy1 were changed since"):
        run_action(played.app, "toy1", UndoChange(str(rollback)), played.now)


def test_the_last_turn_of_a_game_can_be_run_again(desk: Desk) -> None:
    """A game that was over is over again, with a warning that its dice are known."""
    begin(desk, rounds="1")
    play(desk, {"red": "BID 2"})
    impact = again(desk, blue="BID 9")

    assert (impact.over, impact.seed_known, snapshot(desk).status) == (True, True, "over")
    assert proof(desk).over


def test_in_a_game_of_turns_the_right_seat_is_told(desk: Desk) -> None:
    """Only the seat to move has a report of the open turn, and only it can get a corrected one."""
    begin(desk, rounds="5", pace="in_turn")
    play(desk, {"red": "BID 2"})
    impact = again(desk, red="BID 2\nWHISPER blue never")
    desk.tick()

    assert [touched.seat for touched in impact.touched] == ["blue"]
    assert "red whispered to you: never" in text_of(desk.last(BOB))
    assert proof(desk).turns == 1


def test_long_differences_are_cut() -> None:
    """Of a report that is entirely new, only the first lines are shown, with the number of the others."""
    told = diff_lines("", "\n".join(f"line {number}" for number in range(100)))

    assert len(told) == MOST_LINES + 1
    assert told[-1] == "(and 40 lines more)"


def test_a_gms_sheet_for_the_open_turn_counts_and_is_told(played: Desk) -> None:
    """The player gets a receipt that says who entered the sheet, and can answer with another."""
    run_action(played.app, "toy1", EnterSheet("green", lines("BID 3")), played.now)
    played.tick()
    receipt = played.last(CYD)
    played.reply(receipt, "BID 4")
    played.tick()

    assert "\n\nYour GM has entered this order sheet for you. It counts like one of your own" in text_of(receipt)
    assert text_of(receipt).startswith("Your order is in\n")
    assert "\n- BID 3\n" in text_of(receipt)
    assert "added BID 4; dropped BID 3." in text_of(played.last(CYD))
    assert "sheet 1 of green for turn 2 was entered by the GM" in journal(played)


def test_a_gms_sheet_may_be_looked_at_first(played: Desk) -> None:
    """A dry run of a sheet shows the findings and stores nothing."""
    receipt = run_query(played.app, "toy1", EnterSheet("green", lines("BID 3\nBIT 1")), played.now)

    assert receipt.verdict == "1 of 2 orders not accepted; the other counts."
    assert [sheet.author for sheet in rows(played, OrderSheet)] == ["player", "player"]


def test_a_gms_sheet_of_errors_replaces_nothing(played: Desk) -> None:
    """A sheet with nothing but errors would not be accepted: the player's own sheet still counts."""
    run_action(played.app, "toy1", EnterSheet("green", lines("BID 3")), played.now)
    receipt = run_query(played.app, "toy1", EnterSheet("green", lines("BIT 1")), played.now)

    assert (receipt.accepted, receipt.counts, receipt.replaces) == (False, 1, None)


def test_a_crash_before_the_archive_is_written_is_made_good(played: Desk) -> None:
    """After the commit the next tick moves the old folder to withdrawn/ and writes the new one."""
    changes = RerunChanges(sheets={"red": lines("BID 3")})
    with played.app.store.writing() as session:
        context = Context(session, played.app, locked_campaign(session, "toy1"), played.now)
        amendment = plan_rerun(context, changes)
        apply_rerun(context, amendment)
    played.tick()

    assert proof(played).turns == 1


@pytest.mark.sampled(1)
def test_the_past_is_changed_alike_on_both_databases(shared: Desk) -> None:
    """After run, rerun, edit, rollback, undo, rollback and run the archive is proved on both databases."""
    play(shared, {"red": "BID 2\nWHISPER blue deal"})
    again(shared, red="BID 2\nWHISPER blue never")
    run_action(shared.app, "toy1", EditState([{"op": "replace", "path": "/purses/1", "value": 40}]), shared.now)
    play(shared, {"blue": "BID 33"})
    run_action(shared.app, "toy1", RollBack(1), shared.now)
    run_action(shared.app, "toy1", UndoChange(), shared.now)
    assert proof(shared).turns == 2

    run_action(shared.app, "toy1", RollBack(2), shared.now)
    play(shared, {"red": "BID 1"})
    assert proof(shared).turns == 2
    assert len({mail["Message-ID"] for mail in shared.mails()}) == len(shared.mails())


def looks(desk: Desk) -> list[tuple[str, bool]]:
    """Return the journal's entries on previews, each with whether it is secret."""
    return [(act.text, act.secret) for act in rows(desk, JournalEntry) if act.text.startswith("looked")]


def test_a_question_with_another_sheet_is_told(played: Desk) -> None:
    """A dry run with another sheet shows the real dice: all next reports disclose it, but not whose sheet it was."""
    again(played, sure=False, red="BID 3")
    play(played, {})

    said = "looked at what turn 1 would have come to with other sheets"
    assert looks(played) == [(said, False), (f"{said}: of red", True)]
    told = said.replace("turn 1", '"round 1"')
    assert all(f"The GM {told}." in " ".join(text_of(played.last(to)).split()) for to in (ANN, BOB, CYD))


def test_a_question_without_another_sheet_shows_nothing_new(played: Desk) -> None:
    """A dry run without changes shows nothing new, and is not disclosed."""
    again(played, sure=False)

    assert looks(played) == []


def test_a_question_with_another_state_is_told(played: Desk) -> None:
    """A dry run of a patch is disclosed too."""
    run_query(played.app, "toy1", EditState([{"op": "replace", "path": "/purses/1", "value": 40}]), played.now)

    assert looks(played) == [("looked at what turn 1 would have come to with another state", False)]


def test_a_question_is_told_after_a_rollback_too(played: Desk) -> None:
    """If the report that would disclose it is never made, the next one does."""
    play(played, {})
    again(played, sure=False, red="BID 3")
    run_action(played.app, "toy1", RollBack(1), played.now)
    play(played, {})

    assert 'The GM looked at what "round 2" would have come to' in " ".join(text_of(played.last()).split())
