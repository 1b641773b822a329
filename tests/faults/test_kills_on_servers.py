"""Test of kills at each commit to PostgreSQL and each command to Dovecot and Postfix."""

from __future__ import annotations

import pytest

from tests.faults.outcome import faults
from tests.faults.servers import ServerNight, Undisturbed


@pytest.mark.parametrize(("kind", "least"), [("commit", 12), ("imap", 20), ("smtp", 30)])
def test_a_kill_at_any_command(servers: ServerNight, undisturbed: Undisturbed, kind: str, least: int) -> None:
    """Sheets count once, turns run once, and every mail is sent to the right player, with the same bytes each time."""
    passed, expected = undisturbed
    assert sum(name.startswith(kind) for name in passed) >= least

    assert faults(passed, kind, servers.after_kill, expected) == {}
