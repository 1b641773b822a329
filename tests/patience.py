"""The time for which a test waits for another process, thread or browser before it fails."""

from __future__ import annotations

PATIENCE = 600
"""Seconds. No test takes so long: it is far more than the slowest machine needs, and only ends one that hangs."""
