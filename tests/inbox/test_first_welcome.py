"""Tests of the first welcome, which a player gets before the game starts."""

from __future__ import annotations

from tests.inbox.people import form
from tests.toy.home import Desk, text_of


def test_the_first_welcome_says_who_plays_and_when_it_starts(desk: Desk) -> None:
    """The other players, the free seats, the GM and the schedule stand above the dice."""
    form(desk, "red", "blue")
    desk.answer()
    text = " ".join(text_of(desk.mails("ann@example.org")[0]).split())

    assert "WITH YOU PLAY blue. gm@example.org, your GM, starts the game. Turns are then due" in text
    assert text.index("WITH YOU PLAY") < text.index("FAIR DICE")
