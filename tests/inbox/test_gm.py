"""A GM runs a campaign by mail: with the token, all or nothing, answered to the GM's address alone."""

from __future__ import annotations

import re

import pytest

from pbem.actions.arguments import forms_of
from pbem.actions.base import run_action
from pbem.actions.registry import GM_COMMANDS
from pbem.actions.settings import ChangeGm, mail_gm_token
from pbem.campaign.deadlines import open_turns
from pbem.campaign.snapshot import Context, load_campaign
from pbem.inbox.frames import GmFrame
from pbem.inbox.gm_lines import command_line, parse_gm_frame
from pbem.inbox.synonyms import as_gm_command, gm_table
from pbem.report import small
from pbem.verbs import VERBS, Verb
from tests.actions.history import journal
from tests.toy.home import Desk, prepared, text_of

GM, ANN, BOB = "gm@example.org", "ann@example.org", "bob@example.org"


@pytest.fixture
@prepared
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
    text = desk.app.reporter.write(
        small.gm_token(campaign="toy1", token="t", address="orders@example.org", seat="red")
    ).text
    named = re.findall(r"^- ([A-Z]+)", text, re.MULTILINE)

    assert named[0] == "HELP"
    assert len(named) > 5
    assert {each.lower() for each in named} <= VERBS.keys()


def test_a_reason_is_kept_with_its_signs(desk: Desk, token: str) -> None:
    """The reason behind HOLD reaches the players whole, with commas and semicolons."""
    answer = command(desk, token, "HOLD Ann is ill, back on Monday; sorry")

    assert held(desk) == 'on hold by the GM: "Ann is ill, back on Monday; sorry"'
    assert "Not read" not in answer
    desk.tick()
    assert "Ann is ill, back on Monday; sorry." in read(desk, BOB)


def test_a_change_by_one_command_is_kept_by_the_next(desk: Desk, token: str) -> None:
    """A house rule set in the same mail as other commands is kept."""
    command(desk, token, "SET hold always", "HOLD snow", "ANNOUNCE IN REPORT", "Hello.")

    with desk.app.store.reading() as session:
        snapshot = load_campaign(session, "toy1")
    assert (snapshot.policy.hold, snapshot.held) == ("always", 'on hold by the GM: "snow"')


def test_several_commands_are_done_at_once(desk: Desk, token: str) -> None:
    """Each command of a mail is done, and the answer says so, whatever address it came from."""
    answer = command(desk, token, "hold I am on a train", "set grace 12h", sender="away@example.org")

    assert held(desk) == 'on hold by the GM: "I am on a train"'
    assert "HOLD I am on a train" in answer
    assert "House rules changed: grace 12h." in answer
    assert "DONE: 2 commands." in answer
    assert desk.last(GM)["Subject"] == "[toy1] Done: 2 commands"
    assert desk.mails("away@example.org") == []


def test_a_command_that_cannot_be_undoes_the_others(desk: Desk, token: str) -> None:
    """Commands are done all or not at all; the answer names the one at fault and the nearest valid thing."""
    answer = command(desk, token, "HOLD", "PAUSE rde")

    assert held(desk) == ""
    assert "NOT DONE: none of 2 commands, because of line 2: PAUSE rde." in answer
    assert 'toy1 has no seat "rde". Did you mean red?' in answer
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
    assert "in your name, without your token" in answer


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
    command(desk, token, "RUN YES", "RUN YES")
    desk.tick()

    with desk.app.store.reading() as session:
        assert load_campaign(session, "toy1").turn == 2


def test_a_run_is_not_done_again_after_a_rollback(desk: Desk, token: str) -> None:
    """A RUN of a turn that was run is settled, even when that turn is opened again."""
    command(desk, token, "RUN YES")
    command(desk, token, "ROLLBACK 1 YES")
    desk.tick()

    with desk.app.store.reading() as session:
        assert load_campaign(session, "toy1").turn == 1


def test_text_and_sheet_below_a_command(desk: Desk, token: str) -> None:
    """The whole text below a command is taken, even with the word END in it."""
    command(desk, token, "ANNOUNCE IN REPORT", "The harbour is closed.", "END of the season!")
    command(desk, token, "RUN YES")

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
    command(desk, token, "RUN YES")
    asked = command(desk, token, "ROLLBACK 1")
    done = command(desk, token, "ROLLBACK 1 YES")

    assert "Or send the same with: ROLLBACK 1 YES" in asked
    assert desk.mails(GM)[-2]["Subject"].startswith("[toy1] Would do: rollback 1 (reply YES)")
    assert "urn 1 is open (it was turn 2)." in done
    with desk.app.store.reading() as session:
        assert load_campaign(session, "toy1").turn == 1


def test_a_preview_rolls_other_dice_unless_asked(desk: Desk, token: str) -> None:
    """PREVIEW discloses nothing of the dice to come; PREVIEW REAL does, and says who will know."""
    plain = command(desk, token, "PREVIEW")
    before = list(journal(desk))
    real = command(desk, token, "PREVIEW REAL YES")

    assert "other dice than the turn will" in plain
    assert "the next reports tell that you looked" in real
    assert not any("looked" in entry for entry in before)
    assert "looked at what turn 1 would come to, with the dice that it will have" in journal(desk)


def test_a_question_about_another_sheet_is_noted(desk: Desk, token: str) -> None:
    """RERUN without YES changes nothing, but is entered into the journal."""
    command(desk, token, "RUN YES")
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
    assert "Did you mean red?" in command(desk, token, "SHEETS rde")
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


def test_a_sheet_of_the_gm_holds_the_turn_until_it_is_final(desk: Desk, token: str) -> None:
    """A refused line in a GM's sheet holds the turn, as the player's receipt says; FINAL beside or alone ends that."""
    command(desk, token, "SHEET red", "BID 3", "BIT 4")
    assert "The turn waits for your correction" in read(desk, ANN)
    assert held_by_red(desk)
    command(desk, token, "SHEET red YES", "BID 2", "BIT 4", "FINAL")
    assert not held_by_red(desk)
    command(desk, token, "SHEET red YES", "WAIT")
    assert "You said WAIT" in read(desk, ANN)
    assert held_by_red(desk)
    command(desk, token, "SHEET red YES", "FINAL")

    assert not held_by_red(desk)
    assert "counts BID 2" in command(desk, token, "SHEETS red")


def test_final_alone_enters_no_sheet_for_a_seat_without_one(desk: Desk, token: str) -> None:
    """A GM's FINAL without orders does not count as a sheet that has none."""
    answer = command(desk, token, "SHEET red", "FINAL")

    assert "no sheet of red counts yet" in answer
    assert "no sheet counts" in command(desk, token, "SHEETS red")


def held_by_red(desk: Desk) -> bool:
    """Return True if the open turn waits for its deadline because of red."""
    return any(turn.is_held_by("red") for turn in open_turns(desk.app))


def test_a_sheet_of_remarks_replaces_only_when_confirmed(desk: Desk, token: str) -> None:
    """A sheet without orders asks too before it replaces one."""
    desk.post("ORDERS toy1 red\nBID 3\nEND", sender=ANN)
    desk.tick()

    assert "Would replace sheet 1: - BID 3" in command(desk, token, "SHEET red", "; nothing this turn")


def test_the_list_of_help_is_complete() -> None:
    """HELP has each word of today once, with a summary of at most 60 characters, and all words are in the parser."""
    known = {word for verb in GM_COMMANDS.verbs for word in (verb.word, *verb.order.also)}

    assert len(VERBS) == 29
    assert [each.usage for each in VERBS.values() if len(each.summary) > 60 or each.summary.endswith(".")] == []
    assert known - {word.upper() for word in VERBS} == {"SHEETS"}
    assert {word.upper() for word in VERBS} <= known


def test_each_action_loads_the_classes_of_its_word() -> None:
    """The classes that a row names are those that the parser of mails has for its word."""
    for word, verb in VERBS.items():
        classes = [each for each in GM_COMMANDS.types if each in forms_of(verb)]
        assert len(classes) == len(forms_of(verb))
        assert all(word.upper() in (each.usage.split()[0], *each.also) for each in classes)


@pytest.mark.parametrize("word", VERBS.values(), ids=VERBS)
def test_what_undoes_a_command_is_one_or_a_reason(word: Verb) -> None:
    """Each command says by which command it is undone, or why it is not."""
    known = {verb.word for verb in GM_COMMANDS.verbs}

    assert word.undo.split()[0].strip(",") in known or word.undo[0].islower()
    assert not word.undo.endswith(".")


@pytest.mark.parametrize("word", VERBS.values(), ids=VERBS)
def test_the_example_of_each_command_is_understood(word: Verb) -> None:
    """The example of HELP can be parsed, and its words begin with the command."""
    frame = GmFrame("toy1", "", tuple(enumerate(word.example.splitlines(), start=1)))
    parsed = parse_gm_frame(frame).parsed

    assert parsed.findings == ()
    assert word.example.split()[0] == word.word.upper() or word.word in ("release", "undo")


@pytest.mark.sampled(8)
@pytest.mark.parametrize("word", [each for word, each in VERBS.items() if word not in ("start", "ruling", "fork")])
def test_the_example_of_each_command_can_be_sent(desk: Desk, token: str, word: Verb) -> None:
    """What HELP shows as an example is done, or shown, in a campaign whose first turn was run."""
    command(desk, token, "RUN YES")
    desk.tick()
    answer = command(desk, token, *word.example.splitlines())

    assert re.search(r"DONE: |WOULD DO: |Help: |Your token", answer), answer
    assert "NOT DONE" not in answer


SYNONYMS = sorted(
    (words, command) for command, row in gm_table().items() for words in {*row.get("also", ()), *row.get("before", ())}
)


@pytest.mark.parametrize(("others", "command_"), SYNONYMS)
def test_other_words_are_understood(others: str, command_: str) -> None:
    """Each synonym becomes a command of the parser, in small letters too."""
    behind = {
        "GIVE": " red TO eve@example.org",
        "ROLL": " 3d6 gate",
        "ROLLBACK": " 4",
        "DEADLINE": " 24h",
        "FORK": " 1",
        "SWAP": " red and blue",
    }
    behind |= dict.fromkeys(("OPEN", "PAUSE", "RESUME", "REMOVE", "ANNOUNCE TO", "SHEET"), " red")
    line = as_gm_command(others + behind.get(command_, " eve@example.org" if command_ == "INVITE" else ""))
    (order,) = GM_COMMANDS.parse({}, [(1, line)]).orders

    assert GM_COMMANDS.line(order).startswith(command_)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *[("stop", "HOLD"), ("Go on", "RELEASE"), ("more time", "DEADLINE"), ("MORE TIME 24h", "DEADLINE 24h")],
        *[("extend to 2026-12-24T20:00", "DEADLINE 2026-12-24T20:00"), ("kick red", "REMOVE red")],
        *[("SEAT red bot", "SEAT red BOT"), ("replace red by eve@example.org YES", "")],
        *[("house rule grace 12h", "SET grace 12h")],
        *[("what if 4 red", "FORK 4 red"), ("press to red, blue", "ANNOUNCE TO red blue"), ("PRESS", "JOURNAL PRESS")],
        *[("DEADLINE Sat 8pm", 'DEADLINE "Sat 20:00"'), ("SHEET", "SHEETS"), ("RERUN YES 3", "RERUN YES 3")],
        *[("pause seat", "PAUSE seat"), ("ROLL 4", "ROLL 4"), ("JOURNAL 3 PRESS", "JOURNAL 3 PRESS")],
    ],
)
def test_lines_are_read_as_commands(typed: str, meant: str) -> None:
    """Other words mean the commands, with what stands behind them."""
    (order,) = GM_COMMANDS.parse({}, [(1, as_gm_command(typed))]).orders

    assert command_line(order) == (meant or "GIVE red TO eve@example.org YES")


@pytest.mark.parametrize(
    ("typed", "meant"), [("STAUTS", "STATUS"), ("HEPL", "HELP"), ("RELAESE", "RELEASE"), ("DAEDLINE", "DEADLINE")]
)
def test_a_mistyped_word_is_answered_with_the_one_used_more(desk: Desk, token: str, typed: str, meant: str) -> None:
    """The nearest command of today is offered, before those of earlier versions."""
    answer = command(desk, token, typed)

    assert f"NOT UNDERSTOOD: line 1: {typed}. Did you mean {meant}?" in answer
    assert desk.last(GM)["Subject"] == f"[toy1] Not understood: {typed}"


def test_a_changed_deadline_is_in_the_subject(desk: Desk, token: str) -> None:
    """The subject has the fact: the new deadline."""
    command(desk, token, "DEADLINE 24h")

    assert desk.last(GM)["Subject"] == "[toy1] Done: deadline Sat 7 Nov 20:00 CET"


def test_a_deadline_on_a_day_of_the_week(desk: Desk, token: str) -> None:
    """A day of the week is the next one, at the time of day of the deadline."""
    command(desk, token, "EXTEND TO Sunday")

    assert desk.last(GM)["Subject"] == "[toy1] Done: deadline Sun 8 Nov 20:00 CET"


def test_house_rules_are_set_together(desk: Desk, token: str) -> None:
    """SET takes several rules, and a value with blanks; alone it lists them."""
    answer = command(desk, token, 'SET grace=12h schedule="SAT 20:00 Europe/Berlin" holidays=2026-12-24,2026-12-25')
    assert "DONE: SET" in answer
    with desk.app.store.reading() as session:
        snapshot = load_campaign(session, "toy1")
    assert (snapshot.policy.grace, snapshot.schedule.text) == (720, "SAT 20:00 Europe/Berlin")
    assert snapshot.policy.holidays == ("2026-12-24", "2026-12-25")

    assert "grace=12h" in command(desk, token, "SET")
    assert "grace has no value. Expected: " in command(desk, token, "SET grace")


def test_announcements_in_reports(desk: Desk, token: str) -> None:
    """IN REPORT puts the text into the next reports; alone ANNOUNCE lists what waits for them."""
    command(desk, token, "ANNOUNCE TO red IN REPORT", "The harbour is closed.")
    assert "The harbour is closed." in command(desk, token, "ANNOUNCE")
    command(desk, token, "RUN YES")
    desk.tick()

    assert "The harbour is closed." in text_of(desk.last(ANN))
    assert "The harbour is closed." not in text_of(desk.last(BOB))


def test_help_beside_other_commands(desk: Desk, token: str) -> None:
    """HELP alone has a mail of its own; beside other commands it is one of the answers."""
    alone = command(desk, token, "HELP hold")
    assert "HOLD [reason]" in alone
    assert "To undo it: RELEASE." in alone
    both = command(desk, token, "HELP", "HOLD")

    assert "DONE: 2 commands." in both
    assert "- REMOVE seat: Take a seat out of the game" in both


@pytest.mark.parametrize(
    "lines",
    [
        ("HELP " + "x" * 400,),
        ("SET ======", "SET =", "SET a=b=c"),
        ("SET " + "grace=12h " * 60,),
        ("STATE", "{" * 5_000),
        ("ANNOUNCE TO ALL IN", "x"),
        ("EXTEND TO",),
        ("YES",),
        ("GIVE red TO", "GIVE red BY", "REPLACE red BY"),
        ("JOURNAL 99999999999999999999",),
        ("JOURNAL 999999999 PRESS",),
        ("ROLL 999999999",),
        ("what if", "go back to", "take back"),
    ],
)
def test_hostile_lines_do_nothing(desk: Desk, token: str, lines: tuple[str, ...]) -> None:
    """Whatever stands in a frame is answered, and changes nothing."""
    before = list(journal(desk))
    answer = command(desk, token, *lines)

    assert "NOT " in answer or "is not a command" in answer or "DONE: J" in answer or "DONE: ROLL" in answer
    assert list(journal(desk)) == before


def test_undo_by_mail_asks_once_it_was_mailed(desk: Desk, token: str) -> None:
    """Until the players were mailed it is done at once; later the answer has the command with its entry and a YES."""
    assert 'ndid "turn 1 on hold' in command(desk, token, "HOLD snow", "UNDO")
    assert held(desk) == ""
    command(desk, token, "HOLD snow")
    asked = command(desk, token, "UNDO")
    assert held(desk) != ""
    assert "2 mails about it went out; the readers would be notified." in asked
    found = re.search(r"send the same with: (UNDO \d+ YES 1)", asked)
    assert found is not None

    command(desk, token, found[1])
    assert held(desk) == ""
    assert "goes on" in desk.last(ANN)["Subject"]


def test_undo_twice_by_mail_undoes_once(desk: Desk, token: str) -> None:
    """The second UNDO finds its entry undone, and never goes on with an older one."""
    command(desk, token, "SET grace 2h")
    command(desk, token, "PAUSE blue")
    assert 'ndid "seat blue is paused' in command(desk, token, "UNDO")

    assert "has undone something itself. Do it again: pbem pause toy1 blue" in command(desk, token, "REVERT")
    with desk.app.store.reading() as session:
        assert load_campaign(session, "toy1").policy.grace == 120


@pytest.mark.parametrize("line", ["UNDO 0", "UNDO 999999999", "UNDO 99999999999", "UNDO seat", "UNDO -1", "UNDO 1 2 3"])
def test_undo_of_what_is_not_there(desk: Desk, token: str, line: str) -> None:
    """A number that no entry of the campaign has, or none at all, changes nothing and is answered."""
    before = journal(desk)

    assert "toy1" in command(desk, token, line)
    assert journal(desk) == before


def test_the_journal_by_mail_says_how_to_undo(desk: Desk, token: str) -> None:
    """The GM's journal has the command by mail; one for another campaign's entries it has not."""
    command(desk, token, "PAUSE blue")

    shown = command(desk, token, "JOURNAL")
    assert re.search(r"seat blue is paused: turns do not wait for it \(undo: UNDO \d+\)", shown)
