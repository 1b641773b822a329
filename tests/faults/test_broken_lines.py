"""Test of a line to a mail server that breaks in the middle of a night's tick, after any number of bytes."""

from __future__ import annotations

import pytest

from tests.faults.servers import ServerNight, Undisturbed

PLACES = 12


@pytest.mark.parametrize(("setting", "service"), [("inbox", "imap"), ("carrier", "smtp")])
def test_a_line_that_breaks(servers: ServerNight, undisturbed: Undisturbed, setting: str, service: str) -> None:
    """No turn runs by its deadline on half an inbox; mail of unknown fate is sent again unchanged."""
    length = servers.length(setting, service)

    for place in range(PLACES):
        come_to = servers.after_broken_line(setting, service, length * place // PLACES)
        assert come_to.difference(undisturbed[1]) == ""
