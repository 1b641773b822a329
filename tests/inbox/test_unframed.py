"""Commands of a GM in plain lines, without a frame: the first line is one as a whole, or nothing is read."""

from __future__ import annotations

import pytest

from pbem.actions.registry import GM_COMMANDS
from pbem.inbox.gm_lines import parse_gm_frame, read_unframed


def read(*lines: str, names: tuple[str, ...] = ()) -> list[str] | None:
    """Return the commands of plain lines, as they are shown, and their findings; None if the first is no command."""
    frame = read_unframed("toy1", lines, code="c", names=names)
    if frame is None:
        return None
    parsed = parse_gm_frame(frame).parsed
    return [*map(GM_COMMANDS.line, parsed.orders), *(finding.hint for finding in parsed.findings)]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *[("UNDO", "UNDO"), ("Undo please", "UNDO"), ("undo.", "UNDO"), ("Status?", "STATUS"), ("help", "HELP")],
        *[("1. DEADLINE 24h", "DEADLINE 24h"), ("- pause red", "PAUSE red"), ("* Deadline 2d", "DEADLINE 2d")],
        *[("deadline friday", "DEADLINE friday"), ("more time", "DEADLINE"), ("HOLD on a train", "HOLD on a train")],
        *[
            ("Set grace=12h", "SET grace=12h"),
            ("house rule grace 12h", "SET grace 12h"),
            ("roll 3d6 gate", "ROLL 3d6 gate"),
        ],
        *[("Kick red", "REMOVE red"), ("give red to eve@example.org", "GIVE red TO eve@example.org"), ("stop", "HOLD")],
        *[("hold", "HOLD"), ("Run.", "RUN"), ("go on", "RELEASE"), ("help ruling", "HELP ruling")],
    ],
)
def test_a_first_line_that_is_a_command_is_read(typed: str, meant: str) -> None:
    """In capitals or small letters, with a number or bullet before it, with thanks around it."""
    assert read(typed) == [meant]
    assert read("Hi,", "", typed, "", "Thanks,", "Gus", names=("gus",)) == [meant]


@pytest.mark.parametrize(
    "line",
    [
        *[
            "Thanks a lot",
            "Hold on, I will look",
            "Run is fine for me",
            "Hold your horses",
            "Set to go",
            "Undo?",
            "Run?",
        ],
        *["Deadline is fine for me", "Deadline 8 is too late for me", "Roll with it", "Help is on its way", "Sure", ""],
        *[
            "Try again",
            "Status quo is fine",
            "Stop that nonsense",
            "What if",
            "Sounds good",
            "OK",
            "Done",
            "I will look",
        ],
        *[
            "Give it up",
            "Start with the small things",
            "Answer to your question below",
            "The turn is due",
            "Continue so",
        ],
        *[
            "Hold that thought",
            "Invite him",
            "Open the gates!",
            "Great",
            "Gus",
            "> UNDO",
            "Deadline moved, thanks",
            "?!",
        ],
    ],
)
def test_prose_is_no_command(line: str) -> None:
    """A sentence that begins like a command is none, also above real ones."""
    assert read(line) is None
    assert read(line, "Gus", names=("gus",)) is None


def test_all_lines_of_a_reply_are_read_or_refused() -> None:
    """Several commands are read; a line below that is neither a command nor a courtesy is told, so nothing is done."""
    assert read("HOLD snow", "pause red", "", "Cheers", "Gus") == ["HOLD snow", "PAUSE red"]
    assert read("UNDO", "", "The players asked for it.", "Gus", names=("gus",)) == ["UNDO", "HELP lists the commands"]


@pytest.mark.parametrize(
    ("line", "hint"), [("RELAESE", "RELEASE"), ("relaese", "RELEASE"), ("DEADLNE 24h", "DEADLINE")]
)
def test_a_mistyped_command_is_told_with_the_nearest(line: str, hint: str) -> None:
    """It is taken for a command that was meant, and not done."""
    assert read(line) == [f"did you mean {hint}?"]


def test_a_text_has_all_below_it() -> None:
    """Words to people are not cut: thanks in them are the GM's words."""
    frame = read_unframed("toy1", ["announce", "The harbour is closed.", "", "Thanks", "Gus", "END", "-- x"])
    assert frame is not None
    (text,) = parse_gm_frame(frame).texts.values()

    assert text.words == "The harbour is closed.\n\nThanks\nGus"
