"""Lines in the texts of commands: which are orders or commands, and which are talk."""

from __future__ import annotations

import pytest

from pbem.inbox.held_texts import LineReader
from pbem.mail.reply_parser import ends_text
from tests.inbox.letters import FREE, GAMES, good_orders, view_of

TALK = """
Hello Bob, carl is weak.
Move along, friend.
Move your ships to the north and I will follow.
Build what you like, I do not care.
Attack him before he attacks us!
Hold the line.
Let us hold together.
Destroy the red one if you can.
Take the left side, I take the right.
Launch? Never.
Place your trust in me.
Rules are made to be broken.
Leave him alone.
Leave Paris to me.
Join me!
News: none.
News from the front: all is well.
Press on, my fleet!
Press to the south with all you have.
Question: are you with me?
A question to you: why?
Ask the GM whether that is allowed.
Ask your own advisers.
Status of my fleet: good.
History repeats itself.
Pass the word to the others.
Confirm this by Friday, please.
Withdraw your troops.
Player two is a liar.
Tell bob that I am here.
Tell me more.
I have no orders yet.
Orders for this week: none.
Set up a camp at the river.
Send me 3 ships and we have a deal.
Draw him out.
Resign? Me? Never!
Wait for me.
The end is near.
At the end
""".strip().split("\n")
"""Sentences that players write each other, each of them alone on a line."""

COMMANDS = """
STATUS
PRESS TO dora
PRESS TO dorra
press to dora, bob
Press to all
write to dora:
UNSIGNED TO bob
NEWS
News:
DIARY
ASK GM
Ask GM: may I?
a question to the GM
PRESS dora
LEAVE
LEAVE trap7
NO ORDERS
CLEAR ORDERS
ABSENT 2026-12-20 TO 2027-01-03
ADDRESS ann@example.org
mute bob
PLAYER trap7 ann
ORDERS trap7 ann k3v7mq2xw5n4tzpa
""".strip().split("\n")


def reader(key: str) -> LineReader:
    """Return the reader of a seat's lines in a game."""
    return LineReader(GAMES[key], view_of(key), "trap7", "ann", ("ann", "bob", "dora"))


def holds(lines: LineReader, line: str) -> bool:
    """Return True if a line in a text holds it back."""
    return lines.is_order(line) or lines.is_command(line) or lines.heads_text(line)


@pytest.mark.parametrize("key", GAMES)
def test_talk_is_not_held_back(key: str) -> None:
    """No ordinary sentence reads as an order or a command, in any game."""
    lines = reader(key)

    assert [line for line in TALK if holds(lines, line)] == []


@pytest.mark.parametrize("key", GAMES)
def test_commands_hold_a_text(key: str) -> None:
    """A line that is a command holds a text, also one with an unknown or misspelt seat."""
    lines = reader(key)

    assert [line for line in COMMANDS if not holds(lines, line)] == []


@pytest.mark.parametrize("key", sorted(GAMES.keys() - {FREE}))
def test_orders_hold_a_text(key: str) -> None:
    """Each order of a good sheet holds a text, whatever its case."""
    lines, orders = reader(key), good_orders(key)

    assert orders
    assert [each for line in orders for each in (line, line.lower()) if not lines.is_order(each)] == []


def test_words_hold_no_text_where_all_words_are_orders() -> None:
    """In a game of free words no line is taken for an order."""
    assert not any(reader(FREE).is_order(line) for line in (*TALK, "March 3 companies to the mill", "WAIT"))


def test_an_order_with_an_error_holds_a_text() -> None:
    """A line that looks typed as an order holds a text, though the game refuses it."""
    lines = reader("harvester")
    verb = good_orders("harvester")[0].split()[0]

    assert lines.is_order(f"{verb} NOBODY NOWHERE")
    assert lines.is_order(f"{verb.lower()} s99")
    assert not lines.is_order(f"{verb.lower()} nobody nowhere")


def test_giving_up_the_seat_is_never_read_in_a_text() -> None:
    """RESIGN CONFIRM holds a text, and is not read as an order."""
    lines = reader("harvester")

    assert lines.is_command("RESIGN CONFIRM")
    assert not lines.is_order("RESIGN CONFIRM")


@pytest.mark.parametrize(
    "line", ["END", "end.", "endpress", "EndPress!", "END PRESS", " end  press ", "endbroadcast", "SIGNOFF;"]
)
def test_words_that_end_a_text(line: str) -> None:
    """END and what judges have for it end a text, in any case and with a mark behind."""
    assert ends_text(line)


@pytest.mark.parametrize(
    "line", ["> END", '"END"', "END of my words", "the end", "endpress now", "END" + " " * 60 + "x", ""]
)
def test_words_that_do_not_end_a_text(line: str) -> None:
    """A quoted END, and one beside other words, ends no text."""
    assert not ends_text(line)
