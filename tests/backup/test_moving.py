"""A campaign moves to another home in the middle of the game, and is never played in both."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from pbem.actions.base import CLI, run_action, run_query
from pbem.actions.deadlines import HoldCampaign, ReleaseCampaign
from pbem.actions.questions import AnswerQuestion, AskGm
from pbem.actions.rollback import RollBack
from pbem.actions.run_turn import run_turn
from pbem.actions.status import ShowStatus
from pbem.actions.undo import UndoChange
from pbem.admin.health import home_status
from pbem.app import App, open_app
from pbem.archive.verify import verify
from pbem.backup.create import create_backup
from pbem.backup.restore import restore_home
from pbem.backup.transfer import export_campaign, import_campaign
from pbem.campaign.archive_sync import prove_archive
from pbem.campaign.snapshot import Context, load_campaign
from pbem.cli import main
from pbem.errors import BackupError, CampaignError, ReplayError
from pbem.scheduler.tick import run_campaign_now
from pbem.site.publish import publish
from pbem.store.models import (
    Campaign,
    JournalEntry,
    Person,
    Question,
    QuestionAnswer,
    Seat,
    Turn,
    WithdrawnTurns,
)
from tests.actions.history import ANN, BOB, CYD, begin, journal, live_turns, play, rows, send, snapshot, subjects
from tests.backup.hostile import forged, lines_of, with_lines
from tests.servers.processes import server_folder
from tests.toy.home import GAMES, MONDAY, Desk, make_home, open_desk, text_of
from tests.toy.ruleset import Auction

NEW, GM = "play@club.example.net", "gm@example.org"
_CODE = re.compile(r"CONFIRM (\S+)")


@dataclass(frozen=True)
class Moved:
    """The open home that a campaign has left, and the file of its export."""

    old: Desk
    file: Path


@pytest.fixture(scope="module")
def moved() -> Iterator[Moved]:
    """Yield a home that exported a campaign: two of four turns were run, one twice, and the third has red's sheet."""
    with server_folder("moving") as folder, open_desk(folder / "old") as old:
        begin(old, rounds="4", rules={"hold": "off"})
        play(old, {"red": "BID 2\nWHISPER blue deal", "blue": "BID 1"})
        play(old, {"red": "BID 1"})
        send(old, {"red": "BID 3"})
        old.tick(hours=1)
        for seat in ("red", "blue"):
            run_action(old.app, "toy1", AskGm(seat=seat, text=f"May {seat}?"), old.now)
        run_action(old.app, "toy1", AnswerQuestion(2, "Yes."), old.now)
        old.tick()
        run_action(old.app, "toy1", HoldCampaign("a holiday"), old.now)
        file = folder / "toy1.zip"
        export_campaign(old.app, "toy1", file, old.now, to=NEW)
        yield Moved(old, file)


@contextmanager
def another_home(folder: Path, now: Desk, *, database: str = "") -> Iterator[Desk]:
    """Open a home at another address, in which Ann already plays: its rows have the ids that others have here."""
    make_home(folder, database=database)
    settings = folder / "pbem.toml"
    settings.write_text(settings.read_text().replace("orders@example.org", NEW))
    with open_app(folder, GAMES) as app:
        desk = Desk(app, now.now)
        desk.start(name="toy2", rounds="9")
        yield desk


@pytest.fixture(params=["sqlite", "postgresql"])
def there(request: pytest.FixtureRequest, moved: Moved, tmp_path: Path) -> Iterator[Desk]:
    """Yield the new home with the imported campaign, its first mails sent, on each database in turn."""
    url = "" if request.param == "sqlite" else request.getfixturevalue("migrated_postgres_url")
    with another_home(tmp_path / "new", moved.old, database=url) as desk:
        import_campaign(desk.app, moved.file, desk.now)
        desk.tick()
        yield desk


@pytest.fixture
def alone(moved: Moved, tmp_path: Path) -> Iterator[Desk]:
    """Yield the new home before the import."""
    with another_home(tmp_path / "new", moved.old) as desk:
        yield desk


FORMER = {"withdrawal": "shelf", "withdrawal_id": "shelf_id", "revision": "era"}
"""Names of tables and columns, and what exports called them before migration 33."""


def test_an_export_with_the_former_names_is_imported(tmp_path: Path) -> None:
    """A campaign that was exported before tables and columns got their names is as whole as one of today."""
    with open_desk(tmp_path / "old") as old:
        begin(old)
        play(old, {"red": "BID 1"})
        run_action(old.app, "toy1", RollBack(1), old.now)
        old.tick()
        export_campaign(old.app, "toy1", tmp_path / "toy1.zip", old.now, to=NEW)
        lines = [
            {FORMER.get(key, key): FORMER.get(value, value) if key == "table" else value for key, value in line.items()}
            for line in lines_of(tmp_path / "toy1.zip")
        ]
        with another_home(tmp_path / "new", old) as new:
            import_campaign(new.app, with_lines(tmp_path / "toy1.zip", tmp_path / "former.zip", lines), new.now)

            assert {line["table"] for line in lines} > {"shelf", "turn"}
            assert [(each.kind, each.first) for each in rows(new, WithdrawnTurns)] == [("rollback", 1)]
            assert live_turns_of(new) == live_turns_of(old)
            assert snapshot(new).revision == snapshot(old).revision + 1


def answer(desk: Desk, mail: EmailMessage, text: str) -> None:
    """Let a player answer a mail of the new home."""
    desk.reply(mail, text)
    desk.tick()


@pytest.mark.sampled(1)
def test_the_game_is_played_to_its_end_elsewhere(moved: Moved, there: Desk) -> None:
    """All players confirm, their orders are transferred, and at the end one chain proves the turns of both homes."""
    assert "imported. Confirmed: none. Not yet: red, blue, green." in status_lines(there)
    for reader in (ANN, BOB, CYD):
        asked = [mail for mail in there.mails(reader) if "moved here" in mail["Subject"]][-1]
        answer(there, asked, "YES")
        if reader == ANN:
            assert "imported. Confirmed: red. Not yet: blue, green." in status_lines(there)
    run_action(there.app, "toy1", ReleaseCampaign(), there.now)
    there.tick(hours=1)
    again = [mail for mail in there.mails(ANN) if "toy1-red" in files(mail)][-1]
    assert "orders@example.org" not in again.as_string()
    answer(
        there, [mail for mail in there.mails(BOB) if "toy1" in mail["Subject"] and "-blue" in files(mail)][-1], "BID 2"
    )
    run_campaign_now(there.app, "toy1", there.now)
    there.tick()
    third = live_turns_of(there)[3]
    assert set(json.loads(third)["sheets"]) == {"red", "blue"}
    play(there, {"red": "BID 1"})

    assert snapshot(there).status == "over"
    assert prove_archive(there.app, "toy1").turns == 4
    verified = verify(there.app.settings.archive, "toy1", games=GAMES)
    assert (verified.turns, verified.over, verified.unproved) == (4, True, ())
    first, last = (moved.old.home / "turns" / "toy1" / "0002", there.app.settings.archive / "toy1" / "0002")
    assert (first / "turn.json").read_bytes() == (last / "turn.json").read_bytes()


def status_lines(desk: Desk) -> list[str]:
    """Return the lines of the status of toy1."""
    facts = run_query(desk.app, "toy1", ShowStatus(), desk.now)
    return [line.strip() for line in ShowStatus().render(facts, CLI)]


def files(mail: EmailMessage) -> str:
    """Return the names of a mail's files."""
    return " ".join(part.get_filename() or "" for part in mail.iter_attachments())


def live_turns_of(desk: Desk) -> list[bytes]:
    """Return the records of toy1."""
    with desk.app.store.reading() as session:
        rows = session.scalars(
            select(Turn.record)
            .join(Campaign, Campaign.id == Turn.campaign_id)
            .where(Campaign.name == "toy1", Turn.withdrawal_id.is_(None))
            .order_by(Turn.number)
        )
        return [row or b"" for row in rows]


def test_questions_come_along(moved: Moved, there: Desk) -> None:
    """They have their numbers, seats and answers; a reply to the mail of the other home is no answer here."""
    asked = {question.text: question for question in rows(there, Question)}
    (answer,) = rows(there, QuestionAnswer)

    assert {text: (each.number, each.code, each.message_id) for text, each in asked.items()} == {
        "May red?": (1, "", ""),
        "May blue?": (2, "", ""),
    }
    assert answer.question_id == asked["May blue?"].id
    seats = {seat.id: seat.name for seat in rows(there, Seat)}
    assert seats[asked["May blue?"].seat_id] == "blue"
    mail = next(mail for mail in moved.old.mails(GM) if "question 1 from red" in mail["Subject"])
    there.reply(mail, "No.", sender=GM, to=NEW)
    there.tick()
    assert len(rows(there, QuestionAnswer)) == 1


def test_people_stay_who_they_are(there: Desk) -> None:
    """Ann and Bob, who already play there, are the same people; Cyd is new; the other campaign is unchanged."""
    assert sorted(person.address for person in rows(there, Person)) == [ANN, BOB, CYD]
    assert prove_archive(there.app, "toy2").turns == 0
    assert {place.address for place in snapshot(there).places} == {ANN, BOB, CYD}
    there.post("ORDERS toy2 red\nBID 1\nEND", sender=ANN)
    assert there.tick().processed.sheets == 1


def test_nothing_that_came_from_there_opens_a_seat(moved: Moved, there: Desk) -> None:
    """The code of an old report, sent from another address to the new home, gives no access."""
    report = [mail for mail in moved.old.mails(ANN) if "toy1-red" in files(mail)][-1]
    code = report["Reply-To"].partition("+")[2].partition("@")[0]
    there.post(f"ORDERS toy1 red {code}\nBID 9\nEND", sender="eve@example.org", to=NEW)
    there.post("BID 9", sender="eve@example.org", to=NEW.replace("@", f"+{code}@"))

    assert there.tick().processed.sheets == 0


def test_the_mail_says_what_has_happened(there: Desk) -> None:
    """The mail on the transfer is in the thread of its reader's report, and names both addresses."""
    mail = [mail for mail in there.mails(ANN) if "moved here" in mail["Subject"]][-1]
    said = " ".join(text_of(mail).split())

    assert f"is played at {NEW} from now on, and no longer at orders@example.org." in said
    assert "@example.org" in mail["References"]
    assert _CODE.search(said)


def test_the_old_home_sends_its_players_on(moved: Moved, tmp_path: Path) -> None:
    """Sheets, questions and GM commands are answered with the new address; no turn runs."""
    home = Path(shutil.copytree(moved.old.home, tmp_path / "old", symlinks=True))
    with open_app(home, GAMES) as app:
        old = Desk(app, moved.old.now)
        old.tick(hours=24 * 30)
        for reader in (ANN, "gm@example.org"):
            assert f"[toy1] moves to {NEW}" in subjects(old, reader)
        send(old, {"blue": "BID 1"})
        old.tick()
        assert f"has moved to {NEW}, so your mail changed nothing here." in " ".join(text_of(old.last(BOB)).split())
        old.post("STATUS", sender=ANN)
        old.tick()
        assert f"has moved to {NEW}" in " ".join(text_of(old.last(ANN)).split())
        with pytest.raises(CampaignError, match=f"has moved to {NEW}"):
            run_action(app, "toy1", ReleaseCampaign(), old.now)
        with pytest.raises(CampaignError, match=f"has moved to {NEW}"):
            run_campaign_now(app, "toy1", old.now)
        assert live_turns(old)[-1].number == 3
        assert home_status(app).campaigns[0].status == "moved"


def test_the_site_of_the_old_home_says_that_it_is_played_elsewhere(moved: Moved, tmp_path: Path) -> None:
    """The site of the old home keeps its pages, without a deadline or open seats."""
    home = Path(shutil.copytree(moved.old.home, tmp_path / "old", symlinks=True))
    with open_app(home, GAMES) as app:
        done = publish(app, home / "public", MONDAY)

    club, campaign = (home / "public" / "index.html", home / "public" / "c" / "toy1" / "index.html")
    assert done.problems == ()
    for page in (club, campaign):
        assert "layed in another home now" in page.read_text()
    assert "BEGIN:VEVENT" not in (home / "public" / "deadlines.ics").read_text()


def test_it_can_be_taken_back(moved: Moved, tmp_path: Path) -> None:
    """An export is undone if the campaign was imported nowhere; it is on hold in its old home."""
    home = Path(shutil.copytree(moved.old.home, tmp_path / "old", symlinks=True))
    with open_app(home, GAMES) as app:
        old = Desk(app, moved.old.now)
        run_action(app, "toy1", UndoChange(sure="YES"), old.now)
        run_action(app, "toy1", ReleaseCampaign(), old.now)
        play(old, {"blue": "BID 1"})

        assert prove_archive(app, "toy1").turns == 3
        assert "undone: it is played here after all, and not at play@club.example.net" in journal(old)


def test_undo_takes_it_back(moved: Moved, tmp_path: Path) -> None:
    """As the newest change of the GM, an export is undone by `pbem undo`; its queued mail is dropped."""
    home = Path(shutil.copytree(moved.old.home, tmp_path / "old", symlinks=True))
    line = ["--home", str(home), "undo", "toy1", "--now", moved.old.now.isoformat()]
    done = CliRunner().invoke(main, line, obj=GAMES)

    assert done.exit_code == 0, done.output
    assert done.output.startswith(f'Done: undid "moved to {NEW}".')
    again = CliRunner().invoke(main, line, obj=GAMES)
    assert (again.exit_code, "has undone something itself" in again.output) == (1, True)
    with open_app(home, GAMES) as app, app.store.reading() as session:
        assert load_campaign(session, "toy1").status == "running"


def test_what_could_be_undone_there_cannot_be_here(there: Desk) -> None:
    """An import drops what actions left for being undone: it names rows of the other home."""
    with there.app.store.reading() as session:
        kept = select(JournalEntry.undo).join(Campaign, Campaign.id == JournalEntry.campaign_id)
        found = session.scalars(kept.where(Campaign.name == "toy1")).all()

    assert len(found) > 3
    assert set(found) == {None}


def test_it_is_exported_once_more_to_the_same_place_alone(moved: Moved, tmp_path: Path) -> None:
    """A lost file can be exported again, but not for another home."""
    export_campaign(moved.old.app, "toy1", tmp_path / "again.zip", moved.old.now, to=NEW)

    with pytest.raises(CampaignError, match=f"has moved to {NEW} already; take it back first"):
        export_campaign(moved.old.app, "toy1", tmp_path / "else.zip", moved.old.now, to="else@example.net")


def test_only_the_home_it_was_sent_to_takes_it(moved: Moved, tmp_path: Path) -> None:
    """A home with another address refuses the import by name."""
    with (
        open_desk(tmp_path / "third") as third,
        pytest.raises(BackupError, match=f"is for {NEW}, and this home is orders"),
    ):
        import_campaign(third.app, moved.file, third.now)


def test_a_name_is_not_given_twice(moved: Moved, alone: Desk) -> None:
    """A campaign whose name is taken, or that was imported before, is refused, and leaves nothing behind."""
    import_campaign(alone.app, moved.file, alone.now)

    with pytest.raises(BackupError, match="there is a campaign 'toy1' here already"):
        import_campaign(alone.app, moved.file, alone.now)
    assert sorted(path.name for path in alone.app.settings.archive.iterdir()) == ["toy1", "toy2"]


def test_a_game_that_is_not_there_is_refused(moved: Moved, alone: Desk) -> None:
    """A campaign whose game is not installed, or older, is refused, and leaves nothing behind."""
    empty: App = dataclasses.replace(alone.app, games={})

    with pytest.raises(BackupError, match="is a game of toy, which is not installed here"):
        import_campaign(empty, moved.file, alone.now)
    with alone.app.store.reading() as session:
        assert session.scalars(select(Campaign.name)).all() == ["toy2"]


class NewerAuction(Auction):
    """The toy game as a later version, in which the same orders come to something else."""

    version = 2
    upgrades = (lambda data: data,)


def test_turns_of_an_earlier_version_of_the_game_are_imported(moved: Moved, alone: Desk) -> None:
    """A home with a newer version says that results are not proved there; the campaign goes on with all its turns."""
    newer = dataclasses.replace(alone.app, games={"toy": NewerAuction()})
    done = import_campaign(newer, moved.file, alone.now)

    assert done.unproved == ("All results: the archive is of Toy Auction version 1, this program has version 2.",)
    there = Desk(newer, alone.now)
    run_action(newer, "toy1", ReleaseCampaign(), alone.now)
    play(there, {"red": "BID 1"})
    assert (snapshot(there).turn, snapshot(there).version) == (4, 2)
    with pytest.raises(ReplayError, match="turn 0 was run by toy version 1, and this is toy version 2: a turn comes"):
        prove_archive(newer, "toy1")


def test_an_archive_that_was_touched_is_not_taken(moved: Moved, alone: Desk, tmp_path: Path) -> None:
    """A changed sheet in the archive is found even if all hashes of the file agree."""
    touched = forge(moved.file, tmp_path / "forged.zip")

    with pytest.raises(BackupError, match=r"forged.zip: turn 1: 0001/reports/red\.html has hash"):
        import_campaign(alone.app, touched, alone.now)


def test_an_archive_without_its_beginning_takes_no_other_place(moved: Moved, alone: Desk, tmp_path: Path) -> None:
    """An incomplete archive is refused, and replaces no folder of another campaign."""
    there = alone.app.settings.archive / "toy1" / "notes"
    there.mkdir(parents=True)
    empty = forged(moved.file, tmp_path / "empty.zip", without="turns/")

    with pytest.raises(BackupError, match="does not hold one campaign"):
        import_campaign(alone.app, empty, alone.now)
    with pytest.raises(BackupError, match="holds the archive of another campaign"):
        import_campaign(alone.app, moved.file, alone.now)
    (there.parent / "0000").mkdir()
    (there.parent / "0000" / "turn.json").write_text("{}")
    with pytest.raises(BackupError, match="holds the archive of another campaign"):
        import_campaign(alone.app, moved.file, alone.now)
    assert there.is_dir()


def forge(source: Path, target: Path) -> Path:
    """Return the file with other words in a sheet."""
    with zipfile.ZipFile(source) as old:
        told = {name: old.read(name) for name in old.namelist() if name.startswith("turns/")}
    return forged(
        source, target, {name: raw.replace(b"WHISPER blue deal", b"WHISPER blue dear") for name, raw in told.items()}
    )


def test_the_file_has_nothing_of_others(moved: Moved) -> None:
    """An export holds neither people of other campaigns, nor messages, nor tokens, codes or keys."""
    lines = lines_of(moved.file)
    tables, words = Counter(line["table"] for line in lines), {word for line in lines for word in line}

    assert (tables["person"], tables["campaign"]) == (3, 1)
    assert tables.keys() & {"inbox", "request", "fact", "outgoing"} == set()
    assert words & {"token_hash", "dice_code", "code", "mail_key", "gm_token_hash", "undo"} == set()
    assert {line["address"] for line in lines if line["table"] == "person"} == {ANN, BOB, CYD}


def test_it_comes_home_again(moved: Moved, alone: Desk, tmp_path: Path) -> None:
    """A campaign that played a turn elsewhere is imported back with it, and the chain continues."""
    import_campaign(alone.app, moved.file, alone.now)
    run_action(alone.app, "toy1", ReleaseCampaign(), alone.now)
    play(alone, {"green": "BID 2"})
    export_campaign(alone.app, "toy1", tmp_path / "back.zip", alone.now, to="orders@example.org")
    home = Path(shutil.copytree(moved.old.home, tmp_path / "old", symlinks=True))
    with open_app(home, GAMES) as app:
        old = Desk(app, alone.now)
        import_campaign(app, tmp_path / "back.zip", old.now)
        run_action(app, "toy1", ReleaseCampaign(), old.now)
        play(old, {"red": "BID 1"})

        assert (snapshot(old).status, prove_archive(app, "toy1").turns) == ("over", 4)
        assert len([each for each in journal(old) if each.startswith(("moved to", "the campaign moved"))]) == 4
        report = text_of(old.last(ANN))
        assert "\nThe campaign moved here from play@club.example.net.\n" in report
        assert "The GM moved" not in report


def test_a_turn_that_is_just_being_run_is_not_kept(moved: Moved, alone: Desk, tmp_path: Path) -> None:
    """An export between computing and storing a turn discards the run."""
    import_campaign(alone.app, moved.file, alone.now)
    run_action(alone.app, "toy1", ReleaseCampaign(), alone.now)

    def meanwhile(context: Context) -> bool:
        if context.snapshot.status == "running":
            thread = Thread(
                target=export_campaign,
                args=(alone.app, "toy1", tmp_path / "back.zip", alone.now),
                kwargs={"to": "orders@example.org"},
            )
            thread.start()
            thread.join()
        return True

    assert not run_turn(alone.app, "toy1", alone.now, reason="a test", still=meanwhile)
    assert len(live_turns_of(alone)) == 4


def test_a_backup_of_a_home_that_a_campaign_has_left(moved: Moved, tmp_path: Path) -> None:
    """A restored home still names the new address of a campaign that moved."""
    made = create_backup(moved.old.app.settings, tmp_path / "left.zip", moved.old.now)

    assert restore_home(made.path, tmp_path / "again", moved.old.now, GAMES).held == ()
    with open_app(tmp_path / "again", GAMES) as app:
        assert [(each.status, each.moved_to) for each in home_status(app).campaigns] == [("moved", NEW)]
