"""Tables of other programs are as their last runs and this program make them."""

from __future__ import annotations

from tests.programs import peers, polling, sending, tables


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


def test_the_page_of_servers_has_what_their_polls_have_shown() -> None:
    """Servers are in the page as they were polled: `python -m tests.programs.polling` writes it."""
    page = polling.PAGE.read_text()

    assert polling.write(page) == page
    assert "| courier-imap |" in page


def test_the_page_of_servers_has_what_came_back_through_them() -> None:
    """Servers are in the page as a campaign was sent through them: `python -m tests.programs.sending` writes it."""
    page = sending.PAGE.read_text()

    assert sending.write(page) == page
    assert "| exim4 |" in page
