"""The reports that players keep, and the hashes in them, show whether a GM has changed the archive."""

from __future__ import annotations

import json
import shutil
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlalchemy import select

from pbem.actions.base import run_action
from pbem.actions.rollback import RollBack
from pbem.archive.record import file_hash
from pbem.archive.verify import LocatedFile, VerifyResult, verify
from pbem.errors import ReplayError
from pbem.ruleset import canonical_json
from pbem.store.models import Turn
from tests.actions.history import begin, play
from tests.toy.fixtures import desk
from tests.toy.home import GAMES, Desk, is_report, open_desk, prepared, text_of

__all__ = ["desk"]


def attached(mail: EmailMessage) -> bytes:
    """Return the JSON of a mailed report, as its reader saves it."""
    (part,) = [part for part in mail.iter_attachments() if part.get_content_type() == "application/json"]
    raw = part.get_payload(decode=True)
    assert isinstance(raw, bytes)
    return raw


def newest(desk: Desk) -> EmailMessage:
    """Return the last report mailed to ann."""
    return [mail for mail in desk.mails("ann@example.org") if is_report(mail)][-1]


def checked(desk: Desk, *reports: bytes, record: str = "") -> VerifyResult:
    """Verify the archive of toy1 against reports and a hash."""
    held = {f"{number}.json": raw for number, raw in enumerate(reports)}
    return verify(desk.home / "turns", "toy1", games=GAMES, reports=held, records=[record] if record else [])


def hash_of(desk: Desk, turn: int) -> str:
    """Return the hash of a turn's record in the database."""
    with desk.app.store.reading() as session:
        return file_hash(session.scalars(select(Turn.record).where(Turn.number == turn)).one() or b"")


def rewritten(desk: Desk, first: int) -> None:
    """Change what happened in a turn and all later records to fit, as a careful forger might."""
    home, previous = desk.home / "turns" / "toy1", ""
    for folder in sorted(home.iterdir()):
        path = folder / "turn.json"
        record = json.loads(path.read_bytes()) | ({"previous": previous} if previous else {})
        if int(folder.name) == first:
            record["salt"] = "0" * 64
        raw = canonical_json(record) + b"\n"
        path.write_bytes(raw)
        previous = file_hash(raw)


@pytest.fixture
@prepared
def played(desk: Desk) -> Desk:
    """Return a campaign of three turns."""
    begin(desk, rounds="5")
    for bid in ("BID 2", "BID 1", "BID 1"):
        play(desk, {"red": bid})
    return desk


def test_every_report_tells_the_hash_of_the_record_before(played: Desk) -> None:
    """Text, HTML and JSON of a report disclose the hash of the previous record, the same to all seats."""
    expected = hash_of(played, 2)

    for address in ("ann@example.org", "bob@example.org", "cyd@example.org"):
        mail = [mail for mail in played.mails(address) if is_report(mail)][-1]
        html = mail.get_body(("html",))
        assert html is not None
        assert f"Record: {expected}\n" in text_of(mail)
        assert f"Record: {expected}" in html.get_content()
        assert json.loads(attached(mail))["record"] == expected


def test_the_first_report_has_no_record_before_it(desk: Desk) -> None:
    """The first report discloses no hash, since no record precedes the set-up."""
    begin(desk)

    assert "Record: " not in text_of(newest(desk))
    assert json.loads(attached(newest(desk)))["record"] == ""


def test_what_a_player_holds_is_found(played: Desk) -> None:
    """A player's report is found as that of the last turn, and the hash in it as that of the turn before."""
    told = hash_of(played, 2)

    assert checked(played, attached(newest(played)), record=told.upper()).held == (
        LocatedFile(what="report", name="0.json", turn=3, withdrawn=False),
        LocatedFile(what="record", name=told.upper(), turn=2, withdrawn=False),
    )


def test_a_turn_deleted_at_the_end_is_found(played: Desk) -> None:
    """An archive without its newest turn is consistent, but does not have the report of that turn."""
    report = attached(newest(played))
    shutil.rmtree(played.home / "turns" / "toy1" / "0003")

    assert checked(played).turns == 2
    with pytest.raises(ReplayError, match=r"^0\.json: no turn has this report: the archive was changed or cut since"):
        checked(played, report)


def test_a_chain_written_anew_is_found(played: Desk) -> None:
    """A rewritten chain of records is consistent, but does not have the mailed reports."""
    told, report = hash_of(played, 2), attached(newest(played))
    rewritten(played, 1)

    assert checked(played).turns == 3
    with pytest.raises(ReplayError, match=rf"no record has the hash {told}"):
        checked(played, record=told)
    with pytest.raises(ReplayError, match=rf"tells of the record {told}, but its turn 3 follows another"):
        checked(played, report)


def test_an_altered_report_is_found(played: Desk) -> None:
    """An altered report is not in the archive, so it cannot be used to accuse a GM."""
    report = attached(newest(played)).replace(b'"seat":"red"', b'"seat":"blu"')

    with pytest.raises(ReplayError, match=r"0\.json: no turn has this report: .*, or the file was"):
        checked(played, report)


def test_a_report_that_was_withdrawn_is_found_so(played: Desk) -> None:
    """The reports of a withdrawn turn are found too, as withdrawn."""
    report, told = attached(newest(played)), hash_of(played, 3)
    run_action(played.app, "toy1", RollBack(2), played.now)
    play(played, {"red": "BID 3"})

    assert [(held.turn, held.withdrawn) for held in checked(played, report, record=told).held] == [(3, True), (3, True)]


def test_what_is_no_report_is_said(played: Desk) -> None:
    """Any other file is reported as such."""
    with pytest.raises(ReplayError, match=r"0\.json: this is not a report: it is no JSON text"):
        checked(played, b"\x89PNG")


def test_a_hash_tells_nothing_that_could_be_guessed(tmp_path: Path) -> None:
    """Two campaigns with the same decisions of players and GM have different hashes, so guesses cannot be tested."""
    told = set()
    for name in ("one", "two"):
        with open_desk(tmp_path / name) as desk:
            desk.alike = False
            begin(desk)
            play(desk, {"red": "BID 2"})
            told.add(hash_of(desk, 0))
            report = json.loads(attached(newest(desk)))
            assert report["record"] == hash_of(desk, 0)

    assert len(told) == 2


def test_no_mail_tells_a_salt(played: Desk) -> None:
    """The salt of a record is in the archive alone."""
    with played.app.store.reading() as session:
        salts = [json.loads(record or b"{}")["salt"] for record in session.scalars(select(Turn.record)) if record]
    mails = b"".join(path.read_bytes() for path in (played.home / "post" / "sent" / "new").iterdir())

    assert len({*salts}) == len(salts) == 4
    assert all(len(bytes.fromhex(salt)) == 32 for salt in salts)
    assert [salt for salt in salts if salt.encode() in mails] == []
    reports = [attached(mail) for mail in played.mails() if is_report(mail)]
    assert [salt for salt in salts if any(salt.encode() in report for report in reports)] == []
