"""Order forms of our mails in quotations: what was edited in them is known from what was mailed, or not read."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence

import pytest

from pbem.inbox.frames import Frame, find_frames, spell_line
from pbem.inbox.our_frames import FoundForm, Mailed, is_against, sort_frames
from tests.inbox.clients import WROTE

CODE = "abcdefghijklmno7"
REPORT = f"""\
Turn 4
The wind has turned.
Delete the ; in front of an order to give it, here or in your reply.
ORDERS sea1 red {CODE}
; SAIL brig N
; SAIL cog W
; PACT green YES
END
Your GM: gm@example.org. Reply HELP for the guide.""".split("\n")
FORM = REPORT[3:8]
HERE = REPORT[2:9]
OWN = f"Here are mine.\nORDERS sea1 red {CODE}".split("\n")


def mailed(*sent: str, code: str = CODE, ours: bool = True) -> Mailed:
    """Return what is known of a seat to which the report was mailed, and which has sent sheets since."""
    sheets = [frozenset(map(spell_line, sheet.split("\n"))) for sheet in sent]
    return Mailed(find_frames(REPORT), code, sheets, ours)


def quoted(lines: Sequence[str], mark: str = "> ") -> list[str]:
    """Return lines as they are quoted."""
    return [f"{mark}{line}" for line in lines]


def edited(*changes: tuple[str, str], of: Sequence[str] = HERE) -> list[str]:
    """Return the form between its sentences with some lines replaced; "" takes one away."""
    found = dict(changes)
    return [found.get(line, line) for line in of if found.get(line, line)]


def sort(lines: Sequence[str], known: Mailed | None = None, *, typed: Sequence[str] = ()) -> list[FoundForm]:
    """Return the frames of a text."""
    return sort_frames(lines, typed, known or mailed())


FREED = edited(("; SAIL cog W", "SAIL cog W"))
SORTED = {
    "the form as it was": (quoted(REPORT), "quotation", []),
    "a line freed": (quoted(FREED), "anchored", ["SAIL cog W"]),
    "a line freed and changed": (quoted(edited(("; SAIL cog W", "SAIL cog S"))), "anchored", ["SAIL cog S"]),
    "a line added": (quoted(edited(("END", "SAIL NEW1 E\nEND")))[:-1], "anchored", ["SAIL NEW1 E"]),
    "a line changed behind its semicolon": (quoted(edited(("; SAIL cog W", "; SAIL cog S"))), "quotation", []),
    "a line taken away": (quoted(edited(("; SAIL cog W", ""))), "quotation", []),
    "all lines freed": (
        quoted([line.removeprefix("; ") for line in HERE]),
        "anchored",
        ["SAIL brig N", "SAIL cog W", "PACT green YES"],
    ),
    "without marks": (FREED, "anchored", ["SAIL cog W"]),
    "with bars": (quoted(FREED, "| "), "anchored", ["SAIL cog W"]),
    "with initials": (quoted(FREED, "PbE> "), "anchored", ["SAIL cog W"]),
    "the marks of some lines taken away too": (
        [*quoted(FREED[:3]), *FREED[3:4], *quoted(FREED[4:])],
        "anchored",
        ["SAIL cog W"],
    ),
    "the form alone": (quoted(FREED[1:-1]), "traced", ["SAIL cog W"]),
    "the form alone, all lines freed": (
        quoted([line.removeprefix("; ") for line in FORM]),
        "unknown",
        ["SAIL brig N", "SAIL cog W", "PACT green YES"],
    ),
    "an own sheet": (quoted([*OWN, "SAIL brig N", "SAIL cog W", "END"]), "unknown", ["SAIL brig N", "SAIL cog W"]),
    "an own sheet with few lines of the form": (
        quoted([*OWN, "SAIL cog S", "SAIL raft N", "; SAIL brig N", "STAY", "END", "I am away."]),
        "traced",
        ["SAIL cog S", "SAIL raft N", "STAY"],
    ),
    "quoted deeper than the rest": (["> Hello", *quoted(FREED, "> > ")], "old", ["SAIL cog W"]),
    "below two attributions": ([WROTE, "Hello", "", WROTE, *FREED], "old", ["SAIL cog W"]),
}


@pytest.mark.parametrize(("lines", "what", "orders"), SORTED.values(), ids=SORTED)
def test_what_a_frame_is(lines: list[str], what: str, orders: list[str]) -> None:
    """A frame is our form if our words stand next to it, or a line is still behind our semicolon."""
    text = "\n".join(lines).split("\n")
    (found,) = sort([f"> {line}" if line == "END" and lines[0][:1] == ">" else line for line in text])

    assert (found.what, list(found.orders)) == (what, orders)


@pytest.mark.parametrize("code", ["qrstuvwxyzabcde2", ""])
def test_a_form_of_an_earlier_report_is_old(code: str) -> None:
    """A form with another code than the newest is told, not read."""
    (found,) = sort(quoted(FREED), mailed(code=code or "qrstuvwxyzabcde2"))

    assert (found.what, found.is_reported) == ("old", True)


def test_a_form_in_a_mail_that_we_never_sent_is_old() -> None:
    """An edited form in a mail that was answered, and is none of ours, is the sender's own mail."""
    assert sort(quoted(FREED), mailed(ours=False))[0].what == "old"


def test_an_own_sheet_that_was_sent_is_a_quotation() -> None:
    """A frame whose orders stand in one sheet of the turn is quoted silently, but for an edited form."""
    own = quoted([*OWN, "SAIL brig N", "SAIL cog W", "END"])

    assert sort(own, mailed("Hello\nSAIL cog W\nSAIL brig N\nAnn"))[0].what == "quotation"
    assert sort(own, mailed("SAIL cog W", "SAIL brig N"))[0].what == "unknown"
    assert sort(quoted(FREED), mailed("SAIL cog W"))[0].what == "anchored"


def test_a_typed_frame_is_no_quotation() -> None:
    """A frame among the typed lines is a sheet, and is not looked at."""
    sheet = [f"ORDERS sea1 red {CODE}", "SAIL cog W", "END"]

    assert [found.what for found in sort([*sheet, *quoted(REPORT)], typed=sheet)] == ["quotation"]


def test_a_lone_line_proves_nothing() -> None:
    """A line without a frame may be an event of the report."""
    assert sort(["> SAIL cog W"]) == []


@pytest.mark.parametrize(
    ("one", "another", "against"),
    [
        ("PACT green YES", "PACT green NO", True),
        ("PACT green YES", "pact green yes", False),
        ("SAIL brig N", "SAIL cog N", False),
    ],
)
def test_orders_against_each_other(one: str, another: str, against: bool) -> None:
    """Two orders say different things of the same if their first two words alone are equal."""
    assert is_against(spell_line(one), spell_line(another)) == against


LONG = "; MARCH the second army of the western border TO the old bridge over the river at Delos"
LONG_REPORT = [*REPORT[:5], LONG, *REPORT[5:]]
DRESSES: dict[str, Callable[[str], str]] = {
    "marked": lambda line: f"> {line}",
    "marked closely": lambda line: f">{line}",
    "bars": lambda line: f"| {line}",
    "nothing": lambda line: line,
    "indented": lambda line: f"    {line}",
    "bullets": lambda line: f"> - {line}",
    "other bullets": lambda line: f"> \u2022 {line}",
    "emphasis": lambda line: f"> *{line}*",
}


def dressed(lines: Sequence[str], dress: str, width: int, *, before: bool) -> list[str]:
    """Return lines as a program quotes them; with a width they are broken, before they are marked or after."""
    put = DRESSES[dress]
    if not width:
        return [put(line) for line in lines]
    if before:
        return [put(row) for line in lines for row in textwrap.wrap(line, width)]
    return [row for line in lines for row in textwrap.wrap(put(line), width)]


EDITS: dict[str, tuple[Callable[[str], str], list[str]]] = {
    "none": (lambda text: text, []),
    "free": (lambda text: text.replace("; SAIL cog", "SAIL cog"), ["SAIL cog W"]),
    "free a long line": (lambda text: text.replace("; MARCH", "MARCH"), [LONG.removeprefix("; ")]),
    "change": (lambda text: text.replace("; SAIL cog W", "SAIL cog S"), ["SAIL cog S"]),
    "change a long line": (
        lambda text: text.replace(LONG, LONG[2:].replace("Delos", "Naxos")),
        [LONG[2:].replace("Delos", "Naxos")],
    ),
    "add": (lambda text: text.replace("\nEND", "\nSAIL raft N\nEND"), ["SAIL raft N"]),
    "several": (
        lambda text: re.sub("; (SAIL|PACT)", r"\1", text),
        ["SAIL brig N", "SAIL cog W", "PACT green YES"],
    ),
}


@pytest.mark.sampled(140)
@pytest.mark.parametrize("before", [True, False], ids=["broken before marking", "broken after"])
@pytest.mark.parametrize("width", [0, 60, 66, 72, 78])
@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("edit", EDITS)
def test_exactly_what_was_edited_is_read(edit: str, dress: str, width: int, before: bool) -> None:
    """However a program marks and breaks a form, its orders are what was freed, changed or added, and no others."""
    change, wanted = EDITS[edit]
    lines = dressed(change("\n".join(LONG_REPORT)).split("\n"), dress, width, before=before)
    found = sort(lines, Mailed(find_frames(LONG_REPORT), CODE, verbs={"march", "sail", "pact"}))
    orders = [line for each in found for line in each.orders]

    assert orders == wanted
    assert {each.what for each in found} == {"anchored" if wanted else "quotation"}


def test_frames_without_an_end_stop_at_a_blank_line() -> None:
    """A frame that has lost its END is read to the next blank line."""
    (frame,) = find_frames(["> ORDERS sea1 red", "> SAIL brig N", ">", "> Your GM"])

    assert isinstance(frame, Frame)
    assert (frame.lines, frame.closed) == (("SAIL brig N",), False)
