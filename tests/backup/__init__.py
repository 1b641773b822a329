"""Backups: made while all is at work, proved, restored, and never half believed."""
