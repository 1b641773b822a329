"""A GM runs a campaign by mail: with the token, all or nothing, answered to the GM's address alone."""

from __future__ import annotations

import re

import pytest

from pbem.actions.base import run_action
from pbem.actions.settings import ChangeGm, mail_gm_token
from pbem.campaign.snapshot import Context, load_campaign
from pbem.inbox.gm_help import GM_WORDS
from pbem.report.notices import GmToken
from tests.actions.history import journal
from tests.toy.home import Desk, text_of

GM, ANN, BOB = "gm@example.org", "ann@example.org", "bob@example.org"


@pytest.fixture
def token(desk: Desk) -> str:
    """Return the token that the GM of a campaign was mailed."""
    desk.begin()
    with desk.app.store.writing() as session:
        mail_gm_token(Context(session, desk.app, load_campaign(session, "toy1"), desk.now))
    desk.tick()
    found = re.search(r"^GM toy1 ([0-9a-f]+)$", text_of(desk.last(GM)), re.MULTILINE)
    assert found is not None
    return found[1]


def command(desk: Desk, token: str, *lines: str, sender: str = GM) -> str:
    """Mail commands of the GM; return the answer with its lines joined."""
    desk.post("\n".join([f"GM toy1 {token}", *lines, "END"]), sender=sender)
    desk.tick()
    return read(desk)


def read(desk: Desk, address: str = GM, at: int = -1) -> str:
    """Return a mail to an address, the newest by default, its lines joined."""
    return " ".join(text_of(desk.mails(address)[at]).split())


def held(desk: Desk) -> str:
    """Return why no turn of the campaign is run; "" when turns run."""
    with desk.app.store.reading() as session:
        return load_campaign(session, "toy1").held


def test_the_mail_with_the_token_names_commands_that_there_are(desk: Desk) -> None:
    """It has those of a first evening, and HELP for the others."""
    text = desk.app.reporter.write(GmToken(campaign="toy1", token="t", address="orders@example.org")).text
    named = re.findall(r"^- ([A-Z]+)", text, re.MULTILINE)

    assert named[0] == "HELP"
    assert len(named) > 5
    assert set(named) <= {word.word for word in GM_WORDS}


def test_a_change_by_one_command_is_kept_by_the_next(desk: Desk, token: str) -> None:
    """A house rule set in the same mail as other commands is kept."""
    command(desk, token, "RULE review yes", "HOLD snow", "TEXT TO ALL", "Hello.")

    with desk.app.store.reading() as session:
        snapshot = load_campaign(session, "toy1")
    assert (snapshot.policy.review, snapshot.held) == (True, "paused by the GM: snow")


def test_several_commands_are_done_at_once(desk: Desk, token: str) -> None:
    """Each command of a mail is done, and the answer says so, whatever address it came from."""
    answer = command(desk, token, "hold I am on a train", "rule grace 12h", sender="away@example.org")

    assert held(desk) == "paused by the GM: I am on a train"
    assert "HOLD I am on a train" in answer
    assert "House rules of toy1 from now on: grace 12h." in answer
    assert "DONE: 2 commands." in answer
    assert desk.last(GM)["Subject"] == "[toy1] Done: 2 commands"
    assert desk.mails("away@example.org") == []


def test_a_command_that_cannot_be_undoes_the_others(desk: Desk, token: str) -> None:
    """Commands are done all or not at all; the answer names the one at fault and the nearest valid thing."""
    answer = command(desk, token, "HOLD", "PAUSE rde")

    assert held(desk) == ""
    assert "NOT DONE: none of 2 commands, because of line 2: PAUSE rde." in answer
    assert "toy1 has no seat 'rde': did you mean red?" in answer
    assert desk.last(GM)["Subject"] == "[toy1] Not done: pause seat rde"


def test_a_line_not_understood_stops_all(desk: Desk, token: str) -> None:
    """A misspelt command is shown as typed with the nearest there is, and nothing is done."""
    answer = command(desk, token, "HOLD", "RELAESE")

    assert held(desk) == ""
    assert "NOT UNDERSTOOD: line 2: RELAESE. Did you mean RELEASE?" in answer


def test_a_wrong_token_does_nothing(desk: Desk, token: str) -> None:
    """Without the token nothing is done, not even from the GM's address; the GM is warned, and told nothing more."""
    answer = command(desk, "0" * len(token), "HOLD")

    assert held(desk) == ""
    assert "in your name, without your token" in read(desk, at=-2)
    assert answer.startswith("No seat of yours is named")


def test_automatic_mail_is_not_the_gms(desk: Desk, token: str) -> None:
    """A frame in an automatic mail, such as a holiday notice that quotes one, does nothing."""
    desk.post(f"GM toy1 {token}\nHOLD\nEND", sender=GM, headers={"Auto-Submitted": "auto-replied"})
    desk.tick()

    assert held(desk) == ""


def test_a_new_gm_needs_a_new_token(desk: Desk, token: str) -> None:
    """The token of a former GM is not valid."""
    run_action(desk.app, "toy1", ChangeGm("gma@example.org"), desk.now)
    desk.post(f"GM toy1 {token}\nHOLD\nEND", sender=GM)
    desk.tick()

    assert held(desk) == ""
    assert "in your name, without your token" in read(desk, "gma@example.org")


def test_run_by_mail(desk: Desk, token: str) -> None:
    """RUN runs the open turn in the tick that reads it, and once."""
    command(desk, token, "RUN", "RUN")
    desk.tick()

    with desk.app.store.reading() as session:
        assert load_campaign(session, "toy1").turn == 2


def test_a_run_is_not_done_again_after_a_rollback(desk: Desk, token: str) -> None:
    """A RUN of a turn that was run is settled, even when that turn is opened again."""
    command(desk, token, "RUN")
    command(desk, token, "ROLLBACK 1 YES")
    desk.tick()

    with desk.app.store.reading() as session:
        assert load_campaign(session, "toy1").turn == 1


def test_text_and_sheet_below_a_command(desk: Desk, token: str) -> None:
    """The whole text below a command is taken, even with the word END in it."""
    command(desk, token, "TEXT TO ALL", "The harbour is closed.", "END of the season!")
    command(desk, token, "RUN")

    assert "END of the season!" in text_of(desk.last(ANN))
    assert "The harbour is closed." in text_of(desk.last(BOB))


def test_a_preview_keeps_nothing(desk: Desk, token: str) -> None:
    """The reports of all seats go to the GM as files; no player is mailed, and the turn stays open."""
    before = len(desk.mails(ANN))
    command(desk, token, "PREVIEW")

    assert [part.get_filename() for part in desk.last(GM).iter_attachments()] == ["red.txt", "blue.txt"]
    assert len(desk.mails(ANN)) == before


def test_a_rollback_asks_first(desk: Desk, token: str) -> None:
    """Without YES the GM is told what a rollback would do; with it the earlier turn is open again."""
    command(desk, token, "RUN")
    asked = command(desk, token, "ROLLBACK 1")
    done = command(desk, token, "ROLLBACK 1 YES")

    assert "Or send the same with: ROLLBACK 1 YES" in asked
    assert desk.mails(GM)[-2]["Subject"].startswith("[toy1] Would do: rollback 1 (reply YES)")
    assert "toy1 stands at turn 1 again" in done
    with desk.app.store.reading() as session:
        assert load_campaign(session, "toy1").turn == 1


def test_a_preview_rolls_other_dice_unless_asked(desk: Desk, token: str) -> None:
    """PREVIEW discloses nothing of the dice to come; PREVIEW REAL does, and says who will know."""
    plain = command(desk, token, "PREVIEW")
    before = list(journal(desk))
    real = command(desk, token, "PREVIEW REAL")

    assert "with other dice than the turn will have" in plain
    assert "the next reports tell that you looked" in real
    assert not any("looked" in entry for entry in before)
    assert "looked at what turn 1 would come to, with the dice that it will have" in journal(desk)


def test_a_question_about_another_sheet_is_noted(desk: Desk, token: str) -> None:
    """RERUN without YES changes nothing, but is entered into the journal."""
    command(desk, token, "RUN")
    command(desk, token, "RERUN red", "BID 3")

    assert "looked at what turn 1 would have come to with other sheets" in journal(desk)


@pytest.mark.parametrize("line", ["SHEET red", "SHEETS", "SHEETS red"])
def test_a_sheet_without_lines_is_shown(desk: Desk, token: str, line: str) -> None:
    """SHEET without orders enters nothing: the answer has the orders that the player sent."""
    desk.post("ORDERS toy1 red\nBID 3\nEND", sender=ANN)
    desk.tick()
    answer = command(desk, token, line)

    assert "red: sheet 1, by its player, Mon 2 Nov 2026" in answer
    assert "counts BID 3" in answer
    assert "by its player" in command(desk, token, "SHEET red YES")
    assert "counts BID 3" in command(desk, token, "SHEETS")


def test_a_sheet_of_no_seat_is_refused(desk: Desk, token: str) -> None:
    """The nearest seat is named for an unknown one, and an unknown version is refused."""
    assert "did you mean red?" in command(desk, token, "SHEETS rde")
    assert "write: SHEET red BACK 2" in command(desk, token, "SHEET red 2")
    assert "no earlier sheet 2 of red for turn 1" in command(desk, token, "SHEET red BACK 2")
    assert "nothing stands below SHEET red BACK" in command(desk, token, "SHEET red BACK", "BID 3")


def test_a_sheet_that_replaces_another_asks_first(desk: Desk, token: str) -> None:
    """The orders to be replaced are shown; what was replaced is kept, and can be restored."""
    desk.post("ORDERS toy1 red\nBID 3\nEND", sender=ANN)
    desk.tick()
    asked = command(desk, token, "SHEET red", "BID 1")
    assert "Would replace sheet 1: - BID 3 + BID 1" in asked
    assert "Or send the same with: SHEET red YES" in asked
    assert "counts BID 3" in command(desk, token, "SHEETS red")
    done = command(desk, token, "SHEET red YES", "BID 1")
    assert "To have it back: SHEET red BACK 1" in done
    assert "sheet 1, by its player" in command(desk, token, "SHEETS red")

    assert "Or send the same with: SHEET red BACK YES" in command(desk, token, "SHEET red BACK")
    command(desk, token, "SHEET red BACK YES")
    assert "red: sheet 3, entered by the GM, Mon 2 Nov 2026 10:00 Europe/Berlin (09:00 UTC), counts BID 3" in command(
        desk, token, "SHEETS red"
    )


def test_a_sheet_of_remarks_replaces_only_when_confirmed(desk: Desk, token: str) -> None:
    """A sheet without orders asks too before it replaces one."""
    desk.post("ORDERS toy1 red\nBID 3\nEND", sender=ANN)
    desk.tick()

    assert "Would replace sheet 1: - BID 3" in command(desk, token, "SHEET red", "; nothing this turn")
