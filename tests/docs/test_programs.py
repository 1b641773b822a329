"""Tables of other programs are as their last runs and this program make them."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.programs import lists, peers, polling, sending, tables


def test_the_page_of_mail_programs_has_the_results() -> None:
    """The page says what the last runs have shown: `python -m tests.programs.tables` writes it."""
    page = tables.PAGE.read_text()

    assert tables.write(page) == page
    assert all(table in page for table in tables.tables().values())
    assert tables.LINES.read_text() == tables.lines()


def test_the_page_for_players_of_others_has_what_is_taken_here() -> None:
    """Each habit is taken here as the page says: `python -m tests.programs.peers` writes it."""
    page = peers.PAGE.read_text()

    assert peers.write(page) == page
    assert peers.table() in page


@pytest.mark.parametrize(("table", "name"), [(polling, "courier-imap"), (sending, "exim4"), (lists, "mlmmj")])
def test_the_page_of_servers_has_what_their_runs_have_shown(table: ModuleType, name: str) -> None:
    """Servers are in the page as they were run: `python -m tests.programs.polling`, and so on, writes it."""
    page = polling.PAGE.read_text()

    assert table.write(page) == page
    assert f"| {name} " in page
