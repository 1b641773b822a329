"""Texts of a GM with commands in them: each goes to its own readers, and none goes with a command in it."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from pbem.store.models import Campaign, Press
from pbem.store.types import HoldKind
from tests.inbox.gms import framed
from tests.toy.home import Desk, text_of

GM, ANN, BOB = "gm@example.org", "ann@example.org", "bob@example.org"


def command(desk: Desk, *lines: str) -> str:
    """Mail commands of the GM; return the answer with its lines joined."""
    return " ".join(text_of(framed(desk, *lines)).split())


def sent(desk: Desk) -> list[tuple[str, list[str]]]:
    """Return the text and the recipients of all press."""
    with desk.app.store.reading() as session:
        return [(each.text, each.recipients) for each in session.scalars(select(Press).order_by(Press.id))]


@pytest.mark.parametrize("verb", ["ANNOUNCE TO", "OFFICIAL TO", "PRESS TO"])
def test_each_text_goes_to_its_own_readers(running: Desk, verb: str) -> None:
    """An END between two announcements parts them."""
    answer = command(running, f"{verb} red", "You win.", "endbroadcast", "", f"{verb} blue", "You lose.")

    assert sent(running) == [("You win.", ["red"]), ("You lose.", ["blue"])]
    assert answer.startswith("Done")


@pytest.mark.parametrize(
    "line", ["ANNOUNCE TO blue", "PRESS TO blue", "announce to blue", "RUN", "STATUS", "DEADLINE 2d"]
)
def test_a_command_in_a_text_holds_it(running: Desk, line: str) -> None:
    """Without an END nothing is mailed before a YES to what would go out."""
    answer = command(running, "ANNOUNCE TO red", "You win.", line, "You lose.")
    assert answer.startswith("Would do")
    assert f"lines in the text look like commands: | {line} With YES this goes out: | You win. | {line}" in answer
    assert sent(running) == []

    running.reply(running.last(GM), "YES")
    running.answer()
    assert sent(running) == [(f"You win.\n{line}\nYou lose.", ["red"])]


@pytest.mark.parametrize(
    "line", ["Run for your lives!", "Hold the line.", "The status quo.", "Announce it to all.", "Ask GM"]
)
def test_talk_of_a_gm_is_sent(running: Desk, line: str) -> None:
    """A sentence that begins like a command holds nothing."""
    assert command(running, "ANNOUNCE TO red", "Hear me.", line).startswith("Done")


def test_what_stands_below_the_end_is_not_lost(running: Desk) -> None:
    """Lines below the END of a text that are no text themselves stop all of it, and are named."""
    answer = command(running, "ANNOUNCE TO red", "You win.", "END", "STATUS")

    assert 'it is not known what to do with the lines below it: "STATUS"' in answer
    assert sent(running) == []


def test_the_gms_reply_to_a_question_is_held_too(running: Desk) -> None:
    """A command in the words to a question holds the answer."""
    running.post("ASK GM\nMay I?", sender=ANN)
    running.answer()
    asked = next(mail for mail in running.mails(GM) if "] question " in mail["Subject"])
    running.reply(asked, "You may.\nANNOUNCE TO blue\nred is weak.")
    running.answer()
    assert not any("You may." in text_of(mail) for mail in running.mails(ANN))

    running.reply(running.last(GM), "YES")
    running.answer()
    assert "You may." in text_of(running.last(ANN))


def test_a_held_text_holds_the_other_commands(running: Desk) -> None:
    """Commands of one mail are done together, or not at all."""
    command(running, "HOLD", "ANNOUNCE TO red", "You win.", "ANNOUNCE TO blue", "You lose.")

    with running.app.store.reading() as session:
        assert session.scalars(select(Campaign.hold_kind)).one() == HoldKind.NONE
    assert sent(running) == []
