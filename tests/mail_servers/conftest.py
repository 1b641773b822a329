"""Settings that point to the running mail system."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.config import Settings, load_settings
from pbem.config_values import FILE_NAME
from pbem.testing.suite import migrated_database
from tests.servers.mail import MailServer

MakeSettings = Callable[..., Settings]


@pytest.fixture
def make_settings(mail_server: MailServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeSettings:
    """Return a function that makes settings of the account `orders` at the mail system, with tables.

    Each setting may be given another value.
    """
    monkeypatch.setenv("TEST_PASSWORD", mail_server.password("orders"))

    def make(**others: str) -> Settings:
        values = {
            "address": mail_server.address("orders"),
            "inbox": mail_server.inbox("orders"),
            "carrier": mail_server.carrier("orders"),
            "tls_ca": str(mail_server.ca_file),
            **others,
        }
        lines = [f'{name} = "{value}"' for name, value in values.items() if value]
        lines += [f'{name}_password = {{ env = "TEST_PASSWORD" }}' for name in ("inbox", "carrier")]
        (tmp_path / FILE_NAME).write_text("\n".join(lines))
        (tmp_path / "pbem.sqlite").write_bytes(migrated_database())
        return load_settings(tmp_path)

    return make
