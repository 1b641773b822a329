"""Fixtures of the toy's home for these tests."""

from __future__ import annotations

from tests.toy.fixtures import desk, shared

__all__ = ["desk", "shared"]
