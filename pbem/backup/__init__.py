"""Backups of a home, and transfer of a campaign to another home."""
