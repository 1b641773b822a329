"""A player's check at home reads a sheet as the inbox does."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from pbem.cli.sheet_check import check_sheet
from pbem.report.data import ReportDataError
from pbem.ruleset import ParsedSheet, View, canonical_json
from tests.toy.home import GAMES, Desk, text_of
from tests.toy.ruleset import Auction

SAID = "WHISPER blue " + "hello deal never " * 3 + "deal"
SHEETS = {
    "whole": f"BID 3\n{SAID}",
    "broken inside quotation marks": 'WHISPER blue hello deal never hello never "hello deal\nnever deal never"\nBID 3',
    "perhaps broken": "WHISPER blue hello deal never hello deal never hello deal never hello\ndeal never hello\nBID 3",
    "quoted below": "BID 3\n\nOn Monday ann@example.org wrote:\n> Good luck!",
    "signed": "BID 3\n-- \nAnn",
    "above an older one": "BID 3\n\nORDERS toy1 red\nBID 4\nEND",
}


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS.keys())
def test_a_check_notes_what_the_receipt_notes(desk: Desk, sheet: str) -> None:
    """Check and receipt name joined and doubtful lines in the same words, no quotation, and find the same orders."""
    desk.start()
    report = desk.last()
    (data,) = [part for part in report.iter_attachments() if part.get_content_type() == "application/json"]
    checked = check_sheet(GAMES, sheet.encode(), data.get_content())
    desk.reply(report, sheet)
    desk.answer()
    receipt = text_of(desk.last()).partition("\n\n-- \n")[0]
    notes = "".join(f"\n\n{note}" for note in checked.notes)

    assert receipt.endswith(notes)
    assert receipt.removesuffix(notes).split("\n\n")[-1].startswith(("- ", "To change orders, "))
    assert [order for order in checked.orders if f"\n- {order.typed}\n" not in f"{receipt}\n"] == []


class Trusting(Auction):
    """The toy, relying on what its views hold."""

    def parse(self, view: View, lines: Iterable[tuple[int, str]]) -> ParsedSheet:
        """Parse as the toy does."""
        assert "purse" in view
        return super().parse(view, lines)


def test_a_report_in_which_a_game_trusts_in_vain_is_damaged() -> None:
    """A report with another view than the game writes is reported as damaged."""
    game = Trusting()
    place = {"campaign": "toy1", "seat": "red", "label": "round 1", "zone": "UTC"}
    report = {"format": 1, "game": game.key, "game_version": game.version, **place, "view": {}}

    with pytest.raises(ReportDataError, match="this report is damaged: its 'view' is none of Toy Auction"):
        check_sheet({game.key: game}, b"BID 3", canonical_json(report))
