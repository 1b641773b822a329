"""Test of a line to a mail server that breaks in the middle of a night's tick, after any number of bytes."""

from __future__ import annotations

import pytest

from tests.faults.servers import ServerNight
from tests.sampling import Sampler

PLACES = 12
TAKEN = 1


@pytest.mark.parametrize(("setting", "service"), [("inbox", "imap"), ("carrier", "smtp")])
def test_a_line_that_breaks(servers: ServerNight, sampler: Sampler, setting: str, service: str) -> None:
    """No turn runs by its deadline on half an inbox; mail of unknown fate is sent again unchanged."""
    length = servers.length(setting, service)

    for place in sampler.sample(range(PLACES), TAKEN):
        come_to = servers.after_broken_line(setting, service, length * place // PLACES)
        assert come_to.difference(servers.undisturbed) == ""
