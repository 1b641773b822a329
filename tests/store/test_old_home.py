"""A home made by an earlier version goes on: it is migrated, its mails keep their threads, and its archive is proved.

`homes/duel_of_0002.tar.xz` was made by the program when the database had its second
form: a duel of Singularity in turn 2, with a press message between its players.
`MAILS` are the mails that this program then sent for the same actions.
`homes/duel_of_0007.tar.xz` is from its seventh form: another duel, in turn 1,
with pictures.
"""

from __future__ import annotations

import shutil
import sqlite3
import tarfile
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from pbem.cli import main
from pbem.config import load_settings
from pbem.store.migrate import downgrade
from pbem.store.models import OutgoingMail, Report, Seat
from pbem.store.session import Store

HOMES = Path(__file__).with_name("homes")

MAILS = [
    ("bob@example.org", "receipt", "<6uaz32wlcmjmudgyab243ekhir@example.org>"),
    ("ann@example.org", "report", "<ccse37ad2436vziei7kasftbr3@example.org>"),
    ("bob@example.org", "report", "<uwddhywbcexckry2w3py3g6qns@example.org>"),
    ("ann@example.org", "notice", "<yrhkutwf3u5rtwqfow3bim5ggd@example.org>"),
    ("bob@example.org", "notice", "<cjspdkx7bdpxscabd5dz6pihjv@example.org>"),
]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return the home without pictures, migrated to this version."""
    return unpacked("duel_of_0002", tmp_path)


@pytest.fixture
def pictured(tmp_path: Path) -> Path:
    """Return the home with pictures, migrated to this version."""
    return unpacked("duel_of_0007", tmp_path)


def unpacked(name: str, folder: Path, *statements: str) -> Path:
    """Unpack a home, change its database by some statements, and migrate it."""
    with tarfile.open(HOMES / f"{name}.tar.xz") as files:
        # Not the argument `filter`, which Debian 12's Python 3.11.2 does not have.
        files.extraction_filter = lambda member, _path: member
        files.extractall(folder)
    execute(folder / "home", *statements)
    pbem(folder / "home", "migrate")
    return folder / "home"


def execute(home: Path, *statements: str) -> None:
    """Execute statements on the database of a home, of whatever version it is."""
    with closing(sqlite3.connect(home / "pbem.sqlite")) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


def pbem(home: Path, *words: str) -> str:
    """Return the output of a command that succeeds."""
    result = CliRunner().invoke(main, ["--home", str(home), *words])
    assert result.exit_code == 0, result.output
    return result.output


def play_on(home: Path) -> list[tuple[str, str, str]]:
    """Answer an old report, run the turn and roll it back; return the recipients and Message-IDs of the mails."""
    store = Store(load_settings(home).database)
    with store.reading() as session:
        before = session.scalars(select(OutgoingMail.id).order_by(OutgoingMail.id.desc())).first()
        newest = select(Report.code).join(Seat, Seat.id == Report.seat_id).where(Seat.name == "blue")
        code = session.scalars(newest.order_by(Report.id.desc())).first()
    post(home, f"ORDERS duel blue {code}\nPLACE b2\nEND")
    pbem(home, "tick", "--now", "2026-11-03T09:00Z")
    pbem(home, "tick", "--now", "2026-11-03T10:00Z")
    pbem(home, "rollback", "duel", "2", "--yes", "--now", "2026-11-03T11:00Z")
    pbem(home, "tick", "--now", "2026-11-03T11:00Z")
    with store.reading() as session:
        mailed = select(OutgoingMail.recipient, OutgoingMail.kind, OutgoingMail.message_id).where(
            OutgoingMail.id > before
        )
        rows = session.execute(mailed.order_by(OutgoingMail.id)).all()
    store.close()
    return [(row.recipient, row.kind, row.message_id) for row in rows]


def post(home: Path, text: str) -> None:
    """Deliver a mail of blue's player."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "bob@example.org", "orders@example.org", "orders"
    mail["Message-ID"], mail["Date"] = "<3@example.org>", "Mon, 2 Nov 2026 09:00:00 +0000"
    mail.set_content(text)
    (home / "post" / "inbox" / "new" / "3").write_bytes(mail.as_bytes())


def test_mails_of_an_old_campaign_keep_their_names(home: Path) -> None:
    """The same mails have the same Message-IDs, so that threads hold and nothing is mailed twice."""
    assert play_on(home) == MAILS


def verified(home: Path) -> str:
    """Return the output of `pbem verify` on the archive."""
    return pbem(home, "verify", str(home / "turns"), "--campaign", "duel")


def test_an_old_home_is_in_order(home: Path) -> None:
    """Its archive is consistent, before and after it is played on."""
    before = verified(home)
    play_on(home)

    for said in (before, verified(home)):
        assert "The chain of records, all files, and the checksum of every sheet agree." in said


def test_an_archive_is_written_again_from_what_was_kept_before(pictured: Path) -> None:
    """Every file of the archive is written again to the byte, pictures too."""
    campaign = pictured / "turns" / "duel"
    there = {path: path.read_bytes() for path in campaign.rglob("*") if path.is_file()}
    shutil.rmtree(campaign)
    said = CliRunner().invoke(main, ["--home", str(pictured), "tick", "--now", "2026-11-03T09:00Z"]).output

    assert "it was written again from the database" in said
    assert len([path for path in there if path.suffix == ".png"]) == 2
    assert {path: path.read_bytes() for path in campaign.rglob("*") if path.is_file()} == there


def test_mails_that_an_old_home_has_sent_are_shortened(pictured: Path) -> None:
    """Mails that can no longer bounce are shortened; the next turn is run as ever."""
    pbem(pictured, "tick", "--now", "2026-11-09T12:00Z")
    store = Store(load_settings(pictured).database)
    with store.reading() as session:
        mails = session.execute(
            select(OutgoingMail.sent_at, OutgoingMail.raw).where(OutgoingMail.kind == "report")
        ).all()
    store.close()

    assert {str(sent_at)[:10]: b"image/png" in raw for sent_at, raw in mails} == {
        "2026-11-02": False,
        "2026-11-09": True,
    }
    assert "The chain of records, all files" in verified(pictured)


_OLD_RULES = (
    '{"accept":"address","extensions":0,"late":"public","mass":101,"nmr_open":3,"press_with":"report","review":false}'
)


@pytest.mark.parametrize("name", ["duel_of_0002", "duel_of_0007"])
def test_house_rules_of_an_old_home_hold(name: str, tmp_path: Path) -> None:
    """Its rules have today's names, also after the way down and up again; the archive is consistent."""
    home = unpacked(name, tmp_path, f"UPDATE campaign SET policy = '{_OLD_RULES}', settle_minutes = 5")
    shown = [pbem(home, "set", "duel")]
    url = load_settings(home).database
    for revision in ("0024", "0007"):
        downgrade(url, revision)
        pbem(home, "migrate")
        shown.append(pbem(home, "set", "duel"))

    for rule in (
        *("authentication=address", "extension-votes=off", "late-list=players", "hold=off", "open-after-missed=3"),
        *("press-delivery=report", "settle=5m", "min-time=12h"),
    ):
        assert f"  {rule}  (default" in shown[0]
    assert shown[1:] == [shown[0]] * 2
    assert "The chain of records, all files, and the checksum of every sheet agree." in verified(home)
