"""The open home of the toy, and a campaign whose GM has a token, for these tests."""

from __future__ import annotations

from tests.inbox.gms import running
from tests.toy.fixtures import desk, shared

__all__ = ["desk", "running", "shared"]
