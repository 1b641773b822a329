"""The heading of an answer to a command follows from whether it was done."""

from __future__ import annotations

import pytest

from tests.inbox.people import ANN, EVE, ask, code, form
from tests.toy.home import Desk, prepared

REFUSED = [
    "ABSENT 2026-01-02",
    "PRESENT",
    "JOIN toy2 AS bleu",
    "WITHDRAW toy9",
    "CONFIRM aaaaaaaaaaaaaaaa",
    "UNMUTE blue",
    "MUTE red",
    "RESEND 7",
    "RULES dragons",
    "CLEAR ORDERS",
    "DICE hello",
]


@prepared
def begin(desk: Desk) -> None:
    """Start a campaign, and let another take players."""
    desk.start()
    form(desk, "blue", "green", name="toy2", signup="on")


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_not_done_is_headed_so(desk: Desk, line: str) -> None:
    """No command that changes nothing, since it cannot be done, is answered with Done."""
    begin(desk)

    said = ask(desk, line, ANN, subject="hello")

    assert said.startswith("Not done ")
    assert "] Not done: " in str(desk.last(ANN)["Subject"])


def test_one_of_two_is_headed_so(desk: Desk) -> None:
    """Beside a command that is done, one that is not is named in the heading."""
    begin(desk)

    assert ask(desk, "STATUS\nWITHDRAW toy9", ANN).startswith("Not all was done ")


def test_a_used_code_is_not_done(desk: Desk) -> None:
    """A code counts once; where it comes again, nothing is done."""
    begin(desk)
    ask(desk, "JOIN toy2", EVE)
    sent = code(desk.last(EVE))
    assert ask(desk, f"CONFIRM {sent}", EVE).startswith("Done ")

    assert ask(desk, f"CONFIRM {sent}", EVE).startswith("Not done ")
