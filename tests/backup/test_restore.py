"""A restored home equals the one backed up, repeats nothing, and continues when it is told to."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from pbem.actions.base import run_action
from pbem.actions.deadlines import ReleaseCampaign
from pbem.actions.press import AnnounceInReport
from pbem.actions.settings import MailToken
from pbem.actions.undo import UndoChange
from pbem.admin.health import activate_home, is_closed
from pbem.app import open_app
from pbem.backup.create import create_backup
from pbem.backup.restore import check_backup, restore_home
from pbem.campaign.archive_sync import prove_archive
from pbem.config import load_settings
from pbem.config_values import FILE_NAME
from pbem.errors import BackupError, ConfigError, StoreError
from pbem.store.copy import copy_from_file, copy_to_file
from pbem.store.models import OutgoingMail, Turn
from pbem.store.queue import require_queues
from tests.actions.history import begin, journal, live_turns, play, rows, send, subjects
from tests.backup.conftest import Kept
from tests.toy.home import GAMES, Desk, open_desk, text_of


def restored(kept: Kept, home: Path, database: str = "") -> Path:
    """Restore a home from the backup; return it."""
    restore_home(kept.file, home, kept.desk.now, GAMES, database=database)
    return home


@pytest.fixture
def again(kept: Kept, tmp_path: Path) -> Iterator[Desk]:
    """Yield the restored home, open and inactive."""
    with open_app(restored(kept, tmp_path / "again"), GAMES) as app:
        yield Desk(app, kept.desk.now)


@pytest.fixture
def opened(kept: Kept, tmp_path: Path) -> Iterator[Desk]:
    """Yield the restored home, active again."""
    home = restored(kept, tmp_path / "again")
    with open_app(home, GAMES) as app:
        activate_home(app)
    with open_app(home, GAMES) as app:
        yield Desk(app, kept.desk.now)


def archive(home: Path) -> dict[str, bytes]:
    """Return all files of a home's archive."""
    root = home / "turns"
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("later_migration")
def test_a_backup_of_the_version_before_is_restored(kept: Kept, tmp_path: Path) -> None:
    """The rows of a backup of the previous version have what this version adds, and the home can be used."""
    home = restored(kept, tmp_path / "restored")

    assert written(home, "SELECT DISTINCT expected, awaited FROM turn") == [(0, "[]"), (3, '["blue","green","red"]')]
    with open_app(home, GAMES) as app:
        assert prove_archive(app, "toy1").withdrawn == 2


def test_it_stands_where_it_stood(kept: Kept, again: Desk) -> None:
    """Turns, records and archive are the same to the byte, withdrawn turns too."""
    here, there = live_turns(again), live_turns(kept.desk)

    assert [(turn.number, turn.state, turn.record) for turn in here] == [
        (turn.number, turn.state, turn.record) for turn in there
    ]
    assert archive(again.home) == archive(kept.desk.home)
    assert (again.home / "templates").is_dir()
    assert prove_archive(again.app, "toy1").withdrawn == 2


SHOWN = ("RUN", "REMOVE red", "GIVE red TO cyd@example.org", "DEADLINE 40d", "ROLLBACK 1", "RERUN red\nBID 1")
"""Commands that are only shown, with an offer that a YES accepts."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("command", SHOWN)
def test_a_home_whose_gm_was_shown_a_command_is_restored(desk: Desk, tmp_path: Path, command: str) -> None:
    """A backup made after one command by mail is sound, and its rows are the same in the home that is opened."""
    begin(desk, rounds="9")
    play(desk, {"red": "BID 2", "blue": "BID 1"})
    desk.post(f"GM toy1 {gm_token(desk)}\n{command}\nEND", sender="gm@example.org")
    desk.tick()
    made = create_backup(load_settings(desk.home), tmp_path / "shown.zip", desk.now)
    again = restored(Kept(desk, made.path), tmp_path / "again")

    assert check_backup(made.path, desk.now, GAMES).problems == ()
    assert [kind for (kind,) in written(again, "SELECT kind FROM request")] == ["gm"]
    for table in ("request", "turn", "report", "sheet", "seat", "person"):
        assert written(again, f"SELECT * FROM {table}") == written(desk.home, f"SELECT * FROM {table}")
    with open_app(again, GAMES) as app:
        activate_home(app)
    with open_app(again, GAMES) as app:
        Desk(app, desk.now).tick()


def test_links_among_the_templates_come_along_as_what_they_are_used_for(desk: Desk, tmp_path: Path) -> None:
    """A link within the folder is a template as any other, and one that leads out of it is in no backup."""
    (tmp_path / "secret").write_text("secret")
    (desk.home / "templates" / "out.j2").symlink_to(tmp_path / "secret")
    (desk.home / "templates" / "toy" / "twin.j2").symlink_to("report.j2")
    made = create_backup(load_settings(desk.home), tmp_path / "b.zip", desk.now)
    templates = restored(Kept(desk, made.path), tmp_path / "again") / "templates"

    assert not (templates / "out.j2").exists()
    assert (templates / "toy" / "twin.j2").read_bytes() == (templates / "toy" / "report.j2").read_bytes()


def test_what_could_be_undone_can_be_undone_after_a_restore(desk: Desk, tmp_path: Path) -> None:
    """A change of the open turn is undone in the restored home as in the one before."""
    begin(desk, rounds="9")
    run_action(desk.app, "toy1", AnnounceInReport("The harbour is closed."), desk.now)
    made = create_backup(load_settings(desk.home), tmp_path / "b.zip", desk.now)
    home = restored(Kept(desk, made.path), tmp_path / "again")
    with open_app(home, GAMES) as app:
        activate_home(app)
    with open_app(home, GAMES) as app:
        run_action(app, "toy1", UndoChange(sure="YES"), desk.now)
        run_action(app, "toy1", ReleaseCampaign(), desk.now)
        play(again := Desk(app, desk.now), {})

        assert "harbour" not in text_of(again.last("ann@example.org"))


def test_the_next_reports_begin_with_the_restore(opened: Desk) -> None:
    """They say in a sentence of their own what is void; it is nothing that the GM looked at."""
    run_action(opened.app, "toy1", ReleaseCampaign(), opened.now)
    play(opened, {})
    text = text_of(opened.last("ann@example.org"))

    made = "Mon 2 Nov 2026 13:00 UTC"
    assert f"The home was restored from its backup of {made}: what was done after that is void." in " ".join(
        text.split()
    )
    assert text.index("The home was restored") < text.index("WHAT HAPPENED")
    assert "WHAT YOUR GM LOOKED AT" not in text


def gm_token(desk: Desk) -> str:
    """Return a new token of the GM of toy1, from the mail that has it."""
    run_action(desk.app, "toy1", MailToken(), desk.now)
    desk.tick()
    (found,) = re.findall(r"^GM toy1 ([0-9a-f]+)$", text_of(desk.last("gm@example.org")), re.MULTILINE)
    return str(found)


def written(home: Path, query: str) -> list[tuple[object, ...]]:
    """Return rows of a home's database as they are stored."""
    with closing(sqlite3.connect(home / "pbem.sqlite")) as database:
        return database.execute(query).fetchall()


def test_nothing_happens_before_it_is_opened(again: Desk) -> None:
    """A tick of an inactive home refuses with the command to type."""
    with pytest.raises(ConfigError, match="Activate it: pbem restore --activate"):
        again.tick()
    assert is_closed(again.app)
    activate_home(again.app)

    again.tick()


def test_a_home_at_rest_can_be_backed_up_whole(kept: Kept, again: Desk, tmp_path: Path) -> None:
    """An inactive home can be backed up and restored, with its templates, which are not used meanwhile."""
    made = create_backup(load_settings(again.home), tmp_path / "again.zip", kept.desk.now)
    restore_home(made.path, tmp_path / "twice", kept.desk.now, GAMES)
    templates = [
        {path.relative_to(home): path.read_bytes() for path in (home / "templates").rglob("*.j2")}
        for home in (kept.desk.home, tmp_path / "twice")
    ]

    assert templates[0] == templates[1] != {}


def test_what_waited_to_be_sent_is_not_sent_by_itself(opened: Desk) -> None:
    """Queued mail may have been sent after the backup, so only the notices of the restore are sent."""
    before = len(opened.mails())
    waiting = [mail.message_id for mail in rows(opened, OutgoingMail) if mail.reply.startswith("not sent: it waited")]
    opened.tick()

    assert len(waiting) > 3
    assert not {mail["Message-ID"] for mail in opened.mails()} & set(waiting)
    assert {mail["Subject"] for mail in opened.mails()[before:]} == {
        "[toy1] on hold: it stands again as it did Mon 2 Nov 2026 13:00 UTC",
        "[toy1] restored from a backup, on hold",
    }
    assert "Reports, receipts and" in text_of(opened.last())


def test_no_turn_runs_before_its_gm_says_so(opened: Desk) -> None:
    """No turn runs before its release, whatever its deadline; then stored sheets count, and reports tell of it."""
    opened.tick(hours=24 * 14)
    assert live_turns(opened)[-1].number == 3

    run_action(opened.app, "toy1", ReleaseCampaign(), opened.now)
    opened.tick()
    assert live_turns(opened)[-1].number == 4
    assert "restored from its backup" in text_of(opened.last("bob@example.org"))
    assert prove_archive(opened.app, "toy1").turns == 3


def test_no_mail_after_it_has_a_name_that_was_used(kept: Kept, opened: Desk, tmp_path: Path) -> None:
    """Turns that both the old and the restored home ran have different codes and Message-IDs."""
    went_on = Path(shutil.copytree(kept.desk.home, tmp_path / "went-on", symlinks=True))
    with open_app(went_on, GAMES) as app:
        old = Desk(app, kept.desk.now)
        play(old, {"red": "BID 1"})
        run_action(opened.app, "toy1", ReleaseCampaign(), opened.now)
        play(opened, {"red": "BID 2"})

        ours, theirs = (
            {mail.message_id for mail in rows(desk, OutgoingMail)}
            - {mail.message_id for mail in rows(kept.desk, OutgoingMail)}
            for desk in (opened, old)
        )
    assert len(ours) > 6
    assert ours & theirs == set()


def test_a_letter_that_was_read_is_not_taken_twice(kept: Kept, opened: Desk) -> None:
    """If all mail is moved back into the inbox, only messages received after the backup are new."""
    known = len(rows(opened, Turn))
    processed, inbox = opened.home / "post" / "inbox" / "Processed" / "cur", opened.home / "post" / "inbox" / "cur"
    for path in processed.iterdir():
        path.rename(inbox / path.name)
    send(opened, {"red": "BID 3"})

    assert opened.tick().polled == 1
    assert len(rows(opened, Turn)) == known


def test_a_place_that_is_not_empty_is_left_alone(kept: Kept, tmp_path: Path) -> None:
    """A home is never restored over another."""
    (tmp_path / "letter.txt").write_text("Dear Ann")

    with pytest.raises(BackupError, match="is not empty"):
        restored(kept, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_a_broken_backup_makes_nothing(kept: Kept, tmp_path: Path) -> None:
    """A broken backup leaves the place as it was."""
    cut = tmp_path / "cut.zip"
    cut.write_bytes(kept.file.read_bytes()[:-30])

    with pytest.raises(BackupError):
        restore_home(cut, tmp_path / "home", kept.desk.now, GAMES)
    assert [path.name for path in tmp_path.iterdir()] == ["cut.zip"]


def test_an_archive_elsewhere_comes_into_the_home(kept: Kept, tmp_path: Path) -> None:
    """The archive is restored into the home, wherever the old one wrote it."""
    with open_desk(tmp_path / "old") as old:
        settings = old.home / FILE_NAME
        outside = tmp_path / "outside"
        settings.write_text(settings.read_text().replace('archive = "turns"', f'archive = "{outside}"'))
    with open_app(tmp_path / "old", GAMES) as app:
        Desk(app).begin()
        create_backup(load_settings(tmp_path / "old"), tmp_path / "backup.zip", kept.desk.now)
    restore_home(tmp_path / "backup.zip", tmp_path / "new", kept.desk.now, GAMES)

    assert load_settings(tmp_path / "new").archive == tmp_path / "new" / "turns"
    assert (tmp_path / "new" / "turns" / "toy1" / "0000" / "turn.json").is_file()


def test_what_is_missing_is_said(kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore lists a missing key and passwords that the environment lacks."""
    monkeypatch.delenv("PBEM_WORD", raising=False)
    with open_desk(tmp_path / "old") as old:
        settings = old.home / FILE_NAME
        (old.home / "dkim.pem").write_text("the key")
        settings.write_text(
            settings.read_text()
            + 'dkim = { domain = "example.org", selector = "pbem", key_file = "dkim.pem" }\n'
            + 'inbox_password = { env = "PBEM_WORD" }\n'
        )
        create_backup(load_settings(old.home), tmp_path / "backup.zip", kept.desk.now)
    made = restore_home(tmp_path / "backup.zip", tmp_path / "new", kept.desk.now, GAMES)

    assert made.lacks == (
        f"the DKIM key, the file {tmp_path / 'new' / 'dkim.pem'}",
        "inbox_password, the environment variable PBEM_WORD",
    )


def test_from_one_database_to_the_other_and_back(kept: Kept, tmp_path: Path, postgres_url: str) -> None:
    """A home is moved from SQLite to PostgreSQL and back; each backup of it is sound."""
    home = restored(kept, tmp_path / "shared", postgres_url)
    with open_app(home, GAMES) as app:
        activate_home(app)
    with open_app(home, GAMES) as app:
        desk = Desk(app, kept.desk.now)
        run_action(app, "toy1", ReleaseCampaign(), desk.now)
        play(desk, {"red": "BID 2"})
        assert "restored" in " ".join(journal(desk))
        made = create_backup(load_settings(home), tmp_path / "shared.zip", desk.now)
        records = [turn.record for turn in live_turns(desk)]
    assert check_backup(made.path, desk.now, GAMES).problems == ()
    restore_home(made.path, tmp_path / "alone", desk.now, GAMES)

    with open_app(tmp_path / "alone", GAMES) as app:
        activate_home(app)
    with open_app(tmp_path / "alone", GAMES) as app:
        alone = Desk(app, desk.now)
        assert [turn.record for turn in live_turns(alone)] == records
        run_action(app, "toy1", ReleaseCampaign(), alone.now)
        play(alone, {"red": "BID 1"})
        assert prove_archive(app, "toy1").turns == 4
        assert any("[toy1] goes on" in subject for subject in subjects(alone, "ann@example.org"))


def test_a_restore_onto_a_server_that_fails_leaves_its_database_empty(
    kept: Kept, tmp_path: Path, postgres_url: str
) -> None:
    """Rows and queues are restored in one transaction; after a failure the same command works."""
    with closing(psycopg.connect(postgres_url.replace("+psycopg", ""), autocommit=True)) as connection:
        connection.execute("CREATE TYPE procrastinate_job_status AS ENUM ('other')")
        with pytest.raises(StoreError, match=r"the queues of workers cannot be made: .* already exists"):
            restored(kept, tmp_path / "home", postgres_url)
        assert not (tmp_path / "home").exists()
        connection.execute("DROP TYPE procrastinate_job_status")
    home = restored(kept, tmp_path / "home", postgres_url)

    with open_app(home, GAMES) as app:
        require_queues(app.store)


def test_a_database_that_was_filled_meanwhile(kept: Kept, tmp_path: Path, postgres_url: str) -> None:
    """The second of two restores into one database fails before it has written a row."""
    file = tmp_path / "copy.sqlite"
    copy_to_file(kept.desk.app.settings.database, file)
    copy_from_file(file, postgres_url)

    with pytest.raises(StoreError, match="the database is not empty"):
        copy_from_file(file, postgres_url)


def test_a_full_database_is_left_alone(kept: Kept, tmp_path: Path, migrated_postgres_url: str) -> None:
    """Nothing is restored into a database that has tables."""
    with pytest.raises(BackupError, match="the database is not empty"):
        restored(kept, tmp_path / "home", migrated_postgres_url)
    assert not (tmp_path / "home").exists()
