"""Backups: made during work, verified, restored, and never trusted half way."""
