"""Commands in messages: how they are found, whose they are, and where the answer goes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import pytest

from pbem.actions.base import run_action
from pbem.actions.registry import PLAY_ACTIONS, SEAT_ACTIONS
from pbem.actions.settings import SetHouseRule
from pbem.inbox.command_parser import COMMANDS, MOST_COMMANDS, VERBS, find_commands
from pbem.inbox.frames import SheetHeader
from pbem.inbox.process import process_messages
from pbem.inbox.run_commands import HANDLERS
from pbem.mail.fetch import fetch_messages, open_mailbox
from pbem.ruleset import AnyRuleset, ParsedOrder, ParsedSheet, View
from pbem.ruleset.orders import SHORTEST_ABBREVIATION
from tests.games import RULESETS
from tests.inbox.people import ANN, EVE, ask, confirm, insist, players, reports, token, words
from tests.inbox.trusting import TAKEN
from tests.toy.home import Desk
from tests.toy.ruleset import Auction, Bid


def asked(text: str) -> list[str] | None:
    """Return the command lines found in a text; None if it has no commands."""
    found = find_commands(text.split("\n"), {"toy1"})
    return None if found is None else [line for _, line in found.lines]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("STATUS", ["STATUS"]),
        ("\n\n  status\n\nBest wishes", ["  status"]),
        ("PAUSE\nSTATUS\n\nBest wishes", ["PAUSE", "STATUS"]),
        ("Hello\nPLAYER toy1 red key\nSTAT\nEND\nBye", ["STAT"]),
        ("PLAYER toy1 red\n; nothing\nRESEND 4", ["RESEND 4"]),
        ("PRESS TO blue\nhello\n\nthere", ["PRESS TO blue"]),
        ("STAT", None),
        ("BID 3\nSTATUS", None),
        ("Hello\nSTATUS", None),
        ("PLAYER one of us\nwill be late", None),
        ("", None),
    ],
)
def test_commands_are_found(text: str, lines: list[str] | None) -> None:
    """Commands come first, in full, up to the first blank line; or between PLAYER and END, even abbreviated."""
    assert asked(text) == lines


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("STATUS please.\nThanks!\nAnn", "STATUS"),
        ("rules combat, please?", "RULES combat"),
        ("ABSENT 1 December 2026 to Fri 5 Dec 2026.", "ABSENT 2026-12-01 TO 2026-12-05"),
        ("ABSENT Dec 24, 2026", "ABSENT 2026-12-24"),
        ("DEPUTY bob@example.org UNTIL the 3rd of January 2027", "DEPUTY bob@example.org UNTIL 2027-01-03"),
        ("DICE thank you", "DICE thank you"),
    ],
)
def test_commands_may_be_written_as_to_a_person(text: str, line: str) -> None:
    """Commands may have a please, a name below and dates as in reports; a dice word is left as it is."""
    found = find_commands(text.split("\n"), {"toy1"})

    assert found is not None
    assert found.parse().errors == ()
    assert list(map(COMMANDS.line, found.parse().orders)) == [line]


def test_a_frame_names_seat_and_key() -> None:
    """The line PLAYER is parsed like ORDERS: campaign and seat in small letters, the key as it is."""
    found = find_commands(["player Toy1 RED Key", "STATUS", "END"], {"toy1"})

    assert found is not None
    assert found.header == SheetHeader("toy1", "red", "Key")


@pytest.mark.parametrize("frame", ["{}", "PLAYER toy1 red\n{}\nEND\nBye", "{}\nEND\nBye"])
def test_a_text_is_all_that_stands_below(frame: str) -> None:
    """A command with a text has all lines to END or to the end, even blank ones and those like commands."""
    found = find_commands(frame.format("MUTE blue\nPRESS TO green\n\nSTATUS quo,\n\nas ever").split("\n"), {"toy1"})

    assert found is not None
    assert [line for _, line in found.lines] == ["MUTE blue", "PRESS TO green"]
    assert found.texts == {2: "STATUS quo,\n\nas ever"}


def test_a_message_has_so_many_commands_at_most() -> None:
    """Commands after the twentieth are noted, not done."""
    found = find_commands(["STATUS"] * (MOST_COMMANDS + 5), {"toy1"})

    assert found is not None
    assert len(found.lines) == MOST_COMMANDS
    assert found.notes == (f"Only the first {MOST_COMMANDS} commands were read.",)


@pytest.mark.parametrize("game", RULESETS, ids=lambda game: game.key)
def test_no_order_is_taken_for_a_command(game: AnyRuleset) -> None:
    """No order of any game, whole or abbreviated, is a command in full."""
    cuts = {
        verb.word[:length]
        for verb in game.orders.verbs
        for length in range(min(SHORTEST_ABBREVIATION, len(verb.word)), len(verb.word) + 1)
    }

    assert not cuts & VERBS


def test_every_command_has_a_handler() -> None:
    """Every command that may be mailed has one handler."""
    assert {*HANDLERS, *SEAT_ACTIONS, *PLAY_ACTIONS} == {verb.order for verb in COMMANDS.verbs}


@pytest.fixture
def begun(desk: Desk) -> Desk:
    """Yield a campaign of red and blue, with its first reports mailed."""
    desk.start()
    return desk


def test_orders_go_before_commands(begun: Desk) -> None:
    """A message with an ORDERS frame is a sheet, whatever else is in it."""
    assert ask(begun, "STATUS\n\nORDERS toy1 red\nBID 2\nEND").startswith(TAKEN)


def test_a_reply_to_a_report_may_be_a_command(begun: Desk) -> None:
    """The first line decides what a reply is."""
    begun.reply(begun.last(), "MUTE blue\n\nOn Monday the desk wrote:\n> BID 3")
    begun.answer()

    assert "You get no more messages and news of blue in toy1" in words(begun.last())


def test_a_line_not_understood_is_told_with_the_nearest(begun: Desk) -> None:
    """Commands that were understood are done; other lines are quoted with what was expected and the nearest command."""
    text = ask(begun, "STATUS\nMUET blue\nHISTORY 2")

    assert "STATUS toy1 (Toy Auction), seat red, round 1:" in text
    assert "Not understood, and not done MUET blue There is no command MUET. Perhaps: MUTE blue." in text
    assert "HISTORY 2 2 is more than JOURNAL takes." in text


def test_commands_may_stand_in_the_subject(begun: Desk) -> None:
    """The subject of a mail without text is parsed, as with HELP."""
    assert "toy1 (Toy Auction), seat red" in ask(begun, "", subject="Re: status")


def test_leave_in_a_subject_is_not_done(begun: Desk) -> None:
    """LEAVE in a subject does nothing; a subject like that of an unsubscribe button brings a question."""
    assert "nobody leaves by a subject alone" in ask(begun, "", subject="LEAVE")
    assert "You have not left" in ask(begun, "", subject="LEAVE toy1")


def test_a_player_of_several_seats_is_asked_which(begun: Desk) -> None:
    """Only the sender's own seats are listed, and the command again in a frame."""
    begun.begin(name="toy2", seats=("red", "green"))
    begun.begin(name="toy3", seats=("blue", "green"))

    text = ask(begun, "PAUSE")

    assert "PLAYER toy1 red PLAYER toy2 red For example: PLAYER toy1 red PAUSE END" in text
    assert "toy3" not in text


def test_a_frame_says_which(begun: Desk) -> None:
    """With the seat named, a player of several is served."""
    begun.begin(name="toy2", seats=("red", "green"))

    assert "You get no more messages and news of green in toy2" in ask(begun, "PLAYER toy2 red\nMUTE green\nEND")


def test_the_token_speaks_from_any_address(begun: Desk) -> None:
    """A command with the token is done, and the answer goes to the registered address alone."""
    begun.post(f"PLAYER toy1 red {token(begun)}\nMUTE blue\nEND", sender=EVE)
    begun.answer()

    assert "You get no more messages and news of blue in toy1" in words(begun.last(ANN))
    assert begun.mails(EVE) == []


def test_a_stranger_is_told_what_every_stranger_is(begun: Desk) -> None:
    """Commands for existing and other seats are answered in the same words."""
    for number, header in enumerate(["PLAYER toy1 red", "PLAYER toy9 red", "PLAYER toy1 pink"]):
        begun.post(f"{header}\nLEAVE\nEND", sender=f"eve{number}@example.net")
    begun.post("STATUS", sender="eve3@example.net")
    begun.answer()

    texts = {words(begun.last(f"eve{number}@example.net")) for number in range(4)}
    assert len(texts) == 1
    assert "toy" not in texts.pop()


def test_a_stranger_cannot_act_for_a_seat(begun: Desk) -> None:
    """Nothing is done, and the seat's own address is warned."""
    begun.post("PLAYER toy1 red\nLEAVE\nEND", sender=EVE)
    begun.answer()

    assert "rejected: a mail for your seat" in begun.last(ANN)["Subject"]
    assert "seat red" in ask(begun, "STATUS")


def test_an_old_report_is_enough_to_look_up(begun: Desk) -> None:
    """Queries, whose answers go to the player alone, may be sent in reply to any report."""
    old = begun.last(ANN)
    begun.tick(hours=24 * 5)
    begun.reply(old, "RESEND 1", sender=EVE)
    begun.answer()

    assert len(reports(begun, ANN)) == 3
    assert begun.mails(EVE) == []


def test_an_old_report_is_not_enough_to_change_a_thing(begun: Desk) -> None:
    """The code of an earlier turn's report does not give the seat away."""
    old = begun.last(ANN)
    begun.tick(hours=24 * 5)
    begun.reply(old, "LEAVE", sender=EVE)
    begun.answer()

    assert "Your mail answers a turn that has already run" in words(begun.last(ANN))
    assert "seat red" in ask(begun, "STATUS")


def test_automatic_mail_is_no_command(begun: Desk) -> None:
    """Automatic mail is no command."""
    begun.post("LEAVE", headers={"Auto-Submitted": "auto-replied"})
    begun.answer()

    assert "seat red" in ask(begun, "STATUS")


@pytest.mark.parametrize(
    "text", ["JOIN", "CONFIRM", "MUTE", "ABSENT 1-2-3", "DEPUTY x UNTIL y", "FORMAT odd", "RESEND 9x", "RESEND 77"]
)
def test_no_command_is_silent(begun: Desk, text: str) -> None:
    """A faulty command is always answered."""
    assert text.split()[0] in ask(begun, text)


@pytest.mark.parametrize("accept", ["code", "token"])
def test_the_accept_rule_holds_for_commands_too(begun: Desk, accept: str) -> None:
    """An address that does not suffice changes nothing; it does for queries, since the answer goes there."""
    run_action(begun.app, "toy1", SetHouseRule({"authentication": accept}), begun.now)

    assert "seat red" in ask(begun, "STATUS")
    assert "is paused" not in ask(begun, "PAUSE")
    assert "is paused" in ask(begun, f"PLAYER toy1 red {token(begun)}\nPAUSE\nEND")


def test_a_deputy_sends_sheets_and_no_more(begun: Desk) -> None:
    """A deputy cannot give the seat away, not even in reply to a report."""
    insist(begun, "DEPUTY eve@example.net UNTIL 2026-11-20")
    confirm(begun, EVE)
    begun.reply(reports(begun, EVE)[-1], "LEAVE", sender=EVE)
    begun.answer()

    assert players(begun)["red"] == ANN


class Essay(Auction):
    """The toy for free text: whatever is written is a bid of one coin."""

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        return ParsedSheet(tuple(ParsedOrder(number, Bid(1)) for number, line in lines if line.strip()))


def test_an_order_in_free_words_may_begin_like_a_command(begun: Desk) -> None:
    """In a game that accepts free text, a reply that only begins like a command is a sheet."""
    begun.reply(begun.last(), "Leave the harbour at dawn.")
    begun.reply(begun.last(), "Mute blue")
    fetch_messages(begun.app.store, open_mailbox(begun.app.settings), begun.now)
    process_messages(dataclasses.replace(begun.app, games={"toy": Essay()}), begun.now)
    begun.answer()

    answers = [words(mail) for mail in begun.mails(ANN)[2:]]
    assert sum(text.startswith(TAKEN) for text in answers) == 1
    assert sum("You get no more messages and news of blue" in text for text in answers) == 1
