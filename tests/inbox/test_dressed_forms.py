"""The forms of four games as programs quote them: exactly what was edited in them is read, and nothing else."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.inbox.frames import find_frames, spell_line
from pbem.inbox.our_frames import Mailed, sort_frames
from pbem.mail.reply_parser import normalise_text
from pbem.report.mailto import as_comment
from tests.inbox.letters import FREE, GAMES, good_orders, view_of

CODE = "abcdefghijklmno7"
NAMES = ("singularity_trap", "harvester", "bubble_singularity", FREE)
ABOVE = "Delete the ; in front of an order to give it, here or in your reply."
BELOW = "Your GM: gm@example.org. Reply HELP for the guide."
MARKS: dict[str, Callable[[str], str]] = {
    "marks": lambda line: f"> {line}",
    "marks without a blank": lambda line: f">{line}",
    "bars": lambda line: f"| {line}",
    "nothing": lambda line: line,
    "tabs": lambda line: f"\t{line}",
    "bullets": lambda line: f"> - {line}",
    "round bullets": lambda line: f"> \u2022 {line}",
    "blanks that do not break": lambda line: f"> {line}".replace(" ", "\xa0"),
}
WIDTHS = (0, *range(60, 79, 3))
# Longer lines may be broken, and a line that is not known word for word cannot be joined again.
SHORT = 50


def form_of(key: str) -> list[str]:
    """Return the lines of a game's form, each of them once, or of a sheet of its bot if it has none."""
    lines = [as_comment(line) for line in GAMES[key].template(view_of(key)) if line.strip()]
    lines = lines or [f"; {line}" for line in good_orders(key)]
    return list({spell_line(line): line for line in lines}.values())[:12] or ["; hold the bridge", "; march to Delos"]


def report(form: Sequence[str]) -> list[str]:
    """Return the end of a report with a form."""
    return ["Turn 4", "The wind has turned.", ABOVE, f"ORDERS sea1 red {CODE}", *form, "END", BELOW]


def dressed(lines: Sequence[str], mark: str, width: int, *, before: bool) -> list[str]:
    """Return lines as a program marks and breaks them, and as they are read."""
    put = MARKS[mark]
    pieces = [piece for line in lines for piece in (_broken(line, width) if before else [line])]
    marked = [put(piece) for piece in pieces]
    found = marked if before else [piece for line in marked for piece in _broken(line, width)]
    return normalise_text("\n".join(found)).split("\n")


def _broken(line: str, width: int) -> list[str]:
    if not width:
        return [line]
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]


def orders(lines: Sequence[str], form: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the words of the orders that are read in what is quoted of a report with a form."""
    known = Mailed(find_frames(report(form)), CODE)
    found = [each for each in sort_frames(lines, (), known) if each.what in ("anchored", "traced")]
    return [spell_line(line) for each in found for line in each.orders]


@pytest.mark.parametrize("key", NAMES)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_exactly_the_edited_lines_are_read(key: str, data: st.DataObject) -> None:
    """Lines that were freed, changed or added are read, however a program dresses them; those behind a ; are not."""
    form, edited, wanted = form_of(key), list[str](), list[tuple[str, ...]]()
    for line in form:
        said = line.removeprefix("; ")
        edits = ("keep", "free", "change", "add") if line.startswith("; ") and len(line) < SHORT else ("keep",)
        edit = data.draw(st.sampled_from(edits))
        new = {"keep": [line], "free": [said], "change": [f"{said} 77"], "add": [line, "STAY R77"]}[edit]
        edited += new
        wanted += [spell_line(each) for each in new if each != line]
    mark, width = data.draw(st.sampled_from(list(MARKS))), data.draw(st.sampled_from(WIDTHS))
    lines = dressed(report(edited), mark, width, before=data.draw(st.booleans()))

    assert orders(lines, form) == wanted


@pytest.mark.parametrize("key", NAMES)
@pytest.mark.parametrize("mark", MARKS)
def test_no_line_of_a_form_as_it_was_is_read(key: str, mark: str) -> None:
    """An unedited form is a quotation in any dress."""
    form = form_of(key)
    ways = [dressed(report(form), mark, width, before=before) for width in WIDTHS for before in (True, False)]

    assert [orders(lines, form) for lines in ways] == [[]] * len(ways)


@pytest.mark.parametrize("key", NAMES)
@pytest.mark.parametrize("mark", MARKS)
def test_no_line_of_a_receipt_is_read(key: str, mark: str) -> None:
    """A receipt, which shows orders without a frame, has nothing that was edited."""
    form, entries = form_of(key), [f"- {line}" for line in good_orders(key)] or ["- hold the bridge"]
    receipt = ["All orders are in", "", "Nothing else to do. Turn 4 runs on Friday.", "", *entries, "", BELOW]
    ways = [dressed(receipt, mark, width, before=before) for width in WIDTHS for before in (True, False)]

    assert [orders(lines, form) for lines in ways] == [[]] * len(ways)
