"""Fixture of settings that point to the running mail system."""

from __future__ import annotations

from tests.mail_servers.conftest import make_settings

__all__ = ["make_settings"]
