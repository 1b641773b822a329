"""A GM's texts in reports, and press."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.acts.words.gmwords import PressShown, Text
from pbem.campaign.table import Table
from pbem.console.common import counted, utc
from pbem.report.wording import barred, joined
from pbem.ruleset import Seat


def text_lines(table: Table, texts: Sequence[Text]) -> Iterator[str]:
    """The texts of a campaign's GM, each with the turn whose reports bring it, and whether they have."""
    if not texts:
        yield f"There are no texts for reports of {table.name}."
    for each in texts:
        state = "waits for" if each.turn > table.turn else "went with"
        yield f"{each.id}  {state} the reports that open turn {each.turn}, for {each.seat or 'all'}"
        yield barred(each.text)


def press_lines(pieces: Sequence[PressShown]) -> Iterator[str]:
    """All press of a campaign, for its GM alone: by whom each piece truly is."""
    if not pieces:
        yield "There is no press."
    for each in pieces:
        by = (each.seat or "the GM") + (" (unsigned)" if each.unsigned else "")
        to = "" if each.kind != "letter" else f" to {joined(each.to) or 'all'}"
        yield f"{each.id}  turn {each.turn}, {utc(each.at)} UTC: {each.kind} by {by}{to}"
        yield barred(each.text)


def broadcast_line(reached: Sequence[Seat]) -> str:
    """Who gets a GM's words."""
    return f"{counted(len(reached), 'mail')} queued, to {joined(reached)}. Send: pbem tick"
