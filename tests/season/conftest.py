"""Settings that point to the running mail system."""

from __future__ import annotations

from tests.mail.conftest import make_settings

__all__ = ["make_settings"]
