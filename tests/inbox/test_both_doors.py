"""A GM is told the same whether a command is typed or mailed; commands that only show something need no lock."""

from __future__ import annotations

import datetime as dt
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.actions.settings import mail_gm_token
from pbem.campaign.snapshot import Context, load_campaign
from pbem.cli import main
from pbem.scheduler.tick import run_campaign_now
from tests.actions.history import journal
from tests.inbox.people import form
from tests.toy.home import GAMES, Desk, prepared, text_of

GM, ANN = "gm@example.org", "ann@example.org"

SHEET = "BID 3\nBID\n"
"""An order, and a mistyped one."""

DOORS = {
    "seats": (["status", "toy1"], ["STATUS"]),
    "statistics": (["status", "toy1", "--stats"], ["STATUS STATS"]),
    "house rules": (["set", "toy1"], ["SET"]),
    "a house rule": (["set", "toy1", "grace=12h"], ["SET grace 12h"]),
    "journal": (["journal", "toy1"], ["JOURNAL"]),
    "deadlines": (["deadline", "toy1"], ["DEADLINE"]),
    "another schedule": (["set", "toy1", "schedule=DAILY 20:00 UTC"], ['SET schedule="DAILY 20:00 UTC"']),
    "more time": (["deadline", "toy1", "24h"], ["DEADLINE 24h"]),
    "a day": (["deadline", "toy1", "24", "Dec", "8pm", "--yes"], ["DEADLINE 24 Dec 8pm YES"]),
    "another time": (["deadline", "toy1", "Sat", "20:00"], ["DEADLINE Sat 20:00"]),
    "hold": (["hold", "toy1", "snow"], ["HOLD snow"]),
    "text": (
        ["announce", "toy1", "to", "red", "in", "report", "--text", "FILE"],
        ["ANNOUNCE TO red IN REPORT", "BID 3", "BID"],
    ),
    "texts": (["announce", "toy1"], ["ANNOUNCE"]),
    "press": (["announce", "toy1", "to", "red", "--text", "FILE"], ["ANNOUNCE TO red", "BID 3", "BID"]),
    "all press": (["journal", "toy1", "press"], ["JOURNAL PRESS"]),
    "invitation": (["invite", "toy1", "eve@example.org"], ["INVITE eve@example.org"]),
    "hand over": (["give", "toy1", "red", "to", "eve@example.org", "--yes"], ["GIVE red TO eve@example.org YES"]),
    "a hand over looked at": (["give", "toy1", "red", "to", "eve@example.org"], ["GIVE red TO eve@example.org"]),
    "a seat to be opened": (["open", "toy1", "red"], ["OPEN red"]),
    "a removal looked at": (["remove", "toy1", "red"], ["REMOVE red"]),
    "a roll": (["roll", "toy1", "3d6+2", "the gate"], ['ROLL 3d6+2 "the gate"']),
    "rolls": (["roll", "toy1"], ["ROLL"]),
    "removal": (["remove", "toy1", "red", "--yes"], ["REMOVE red YES"]),
    "preview": (["preview", "toy1"], ["PREVIEW"]),
    "a look back": (["rollback", "toy1", "1"], ["ROLLBACK 1"]),
    "the way back": (["rollback", "toy1", "1", "--yes"], ["ROLLBACK 1 YES"]),
    "another sheet": (["rerun", "toy1", "--sheet", "red=FILE"], ["RERUN red", "BID 3", "BID"]),
    "another run": (["rerun", "toy1", "--sheet", "red=FILE", "--yes"], ["RERUN red YES", "BID 3", "BID"]),
}
"""Commands as typed, and as mailed."""


@pytest.fixture
@prepared
def token(desk: Desk) -> str:
    """Return the GM's token of a campaign whose turn 1 was the last, so that the seed is known."""
    desk.begin(rounds="1")
    run_campaign_now(desk.app, "toy1", desk.now)
    return gm_token(desk)


@prepared
def played(desk: Desk) -> str:
    """Play a turn of a campaign; return its GM's token."""
    desk.begin()
    run_campaign_now(desk.app, "toy1", desk.now)
    return gm_token(desk)


def gm_token(desk: Desk) -> str:
    """Return the token that the GM is mailed."""
    with desk.app.store.writing() as session:
        mail_gm_token(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))
    desk.tick()
    found = re.search(r"^GM toy1 ([0-9a-f]+)$", text_of(desk.last(GM)), re.MULTILINE)
    assert found is not None
    return found[1]


def typed(home: Path, now: dt.datetime, words: Sequence[str]) -> str:
    """Return what a command prints."""
    file = home / "sheet.txt"
    file.write_text(SHEET)
    line = [word.replace("FILE", str(file)) for word in words]
    clock = ["--now", now.isoformat()] if words[0] not in ("journal", "status") or "--stats" in words else []
    return CliRunner().invoke(main, ["--home", str(home), *line, *clock], obj=GAMES).stdout


def mailed(desk: Desk, token: str, lines: Sequence[str]) -> str:
    """Return the answer to the GM."""
    desk.post("\n".join([f"GM toy1 {token}", *lines, "END"]), sender=GM)
    desk.tick()
    return text_of(desk.last(GM))


def without_what_is_typed(line: str) -> str:
    """Return a line of the screen without its heading, which a mail has once, and the command that it proposes."""
    headless = re.sub(r"^(?:Done|Would do): ", "", line)
    return without_numbers(re.split(r"(?: ?(?:Undo|Next|Release): )?pbem ", headless)[0])


def without_numbers(text: str) -> str:
    """Return a text with the numbers of lines made alike: in a mail the command itself is the first."""
    return re.sub(r"\bline \d+", "line", text)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("what", DOORS)
def test_command_line_and_mail_tell_the_same(desk: Desk, tmp_path: Path, what: str) -> None:
    """Every line of the screen is in the mail, except for commands to be typed."""
    token = played(desk)
    other = shutil.copytree(desk.home, tmp_path / "other")
    screen = typed(other, desk.now, DOORS[what][0])
    mail = mailed(desk, token, DOORS[what][1])

    lines = [without_what_is_typed(line) for line in screen.splitlines() if "--yes" not in line]
    assert any(lines)
    # A sentence that follows a heading begins with a capital in a mail.
    assert [line for line in lines if line.casefold() not in without_numbers(mail).casefold()] == []


def test_a_mail_warns_that_the_seed_is_known(desk: Desk, token: str) -> None:
    """The GM who reopens a turn of a finished game is told by mail too that its dice are no secret."""
    warning = "anyone who kept the last report can compute all later rolls."

    for lines in (["ROLLBACK 1"], ["RERUN red", "BID 3"]):
        assert warning in " ".join(mailed(desk, token, lines).split())


def test_a_mail_tells_what_is_wrong_with_the_gms_sheet(desk: Desk, token: str) -> None:
    """A line of the GM's sheet that was not understood is named, as on the screen."""
    assert "sheet of red, line 3: there is no order BIT" in mailed(desk, token, ["RERUN red", "BID 3", "BIT 2"])


def test_the_screen_shows_a_paused_seat(desk: Desk) -> None:
    """Screen and mail both show that a seat is paused."""
    desk.begin()
    token = gm_token(desk)
    mail = mailed(desk, token, ["PAUSE red", "STATUS"])

    assert "-, paused" in mail
    assert "-, paused" in typed(desk.home, desk.now, ["status"])


@pytest.mark.parametrize("word", ["set", "status", "announce", "gm", "deadline", "journal", "sheet", "rollback"])
def test_commands_that_only_show_wait_for_no_lock(desk: Desk, word: str) -> None:
    """While a tick writes, commands that only show something run."""
    desk.begin()
    with desk.app.store.writing() as session:
        load_campaign(session, "toy1")
        shown = typed(desk.home, desk.now, [word, "toy1"])

    assert "Not done" not in shown


def test_a_campaign_is_started_by_mail(desk: Desk) -> None:
    """START sets it up, and the first reports go out."""
    form(desk, "red", "blue")
    token = gm_token(desk)

    assert "Started toy1 with red, blue." in mailed(desk, token, ["START"])
    assert "round 1" in str(desk.last(ANN)["Subject"])


def test_a_turn_is_tried_in_a_copy_by_mail(desk: Desk) -> None:
    """FORK runs a turn with another sheet: all reports come, with what differs; nothing is changed."""
    desk.begin()
    run_campaign_now(desk.app, "toy1", desk.now)
    token = gm_token(desk)
    answer = mailed(desk, token, ["FORK 1 red YES", "BID 3"])

    assert "toy1: turn 1 there, against what was really told" in answer
    assert [part.get_filename() for part in desk.last(GM).iter_attachments()] == ["red.txt", "blue.txt"]
    assert "made a copy of the campaign as it stood when turn 1 was open" in journal(desk)[-1]
    with desk.app.store.reading() as session:
        assert load_campaign(session, "toy1").turn == 2


def test_a_fork_wants_to_know_whose_sheet_it_is(desk: Desk) -> None:
    """Orders below FORK or RERUN without a seat are not passed over; the answer names a seat of the campaign."""
    desk.begin()
    token = gm_token(desk)

    for line in ("FORK 1", "FORK 1 YES", "RERUN", "RERUN YES"):
        said = f"whose sheet is it that stands below? Write: {line.removesuffix(' YES')} red"
        assert said in mailed(desk, token, [line, "BID 3"])


def test_the_state_comes_as_a_file(desk: Desk) -> None:
    """STATE brings what STATE with a patch changes."""
    desk.begin()
    token = gm_token(desk)
    mailed(desk, token, ["STATE"])
    (file,) = desk.last(GM).iter_attachments()

    assert (file.get_filename(), file.get_content_type()) == ("toy1-1.json", "application/json")
    assert b'"purses"' in file.get_content()


def test_statistics_bring_their_picture(desk: Desk) -> None:
    """STATUS STATS brings as a file what --picture writes."""
    desk.begin()
    mailed(desk, gm_token(desk), ["STATUS STATS"])
    (file,) = desk.last(GM).iter_attachments()

    assert (file.get_filename(), file.get_content_type()) == ("toy1-statistics.png", "image/png")
    assert file.get_content().startswith(b"\x89PNG")


def test_a_text_for_reports_is_undone_by_mail(desk: Desk) -> None:
    """UNDO removes the text that was put into the next reports."""
    desk.begin()
    token = gm_token(desk)
    mailed(desk, token, ["ANNOUNCE IN REPORT", "The harbour is closed."])
    mailed(desk, token, ["UNDO"])

    assert "There are no texts for reports of toy1." in mailed(desk, token, ["ANNOUNCE"])


def test_a_new_token_voids_the_old(desk: Desk) -> None:
    """TOKEN mails another token, and the one before is no longer valid."""
    desk.begin()
    token = gm_token(desk)
    mailed(desk, token, ["TOKEN"])
    mailed(desk, token, ["HOLD"])

    with desk.app.store.reading() as session:
        assert load_campaign(session, "toy1").held == ""
