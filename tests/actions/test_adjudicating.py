"""Turns that a GM decides: held when due, sent to the GM, ruled on by files, released, archived and replayed."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.actions.base import run_action, run_query
from pbem.actions.create import NewCampaign, create_campaign
from pbem.actions.deadlines import extend, release
from pbem.actions.open_turn import EnterSheet
from pbem.actions.rollback import RollBack
from pbem.actions.ruling import RulingResult, ShowRulingForm, SubmitRuling, parse_ruling, read_folder, write_folder
from pbem.actions.run_turn import RequestRun
from pbem.actions.start import StartCampaign
from pbem.campaign.archive_sync import prove_archive
from pbem.campaign.snapshot import Context, load_campaign
from pbem.errors import CampaignError
from pbem.ruleset import Adjudicated
from pbem.scheduler.tick import run_campaign_now
from pbem.store.types import HoldKind
from pbem_rules.gm_adjudicated import RULESET
from tests.toy.home import Desk, is_report, text_of
from tests.toy.ruleset import Auction

GM, ANN, BOB, CYD = "gm@example.org", "ann@example.org", "bob@example.org", "cyd@example.org"
DUE = 131
"""Hours from the start to a time after the first deadline and its grace."""

WEEK = 24 * 7
HOUR = dt.timedelta(hours=1)


@pytest.fixture
def war(desk: Desk) -> Iterator[Desk]:
    """Yield a home with "toy1", a started campaign of three that the GM decides; red and green have sent sheets."""
    toy = desk.app
    desk.app = dataclasses.replace(toy, games={"toy": RULESET, RULESET.key: RULESET})
    desk.start(seats=("red", "blue", "green"))
    sheet(desk, ANN, "March to the pass, quietly.")
    sheet(desk, CYD, "Ask the abbot.")
    desk.tick(hours=1)
    yield desk
    desk.app = toy


def held(desk: Desk) -> HoldKind:
    """Return the kind of hold that the campaign has."""
    with desk.app.store.reading() as session:
        return load_campaign(session, "toy1").hold_kind


def let_go(desk: Desk) -> None:
    """Release the campaign as its GM."""
    with desk.app.store.writing() as session:
        release(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))


def rule(desk: Desk, **files: str) -> RulingResult:
    """Rule as the GM by files, named without their ending."""
    named = {f"{name}.txt": text for name, text in files.items()}
    return run_action(desk.app, "toy1", SubmitRuling(named), desk.now)


def sheet(desk: Desk, sender: str, text: str) -> None:
    """Answer a player's last report."""
    report = [mail for mail in desk.mails(sender) if is_report(mail)][-1]
    desk.reply(report, text)


def last_report(desk: Desk, to: str) -> str:
    """Return the text of the last report to an address."""
    return text_of([mail for mail in desk.mails(to) if is_report(mail)][-1])


def digests(desk: Desk) -> list[str]:
    """Return the digests of sheets that the GM was sent so far."""
    return [text_of(mail) for mail in desk.mails(GM) if "HOW TO RULE" in text_of(mail)]


def test_the_game_is_known_as_one_that_a_gm_decides() -> None:
    """The application recognises such a game by its methods; no other game has them."""
    assert isinstance(RULESET, Adjudicated)
    assert not isinstance(Auction(), Adjudicated)


def test_a_due_turn_waits_for_the_gm(war: Desk) -> None:
    """At the deadline nothing is resolved; the GM gets all sheets in one mail, which names the seats without one."""
    done = war.tick(hours=DUE)

    assert ([turn.turn for turn in done.needs_ruling], done.resolved, held(war)) == ([1], [], HoldKind.RULING)
    (digest,) = digests(war)
    assert "Without a sheet: blue.\n" in digest
    assert "RED\n  March to the pass, quietly.\n\nBLUE\n  no sheet came\n\nGREEN\n  Ask the abbot.\n" in digest


def test_the_form_explains_replace_all(war: Desk) -> None:
    """A GM reads what REPLACE ALL does where the form has it, in the mail and in the files."""
    war.tick(hours=DUE)
    files = run_query(war.app, "toy1", ShowRulingForm(), war.now).files
    explained = [" ".join(text.replace("\n; ", " ").split()) for text in (digests(war)[0], files["all.txt"])]

    assert all("REPLACE ALL says that these files are all of your ruling on this turn" in text for text in explained)


def test_no_ruling_is_asked_for_while_a_line_is_to_be_corrected(war: Desk) -> None:
    """With all sheets in, one of them with a refused line, the GM is asked at the deadline, or once it is final."""
    sheet(war, BOB, "Hold the ford.\nSAY")
    war.tick()
    early = war.tick(hours=1)
    sheet(war, BOB, "FINAL")
    war.tick()
    done = war.tick(hours=1)

    assert (early.needs_ruling, [turn.turn for turn in done.needs_ruling]) == ([], [1])


def test_nobodys_sheet_is_told_by_the_digest_too(war: Desk) -> None:
    """A turn that awaits a ruling is not held for missing sheets first: its GM judges what absent players do."""
    war.tick(hours=DUE)
    rule(war, all="Snow.")
    let_go(war)
    war.tick(hours=1)
    done = war.tick(hours=WEEK)

    assert ([turn.turn for turn in done.needs_ruling], done.on_hold, held(war)) == ([2], [], HoldKind.RULING)
    assert "Without a sheet: red, blue and green.\n" in digests(war)[-1]


def test_the_gm_is_asked_once(war: Desk) -> None:
    """Further ticks do not repeat the mail."""
    war.tick(hours=DUE)
    war.tick(hours=1)
    war.tick(hours=1)

    assert len(digests(war)) == 1


def test_a_sheet_that_comes_in_meanwhile_is_sent_on(war: Desk) -> None:
    """A waiting turn still accepts sheets; the GM then gets all of them again."""
    war.tick(hours=DUE)
    sheet(war, BOB, "Burn the bridge.")
    war.tick(hours=1)

    assert ["Burn the bridge." in digest for digest in digests(war)] == [False, True]


def test_a_sheet_that_comes_in_after_the_ruling_is_sent_on(war: Desk) -> None:
    """The ruling counts, and its GM is told that there is more to judge."""
    war.tick(hours=DUE)
    rule(war, all="It rained.")
    sheet(war, BOB, "Burn the bridge.")
    war.tick(hours=1)

    assert held(war) == HoldKind.RULED
    assert "\nYour ruling waits for your release\n" in digests(war)[-1]
    assert "BLUE\n  Burn the bridge.\n" in digests(war)[-1]


def test_a_late_sheet_is_mailed_alone(war: Desk) -> None:
    """The second mail has the new sheet, and the lines that add it to the form of the first, and no other seat's."""
    war.tick(hours=DUE)
    sheet(war, BOB, "Burn the bridge.")
    war.tick(hours=1)

    late, subject = digests(war)[-1], war.mails(GM)[-1]["Subject"]
    assert late.endswith(
        "RULING ; toy1, turn 1\nFILE blue.txt\n[RESULT]\n\nFILE game.txt\nTURN 1\nEND\n\n-- \n"
        "You are the GM of toy1. Reply with a command, such as STATUS, UNDO or DEADLINE 24h.\n"
    )
    assert "quietly" not in late
    assert "Without a sheet: none. Changed since the mail of " in " ".join(late.split())
    assert "turn 1: blue sent another sheet" in subject


def test_the_form_of_a_late_sheet_leaves_the_rest_of_the_ruling(war: Desk) -> None:
    """Filled in, it adds its seat to the ruling that counts."""
    war.tick(hours=DUE)
    rule(war, all="It rained.", red="You found gold.")
    sheet(war, BOB, "Burn the bridge.")
    war.tick(hours=1)
    form = digests(war)[-1].partition("turn 1\nFILE")[2].partition("\nEND")[0]
    files = parse_ruling(f"FILE{form}".replace("[RESULT]\n", "[RESULT]\nIt burns.\n").splitlines())

    taken = run_action(war.app, "toy1", SubmitRuling(files), war.now)

    assert (taken.kept, taken.replaced) == (True, ())


def test_the_digest_of_eight_seats_is_short(desk: Desk) -> None:
    """Sheets, one form and one explanation have at most 110 lines together."""
    desk.app = dataclasses.replace(desk.app, games={RULESET.key: RULESET})
    seats = [(f"seat{number}", f"p{number}@example.org") for number in range(8)]
    wanted = NewCampaign(name="eight", game=RULESET.key, gm=GM, seats=seats, deadline="FRI 20:00 UTC", options={})
    create_campaign(desk.app, wanted, desk.now)
    run_action(desk.app, "eight", StartCampaign(), desk.now)
    for seat, _ in seats:
        lines = ((1, "March to the pass, quietly."), (2, "Ask the abbot."), (3, "Burn the bridge."))
        run_action(desk.app, "eight", EnterSheet(seat, lines), desk.now)
    desk.tick(hours=DUE)

    (digest,) = digests(desk)
    assert len(digest.splitlines()) <= 110
    assert digest.count("told in the next report") == 1
    assert [digest.count(f"\nFILE {seat}.txt\n[RESULT]\n") for seat, _ in seats] == [1] * 8


def test_a_turn_that_was_not_ruled_on_goes_on_waiting(war: Desk) -> None:
    """A turn that is released without a ruling is held again at once."""
    war.tick(hours=DUE)
    let_go(war)

    assert [turn.turn for turn in war.tick(hours=1).needs_ruling] == [1]
    assert len(digests(war)) == 1


def test_more_time_does_not_let_a_ruling_run(war: Desk) -> None:
    """The ruling does not know of sheets that come after an extension, so the turn waits for its release as before."""
    war.tick(hours=DUE)
    rule(war, all="It rained.")
    with war.app.store.writing() as session:
        extend(Context(session, war.app, load_campaign(session, "toy1"), war.now), WEEK * HOUR)
    sheet(war, BOB, "Burn the bridge.")

    assert war.tick(hours=WEEK + 1).resolved == []
    assert (held(war), "Burn the bridge." in digests(war)[-1]) == (HoldKind.RULED, True)


def test_after_more_time_the_gm_is_asked_again(war: Desk) -> None:
    """After an extension the GM is asked again, even if no more sheets have come."""
    war.tick(hours=DUE)
    with war.app.store.writing() as session:
        extend(Context(session, war.app, load_campaign(session, "toy1"), war.now), WEEK * HOUR)
    war.tick(hours=WEEK + 1)

    assert (held(war), len(digests(war))) == (HoldKind.RULING, 2)


def test_a_turn_run_by_its_gm_holds_no_other(war: Desk) -> None:
    """The GM's RUN comes in the tick in which the turn is due, and the next turn is not held for it."""
    run_action(war.app, "toy1", RequestRun(), war.now)
    done = war.tick(hours=DUE)

    assert ([turn.turn for turn in done.resolved], done.needs_ruling, held(war)) == ([1], [], HoldKind.NONE)


def test_a_turn_taken_back_is_ruled_on_anew(war: Desk) -> None:
    """A ruling from before a rollback does not run the turn: it knows nothing of the sheets that come later."""
    war.tick(hours=DUE)
    rule(war, all="It rained.")
    let_go(war)
    war.tick(hours=1)
    run_action(war.app, "toy1", RollBack(1), war.now)

    done = war.tick(hours=2 * WEEK)

    assert ([turn.turn for turn in done.needs_ruling], done.resolved, held(war)) == ([1], [], HoldKind.RULING)


def test_a_ruling_takes_effect_with_the_release(war: Desk) -> None:
    """A submitted ruling waits; after the release the turn is run with it, and each seat reads its own part."""
    war.tick(hours=DUE)
    taken = rule(war, all="It rained.", red="You found gold.", blue="You were robbed.")
    waiting = war.tick(hours=1)
    let_go(war)

    done = war.tick(hours=1)

    assert (taken.kept, waiting.resolved, [turn.turn for turn in done.resolved]) == (True, [], [1])
    assert "You found gold." in last_report(war, ANN)
    assert "You were robbed." not in last_report(war, ANN)
    assert "It rained." in last_report(war, CYD)


def test_the_ruling_taken_last_counts(war: Desk) -> None:
    """A GM may replace the ruling until the turn is released."""
    war.tick(hours=DUE)
    rule(war, red="You lost.")
    rule(war, red="You won.")
    let_go(war)
    war.tick(hours=1)

    assert "You won." in last_report(war, ANN)
    assert "You lost." not in last_report(war, ANN)


def test_a_ruling_with_an_error_is_not_kept(war: Desk) -> None:
    """The findings name file and line, and the ruling before stays."""
    war.tick(hours=DUE)
    taken = rule(war, red="You won.\n[MAPP]")

    assert (taken.kept, held(war)) == (False, HoldKind.RULING)
    assert [(finding.line, finding.hint) for finding in taken.findings["red.txt"]] == [(2, "did you mean MAP?")]


def test_a_ruling_before_the_deadline_holds_the_turn(war: Desk) -> None:
    """An early ruling waits for its release, since more sheets may come."""
    rule(war, all="It rained.")

    assert held(war) == HoldKind.RULED
    assert war.tick(hours=DUE).resolved == []


def test_a_gm_may_run_a_turn_without_a_ruling(war: Desk) -> None:
    """When the GM runs the turn, all are told that nothing was decided, and the next turn is not held."""
    war.tick(hours=DUE)

    done = run_campaign_now(war.app, "toy1", war.now)

    assert [turn.turn for turn in done.resolved] == [1]
    assert "The GM gave no ruling this turn" in last_report(war, ANN)
    assert held(war) == HoldKind.NONE


def test_three_turns_of_three_players_are_kept_and_proved(war: Desk, tmp_path: Path) -> None:
    """Rulings come from folders, secrets stay with their seats, records hold the rulings, and the archive replays."""
    for number in (1, 2, 3):
        for address in (ANN, BOB, CYD):
            sheet(war, address, f"Dig for chest {number}.")
        war.tick(hours=DUE if number == 1 else WEEK)
        folder = tmp_path / str(number)
        write_folder(run_query(war.app, "toy1", ShowRulingForm(), war.now), folder)
        for seat in ("red", "blue", "green"):
            path = folder / f"{seat}.txt"
            path.write_text(path.read_text().replace("[RESULT]\n", f"[RESULT]\nThe omen of {seat}, {number}.\n"))
        assert run_action(war.app, "toy1", read_folder("toy1", folder).submission(), war.now).findings == {}
        let_go(war)
        war.tick()
        for seat, address in (("red", ANN), ("blue", BOB), ("green", CYD)):
            omens = [other for other in ("red", "blue", "green") if f"omen of {other}" in last_report(war, address)]
            assert omens == [seat]
            assert f"The omen of {seat}, {number}." in last_report(war, address)

    record = json.loads((war.home / "turns" / "toy1" / "0002" / "turn.json").read_text())
    assert record["ruling"]["seats"]["blue"]["result"] == "The omen of blue, 2."
    assert prove_archive(war.app, "toy1").turns == 3


def test_edited_files_are_left_alone(war: Desk, tmp_path: Path) -> None:
    """A second call writes the missing files and the sheets again, and names those that it left alone."""
    write_folder(run_query(war.app, "toy1", ShowRulingForm(), war.now), tmp_path)
    (tmp_path / "red.txt").write_text("You won.")
    (tmp_path / "blue.txt").unlink()

    written = write_folder(run_query(war.app, "toy1", ShowRulingForm(), war.now), tmp_path)

    assert written.written == ("digest.txt", "blue.txt")
    assert set(written.left) == {"game.txt", "all.txt", "red.txt", "green.txt"}
    assert (tmp_path / "red.txt").read_text() == "You won."


def test_by_force_all_files_are_written_anew(war: Desk, tmp_path: Path) -> None:
    """With force a GM gets fresh files, and the old ones are moved to a subfolder."""
    write_folder(run_query(war.app, "toy1", ShowRulingForm(), war.now), tmp_path)
    (tmp_path / "red.txt").write_text("You won.")

    written = write_folder(run_query(war.app, "toy1", ShowRulingForm(), war.now), tmp_path, force=True)

    assert written.left == ()
    assert "You won." not in (tmp_path / "red.txt").read_text()
    assert written.kept == tmp_path / "before-1"
    assert [(path.name, path.read_text()) for path in written.kept.iterdir()] == [("red.txt", "You won.")]
    assert write_folder(run_query(war.app, "toy1", ShowRulingForm(), war.now), tmp_path, force=True).kept is None
    assert (
        read_folder("toy1", tmp_path).files.keys() == run_query(war.app, "toy1", ShowRulingForm(), war.now).files.keys()
    )


def test_an_empty_folder_is_no_ruling(war: Desk, tmp_path: Path) -> None:
    """Without files nothing is submitted, and the GM is told how to get them."""
    with pytest.raises(CampaignError, match=r"no files of a ruling .* pbem ruling toy1"):
        read_folder("toy1", tmp_path)


def test_a_file_that_nobody_reads_is_named(war: Desk, tmp_path: Path) -> None:
    """A picture that no line shows, or an editor's backup copy, is named and not ignored."""
    (tmp_path / "all.txt").write_text("Snow.")
    (tmp_path / ".all.txt.swp").write_text("")
    (tmp_path / "drafts").mkdir()
    assert read_folder("toy1", tmp_path) == ({"all.txt": "Snow."}, {})

    (tmp_path / "all.txt~").write_text("Rain.")
    taken = run_action(war.app, "toy1", read_folder("toy1", tmp_path).submission(), war.now)
    assert (taken.kept, set(taken.findings)) == (False, {"all.txt~"})


def test_one_file_works_as_well_as_many(war: Desk, tmp_path: Path) -> None:
    """The mailed form, filled in, is a whole ruling in one file; together with other files it is refused."""
    form = run_query(war.app, "toy1", ShowRulingForm(), war.now)
    (tmp_path / "ruling.txt").write_text(form.text.replace("[RESULT]\n", "[RESULT]\nSnow.\n"))
    ruled = read_folder("toy1", tmp_path)
    assert ruled.files.keys() == form.files.keys()
    assert run_action(war.app, "toy1", ruled.submission(), war.now).kept

    (tmp_path / "red.txt").write_text("Gold.")
    with pytest.raises(CampaignError, match=r"has the whole ruling in ruling\.txt, and red\.txt besides"):
        read_folder("toy1", tmp_path)


def test_a_game_that_resolves_itself_takes_no_ruling(desk: Desk, tmp_path: Path) -> None:
    """A GM who mistakes the campaign is told so; its turns are run when they are due, and do not mention rulings."""
    desk.start()

    with pytest.raises(CampaignError, match="toy1 needs no ruling: Toy Auction resolves its turns itself"):
        write_folder(run_query(desk.app, "toy1", ShowRulingForm(), desk.now), tmp_path)
    assert [turn.turn for turn in desk.tick(hours=DUE).resolved] == [1]
    assert "ruling" not in json.loads((desk.home / "turns" / "toy1" / "0001" / "turn.json").read_text())


def test_a_form_that_was_filled_in_too_late(war: Desk) -> None:
    """A ruling written for one turn is not accepted for the next."""
    war.tick(hours=DUE)
    form = run_query(war.app, "toy1", ShowRulingForm(), war.now)
    run_campaign_now(war.app, "toy1", war.now)

    with pytest.raises(CampaignError, match="turn 1 of toy1 is no longer the one you ruled on: nothing was taken"):
        run_action(war.app, "toy1", SubmitRuling(form.files, of=(form.turn, form.revision)), war.now)
