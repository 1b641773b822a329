"""The toy's home, for bots that write to it."""

from __future__ import annotations

from tests.toy.fixtures import desk

__all__ = ["desk"]
